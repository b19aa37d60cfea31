"""Samples for checking by hand, for a probe that reads one number or choice in each reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from geobias.reading.numbers import read_number
from geobias.reading.numerals import Asked
from geobias.results.descriptions import CheckQuestion, Key, ReadAs, Sample
from geobias.trials import StoredRecord

READ_AS = ReadAs()
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
    read_as: ReadAs = READ_AS,
    *,
    aside: str = "",
) -> tuple[Sample, Sample]:
    """Return a sample of replies from which a number was read, and a sample of the other replies.

    noun       the word for the answer: "rating", "choice"
    corrected  returns the record's fields for the correction that a checker typed
    fields     the fields of the record that are empty if nothing was read
    """

    def emptied(record: StoredRecord, typed: str) -> dict[str, object]:
        return {"outcome": read_as.unread} | dict.fromkeys(fields)

    read = Sample(
        name=f"{probe}.{read_as.read}",
        title=f"A {noun} was read",
        question=f"Is the marked {noun} the reply’s answer, and was it read right?",
        keys=(
            Key("1r", "right", "Right"),
            Key("2w", "wrong", f"Wrong: the right {noun} is …", "value", corrected),
            Key("3n", "none", f"No {noun} there", corrects=emptied),
        ),
        includes=lambda record: record["probe"] == probe and record["outcome"] == read_as.read,
        aside=aside,
    )
    unread = Sample(
        name=f"{probe}.{read_as.unread}",
        title=f"No {noun} was read",
        question=f"Does the reply hold a {noun} that answers the question?",
        keys=(
            Key("1n", "none", f"No {noun} there"),
            Key("2w", "missed", "There is one: …", "value", corrected),
        ),
        includes=lambda record: (
            record["probe"] == probe and record["outcome"] in (read_as.declined, read_as.unread)
        ),
        aside=aside,
    )
    return read, unread


def number_checks(
    probe: str, noun: str, read_as: ReadAs = READ_AS
) -> tuple[CheckQuestion, CheckQuestion]:
    return (
        CheckQuestion(
            name=f"{probe}.correctness",
            sample=f"{probe}.{read_as.read}",
            label=f"{noun.capitalize()}s read right",
            right=is_right,
            sentence=f"{noun.capitalize()}s checked on {{n}} replies: {{share}} read right.",
        ),
        CheckQuestion(
            name=f"{probe}.nothing_missed",
            sample=f"{probe}.{read_as.unread}",
            label=f"Replies read as without a {noun} that have none",
            right=is_none,
            sentence=f"Checked on {{n}} replies in which no {noun} was read: {{share}} have none.",
        ),
    )
