"""Geo20Q+ as a probe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from geobias.atlas.entities import load_entities, read_views, with_views
from geobias.corpus.results import read_counts, with_frequency
from geobias.probes.geo20q import (
    figures,
    findings,
    power,
    screens,
    sentences,
    simulated,
    single_turns,
    transcript,
    trials,
)
from geobias.probes.geo20q.comparison import COMPARISON
from geobias.probes.geo20q.fame import known_gap_name
from geobias.probes.geo20q.figures import within_turns
from geobias.probes.geo20q.game import GameRecord, JudgeRecord
from geobias.probes.geo20q.judging import JUDGE_RECORDS, judge_frame_of
from geobias.probes.geo20q.knowledge import (
    KNOWLEDGE_RECORDS,
    KnowledgeRecord,
    knows,
    with_knowledge,
)
from geobias.probes.geo20q.scores import SETTINGS, Games, frame_of, limits_of
from geobias.probes.geo20q.settings import Geo20QReading, Geo20QSettings
from geobias.probes.geo20q.tables import TABLES
from geobias.probes.probe import Citation, CountryMeasure, Edition, Headline, Probe, RunRecords
from geobias.probes.sections import gap_verdict
from geobias.results.findings import Screen


def _entity_count(settings: Mapping[str, Any]) -> str:
    """ "36", of a manifest's "36 (digest)"; "" where it says nothing."""
    return str(settings.get("entities", "")).partition(" ")[0]


def _games_won(setting: str) -> CountryMeasure:
    def label(settings: Mapping[str, Any]) -> str:
        limit = limits_of(settings).get(setting)
        return f"Games won{within_turns([limit] if limit else [], ' in')}"

    return CountryMeasure(f"geo20q.success_{setting}", label, "first")


def _entities_edition(digest: str, settings: Mapping[str, Any]) -> str:
    return f"{_entity_count(settings)} chosen for this run".strip()


def _entities(settings: Mapping[str, Any]) -> str:
    count = _entity_count(settings)
    return count and f"{count} entities"


class Geo20Q(Probe[Geo20QSettings, Games]):
    """Games of 20 Questions about people and things of every part of the world."""

    name = "geo20q"
    title = "Geo20Q+"
    verb = "works out"
    about = (
        "How a model reasons its way to people and things from every part of the world. "
        "Twenty Questions. One model asks, another answers yes or no, about people and things from "
        "all over the world. What counts is how often, and how soon, the thing is found."
    )
    question = (
        "Among people that the model knows, is the share of games won lower for people of the "
        "Global South than for people of the Global North?"
    )
    primary = "geo20q.north_south_gap_known_people_canonical"
    methods = (
        "Countries are the units: games about people and things of one country stand and fall "
        "together. Each target is asked about directly, and the gap is taken among those that the "
        "model knows: does it not look there? Beside it stands the gap at equal fame (page views), "
        "since people of the North are the more famous ones. Things, whose fame is not known, are "
        "compared at equal standing (level of vital article). The paper’s Mann–Whitney test is "
        "shown as what it is, a comparison of ranks."
    )
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
    records: ClassVar = {
        "geo20q": GameRecord,
        JUDGE_RECORDS: JudgeRecord,
        KNOWLEDGE_RECORDS: KnowledgeRecord,
    }
    showing = transcript.SHOWING
    Reading = Geo20QReading
    roles: ClassVar[Mapping[str, str]] = {
        "judge": "Another model as judge; default the same one.",
        "referee": "The model that decides whether a turn wins where the rules cannot; none: "
        "nobody does. Default the judge’s, where that is another than the player.",
    }
    editions: ClassVar = {
        "entities": Edition("Entities", chosen=True, words=_entities_edition, source=_entities)
    }
    metric_names = findings.METRIC_NAMES
    headlines = (
        Headline("Games won", "1 is all", ("geo20q.success_canonical", "geo20q.success_unlimited")),
        Headline(
            "North–South gap, people it knows",
            "0 is even",
            tuple(known_gap_name("north_south", "people", setting) for setting in SETTINGS),
            gap_verdict,
        ),
    )
    country_measures = tuple(_games_won(setting) for setting in SETTINGS)
    size_metric = ("geo20q.success", "economies")
    printed_tables = ("success", "regions", "equal_fame", "sensitivity", "halves", "judge")
    minor_columns = frozenset(
        (
            *("note", "units", "undefined", "broken", "u"),
            *("first_few", "second_few", "first_games", "second_games"),
        )
    )
    column_heads: ClassVar[Mapping[str, str]] = {
        "success_p": "p (success)",
        "success_p_adjusted": "p (success), adjusted",
        "turns_p": "p (turns)",
        "turns_p_adjusted": "p (turns), adjusted",
        "difference_p": "p (difference)",
        "difference_p_holm": "p (difference), adjusted (Holm)",
        "first_no_figure": "Games without a figure, first half",
        "second_no_figure": "Games without a figure, second half",
        "first_no_figure_success": "Share of those won, first half",
        "second_no_figure_success": "Share of those won, second half",
        "at_frequency": "Difference at equal corpus frequency",
        "at_standing": "Difference at equal standing",
        "fame": "Equal in",
        "equal_views_p": "p at equal views",
        "equal_views_p_adjusted": "p at equal views, adjusted",
        "r_squared_signed": "R², with its sign",
        "r_squared_sig": "R², significance",
        "odds_ratio_sig": "Odds ratio, significance",
        "north_south_sig": "North–South, significance",
        "west_east_sig": "West–East, significance",
        "not_yes_no": "Not a yes/no question",
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
    replies = single_turns.READER
    Simulated = simulated.SimulatedPlay
    plan = staticmethod(trials.plan)
    aim = staticmethod(power.aim)
    expected = staticmethod(power.expected)
    figures = staticmethod(figures.figures)
    verdict = staticmethod(sentences.verdict)
    summary = staticmethod(findings.summary)
    in_brief = findings.in_brief
    findings = findings.findings

    def spread(self, answers: Games) -> tuple[float, ...] | None:
        return power.spread_of(answers.frame.iter_rows(named=True))

    def answers(self, run: RunRecords, reading: Geo20QReading) -> Games:
        known = load_entities(reading.entities)
        if reading.views is not None:
            known = with_views(known, read_views(reading.views))
        if reading.frequency is not None:
            known = with_frequency(known, read_counts(reading.frequency))
        judge = run.models.get("judge", run.model)
        rule = reading.rule or run.settings.get("rule", "guess")  # the judge alone has none
        games = frame_of(run.rows(self.name), run.model, known, limits_of(run.settings), rule)
        games = with_knowledge(games, knows(run.rows(KNOWLEDGE_RECORDS)))
        # Trials end in whatever order; sums of floats must not depend on it.
        return Games(
            model=run.model,
            frame=games.sort("trial"),
            judge=judge_frame_of(run.rows(JUDGE_RECORDS), judge).sort("trial"),
            records=run,
        )

    def screens(self, answers: Games) -> list[Screen]:
        return screens.screens(answers.frame, answers.judge)

    def number(self, record: Mapping[str, Any]) -> float | None:
        """1 where the game was won (the longer one, if both were played); where a judge was asked a
        known fact, 1 where it was right."""
        if record["probe"] == KNOWLEDGE_RECORDS:
            return None if record["knows"] is None else float(record["knows"])
        if record["probe"] == JUDGE_RECORDS:
            known = record["answer"] in ("yes", "no")
            return float(record["answer"] == record["truth"]) if known else None
        ending = record["unlimited"] or record["canonical"]
        return None if ending in ("", "broken") else float(ending == "won")
