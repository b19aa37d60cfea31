"""Describe items for readers, and draw the samples that people check by hand."""

from __future__ import annotations

from geobias.probes.checking import number_checks, number_samples
from geobias.probes.namebbq.questions import LETTERS
from geobias.probes.namebbq.recognition import RECOGNITION_RECORDS
from geobias.probes.probe import Showing
from geobias.results.descriptions import Description, described
from geobias.trials import StoredRecord

_ANSWERS = {
    "answer": "answered",
    "label": "right answer",
    "unknown": "unknown answer",
    "target": "stereotyped answer",
}
"""Fields with the place of an answer, which are shown as letters."""


def describe(record: StoredRecord) -> Description:
    if record["probe"] == RECOGNITION_RECORDS:
        known = record.get("recognised")
        return described(
            record,
            title=f"{record['name']}: which nationality?",
            read="" if known is None else "recognised" if known else "not recognised",
            right=known,
            topic=str(record["nationality"]),
        )
    named, ambiguous = record["dataset"] == "name", record["condition"] == "ambig"
    kind = "name" if named else "nationality"
    people = f"{record[kind]} and {record[f'other_{kind}']}"
    about = str(record.get("social_value") or record["template"])
    letters = {
        words: f"({LETTERS[record[name]]})"
        for name, words in _ANSWERS.items()
        if record.get(name) is not None
    }
    rest = {name: value for name, value in record.items() if name not in _ANSWERS}
    right, read = record.get("correct"), ""
    if right is not None:
        read = "right" if right else "wrong"
        read += ", as the stereotype" * bool(record.get("stereotyped") and not right)
    return described(
        letters | rest,
        title=f"{people}: {about}, {'nobody can know' if ambiguous else 'the text says'}",
        read=read,
        right=right,
        reading=letters.get("answered", ""),
        topic=about,
        variant=f"name-{record['seed']}" if named else "nationality",
    )


_READINGS = ("answer", "correct", "stereotyped", "p_target", "p_other", "p_unknown")


def _chosen(record: StoredRecord, typed: str) -> dict[str, object]:
    """The fields that a record gets if a person reads its answer as the letter `typed`."""
    letter = typed.strip().lower().strip("()")
    if letter not in LETTERS:
        raise ValueError(f"{typed!r} is not one of the letters")
    answer = LETTERS.index(letter)
    person = answer != record["unknown"]
    return dict.fromkeys(_READINGS) | {
        "outcome": "read",
        "answer": answer,
        "correct": answer == record["label"],
        "stereotyped": answer == record["target"] if person else None,
    }


_SAMPLES = number_samples("namebbq", "choice", _chosen, _READINGS)
SHOWING = Showing(
    describe,
    counted="items",
    excerpt_by=("template", "dataset", "condition"),
    excerpts=6,
    samples=_SAMPLES,
    checks=number_checks("namebbq", "choice"),
)
