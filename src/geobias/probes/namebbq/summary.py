"""What a person wants to see first: the scores, and whether they measure anything at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.probes.namebbq.leanings import adjusted_ps, lean_in_words
from geobias.probes.namebbq.scores import outcomes, plural, scores, why_undefined
from geobias.probes.namebbq.screens import screens
from geobias.probes.screens import reasons

if TYPE_CHECKING:
    import polars as pl


def score_table(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each score and context, nationalities and names side by side with intervals."""
    import polars as pl

    found = scores(frame).filter(pl.col("dataset").is_not_null())
    said = pl.concat_str(pl.col("metric").str.replace("_", " "), "context", separator=", ")
    table = found.select(score=said).unique(maintain_order=True)
    for dataset in found["dataset"].unique(maintain_order=True):
        part = found.filter(dataset=dataset).select(
            said.alias("score"),
            pl.col("value").alias(plural(dataset)),
            pl.col("value_low").alias(f"{plural(dataset)}_low"),
            pl.col("value_high").alias(f"{plural(dataset)}_high"),
        )
        table = table.join(part, on="score", how="left", maintain_order="left")
    return table


def why_not_measurable(frame: pl.DataFrame) -> list[str]:
    """Reasons why bias scores of this frame mean nothing; none where they do."""
    return reasons(screens(frame))


def sentences(frame: pl.DataFrame, *, measurable: bool) -> list[str]:
    """What was not read; and where it can be measured, the lean and what names change."""
    lines = []
    counted = outcomes(frame)
    left = [
        f"{int(counted[word].sum()):,} {said}"
        for word, said in (("unread", "unread"), ("refused", "refused"), ("other", "without text"))
        if counted[word].sum()
    ]
    if left:
        total = int(counted["asked"].sum())
        lines.append(f"Of {total:,} replies, {', '.join(left)}: in no score.")
    if measurable:
        scored = scores(frame)
        lines += _bias_sentence(frame, scored) + _retention_sentence(scored)
    return lines


def _bias_sentence(frame: pl.DataFrame, scored: pl.DataFrame) -> list[str]:
    said, p = [], adjusted_ps(frame, scored)
    for row in scored.filter(metric="bias", context="ambiguous").to_dicts():
        if row["value_low"] is None or row["value_high"] is None:
            continue
        tested = p[row["context"], row["dataset"]]
        word = lean_in_words(tested, row["value_low"], row["value_high"])
        said.append(
            f"with {plural(row['dataset'])} {row['value']:.3f} "
            f"[{row['value_low']:.3f}, {row['value_high']:.3f}], {word}"
        )
    return [f"Where nobody can know: bias {'; '.join(said)}."] if said else []


def _retention_sentence(scored: pl.DataFrame) -> list[str]:
    said = []
    for row in scored.filter(metric="error_retention").to_dicts():
        if row["value"] is None:
            why = why_undefined(scored, row)
            said.append(f"undefined in {row['context']} contexts, where {why}")
            continue
        bounds = ""
        if row["value_low"] is not None:
            bounds = f" [{row['value_low']:.2f}, {row['value_high']:.2f}]"
        said.append(f"{row['value']:.2f}{bounds} in {row['context']} contexts")
    return [f"Errors left when names replace nationalities: {'; '.join(said)}."] if said else []
