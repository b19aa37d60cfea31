"""How much of the variance of a run is due to the wording of its questions.

Every question is asked in each of several wordings, so wording and unit are crossed within an item,
and the variance of the values can be divided among them (`measures.components`). A wording is a
condition, never a further question.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from geobias.measures.components import Components, crossed_components
from geobias.measures.estimates import whole
from geobias.measures.frames import once_per_frame, schema_of
from geobias.measures.measure import Measure
from geobias.measures.questions import rows_of
from geobias.results.findings import Metric, Section, Table
from geobias.results.formatting import singular
from geobias.results.tables import metric_from, metric_of, metric_percents, table_from

SHARE = "wording_share"


def several_wordings(frame: pl.DataFrame, measure: Measure) -> bool:
    """Whether questions were asked in paraphrases too."""
    return measure.wording in frame.columns and frame[measure.wording].n_unique() > 1


@once_per_frame
def components(frame: pl.DataFrame, measure: Measure) -> Components:
    """The variance components of the questions answered in every wording."""
    known = rows_of(frame, measure).drop_nulls(measure.value)
    item = known[measure.item].to_numpy() if measure.item else [""] * known.height
    sides = (known[name].to_numpy() for name in (measure.unit_column, measure.wording))
    return crossed_components(known[measure.value].cast(pl.Float64).to_numpy(), item, *sides)


def wording_spread(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """A row for each source of variance: its SD, and its share of the variance within items.

    country             countries differ, whatever the wording
    wording             an item's values are larger in one wording than in another
    wording × country   the countries with large values change with the wording; without repeats,
                        draws of a sampled model are in it
    draw                the same question in the same wording, drawn again
    all of wording      wording, and wording × country
    """
    parts, unit = components(frame, measure), measure.unit_column
    sources = {"unit": unit, "condition": "wording", "interaction": f"wording × {unit}"}
    sources["draw"] = "draw"
    counts = {measure.counted: parts.units, "wordings": parts.conditions}
    rows: list[dict[str, Any]] = []
    for key, name in sources.items():
        variance, share = parts.variances[key], parts.shares[key]
        if key == "draw" and variance is None:
            continue
        sd = None if variance is None else variance**0.5
        row = {"source": name, "sd": sd} | share.columns("share")
        rows.append(row | counts | {"note": _in_words(share.note, measure)})
    whole_of_it = [parts.variances[name] for name in ("condition", "interaction")]
    known = [one for one in whole_of_it if one is not None]
    row = {"source": "all of wording", "sd": sum(known) ** 0.5 if known else None}
    row |= parts.outside.columns("share")
    rows.append(row | counts | {"note": _in_words(parts.outside.note, measure)})
    numbers = ("sd", "share", "share_low", "share_high")
    schema = schema_of(("source",), numbers, tuple(counts))
    return pl.DataFrame(rows, schema=schema | schema_of(("note",)))


def _in_words(note: str, measure: Measure) -> str:
    """The note with the measure's name for units, and "wordings" for conditions."""
    units = measure.counted
    named = (("units", units), ("unit", singular(units)), ("condition", "wording"))
    for word, ours in named:
        note = note.replace(word, ours)
    return note


def wording_means(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """A row for each wording: its mean, and the share of its questions that were answered."""
    rows = []
    for (number,), own in frame.sort(measure.wording).group_by(
        measure.wording, maintain_order=True
    ):
        asked = rows_of(own, measure)
        mean = whole(own, measure).found.estimate
        row = {"wording": number} | mean.columns("mean")
        row |= {"answered": asked[measure.value].count() / asked.height if asked.height else None}
        rows.append(row | {measure.counted: mean.n, "questions": asked.height})
    numbers = ("mean", "mean_low", "mean_high", "answered")
    schema = {"wording": pl.Int64} | schema_of((), numbers, (measure.counted, "questions"))
    return pl.DataFrame(rows, schema=schema)


def wording_metrics(probe: str, frame: pl.DataFrame, measure: Measure) -> Iterator[Metric]:
    """Yield the share of the variance that is due to wording; nothing for a run with one
    wording.
    """
    if not several_wordings(frame, measure):
        return
    found = components(frame, measure).outside
    why = _in_words(found.reason, measure)
    known = found.value is not None
    yield metric_from(
        found,
        name=f"{probe}.{SHARE}",
        label="Spread that comes from the wording",
        counted=measure.counted,
        unit=f"share of the variance of {measure.value}s",
        better="low",
        note=f"Of the variance of {measure.value}s within {measure.item or 'question'}s, the part "
        f"that would be gone with one wording: wording, and wording × {measure.unit_column}. The "
        f"rest is the {measure.unit_column}'s. Over the questions answered in every wording; the "
        f"interval is over {measure.counted} and wordings."
        + (f" No interval: {why}." if known and why else ""),
        undefined_because="" if known else why,
    )


def wording_tables(frame: pl.DataFrame, measure: Measure) -> Iterator[tuple[str, Table]]:
    """Yield the tables of a section; none for a run with one wording."""
    if not several_wordings(frame, measure):
        return
    values = f"{measure.value}s"
    yield (
        "wording_spread",
        table_from(
            wording_spread(frame, measure),
            "How much of the spread is wording",
            f"Standard deviations of {values} within {measure.item or 'question'}s, and shares of "
            "their variance, over the questions answered in every wording (analysis of variance). "
            f"Intervals are over {measure.counted} and wordings.",
            {"sd": f"standard deviation of {values}", "share": "share of the variance"},
        ),
    )
    yield (
        "wordings",
        table_from(
            wording_means(frame, measure),
            f"{measure.label} by wording",
            "Wording 0 is the chosen one, the others its paraphrases.",
            {"mean": measure.unit},
        ),
    )


def wording_sentence(probe: str, section: Section, measure: Measure) -> str:
    """The metric as a sentence; "" if there is none."""
    metric = metric_of(section, f"{probe}.{SHARE}")
    if metric is None:
        return ""
    if metric.value is None:
        return (
            f"How much of the spread is wording cannot be told, because {metric.undefined_because}."
        )
    table = section.tables.get("wordings")
    asked = f"Asked in {len(table.rows)} wordings, " if table else ""
    said = (
        f"{asked}{metric_percents(metric)} of the variance of its {measure.value}s is wording; the "
        f"rest is the {measure.unit_column}."
    )
    return f"{said[:1].upper()}{said[1:]}"
