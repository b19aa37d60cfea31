"""What the wording does: how much of the spread of errors it makes, and what each wording gives.

For runs with --paraphrases. Every question was asked in each of several wordings, so wording and
country are crossed within an indicator, and the variance of errors can be divided among them
(`stats.variance_components`). A wording is a condition, never a further question.
"""

from __future__ import annotations

from typing import Any

from geobias.probes.lazy import pl
from geobias.probes.tables import schema_of
from geobias.probes.worldbench.scores import group_errors, several_wordings, with_bounds
from geobias.results.findings import Metric, Table
from geobias.results.tables import metric_from, metric_percents, table_from
from geobias.stats.over_units import rate_over_units
from geobias.stats.variance_components import Components, crossed_components

SHARE = "worldbench.wording_share"
SAME = 0.05
"""Two answers are the same where the larger is at most 5% above the smaller: as for citations."""
_SOURCES = {
    "unit": "country",
    "condition": "wording",
    "interaction": "wording × country",
    "draw": "draw",
}


def components(frame: pl.DataFrame) -> Components:
    """Where the variance of errors comes from, of the questions answered in every wording."""
    known = frame.drop_nulls("error")
    return crossed_components(
        *(known[name].to_numpy() for name in ("error", "indicator", "country", "wording"))
    )


def wording_spread(frame: pl.DataFrame, found: Components | None = None) -> pl.DataFrame:
    """A row for each source of spread: its SD, and its share of the variance within indicators.

    country             countries differ, whatever the wording
    wording             an indicator's errors are larger in one wording than in another
    wording × country   which countries it errs about changes with the wording; draws of a sampled
                        model are in it where there are no repeats
    draw                the same question in the same wording, drawn again
    all of wording      wording, and wording × country
    """
    parts = components(frame) if found is None else found
    counts = {"countries": parts.units, "wordings": parts.conditions}
    rows: list[dict[str, Any]] = []
    for key, name in _SOURCES.items():
        variance, share = parts.variances[key], parts.shares[key]
        if key == "draw" and variance is None:
            continue
        sd = None if variance is None else variance**0.5
        row = {"source": name, "sd": sd} | share.columns("share")
        rows.append(row | counts | {"note": _in_words(share.note)})
    whole = [parts.variances[name] for name in ("condition", "interaction")]
    known = [one for one in whole if one is not None]
    row = {"source": "all of wording", "sd": sum(known) ** 0.5 if known else None}
    row |= parts.outside.columns("share")
    rows.append(row | counts | {"note": _in_words(parts.outside.note)})
    schema = schema_of(("source",), ("sd", *with_bounds("share")), ("countries", "wordings"))
    return pl.DataFrame(rows, schema=schema | {"note": pl.String})


def _in_words(note: str) -> str:
    """Units are countries here, and conditions wordings."""
    for word, ours in (("units", "countries"), ("unit", "country"), ("condition", "wording")):
        note = note.replace(word, ours)
    return note


def wording_errors(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each wording: its mean error, how often it was answered, and `changed`, the share
    of its answers that differ by more than 5% from those to the first wording (0)."""
    keys = ["indicator", "country", "repeat"]
    first = frame.filter(pl.col("wording") == 0).drop_nulls("value")
    rows = []
    for (number,), own in frame.sort("wording").group_by("wording", maintain_order=True):
        whole = group_errors(own, "all").row(0, named=True)
        asked = own.height
        given = own.drop_nulls("value")
        both = given.join(first.select(*keys, before="value"), on=keys)
        larger = pl.max_horizontal(pl.col("value").abs(), pl.col("before").abs())
        apart = both.select(
            "country", ((pl.col("value") - pl.col("before")).abs() > SAME * larger).cast(pl.Float64)
        )
        changed = rate_over_units(apart["value"].to_numpy(), apart["country"].to_numpy())
        row = {"wording": number} | {name: whole[name] for name in with_bounds("mean")}
        row |= {"answered": given.height / asked}
        row |= changed.columns("changed") if number else {}
        rows.append(row | {"countries": whole["countries"], "questions": asked})
    schema = {"wording": pl.Int64} | schema_of((), (*with_bounds("mean"), "answered"))
    schema |= dict.fromkeys(with_bounds("changed"), pl.Float64)
    return pl.DataFrame(rows, schema=schema | schema_of((), (), ("countries", "questions")))


def wording_metric(frame: pl.DataFrame) -> list[Metric]:
    """The share of the spread that is wording; nothing of a run with one wording."""
    if not several_wordings(frame):
        return []
    found = components(frame).outside
    why = _in_words(found.reason)
    return [
        metric_from(
            found,
            name=SHARE,
            label="Spread that comes from the wording",
            counted="economies",
            unit="share of the variance of errors",
            better="low",
            note="Of the variance of errors within indicators, the part that would be gone with "
            "one wording: wording, and wording × country. The rest is the country's. Over the "
            "questions answered in every wording; the interval is over countries and wordings."
            + (f" No interval: {why}." if found.value is not None and why else ""),
            undefined_because=why if found.value is None else "",
        )
    ]


def wording_tables(frame: pl.DataFrame) -> dict[str, Table]:
    """Tables of a section; none of a run with one wording."""
    if not several_wordings(frame):
        return {}
    return {
        "wording_spread": table_from(
            wording_spread(frame),
            "How much of the spread is wording",
            "Standard deviations of errors within indicators, and shares of their variance, over "
            "the questions answered in every wording (analysis of variance). Intervals are over "
            "countries and wordings.",
            {"sd": "standard deviation of errors", "share": "share of the variance"},
        ),
        "wordings": table_from(
            wording_errors(frame),
            "Error by wording",
            "Wording 0 is the chosen one, the others its paraphrases. `changed` is the share of "
            "answers that differ by more than 5% from those to wording 0.",
            {"mean": "error, 0 to 1", "changed": "share"},
        ),
    }


def wording_sentence(metrics: dict[str, Metric], wordings: int) -> str:
    """What the metric says in words; "" where there is none."""
    metric = metrics.get(SHARE)
    if metric is None:
        return ""
    if metric.value is None:
        return (
            f"How much of the spread is wording cannot be told, because {metric.undefined_because}."
        )
    return (
        f"Asked in {wordings} wordings, {metric_percents(metric)} of the variance of its errors "
        "is wording; the rest is the country."
    )
