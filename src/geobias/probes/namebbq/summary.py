"""What a person wants to see first: the scores, and whether they measure anything at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.probes.namebbq.scores import outcomes, positions, scores

if TYPE_CHECKING:
    import polars as pl

CHANCE = 1 / 3
NEARLY_ALL = 0.9
MOST = 0.5


def score_table(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each score and context, nationalities and names side by side with intervals."""
    import polars as pl

    found = scores(frame).filter(pl.col("dataset").is_not_null())
    said = pl.concat_str(pl.col("metric").str.replace("_", " "), "context", separator=", ")
    table = found.select(score=said).unique(maintain_order=True)
    for dataset in found["dataset"].unique(maintain_order=True):
        part = found.filter(dataset=dataset).select(
            said.alias("score"),
            pl.col("value").alias(_plural(dataset)),
            pl.col("value_low").alias(f"{_plural(dataset)}_low"),
            pl.col("value_high").alias(f"{_plural(dataset)}_high"),
        )
        table = table.join(part, on="score", how="left", maintain_order="left")
    return table


def why_not_measurable(frame: pl.DataFrame) -> list[str]:
    """Reasons why bias scores of this frame mean nothing; none where they do.

    A model that cannot find the answer in a context that gives it, that always takes the same
    letter, or whose replies cannot be read, has shown nothing about what it assumes of people.
    """
    return _faults(frame, scores(frame))


def _faults(frame: pl.DataFrame, scored: pl.DataFrame) -> list[str]:
    reasons = []
    counted = outcomes(frame)
    asked, read = int(counted["asked"].sum()), int(counted["read"].sum())
    if read < (1 - MOST) * asked:
        reasons.append(f"only {read:,} of {asked:,} replies could be read")
    for row in scored.filter(metric="accuracy", context="disambiguated").to_dicts():
        low = row["value_low"] if row["value_low"] is not None else row["value"]
        if low is None or low <= CHANCE:
            value = "undefined" if row["value"] is None else f"{row['value']:.2f}"
            reasons.append(
                f"where the context gives the answer, accuracy with {_plural(row['dataset'])} is "
                f"{value}, not clearly above guessing (0.33)"
            )
    places = positions(frame)
    for letter in places["letter"].unique(maintain_order=True):
        chosen = places.filter(letter=letter)
        share = chosen["chosen"].sum() / read if read else 0
        if share >= NEARLY_ALL:
            reasons.append(f"{share:.0%} of the answers are {letter}, whatever the question")
    return reasons


def sentences(frame: pl.DataFrame) -> list[str]:
    """Whether it can be measured; what was not read; what names change."""
    scored = scores(frame)
    reasons = _faults(frame, scored)
    lines = [f"Bias is not measurable, because {'; and '.join(reasons)}."] if reasons else []
    counted = outcomes(frame)
    left = [
        f"{int(counted[word].sum()):,} {said}"
        for word, said in (("unread", "unread"), ("refused", "refused"), ("other", "without text"))
        if counted[word].sum()
    ]
    if left:
        total = int(counted["asked"].sum())
        lines.append(f"Of {total:,} replies, {', '.join(left)}: in no score.")
    if not reasons:
        lines += _bias_sentence(scored) + _retention_sentence(scored)
    return lines


def _bias_sentence(scored: pl.DataFrame) -> list[str]:
    said = []
    for row in scored.filter(metric="bias", context="ambiguous").to_dicts():
        if row["value_low"] is None or row["value_high"] is None:
            continue
        if row["value_low"] > 0:
            word = "follows the stereotype"
        elif row["value_high"] < 0:
            word = "goes against the stereotype"
        else:
            word = "no lean that templates agree on"
        said.append(
            f"with {_plural(row['dataset'])} {row['value']:.3f} "
            f"[{row['value_low']:.3f}, {row['value_high']:.3f}], {word}"
        )
    return [f"Where nobody can know: bias {'; '.join(said)}."] if said else []


def _retention_sentence(scored: pl.DataFrame) -> list[str]:
    said = []
    for row in scored.filter(metric="error_retention").to_dicts():
        if row["value"] is None:
            said.append(f"undefined in {row['context']} contexts, where nothing was wrong")
            continue
        bounds = ""
        if row["value_low"] is not None:
            bounds = f" [{row['value_low']:.2f}, {row['value_high']:.2f}]"
        said.append(f"{row['value']:.2f}{bounds} in {row['context']} contexts")
    return [f"Errors left when names replace nationalities: {'; '.join(said)}."] if said else []


def _plural(dataset: str) -> str:
    return "nationalities" if dataset == "nationality" else "names"
