"""What a person wants to see first: errors by region and income, and whether the gaps are real."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.probes.worldbench.dealing import GROUPINGS, Dealt, dealt
from geobias.probes.worldbench.scores import By, disparities, group_errors, rates
from geobias.stats.multiple import SURE, holm, rules_out

if TYPE_CHECKING:
    import polars as pl


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


def verdict(
    p_adjusted: float | None, low: float | None, high: float | None, rest_p: float | None
) -> str:
    """How a gap stands to what chance gives, as a word before "chance gives".

    A firm word needs three things: random groups are rarely as far apart (`p_adjusted`), the
    interval of the gap, freed of noise, leaves out 0, and what the world's figures leave of the gap
    is beyond random groups too (`rest_p`, adjusted; see `dealing`).
    """
    if p_adjusted is None or p_adjusted >= SURE:
        return "no more than"
    sure = rules_out(p_adjusted, low, high) and rest_p is not None and rest_p < SURE
    return "more than" if sure else "not clearly more than"


def unread_sentence(frame: pl.DataFrame) -> str:
    """How many replies are in no error, and why; "" where all are in one."""
    counts = dict(frame["outcome"].value_counts().iter_rows())
    read, declined, unread = (counts.get(one, 0) for one in ("parsed", "abstained", "unparsed"))
    left = [
        (declined, "declined"),
        (unread, "without a number"),
        (frame.height - read - declined - unread, "without text"),
    ]
    said = ", ".join(f"{count:,} {why}" for count, why in left if count)
    return f"Of {frame.height:,} replies, {said}: in no error." if said else ""


def disparity_sentences(frame: pl.DataFrame, found: Dealt | None = None) -> list[str]:
    """One sentence for regions and one for incomes: the gap, what chance gives, p, and what the
    world's figures give. P-values are adjusted as in the report (Holm): over both gaps and the
    test of the mean error against dealt answers."""
    known = dealt(frame) if found is None else found
    tables = [disparities(frame, by, per_indicator=False).to_dicts() for by in GROUPINGS]
    adjusted = holm([known.p, *(rows[0]["p"] if rows else None for rows in tables)])[1:]
    rests = holm([known.gaps[by].rest_p for by in GROUPINGS])
    sentences = []
    for by, rows, p, rest_p in zip(GROUPINGS, tables, adjusted, rests, strict=True):
        if not rows or p is None:
            sentences.append(f"Disparity over {by}s: undefined, under two of them have answers.")
            continue
        one = rows[0]
        word = verdict(p, one["corrected_low"], one["corrected_high"], rest_p)
        said = f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
        figures = known.gaps[by].figures
        part = "" if figures is None else f"; the world's figures alone give {max(0, figures):.3f}"
        sentences.append(
            f"Disparity over {by}s: {one['disparity']:.3f}, from {one['lowest']} to "
            f"{one['highest']}; dealt at random {one['baseline']:.3f} on average and under "
            f"{one['baseline_high']:.3f} in 95%{part}: {word} chance gives ({said})."
        )
    return sentences
