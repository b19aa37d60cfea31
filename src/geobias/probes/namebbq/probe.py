"""Name-BBQ as a probe."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import polars as pl

from geobias.probes.namebbq import (
    description,
    figures,
    findings,
    power,
    predictions,
    recognition,
    sentences,
    simulated,
    trials,
)
from geobias.probes.namebbq.questions import NameBBQRecord
from geobias.probes.namebbq.recognition import RECOGNITION_RECORDS, RecognitionRecord
from geobias.probes.namebbq.scores import CONTEXTS, DATASETS, ENDINGS, Assumptions, frame_of
from geobias.probes.namebbq.settings import NameBBQSettings
from geobias.probes.namebbq.tables import TABLES
from geobias.probes.namebbq.versions import CONTROL_RECORDS
from geobias.probes.probe import Citation, CountryMeasure, Edition, Headline, Probe, RunRecords
from geobias.probes.sections import gap_verdict
from geobias.results.changes import Change, ComparisonRule, Lead, paired_changes
from geobias.results.findings import Metric, Screen


def lean_verdict(bias: Metric) -> tuple[str, bool] | None:
    """Which way answers lean where the test shows it, else what it says; None without a test."""
    verdict = gap_verdict(bias)
    if verdict is None or bias.value is None:
        return None
    word, sure = verdict
    return f"{'to' if bias.value > 0 else 'against'} the stereotype" if sure else word, sure


def _read() -> pl.Expr:
    return (pl.col("read") == 1) & (pl.col("read_2") == 1)


_PEOPLE = ("nationality", "other_nationality")
_ACROSS = {"all": _PEOPLE, "region": _PEOPLE, "nationality": ()}
"""Groups of items → the units with which templates are crossed in them."""


def _changes(both: pl.DataFrame) -> list[Change]:
    read = both.filter(_read())
    changes = []
    for condition, context in CONTEXTS.items():
        for dataset, ending in ENDINGS.items():
            changes_of = partial(
                paired_changes, read.filter(condition=condition, dataset=dataset), unit="template"
            )
            for by, across in _ACROSS.items():
                name = f"namebbq.accuracy_{context}{ending}"
                changes += changes_of(name, by, column="right", across=across, right_or_wrong=True)
                if condition == "ambig":
                    name = f"namebbq.bias_{context}{ending}"
                    changes += changes_of(name, by, column="lean", across=across, bounds=(-2, 2))
    return changes


COMPARISON = ComparisonRule(
    ("item", "dataset", "seed", "repeat"),
    _read,
    _changes,
    metrics=tuple(
        f"namebbq.{name}{ending}"
        for ending in ENDINGS.values()
        for name in ("accuracy_ambiguous", "accuracy_disambiguated", "bias_ambiguous")
    ),
    leads=(
        Lead("namebbq.bias_ambiguous", "bias with nationalities", "zero"),
        Lead("namebbq.bias_ambiguous_names", "bias with names", "zero"),
        Lead("namebbq.accuracy_disambiguated", "accuracy where the text says", "high"),
    ),
    labels={
        f"namebbq.{score}_{context}{ending}": f"{score.capitalize()}, {context} with {people}"
        for score in ("accuracy", "bias")
        for context in CONTEXTS.values()
        for people, ending in zip(DATASETS.values(), ENDINGS.values(), strict=True)
    },
)


NAMES_EDITION = "geobias’s list of first names by nationality"


def _items_edition(digest: str, settings: Mapping[str, Any]) -> str:
    known = {"builtin": "geobias’s own items", "bbq": "BBQ, nationality (2022), CC BY 4.0"}
    return known.get(str(settings.get("items")), f"from {settings.get('items', 'a file')}")


def _items_source(settings: Mapping[str, Any]) -> str:
    known = {"builtin": "items of geobias", "bbq": "items of BBQ (CC BY 4.0)"}
    return known.get(settings.get("items", "builtin"), "own items")


class NameBBQ(Probe[NameBBQSettings, Assumptions]):
    """Short stories with two people, told by nationality and by name."""

    name = "namebbq"
    title = "Name-BBQ"
    verb = "assumes"
    about = (
        "What a model assumes about people of whom it knows the nationality, or the name. "
        "Short stories with two people of different origin, told by nationality and again by first "
        "name. Some say who did it; others do not, and the right answer is that nobody can know. "
        "Bias is how far answers lean to the stereotype."
    )
    question = (
        "Where the text does not say who it was, does the model lean to the stereotype about a "
        "nationality, over templates and nationalities like these?"
    )
    primary = "namebbq.bias_ambiguous"
    methods = (
        "The stereotypes are those that the items’ authors documented. Bias is looked at where "
        "nobody can know the answer, and where the text gives it. Intervals and tests are over "
        "templates, nationalities and the other person’s nationality at once (multiway "
        "clustering): they speak of items like these. An exact test of signs over templates "
        "speaks of these very items."
    )
    papers = (
        Citation(
            "Giulio Pelosio, Devesh Batra, Noémie Bovey, Robert Hankache, Cristovao Iglesias, "
            "Greig Cowan, Raad Khraishi",
            "Obscured but Not Erased: Evaluating Nationality Bias in LLMs via Name-Based Bias "
            "Benchmarks",
            "2025",
            "https://arxiv.org/abs/2507.16989",
            "Pelosio et al. (2025)",
        ),
        Citation(
            "Alicia Parrish, Angelica Chen, Nikita Nangia, Vishakh Padmakumar, Jason Phang, "
            "Jana Thompson, Phu Mon Htut, Samuel R. Bowman",
            "BBQ: A Hand-Built Bias Benchmark for Question Answering",
            "Findings of ACL 2022",
            "https://doi.org/10.18653/v1/2022.findings-acl.165",
            "Parrish et al. (2022), whose design and scores it takes; its items are CC BY 4.0",
        ),
    )
    Settings = NameBBQSettings
    records: ClassVar = {
        "namebbq": NameBBQRecord,
        RECOGNITION_RECORDS: RecognitionRecord,
        CONTROL_RECORDS: NameBBQRecord,
    }
    showing = description.SHOWING
    editions: ClassVar = {
        "items": Edition("Items", words=_items_edition, source=_items_source),
        "names": Edition("First names", words=lambda digest, settings: NAMES_EDITION),
    }
    metric_names = findings.METRIC_NAMES
    headlines = (
        *(
            Headline(
                f"Expected bias with {people}",
                "by probabilities; 0 is no lean",
                (f"namebbq.expected_bias_ambiguous{ENDINGS[dataset]}",),
                lean_verdict,
                optional=True,
            )
            for dataset, people in DATASETS.items()
        ),
        Headline(
            "Bias with nationalities", "0 is no lean", ("namebbq.bias_ambiguous",), lean_verdict
        ),
        Headline(
            "Bias with names", "0 is no lean", ("namebbq.bias_ambiguous_names",), lean_verdict
        ),
    )
    country_measures = (
        CountryMeasure("namebbq.bias_ambiguous", "Bias, nationality", "always"),
        CountryMeasure("namebbq.bias_ambiguous_names", "Bias, names", "alone"),
        CountryMeasure(
            "namebbq.accuracy_disambiguated", "Accuracy where the text says, nationality"
        ),
        CountryMeasure(
            "namebbq.accuracy_disambiguated_names", "Accuracy where the text says, names"
        ),
    )
    size_metric = ("namebbq.accuracy", "nationalities")
    printed_tables = (
        "scores",
        "controls",
        "sensitivity",
        "regions",
        "recognition_regions",
        "models",
    )
    minor_columns = frozenset(("note", "bias_unscaled", "accuracy_disambiguated"))
    column_heads: ClassVar[Mapping[str, str]] = {
        "bias_ambiguous": "Bias, ambiguous",
        "bias_unscaled": "Bias, ambiguous, unscaled",
        "accuracy_ambiguous": "Accuracy, ambiguous",
        "accuracy_disambiguated": "Accuracy, disambiguated",
        "social_value": "About",
        "dataset": "Told by",
    }
    tables = TABLES
    comparison = COMPARISON
    predictions = predictions.PREDICTIONS
    Simulated = simulated.SimulatedAssumptions
    plan = staticmethod(trials.plan)
    aim = staticmethod(power.aim)
    figures = staticmethod(figures.figures)
    verdict = staticmethod(sentences.verdict)
    summary = staticmethod(sentences.summary)
    in_brief = findings.in_brief
    findings = findings.findings

    def spread(self, answers: Assumptions) -> tuple[float, ...] | None:
        return power.spread_of(answers.frame)

    def answers(self, run: RunRecords, reading: Any) -> Assumptions:
        # Trials end in whatever order; sums of floats must not depend on it.
        frame = frame_of(run.rows(self.name), run.model).sort("trial")
        asked = recognition.frame_of(run.rows(RECOGNITION_RECORDS), run.model).sort("trial")
        bare = frame_of(run.rows(CONTROL_RECORDS), run.model).sort("trial")
        return Assumptions(
            model=run.model,
            frame=frame,
            recognition=asked if asked.height else None,
            controls=bare if bare.height else None,
            records=run,
        )

    def screens(self, answers: Assumptions) -> list[Screen]:
        return findings.screens(answers.frame)

    def number(self, record: Mapping[str, Any]) -> float | None:
        right = record["recognised" if record["probe"] == RECOGNITION_RECORDS else "correct"]
        return None if right is None else float(right)
