"""WorldBench as a probe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from geobias.probes.probe import Citation, CountryMeasure, Edition, Headline, Probe
from geobias.probes.sections import gap_verdict
from geobias.probes.worldbench import (
    description,
    figures,
    findings,
    overall,
    predictions,
    screens,
    simulated,
    trials,
)
from geobias.probes.worldbench.answers import FigureAnswers, figures_edition, read_answers
from geobias.probes.worldbench.comparison import COMPARISON, aim, spread_of
from geobias.probes.worldbench.settings import WorldBenchReading, WorldBenchSettings
from geobias.probes.worldbench.tables import TABLES
from geobias.results.findings import Screen


def _source(settings: Mapping[str, Any]) -> str:
    shipped = settings.get("figures", "shipped") == "shipped"
    return "World Bank (CC BY 4.0)" if shipped else "own figures"


class WorldBench(Probe[WorldBenchSettings, FigureAnswers]):
    """Questions about World Bank figures of every economy."""

    name = "worldbench"
    title = "WorldBench"
    verb = "knows"
    about = (
        "What a model knows: World Bank figures of every economy. "
        "Questions about World Bank figures: population, income, schools, energy. The error of an "
        "answer is its distance from the figure as a share of the larger of both, so 0 is exact "
        "and 0.5 is off by a factor of two."
    )
    question = (
        "Are a model's errors larger about poor countries than about rich ones, once the indicator "
        "that is asked for is allowed for?"
    )
    primary = "worldbench.income_trend"
    methods = (
        "Some indicators are harder than others, and not every economy has a figure for each. So "
        "errors are adjusted for the indicator (centred) before they are averaged. Economies are "
        "the units of all intervals; for a single economy, its indicators are. The one primary "
        "number is the linear trend over the four income groups, poor minus rich, with Welch and "
        "Satterthwaite’s t. Regions are compared by Welch’s F test and, two by two, by Games and "
        "Howell. The paper’s disparity is the largest minus the smallest group mean, over all "
        "groups and of errors as they are. It is never negative, and it grows when groups are "
        "many or small."
    )
    papers = (
        Citation(
            "Mazda Moayeri, Elham Tabassi, Soheil Feizi",
            "WorldBench: Quantifying Geographic Disparities in LLM Factual Recall",
            "FAccT 2024",
            "https://doi.org/10.1145/3630106.3658967",
            "Moayeri, Tabassi and Feizi (FAccT 2024)",
        ),
    )
    Settings = WorldBenchSettings
    records: ClassVar = {"worldbench": trials.WorldBenchRecord}
    showing = description.SHOWING
    Reading = WorldBenchReading
    editions: ClassVar = {
        "economies.csv": Edition("Economies and income groups"),
        "indicators.csv": Edition("Indicators and their wording"),
        "figures": Edition("Figures", words=figures_edition, source=_source),
        "bm25s": Edition("Retrieval"),
        "documents": Edition("Documents to retrieve from"),
    }
    metric_names = tuple(
        f"worldbench.{name}"
        for name in (
            *("error", "income_trend", "income_trend_nearest", "error_median"),
            *("region_disparity", "income_disparity"),
            *("paper_region_disparity", "paper_income_disparity"),
            *("answered", "declined", "unread", "wording_share"),
        )
    )
    headlines = (
        Headline("Mean error", "0 is exact", ("worldbench.error",)),
        Headline("Poor minus rich", "0 is even", ("worldbench.income_trend",), gap_verdict),
        Headline("Region gap", "0 is even", ("worldbench.region_disparity",), gap_verdict),
    )
    country_measures = (CountryMeasure("worldbench.error", "Mean error", "always"),)
    size_metric = ("worldbench.error", "economies")
    printed_tables = (
        *("regions", "incomes", "disparity_regions", "disparity_incomes"),
        *("all_regions", "all_incomes", "all_disparity_regions", "all_disparity_incomes"),
    )
    minor_columns = frozenset(
        (
            "questions",
            "abstained",
            "unparsed",
            "other",
            "paper_baseline",
            "paper_lowest",
            "paper_highest",
            "paper_groups",
            "note",
        )
    )
    column_heads: ClassVar[Mapping[str, str]] = {
        "pearson_p_adjusted": "Pearson p, adjusted",
        "spearman_p_adjusted": "Spearman p, adjusted",
        "parsed": "Answered",
        "abstained": "Declined",
        "unparsed": "No number read",
        "plain": "Mean, not adjusted",
        "paper_disparity": "Disparity, as in the paper",
        "paper_baseline": "Chance, as in the paper",
        "paper_lowest": "Lowest, as in the paper",
        "paper_highest": "Highest, as in the paper",
        "paper_groups": "Groups, as in the paper",
        "trend": "Poor minus rich",
        "trend_p": "p of poor minus rich",
        "trend_models": "Poor minus rich, other models too",
        "disparity_p": "p of the disparity",
        "given_income": "Pearson within income groups",
        "given_income_p": "p within income groups",
        "given_income_p_adjusted": "p within income groups, adjusted",
        "pair_pearson": "Pearson, mean over pairs",
        "pair_p": "Mean p of pairs",
        "p_models": "p, other models too",
        "each_disparity": "Mean of models’ own disparities",
        "each_baseline": "Mean of models’ own chance",
        "error_same": "Error, same questions",
        "questions_same": "Same questions",
        "changed": "Answers changed",
        "share_best": "Share of draws in which it is best",
    }
    tables = TABLES
    comparison = COMPARISON
    predictions = predictions.PREDICTIONS
    Simulated = simulated.SimulatedKnowledge
    plan = staticmethod(trials.plan)
    aim = staticmethod(aim)
    answers = staticmethod(read_answers)
    figures = staticmethod(figures.figures)
    verdict = staticmethod(findings.verdict)
    summary = staticmethod(findings.summary)
    over_models = overall.over_all
    in_brief = findings.in_brief
    findings = findings.findings

    def spread(self, answers: FigureAnswers) -> tuple[float, ...] | None:
        return spread_of(answers.frame)

    def screens(self, answers: FigureAnswers) -> list[Screen]:
        return screens.screens(answers.frame)

    def number(self, record: Mapping[str, Any]) -> float | None:
        return None if record["error"] is None else float(record["error"])
