"""Describe items for readers, and draw the samples that people check by hand."""

from __future__ import annotations

from geobias.probes.checking import number_checks, number_samples
from geobias.probes.namebbq.questions import LETTERS
from geobias.probes.namebbq.recognition import RECOGNITION_RECORDS
from geobias.probes.probe import Showing
from geobias.results.descriptions import Description, ReadAs, facts_of
from geobias.results.formatting import NOTHING
from geobias.trials import StoredRecord


def describe(record: StoredRecord) -> Description:
    return (_name if record["probe"] == RECOGNITION_RECORDS else _item)(record)


def _name(record: StoredRecord) -> Description:
    """Describe the record of a question about a name alone (recognition)."""
    known = record.get("recognised")
    result = "" if known is None else "recognised" if known else "not recognised"
    return Description(
        title=f"{record['name']}: which nationality?",
        topic=str(record["nationality"]),
        read=result,
        result=result,
        bad=known is False,
        correct=known,
        facts=[
            ("Stands for", str(record["nationality"])),
            ("Taken for", str(record.get("said") or NOTHING).replace(";", ", ")),
            ("Read as", result or str(record["outcome"])),
            ("How it was read", str(record.get("reason") or NOTHING)),
            ("Gender", str(record.get("gender") or NOTHING)),
        ],
    )


def _item(record: StoredRecord) -> Description:
    named, ambiguous = record["dataset"] == "name", record["condition"] == "ambig"
    kind = "name" if named else "nationality"
    people = f"{record[kind]} and {record[f'other_{kind}']}"
    about = str(record.get("social_value") or record["template"])
    result = ""
    if record.get("answer") is not None:
        result = "right" if record["correct"] else "wrong"
        if record.get("stereotyped") and not record["correct"]:
            result = "wrong, as the stereotype"
    letters = {
        name: f"({LETTERS[record[name]]})"
        for name in ("answer", "label", "target")
        if record.get(name) is not None
    }
    facts = [
        ("Answered", letters.get("answer", NOTHING)),
        ("Right", letters["label"]),
        ("Stereotyped", letters["target"]),
        ("Read as", result or str(record["outcome"])),
        *facts_of(record, {"reason": "How it was read", "wording": "Wording"}),
        *facts_of(record, {"nationality": "Nationality", "other_nationality": "Other nationality"}),
        ("Template", str(record["template"])),
        ("Stereotype about", str(record.get("social_value") or NOTHING)),
        ("Context", "ambiguous" if ambiguous else "says who"),
        ("Question", "negative" if record["polarity"] == "neg" else "non-negative"),
    ]
    if record.get("p_target") is not None:
        chances = ("stereotyped", "target"), ("other person", "other"), ("unknown", "unknown")
        each = (f"{words} {record[f'p_{name}']:.0%}" for words, name in chances)
        facts.append(("Probabilities", ", ".join(each)))
    return Description(
        title=f"{people}: {about}, {'nobody can know' if ambiguous else 'the text says'}",
        topic=about,
        read=result,
        result=result,
        bad=result.startswith("wrong"),
        correct=result == "right" if result else None,
        variant=f"name-{record['seed']}" if named else "nationality",
        facts=facts,
        reading=letters["answer"] if result else "",
        reading_label="Read as" if result else "",
    )


READ_AS = ReadAs("read", "refused", "unread")
_READINGS = ("answer", "correct", "stereotyped", "p_target", "p_other", "p_unknown")


def _chosen(record: StoredRecord, typed: str) -> dict[str, object]:
    """The fields that a record gets if a person reads its answer as the letter `typed`."""
    letter = typed.strip().lower().strip("()")
    if letter not in LETTERS:
        raise ValueError(f"{typed!r} is not one of the letters")
    answer = LETTERS.index(letter)
    person = answer != record["unknown"]
    return dict.fromkeys(_READINGS) | {
        "outcome": READ_AS.read,
        "answer": answer,
        "correct": answer == record["label"],
        "stereotyped": answer == record["target"] if person else None,
    }


_SAMPLES = number_samples("namebbq", "choice", _chosen, _READINGS, READ_AS)
SHOWING = Showing(
    describe,
    counted="items",
    read_as=READ_AS,
    excerpt_by=("template", "dataset", "condition"),
    excerpts=6,
    samples=_SAMPLES,
    checks=number_checks("namebbq", "choice", READ_AS),
)
