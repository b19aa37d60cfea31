from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from geobias.corpus.counting import read_counts
from geobias.probes.geo20q import screens, simulated, transcript, trials
from geobias.probes.geo20q.game import GameRecord, JudgeRecord
from geobias.probes.geo20q.judging import JUDGE_RECORDS, judge_frame_of
from geobias.probes.geo20q.knowledge import KNOWLEDGE_RECORDS, KnowledgeRecord, with_knowledge
from geobias.probes.geo20q.measured import MEASURES
from geobias.probes.geo20q.scores import Games, by_setting, frame_of, language_names
from geobias.probes.geo20q.settings import Geo20QReading, Geo20QSettings
from geobias.probes.geo20q.tables import TABLES
from geobias.probes.geo20q.winning import READER
from geobias.probes.probe import Citation, Edition, FromElsewhere, Probe, RunRecords, Saying
from geobias.results.findings import Screen
from geobias.trials import StoredSettings


def _entities(settings: StoredSettings) -> str:
    """Return "36 entities" for "36 (digest)" in a manifest; "" if the manifest has no entry."""
    count = str(settings.get("entities", "")).partition(" ")[0]
    return count and f"{count} entities"


def _entities_edition(digest: str, settings: StoredSettings) -> str:
    return f"{_entities(settings).partition(' ')[0]} chosen for this run".strip()


class Geo20Q(Probe[Geo20QSettings, Games]):
    """Games of 20 Questions about people and things of every part of the world."""

    name = "geo20q"
    title = "Geo20Q+"
    verb = "works out"
    about = (
        "How a model reasons its way to people and things from every part of the world. "
        "In Twenty Questions, one model asks and another answers yes or no, about people and "
        "things from all over the world. What counts is how often, and how soon, the target is "
        "found."
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
        "judge": "The model that judges; default: the tested model.",
        "referee": "The model that decides about turns that the rules cannot decide; none: no "
        "model does. Default: the judge’s model, unless it is the player.",
    }
    editions: ClassVar = {
        "entities": Edition("Entities", chosen=True, words=_entities_edition, source=_entities)
    }
    measures = MEASURES
    tables = TABLES
    saying = Saying(sentences=screens.sentences)
    elsewhere = FromElsewhere(replies=READER)
    Simulated = simulated.SimulatedPlay
    plan = staticmethod(trials.plan)

    def answers(self, run: RunRecords, reading: Geo20QReading) -> Games:
        counts = read_counts(reading.frequency) if reading.frequency else {}
        rule = reading.rule or run.settings.get("rule", "guess")
        games = frame_of(run.rows(self.name), run.model, run.settings, rule, counts)
        # Trials end in any order, and sums of floats must not depend on it.
        games = with_knowledge(games, run.rows(KNOWLEDGE_RECORDS)).sort("trial")
        judge = run.manifest.models.get("judge", run.model)
        judged = judge_frame_of(run.rows(JUDGE_RECORDS), judge).sort("trial")
        return Games(
            model=run.model,
            frame=language_names(by_setting(games)),
            games=games,
            judge=language_names(judged),
            records=run,
        )

    def screens(self, answers: Games) -> list[Screen]:
        return screens.screens(answers.games, answers.judge)
