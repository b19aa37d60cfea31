"""Samples for checking by hand, for a probe that reads one number or choice in each reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from geobias.probes.questions import OUTCOMES
from geobias.reading.numbers import read_number
from geobias.reading.numerals import Asked
from geobias.results.descriptions import CheckQuestion, Key, Sample
from geobias.trials import StoredRecord

Corrected = Callable[[StoredRecord, str], dict[str, object]]


def is_right(verdict: str) -> bool:
    return verdict == "right"


def is_none(verdict: str) -> bool:
    return verdict == "none"


def typed_number(text: str) -> float:
    """The number that a reviewer typed. Raises ValueError if the text has none."""
    value = read_number(text.strip().removesuffix("%"), Asked("")).value
    if value is None:
        raise ValueError(f"{text!r} is not one number")
    return value


def number_samples(
    probe: str,
    noun: str,
    corrected: Corrected,
    fields: Sequence[str],
    *,
    read: str = "read",
    unread: str = "unread",
    aside: str = "",
) -> tuple[Sample, Sample]:
    """Return a sample of replies from which a number was read, and a sample of the other replies.

    noun       the word for the answer: "rating", "choice"
    corrected  returns the record's fields for the correction that a checker typed
    fields     the fields of the record that are empty if nothing was read
    read       the outcome of a record with an answer
    unread     that of a record without one
    """

    def emptied(record: StoredRecord, typed: str) -> dict[str, object]:
        return {"outcome": unread} | dict.fromkeys(fields)

    with_answer = Sample(
        name=f"{probe}.{read}",
        title=f"A {noun} was read",
        question=f"Is the marked {noun} the reply’s answer, and was it read right?",
        keys=(
            Key("1r", "right", "Right"),
            Key("2w", "wrong", f"Wrong: the right {noun} is …", "value", corrected),
            Key("3n", "none", f"No {noun} there", corrects=emptied),
        ),
        includes=lambda record: record["probe"] == probe and record["outcome"] == read,
        aside=aside,
    )
    without = Sample(
        name=f"{probe}.{unread}",
        title=f"No {noun} was read",
        question=f"Does the reply hold a {noun} that answers the question?",
        keys=(
            Key("1n", "none", f"No {noun} there"),
            Key("2w", "missed", "There is one: …", "value", corrected),
        ),
        includes=lambda record: (
            record["probe"] == probe
            and OUTCOMES.get(str(record["outcome"])) in ("declined", "unread")
        ),
        aside=aside,
    )
    return with_answer, without


def number_checks(
    probe: str, noun: str, *, read: str = "read", unread: str = "unread"
) -> tuple[CheckQuestion, CheckQuestion]:
    return (
        CheckQuestion(
            name=f"{probe}.correctness",
            sample=f"{probe}.{read}",
            label=f"{noun.capitalize()}s read right",
            right=is_right,
            sentence=f"{noun.capitalize()}s checked on {{n}} replies: {{share}} read right.",
        ),
        CheckQuestion(
            name=f"{probe}.nothing_missed",
            sample=f"{probe}.{unread}",
            label=f"Replies read as without a {noun} that have none",
            right=is_none,
            sentence=f"Checked on {{n}} replies in which no {noun} was read: {{share}} have none.",
        ),
    )
