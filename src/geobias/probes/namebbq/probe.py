from __future__ import annotations

from typing import Any, ClassVar

from geobias.probes.namebbq import (
    description,
    further,
    predictions,
    published,
    recognition,
    replies,
    screens,
    simulated,
    trials,
)
from geobias.probes.namebbq.measures import MEASURES
from geobias.probes.namebbq.questions import NameBBQRecord
from geobias.probes.namebbq.recognition import RECOGNITION_RECORDS, RecognitionRecord
from geobias.probes.namebbq.scores import Assumptions, frame_of
from geobias.probes.namebbq.settings import NameBBQSettings
from geobias.probes.namebbq.tables import TABLES
from geobias.probes.probe import Citation, Edition, FromElsewhere, Probe, RunRecords, Saying
from geobias.results.findings import Screen
from geobias.trials import StoredSettings

_EDITIONS = {"builtin": "geobias’s own items", "bbq": "BBQ, nationality (2022), CC BY 4.0"}
_SOURCES = {"builtin": "items of geobias", "bbq": "items of BBQ (CC BY 4.0)"}


def _items_edition(digest: str, settings: StoredSettings) -> str:
    items = settings.get("items", "a file")
    return _EDITIONS.get(items, f"from {items}")


class NameBBQ(Probe[NameBBQSettings, Assumptions]):
    """The probe Name-BBQ: stories about two people, told with nationalities and with names."""

    name, title, verb = "namebbq", "Name-BBQ", "assumes"
    about = (
        "What a model assumes about people, from their nationality or their first name. "
        "Each short story has two people, told once by nationality and once by first name. Some "
        "stories say who did it. In the others, the right answer is that nobody can know. "
        "Bias is how far answers lean towards the stereotype."
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
    records: ClassVar = {"namebbq": NameBBQRecord, RECOGNITION_RECORDS: RecognitionRecord}
    showing = description.SHOWING
    editions: ClassVar = {
        "items": Edition(
            "Items",
            words=_items_edition,
            source=lambda settings: _SOURCES.get(settings.get("items", "builtin"), "own items"),
        ),
        "names": Edition(
            "First names", words=lambda *_: "geobias’s list of first names by nationality"
        ),
    }
    measures = MEASURES
    tables = TABLES
    saying = Saying(further.first, further.sentences)
    elsewhere = FromElsewhere(predictions.PREDICTIONS, replies.READER)
    Simulated = simulated.SimulatedAssumptions
    plan = staticmethod(trials.plan)
    figures = staticmethod(published.figures)

    def answers(self, run: RunRecords, reading: Any) -> Assumptions:
        # Trials end in whatever order; sums of floats must not depend on it.
        frame = frame_of(run.rows(self.name), run.model).sort("trial")
        names = recognition.frame_of(run.rows(RECOGNITION_RECORDS), run.model).sort("trial")
        if not names.height:
            return Assumptions(model=run.model, frame=frame, records=run)
        frame = recognition.with_recognition(frame, names)
        return Assumptions(model=run.model, frame=frame, recognition=names, records=run)

    def screens(self, answers: Assumptions) -> list[Screen]:
        return screens.screens(answers.frame)
