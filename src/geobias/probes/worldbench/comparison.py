"""What differs between runs, between wordings, and with retrieval; and what a run could see.

With --paraphrases, every question is asked in each of several wordings, so wording and country are
crossed within an indicator, and the variance of errors can be divided among them
(`components`). A wording is a condition, never a further question.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

from geobias.measures.frames import schema_of
from geobias.measures.planning import PILOT, Aim, incomes_design
from geobias.probes.plan import Plan, asked_pairs
from geobias.probes.worldbench.components import Components, crossed_components
from geobias.probes.worldbench.scores import (
    GROUPINGS,
    disparities,
    group_errors,
    grouped,
    question_means,
    several_wordings,
    with_bounds,
)
from geobias.results.changes import (
    Change,
    ComparisonRule,
    Lead,
    changed_gaps,
    changed_trend,
    paired_changes,
)
from geobias.results.findings import Metric, Table
from geobias.results.tables import metric_from, metric_percents, table_from
from geobias.stats.over_units import nested_mean, rate_over_units
from geobias.stats.planning import unit_spread

BETWEEN, WITHIN = 0.08, 0.25
"""SD of countries' mean errors within an income group, and of a question's error around its
country's mean once its indicator's difficulty is taken off: what errors of 0.3 on average have if
they are spread as beta-distributed errors of that size are. No publication gives them."""


def aim(plan: Plan, spread: tuple[float, ...] | None = None) -> Aim:
    """The trend over incomes, of these questions; `spread` (between, within) of one's own."""
    asked = asked_pairs(plan)
    indicators = {name for name, _ in asked}
    questions = Counter(iso3 for _, iso3 in asked)
    between, within = spread or (BETWEEN, WITHIN)
    design, incomes = incomes_design(questions, between, within)
    return Aim(
        gap="in mean error between poor and rich countries",
        unit="country",
        units="countries",
        items="questions",
        design=design,
        most_items=len(indicators),
        assumptions=[
            "A gap counts as seen where the test of the trend over incomes has p < 0.05.",
            incomes,
            f"Countries of an income group differ with an SD of {between:.2f}, questions about a "
            f"country with {within:.2f}"
            + (PILOT if spread else " (an assumption: --like RUN measures it)."),
            "Repeats of a question are no new questions.",
        ],
    )


def spread_of(frame: pl.DataFrame) -> tuple[float, float] | None:
    """SD between countries of an income group and within a country, from a run's questions."""
    known = frame.filter(pl.col("error").is_not_null() & pl.col("income").is_not_null())
    error = pl.col("error")
    centred = known.with_columns(error - error.mean().over("indicator", "income"))
    return unit_spread(centred["error"].to_numpy(), centred["country"].to_numpy())


def _answered() -> pl.Expr:
    return pl.col("error").is_not_null() & pl.col("error_2").is_not_null()


def _centred(both: pl.DataFrame) -> pl.DataFrame:
    """The shared questions with each run's errors centred by indicator, as a report has them.

    Means of countries and their groups come from these: on the same questions, the mean error of a
    comparison is that of the report."""
    second = question_means(both.with_columns(error=pl.col("error_2")))
    joined = question_means(both).join(second, on=("indicator", "country"), suffix="_2")
    return joined.with_columns(
        error=pl.col("centred"), error_2=pl.col("centred_2"), trial=pl.col("indicator")
    ).drop_nulls(["error", "error_2"])


def _changes(both: pl.DataFrame) -> list[Change]:
    answered = both.filter(_answered())
    centred = _centred(answered)
    found = []
    for by, unit, rows in (
        *((by, "country", centred) for by in ("all", "region", "income")),
        ("indicator", "country", answered),
        ("country", "indicator", answered),
    ):
        found += paired_changes(rows, "worldbench.error", by, unit=unit, column="error")
    given = both.with_columns(
        (pl.col(name).is_not_null()).cast(pl.Float64).alias(f"given{end}")
        for name, end in (("value", ""), ("value_2", "_2"))
    )
    for by in ("all", "region", "income"):
        found += paired_changes(given, "worldbench.answered", by, unit="country", column="given")
    change = changed_trend(centred, "worldbench.income_trend", "error", within="indicator")
    return found + changed_gaps([change])


COMPARISON = ComparisonRule(
    ("indicator", "country", "wording", "repeat"),
    _answered,
    _changes,
    metrics=("worldbench.error", "worldbench.answered", "worldbench.income_trend"),
    leads=(
        Lead("worldbench.error", "mean error", "low"),
        Lead("worldbench.income_trend", "error, poor minus rich countries", "zero"),
    ),
    labels={
        "worldbench.error": "Mean error",
        "worldbench.answered": "Share of questions answered",
        "worldbench.income_trend": "Error, poor minus rich countries",
    },
)


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
    return pl.DataFrame(rows, schema=schema | schema_of(("note",)))


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
    numbers = (*with_bounds("mean"), "answered", *with_bounds("changed"))
    schema = {"wording": pl.Int64} | schema_of((), numbers, ("countries", "questions"))
    return pl.DataFrame(rows, schema=schema)


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


def retrieval_effect(without: pl.DataFrame, with_it: pl.DataFrame) -> pl.DataFrame:
    """What retrieval changes, on the questions that both runs answered, paired.

    `difference` is with minus without (negative: retrieval helps), a mean over countries with the
    interval that resampling countries gives. Questions that only one run answered are left out
    and show in `rates`.
    """
    both = _paired_answers(without, with_it)
    rows = []
    for by in ("all", *GROUPINGS):
        for group, part in grouped(both, by):
            units = part["country"].to_numpy(), part["indicator"].to_numpy()
            change = nested_mean(part["change"].to_numpy(), *units, bounds=(-1, 1))
            row = {
                "by": by,
                "group": group,
                "without": nested_mean(part["error"].to_numpy(), *units).value,
                "with": nested_mean(part["error_with"].to_numpy(), *units).value,
            }
            row |= change.columns("difference")
            rows.append(row | {"countries": change.n, "questions": part.height})
    numbers = ("without", "with", *with_bounds("difference"))
    schema = schema_of(("by", "group"), numbers, ("countries", "questions"))
    return pl.DataFrame(rows, schema=schema)


def retrieval_disparities(without: pl.DataFrame, with_it: pl.DataFrame) -> pl.DataFrame:
    """The disparity over regions and incomes without and with retrieval, on shared questions."""
    both = _paired_answers(without, with_it)
    tables = []
    for by in GROUPINGS:
        for word, column in (("without", "error"), ("with", "error_with")):
            shown = both.with_columns(error=pl.col(column))
            table = disparities(shown, by, per_indicator=False)
            names = pl.lit(by).alias("by"), pl.lit(word).alias("retrieval")
            tables.append(table.drop("indicator", "p_holm").select(*names, pl.all()))
    return pl.concat(tables, how="diagonal")


def _paired_answers(without: pl.DataFrame, with_it: pl.DataFrame) -> pl.DataFrame:
    keys = ["indicator", "country", "wording", "repeat"]
    answered = with_it.filter(pl.col("error").is_not_null())
    return (
        without.filter(pl.col("error").is_not_null())
        .join(answered.select(*keys, error_with="error"), on=keys, how="inner")
        .with_columns(change=pl.col("error_with") - pl.col("error"))
    )
