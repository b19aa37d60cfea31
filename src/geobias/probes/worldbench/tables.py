"""Every table by name, for whoever has answers: from a run, or from a file of replies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from geobias.atlas.figures import Figures, Rule
from geobias.probes.worldbench import (
    analyses,
    citation_check,
    dealing,
    excess,
    published,
    scores,
)

if TYPE_CHECKING:
    import polars as pl

    Tables: TypeAlias = dict[str, pl.DataFrame]

GROUPINGS = ("region", "income")


class Answers(msgspec.Struct, frozen=True):
    """One row per question (`scores.frame_of`), and what the answers are held against."""

    frame: Any
    figures: Figures
    rule: Rule = "average"


def overview(answers: Answers) -> Tables:
    """Errors, rates of answering and disparities of everything, of regions and of incomes."""
    frame = answers.frame
    tables: Tables = {}
    for by in ("all", "region", "income"):
        errors = scores.group_errors(frame, by)
        answered = scores.rates(frame, by).select(
            "group", "parsed", "abstained", "unparsed", "other"
        )
        tables[by] = errors.join(answered, on="group", how="left")
    return tables | _each_grouping(
        "disparity over", lambda by: scores.disparities(frame, by, per_indicator=False)
    )


def _each_grouping(name: str, make: Callable[[Any], pl.DataFrame]) -> Tables:
    return {f"{name} {by}s": make(by) for by in GROUPINGS}


def _errors(answers: Answers) -> Tables:
    return {"errors": scores.errors(answers.frame)}


def _groups(answers: Answers) -> Tables:
    names: tuple[scores.By, ...] = ("all", "region", "income", "indicator", "country")
    return {by: scores.group_errors(answers.frame, by) for by in names}


def _disparity(answers: Answers) -> Tables:
    found = dealing.dealt(answers.frame)
    return _each_grouping(
        "disparity over",
        lambda by: dealing.with_dealt(scores.disparities(answers.frame, by), found, by),
    )


def _ranks(answers: Answers) -> Tables:
    return _each_grouping("ranks of", lambda by: scores.rank_table(answers.frame, by))


def _countries(answers: Answers) -> Tables:
    return {"countries": excess.country_extremes(answers.frame)}


def _rates(answers: Answers) -> Tables:
    names: tuple[scores.By, ...] = ("all", "region", "income", "indicator")
    return {by: scores.rates(answers.frame, by) for by in names}


def _citations(answers: Answers) -> Tables:
    return {
        "summary": citation_check.citation_summary(answers.frame, answers.figures),
        "citations": citation_check.citations(answers.frame, answers.figures),
    }


def _years_fit(answers: Answers) -> Tables:
    return {"years-fit": analyses.years_fit(answers.frame, answers.figures)}


def _correlations(answers: Answers) -> Tables:
    found = analyses.correlations(answers.frame, answers.figures, answers.rule)
    return {"correlations": found}


def _consistency(answers: Answers) -> Tables:
    return {"consistency": analyses.consistency(answers.frame)}


def _published(answers: Answers) -> Tables:
    return {"groups": published.beside_groups(answers.frame)}


def _models(answers: Answers) -> Tables:
    return {"models": published.place_among_models(answers.frame)}


def _ranks_over_models(answers: Answers) -> Tables:
    if answers.frame["model"].n_unique() < 2:
        return {}
    return _each_grouping(
        "ranks over models,", lambda by: scores.rank_table(answers.frame, by, "model")
    )


TABLES: dict[str, Callable[[Answers], Tables]] = {
    "overview": overview,
    "errors": _errors,
    "groups": _groups,
    "disparity": _disparity,
    "ranks": _ranks,
    "countries": _countries,
    "rates": _rates,
    "citations": _citations,
    "years-fit": _years_fit,
    "correlations": _correlations,
    "consistency": _consistency,
    "published": _published,
}
"""Name → the tables it makes of one model's answers."""

_OF_ALL_MODELS: dict[str, Callable[[Answers], Tables]] = {
    "ranks": _ranks_over_models,
    "published": _models,
}
"""Name → the tables in which models stand side by side."""


def tables(name: str, answers: Answers) -> Tables:
    """The tables of this name; where the answers are of several models, with a column for them."""
    together = _OF_ALL_MODELS[name](answers) if name in _OF_ALL_MODELS else {}
    return together | _per_model(TABLES[name], answers)


def _per_model(make: Callable[[Answers], Tables], answers: Answers) -> Tables:
    import polars as pl

    models = answers.frame["model"].unique(maintain_order=True)
    if len(models) <= 1:
        return make(answers)
    parts: dict[str, list[pl.DataFrame]] = {}
    for model in models:
        one = answers.frame.filter(pl.col("model") == model)
        for title, table in make(msgspec.structs.replace(answers, frame=one)).items():
            named = table.select(pl.lit(model).alias("model"), pl.all())
            parts.setdefault(title, []).append(named)
    return {title: pl.concat(found, how="diagonal") for title, found in parts.items()}
