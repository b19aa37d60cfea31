from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import msgspec
import polars as pl

from geobias.atlas.figures import ground_truth_rule
from geobias.atlas.indicators import Indicator
from geobias.probes.probe import Citation, Edition, FromElsewhere, Probe, RunRecords, Said, Saying
from geobias.probes.tables import READINGS
from geobias.probes.worldbench import (
    description,
    moving,
    paper,
    predictions,
    scores,
    screens,
    simulated,
    trials,
    years,
)
from geobias.probes.worldbench.answers import FigureAnswers, figures_edition, own_figures
from geobias.probes.worldbench.choosing import figures_from
from geobias.probes.worldbench.scores import ERROR
from geobias.probes.worldbench.settings import WorldBenchReading, WorldBenchSettings
from geobias.probes.worldbench.tables import TABLES
from geobias.probes.worldbench.trials import figures_digest
from geobias.results.findings import Screen, Section
from geobias.results.formatting import estimate, p_phrase
from geobias.stats.estimates import LEVEL
from geobias.trials import StoredSettings


def _source(settings: StoredSettings) -> str:
    own = own_figures(settings)
    return f"World Bank (CC BY 4.0), {own}" if own else "World Bank (CC BY 4.0)"


_OTHER_FIGURES = (
    "The run used other figures than those available now: years, correlations and citations are "
    "left out."
)
_CAUSES = (
    "Errors are against one edition of the figures. They do not show why a model "
    "errs: it may have read less about a place, older figures, or another definition."
)


def _sentences(section: Section, answers: FigureAnswers) -> Iterator[Said]:
    defined = answers.records.settings.get("indicator_file") if answers.records else None
    if own := ", ".join(one["label"] for one in defined or ()):
        yield "finding", f"Answers on {own} are compared with own figures.", True
    if section.measurable and answers.frame["error"].count():
        yield "finding", _regions(answers.frame), True
        yield "limit", _CAUSES, True


def _regions(frame: pl.DataFrame) -> str:
    """The two regions furthest apart are named only if the test between them is significant."""
    test, pair = scores.gap_between(frame, "region")
    gap = scores.region_disparity(frame)
    if pair is None or test.p is None:
        return f"Regions cannot be compared: {gap.reason}."
    said = f"Welch's F test, {p_phrase(test.p)}"
    if test.p >= LEVEL:
        return f"Regions cannot be told apart in mean error ({said})."
    if gap.p is None or gap.p >= LEVEL:
        why = "it has no test" if gap.p is None else f"{p_phrase(gap.p)} among all pairs"
        return (
            f"Regions differ in mean error ({said}), but their widest gap, between {pair.first} "
            f"and {pair.second}, is not clear ({why})."
        )
    value = estimate(gap.value, gap.low, gap.high, 3)
    return (
        f"Regions differ in mean error ({said}). It is largest for {pair.first} and smallest for "
        f"{pair.second}: a gap of {value} ({p_phrase(gap.p)} among all pairs)."
    )


class WorldBench(Probe[WorldBenchSettings, FigureAnswers]):
    """Questions about World Bank figures of every economy."""

    name = "worldbench"
    title = "WorldBench"
    verb = "knows"
    about = (
        "What a model knows: figures of every country. "
        "Questions ask for World Bank figures (population, income, schools, energy) or for your "
        "own. The error of an answer is its distance from the figure, as a share of the larger of "
        "the two: 0 is exact, and 0.5 is off by a factor of two."
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
        "economies.csv": Edition("Countries and income groups"),
        "indicators.csv": Edition("Indicators and their wording"),
        "groupings.csv": Edition("Regions and income groups of fiscal year 2026"),
        "figures": Edition("Figures", words=figures_edition, source=_source),
    }
    measures = (
        ERROR,
        scores.MEDIAN,
        *scores.FURTHER,
        scores.REGIONS,
        paper.PLAIN,
        *map(paper.measure_of, scores.GROUPINGS),
    )
    tables = TABLES | {"readings": READINGS}
    saying = Saying(sentences=_sentences)
    elsewhere = FromElsewhere(predictions.PREDICTIONS, trials.READER)
    Simulated = simulated.SimulatedKnowledge
    plan = staticmethod(trials.plan)
    figures = staticmethod(years.figures)

    def answers(self, run: RunRecords, reading: WorldBenchReading) -> FigureAnswers:
        defined = run.settings.get("indicator_file") or ()
        own = [msgspec.convert(one, Indicator) for one in defined]
        known = figures_from(reading.figures, own)
        same = run.manifest.editions.get("figures") == figures_digest(known)
        frame = scores.with_further(super().answers(run, reading).frame)
        rule = ground_truth_rule(run.settings.get("ground_truth", "average"))
        if same:
            frame = moving.with_other_figures(frame, moving.other_figures(known, rule))
        else:
            run = run._replace(notes=[*run.notes, _OTHER_FIGURES])
        figures = known if same else None
        return FigureAnswers(model=run.model, frame=frame, records=run, figures=figures, rule=rule)

    def screens(self, answers: FigureAnswers) -> list[Screen]:
        return screens.screens(answers.frame)
