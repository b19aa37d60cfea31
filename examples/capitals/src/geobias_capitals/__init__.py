"""A probe in a package of its own: does a model know every country's capital?

docs/extending.md builds this file step by step.
"""

from __future__ import annotations

import csv
import random
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
import polars as pl

from geobias.atlas.economies import economies, economy_name
from geobias.errors import BadRequest
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.probe import Answers, CountryMeasure, Headline, Probe
from geobias.probes.questions import Question, opened, question_plan
from geobias.probes.sections import Sentences, section_of
from geobias.probes.settings import Setting, Settings
from geobias.probes.simulation import Share, SimulatedParameters, Skill, asked_about
from geobias.probes.tables import TableSpec, each_model
from geobias.results.changes import Change, ComparisonRule, paired_changes
from geobias.results.descriptions import Description
from geobias.results.figures import Figure, dots
from geobias.results.findings import Findings, ProbeFindings, Screen, Section
from geobias.results.tables import measure_from, metric_from, metric_percents, table_from
from geobias.stats.estimates import Estimate
from geobias.stats.over_units import ratio_over_units
from geobias.trials import Ask, Record, Reply

QUESTION = "What is the capital of {country}? Answer with the name of the city only."
ACCURACY = "capitals.accuracy"
PER_REGION = {"quick": 4, "standard": 20, "paper": 1000}


@cache
def capitals() -> Mapping[str, list[str]]:
    """ISO-3 → the capital, and what else people call it."""
    with Path(__file__).with_name("capitals.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {row["iso3"]: [row["capital"], *filter(None, row["also"].split("|"))] for row in rows}


def question(iso3: str) -> str:
    """What is asked about a country."""
    return QUESTION.format(country=economy_name(iso3))


class CapitalRecord(Record, frozen=True, kw_only=True):
    """`outcome` is read, or the reply's own where there was no text; `correct` is None then."""

    capital: str
    correct: bool | None = None


def read(trial: str, repeat: int, iso3: str, reply: Reply) -> CapitalRecord:
    """The record of a question and its reply."""
    names = "|".join(re.escape(folded(name)) for name in capitals()[iso3])
    answered = reply.outcome == "ok"
    right = re.search(rf"\b(?:{names})\b", folded(reply.text)) is not None
    return CapitalRecord(
        trial=trial,
        probe="capitals",
        country=iso3,
        repeat=repeat,
        outcome="read" if answered else reply.outcome,
        capital=capitals()[iso3][0],
        correct=right if answered else None,
    )


def folded(text: str) -> str:
    """Without accents and capital letters: São Tomé is sao tome."""
    plain = unicodedata.normalize("NFD", text)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


class CapitalSettings(Settings, frozen=True, kw_only=True):
    """Size, repeats, temperature, seed and system are there already."""

    continents: Annotated[tuple[str, ...], Setting("Only these, by commas.", bears="items")] = ()


class AskedCapital(msgspec.Struct, frozen=True, tag_field="asks", tag="capitals"):
    """What a simulated model is told of a question."""

    iso3: str


class SimulatedCapitals(SimulatedParameters, frozen=True, kw_only=True):
    """`capital_gap` is the share of capitals of the group `against` that the model forgets."""

    capital_gap: Share = 0.0
    biased: ClassVar = {"capital_gap": "0.5"}


def share(frame: pl.DataFrame) -> Estimate:
    """The share of right answers, with its interval over countries."""
    right = frame["correct"].cast(float).to_numpy()
    return ratio_over_units(right, [1.0] * len(right), frame["country"].to_numpy(), bounds=(0, 1))


def by_region(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each region."""
    parts = frame.drop_nulls("correct").sort("region").group_by("region", maintain_order=True)
    rows = [{"region": one, "n": own.height} | share(own).columns("known") for (one,), own in parts]
    return pl.DataFrame(rows)


def changes(both: pl.DataFrame) -> list[Change]:
    """What `geobias compare` shows, country by country."""
    how = {"unit": "country", "column": "correct", "right_or_wrong": True}
    groups = [paired_changes(both, ACCURACY, by, **how) for by in ("all", "region")]  # type: ignore[arg-type]
    return [change for group in groups for change in group]


class Capitals(Probe[CapitalSettings, Answers]):
    """One question a country."""

    name = "capitals"
    title = "Capitals"
    verb = "can name"
    verb_of_several = "can name"
    about = "Does a model know every country's capital?"
    standfirst = "One question a country. An answer is right where it names the capital."
    Settings = CapitalSettings
    Record = CapitalRecord
    Simulated = SimulatedCapitals
    metric_names = (ACCURACY,)
    headlines = (Headline("Capitals known", "1 is all", metric_names),)
    country_measures = (CountryMeasure(ACCURACY, "Capital known", "always"),)
    size_metric = (ACCURACY, "economies")
    comparison = ComparisonRule(
        ("country", "repeat"),
        lambda: pl.col("correct").is_not_null() & pl.col("correct_2").is_not_null(),
        changes,
    )
    tables = {  # noqa: RUF012
        "regions": TableSpec[Answers](
            help="Share of capitals known, by region.",
            make=each_model(lambda one, options: {"regions": by_region(one.frame)}),
        )
    }

    def plan(self, settings: CapitalSettings) -> Plan:
        regions: dict[str, list[str]] = {}
        for iso3 in capitals():
            place = economies()[iso3]
            if not settings.continents or place.continent in settings.continents:
                regions.setdefault(place.region, []).append(iso3)
        if not regions:
            raise BadRequest(f"no country lies in {', '.join(settings.continents)}")
        most = PER_REGION[settings.size]
        chosen = [iso3 for codes in regions.values() for iso3 in codes[:most]]
        opening = opened(settings.system)
        return question_plan(
            self.name,
            settings,
            count=len(chosen),
            questions=lambda: (
                Question(
                    f"capitals/{iso3}",
                    opening.user(question(iso3)),
                    iso3,
                    asked=AskedCapital(iso3),
                )
                for iso3 in chosen
            ),
            read=read,
            max_tokens=24,
            prompts={self.name: fingerprint(QUESTION)},
        )

    def screens(self, answers: Answers) -> list[Screen]:
        known = int(answers.frame["correct"].sum())
        says = f"it names {known:,} of {answers.frame.height:,} capitals"
        height = answers.frame.height
        return [Screen(name="any", ok=known > 0, value=known, threshold=1, n=height, says=says)]

    def findings(self, answers: Answers) -> ProbeFindings:
        read = answers.frame.drop_nulls("correct")
        same = {"counted": "economies"}
        accuracy = metric_from(
            share(read), name=ACCURACY, label="Capitals known", unit="share", better="high", **same
        )
        section = section_of(
            self,
            answers,
            screens=self.screens(answers),
            metrics=[accuracy],
            tables={"regions": table_from(by_region(read), "Capitals known, by region")},
        )
        told = Sentences(section)
        told.say_missing("questions")
        if section.measurable:
            told.say("finding", f"It names {metric_percents(accuracy)} of {accuracy.n} capitals.")
        about = {"model": answers.model, "probe": self.name, "metric": ACCURACY, **same}
        measures = {
            str(iso3): [measure_from(share(own), asked=own.height, **about)]
            for (iso3,), own in read.group_by("country", maintain_order=True)
        }
        return ProbeFindings(section, measures, told.said)

    def figures(self, findings: Findings, sections: Sequence[Section]) -> list[Figure]:
        regions = dots(
            sections,
            "regions",
            row="region",
            value="known",
            said=lambda row: f"{row['n']:,} countries",
            axis="share of capitals known",
            domain=(0, 1),
            data=("n",),
            counted="n",
            same_order=True,
            name="capitals-regions",
            title="Capitals known, by region",
            note="Share of countries (how many, in brackets), with 95% intervals.",
            alt="A dot with its interval for each region.",
        )
        return [regions] if regions else []

    def describe(self, record: Mapping[str, Any]) -> Description:
        result = {True: "right", False: "wrong"}.get(record.get("correct"), "")  # type: ignore[arg-type]
        return Description(
            title=f"Capital of {economy_name(record['country'])}",
            read=result,
            result=result,
            bad=result == "wrong",
            correct=record.get("correct"),
            facts=[("Capital", record["capital"])],
        )

    def number(self, record: Mapping[str, Any]) -> float | None:
        return None if record["correct"] is None else float(record["correct"])

    def skill(self, chosen: SimulatedCapitals) -> Skill:
        def answer(ask: Ask, dice: random.Random) -> str | None:
            asked = asked_about(ask, AskedCapital)
            if asked is None:
                return None
            forgets = chosen.is_against(asked.iso3) and dice.random() < chosen.capital_gap
            return "I am not sure." if forgets else capitals()[asked.iso3][0]

        return answer
