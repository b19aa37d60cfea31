"""Ratings as a probe, and what changed from one run to another, question by question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import polars as pl

from geobias.errors import BadRunFile
from geobias.probes.probe import Citation, CountryMeasure, Headline, Probe, RunRecords
from geobias.probes.ratings import (
    findings,
    predictions,
    replies,
    sensitivity,
    showing,
    simulated,
    trials,
)
from geobias.probes.ratings.findings import HALVES
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.scores import RatingAnswers, of_kind
from geobias.probes.ratings.tables import TABLES
from geobias.probes.ratings.trials import RatingSettings
from geobias.probes.sections import gap_verdict
from geobias.results.changes import (
    Change,
    ComparisonRule,
    Lead,
    changed_gaps,
    changed_halves,
    changed_trend,
    paired_changes,
)


def _read() -> pl.Expr:
    return pl.col("rating").is_not_null() & pl.col("rating_2").is_not_null()


def _changes(both: pl.DataFrame) -> list[Change]:
    sensitive = of_kind(both, "sensitive")
    rated = sensitive.filter(_read())
    found = []
    for by in ("all", "topic", "region", "income"):
        found += paired_changes(
            rated,
            "ratings.rating",
            by,
            unit="country",
            column="rating",
            bounds=(-HIGHEST, HIGHEST),
        )
    answered = sensitive.with_columns(
        pl.col(f"rating{end}").is_not_null().cast(pl.Float64).alias(f"answered{end}")
        for end in ("", "_2")
    )
    for by in ("all", "region", "income"):
        found += paired_changes(answered, "ratings.answered", by, unit="country", column="answered")
    # Every topic weighs the same, whichever places were rated on it.
    centred = rated.with_columns(
        pl.col(name) - pl.col(name).mean().over("topic") for name in ("rating", "rating_2")
    )
    gaps = [
        changed_halves(centred, f"ratings.{half}", half, sides, "rating")
        for half, sides in HALVES.items()
    ]
    trend = changed_trend(centred, "ratings.income_trend", "rating", within="topic", most=HIGHEST)
    return found + changed_gaps([trend, *gaps])


COMPARISON = ComparisonRule(
    ("topic", "country", "place", "latitude", "longitude", "repeat"),
    _read,
    _changes,
    metrics=(
        "ratings.answered",
        "ratings.income_trend",
        *(f"ratings.{half}" for half in HALVES),
    ),
    leads=(Lead("ratings.income_trend", "ratings, poor minus rich countries", "zero"),),
    labels={
        "ratings.rating": "Mean sensitive rating",
        "ratings.answered": "Share of sensitive questions answered",
        "ratings.income_trend": "Sensitive ratings, poor minus rich countries",
        **{f"ratings.{half}": f"{a} above {b}" for half, (a, b) in HALVES.items()},
    },
)


class Ratings(Probe[RatingSettings, RatingAnswers]):
    """Places rated on topics on which no difference is defensible, and on some that are known."""

    name = "ratings"
    title = "Ratings"
    verb = "favours"
    verb_of_several = "favour"
    about = "Whom a model favours: places rated from 0.0 to 9.9."
    standfirst = (
        "The model rates places from 0.0 to 9.9, relative to all inhabited places: on topics "
        "where no difference between people is defensible, such as their morality, and on some "
        "where the truth is known. Ratings that follow a country's health and wealth favour some "
        "people over others."
    )
    question = (
        "Does a model rate the people of rich countries higher than those of poor ones, on topics "
        "where no difference is defensible?"
    )
    primary = "ratings.income_trend"
    scale = HIGHEST
    methods = (
        "Ratings are centred by topic before they are averaged. The one primary number is the "
        "linear trend over the four income groups, poor minus rich, with Welch and Satterthwaite’s "
        "t over economies. "
        "Intervals of scores come from leaving out one economy after the other (the jackknife), "
        "with Student’s t; those of correlations on Fisher’s scale. The halves of the world are "
        "compared by Welch’s test over economies. Each p-value belongs to the interval beside it."
    )
    place = 40
    papers = (
        Citation(
            "Rohin Manvi, Samar Khanna, Marshall Burke, David Lobell, Stefano Ermon",
            "Large Language Models are Geographically Biased",
            "ICML 2024",
            "https://arxiv.org/abs/2402.02680",
            "Manvi et al. (ICML 2024)",
        ),
    )
    Settings = RatingSettings
    Record = trials.RatingRecord
    editions: ClassVar[Mapping[str, str]] = {"places": "Places"}
    chosen_editions = frozenset({"places"})
    metric_names = tuple(
        f"ratings.{name}"
        for name in (
            *("income_trend", "bias", "correlation", "deviation", "north_south", "west_east"),
            *("expected_income_trend", "expected_correlation", "expected_north_south"),
            "expected_west_east",
            *("refusal_disparity", "truth_correlation", "answered", "declined", "unread"),
        )
    )
    headlines = (
        Headline(
            "Poor minus rich",
            "0 is even",
            ("ratings.expected_income_trend", "ratings.income_trend"),
            gap_verdict,
        ),
        Headline("North above South", "0 is even", ("ratings.north_south",), gap_verdict),
    )
    country_measures = (CountryMeasure(findings.FAVOUR, "Favour", "always"),)
    size_metric = ("ratings.correlation", "economies")
    excerpt_by = ("topic",)
    excerpts = 9
    printed_tables = ("topics", "favours_regions", "favours_incomes", "refusals")
    minor_columns = frozenset(("questions", "kind"))
    tables = TABLES
    comparison = COMPARISON
    predictions = predictions.PREDICTIONS
    replies = replies.READER
    samples = showing.SAMPLES
    checks = showing.CHECKS
    Simulated = simulated.SimulatedRatings
    plan = staticmethod(trials.plan)
    aim = staticmethod(sensitivity.aim)
    screens = staticmethod(findings.screens)
    figures = staticmethod(showing.figures)
    verdict = staticmethod(showing.verdict)
    describe = staticmethod(showing.describe)
    skill = staticmethod(simulated.skill)
    in_brief = findings.in_brief
    findings = findings.findings

    def spread(self, answers: RatingAnswers) -> tuple[float, ...] | None:
        return sensitivity.spread_of(answers.frame)

    def answers(self, run: RunRecords, reading: Any) -> RatingAnswers:
        plain = super().answers(run, reading)
        # No test or bound would tell: a scale that was moved gives numbers like any other.
        if not plain.frame["rating"].drop_nulls().is_between(0, HIGHEST).all():
            raise BadRunFile(f"the run of {run.model} has ratings outside 0 to {HIGHEST}")
        anchor = run.settings["anchor"]
        return RatingAnswers(model=plain.model, frame=plain.frame, records=run, anchor=anchor)

    def number(self, record: Mapping[str, Any]) -> float | None:
        return record["rating"]  # type: ignore[no-any-return]

    def data_source(self, settings: Mapping[str, Any]) -> str:
        return "figures: World Bank"
