"""What a person wants to see first: errors by region and income, and whether the gaps are real."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.probes.worldbench.scores import By, Grouping, disparities, group_errors, rates

if TYPE_CHECKING:
    import polars as pl

SURE = 0.05


def error_table(frame: pl.DataFrame) -> pl.DataFrame:
    """All questions, then regions, then incomes, each from the largest error to the smallest.

    `n` counts countries with an answer; `answered` is the share of questions with a number.
    """
    import polars as pl

    parts = []
    groupings: tuple[By, ...] = ("all", "region", "income")
    for by in groupings:
        answered = rates(frame, by).select("group", answered="parsed")
        parts.append(group_errors(frame, by).join(answered, on="group", how="left"))
    columns = ["group", "mean", "mean_low", "mean_high", "median"]
    return pl.concat(parts).select(*columns, pl.col("countries").alias("n"), "answered")


def disparity_sentences(frame: pl.DataFrame) -> list[str]:
    """One sentence for regions and one for incomes: the gap, what chance gives, and p."""
    sentences = []
    groupings: tuple[Grouping, ...] = ("region", "income")
    for by in groupings:
        found = disparities(frame, by, per_indicator=False).to_dicts()
        if not found or found[0]["disparity"] is None:
            sentences.append(f"Disparity over {by}s: undefined, under two of them have answers.")
            continue
        one = found[0]
        word = "more than chance" if one["p"] < SURE else "no more than chance may give"
        p = f"p = {one['p']:.3f}" if one["p"] >= 0.001 else "p < 0.001"
        sentences.append(
            f"Disparity over {by}s: {one['disparity']:.3f}, from {one['lowest']} to "
            f"{one['highest']}; dealt at random {one['baseline']:.3f} on average and under "
            f"{one['baseline_high']:.3f} in 95%: {word} ({p})."
        )
    return sentences
