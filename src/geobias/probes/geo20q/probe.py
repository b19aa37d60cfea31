"""Geo20Q+ as a probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from geobias.probes.geo20q import (
    description,
    figures,
    findings,
    power,
    screens,
    simulated,
    summary,
    transcript,
    trials,
)
from geobias.probes.geo20q.allowed_turns import within
from geobias.probes.geo20q.answers import Games, read_games
from geobias.probes.geo20q.comparison import COMPARISON
from geobias.probes.geo20q.judging import JUDGE_RECORDS
from geobias.probes.geo20q.scores import SETTINGS, limits_of
from geobias.probes.geo20q.settings import Geo20QReading, Geo20QSettings
from geobias.probes.geo20q.tables import TABLES
from geobias.probes.plan import Plan
from geobias.probes.power import Aim
from geobias.probes.probe import (
    Citation,
    CountryMeasure,
    Headline,
    Pages,
    Probe,
    RunRecords,
)
from geobias.probes.simulation import Skill
from geobias.probes.verdicts import gap_verdict
from geobias.results.charts import WorldMap
from geobias.results.descriptions import Description, Turn
from geobias.results.figures import Figure
from geobias.results.findings import Findings, ProbeFindings, Section, Table
from geobias.results.screens import Screen
from geobias.runfile import SavedReply

if TYPE_CHECKING:
    import click


def _games_won(setting: str) -> CountryMeasure:
    def label(settings: Mapping[str, Any]) -> str:
        limit = limits_of(settings).get(setting)
        return f"Games won{within([limit] if limit else [])}"

    return CountryMeasure(f"geo20q.success_{setting}", label, "first")


class Geo20Q(Probe[Geo20QSettings, Games]):
    """Games of 20 Questions about people and things of every part of the world."""

    name = "geo20q"
    title = "Geo20Q+"
    verb = "works out"
    verb_of_several = "work out"
    about = "How a model reasons its way to people and things from every part of the world."
    standfirst = (
        "Twenty Questions. One model asks, another answers yes or no, about people and things from "
        "all over the world. What counts is how often, and how soon, the thing is found."
    )
    counted = "games"
    place = 30
    papers = (
        Citation(
            "Harsh Nishant Lalai, Raj Sanjay Shah, Jiaxin Pei, Sashank Varma, Yi-Chia Wang, Ali "
            "Emami",
            "The World According to LLMs: How Geographic Origin Influences LLMs' Entity Deduction "
            "Capabilities",
            "COLM 2025",
            "https://arxiv.org/abs/2508.05525",
            "Lalai et al. (COLM 2025)",
        ),
    )
    Settings = Geo20QSettings
    Reading = Geo20QReading
    roles: ClassVar[Mapping[str, str]] = {"judge": "Another model as judge; default the same one."}
    further_records: ClassVar[Mapping[str, str]] = {JUDGE_RECORDS: "Geo20Q+ judge"}
    in_turns = True
    editions: ClassVar[Mapping[str, str]] = {"entities": "Entities"}
    chosen_editions = frozenset(("entities",))
    metric_names = findings.METRIC_NAMES
    headlines = (
        Headline("Games won", "1 is all", ("geo20q.success_canonical", "geo20q.success_unlimited")),
        Headline(
            "North–South gap, people",
            "0 is even",
            (
                "geo20q.north_south_gap_people_canonical",
                "geo20q.north_south_gap_people_unlimited",
            ),
            gap_verdict,
        ),
        Headline("Judge accuracy", "1 is perfect", ("geo20q.judge_accuracy",), done=JUDGE_RECORDS),
    )
    country_measures = tuple(_games_won(setting) for setting in SETTINGS)
    size_metric = ("geo20q.success", "games")
    excerpt_by = ("type", "language")
    excerpts = 3
    printed_tables = ("success", "regions", "halves", "judge")
    minor_columns = frozenset(
        (
            *("note", "units", "undefined", "broken", "shift", "u"),
            *("first_few", "second_few", "first_games", "second_games"),
        )
    )
    column_heads: ClassVar[Mapping[str, str]] = {
        "success_p": "p (success)",
        "success_p_adjusted": "p (success), adjusted",
        "turns_p": "p (turns)",
        "turns_p_adjusted": "p (turns), adjusted",
        "equal_views_p": "p at equal views",
        "equal_views_p_adjusted": "p at equal views, adjusted",
        "r_squared_signed": "R², with its sign",
        "r_squared_sig": "R², significance",
        "odds_ratio_sig": "Odds ratio, significance",
        "north_south_sig": "North–South, significance",
        "west_east_sig": "West–East, significance",
        "not_yes_no": "No yes/no question",
        "first_countries": "Countries, first half",
        "first_games": "Games, first half",
        "first_few": "Few answers, first half",
        "second_countries": "Countries, second half",
        "second_games": "Games, second half",
        "second_few": "Few answers, second half",
        "first": "First half",
        "second": "Second half",
    }
    tables = TABLES
    comparison = COMPARISON
    samples = description.SAMPLES
    checks = description.CHECKS
    Simulated = simulated.SimulatedPlay

    def plan(self, settings: Geo20QSettings) -> Plan:
        """A game for each entity and language, and known facts for the judge."""
        return trials.plan(settings)

    def aim(self, plan: Plan, spread: tuple[float, float] | None) -> Aim:
        """Success, North against South."""
        return power.aim(plan, spread)

    def spread(self, answers: Games) -> tuple[float, float] | None:
        """Between countries of a half of the world, and within a country."""
        return power.spread_of(answers.frame.iter_rows(named=True))

    def expected(self, plan: Plan, items: int | None = None) -> tuple[float, float, float]:
        """What games usually take: far from both the least and the most."""
        return power.expected(plan, items)

    def answers(self, run: RunRecords, reading: Geo20QReading) -> Games:
        """One row for each game, and the judge's answers to known facts."""
        return read_games(run, reading)

    def screens(self, answers: Games) -> list[Screen]:
        """Games that are played, won and judged as games are."""
        return screens.screens(answers.frame, answers.judge)

    def findings(self, answers: Games) -> ProbeFindings:
        """Success and turns by place, fame, manner of asking; the judge."""
        return findings.findings(self, answers)

    def figures(self, findings: Findings, sections: Sequence[Section]) -> list[Figure]:
        """From the map to the place among the paper's models."""
        return figures.figures(findings, sections)

    def summary(self, section: Section) -> Table:
        """All games, and either half of the world."""
        return summary.summary(section)

    def number(self, record: Mapping[str, Any]) -> float | None:
        """1 where the game was won (the longer one, if both were played); where a judge was asked a
        known fact, 1 where it was right."""
        if record["probe"] == JUDGE_RECORDS:
            known = record["answer"] in ("yes", "no")
            return float(record["answer"] == record["truth"]) if known else None
        ending = record["unlimited"] or record["canonical"]
        return None if ending in ("", "broken") else float(ending == "won")

    def describe(self, record: Mapping[str, Any]) -> Description:
        """A game, or a known fact that the judge was asked."""
        return description.describe(record)

    def turns(self, record: Mapping[str, Any], replies: Sequence[SavedReply]) -> list[Turn]:
        """Each question with its answer, and what it repeats or contradicts."""
        return transcript.turns(record, replies)

    def turns_map(self, record: Mapping[str, Any], turns: Sequence[Turn]) -> WorldMap | None:
        """The places asked about."""
        return transcript.places_map(record, turns)

    def edition(self, name: str, digest: str, settings: Mapping[str, Any]) -> str:
        """How many entities were chosen."""
        return f"{str(settings.get('entities', '')).partition(' ')[0]} chosen for this run".strip()

    def data_source(self, settings: Mapping[str, Any]) -> str:
        """How many entities were chosen."""
        if "entities" not in settings:
            return ""
        return f"{str(settings['entities']).split(' ')[0]} entities"

    def skill(self, chosen: simulated.SimulatedPlay) -> Skill:
        """It searches as guesser, and knows the table as judge."""
        return simulated.skill(chosen)

    def commands(self) -> Sequence[click.Command]:
        """What is no table of runs."""
        from geobias.probes.geo20q.commands.judge import judge

        return (judge,)

    def pages(self) -> Pages:
        """The language files, to be read, edited and tried."""
        from geobias.probes.geo20q.pages import LanguagePages

        return LanguagePages()
