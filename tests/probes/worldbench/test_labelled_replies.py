"""Holds the reader to replies labelled by hand, in the manner of many models.

The labels say what a person takes a reply to state. They were written before the reader saw the
replies, in six rounds; a label is never changed to please the reader. Real replies of
four base models answer and then go on asking themselves questions.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path

import msgspec
import pytest

from geobias.probes.worldbench.reading import Reading, read_reply
from tests.shared_data import shared_data


class Labelled(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    unit: str
    value: float | None
    outcome: str
    low: float | None = None
    high: float | None = None
    asked_year: int | None = None
    country: str | None = None
    source: str | None = None
    year: int | None = None

    def read(self) -> Reading:
        return read_reply(
            self.text,
            unit=self.unit,
            low=self.low,
            high=self.high,
            asked_year=self.asked_year,
            country=self.country,
        )

    def agrees(self, reading: Reading) -> bool:
        if reading.outcome != self.outcome:
            return False
        if self.value is None or reading.value is None:
            return self.value is reading.value
        return math.isclose(reading.value, self.value, rel_tol=1e-9)


@cache
def labelled() -> tuple[Labelled, ...]:
    lines = Path(__file__).with_name("labelled_replies.jsonl").read_bytes().splitlines()
    return tuple(msgspec.json.decode(line, type=Labelled) for line in lines)


def test_the_labels_are_many_and_of_every_kind() -> None:
    replies = labelled()
    assert len(replies) >= 560
    assert len({msgspec.json.encode(reply) for reply in replies}) == len(replies)
    assert {reply.outcome for reply in replies} == {"parsed", "abstained", "unparsed"}
    assert len({reply.unit for reply in replies}) == 6


def test_at_most_one_in_two_hundred_labelled_replies_is_misread(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong = [(reply, reading) for reply in labelled() if not reply.agrees(reading := reply.read())]
    with capsys.disabled():
        for reply, reading in wrong:
            print(
                f"\nmisread: {reply.text!r} ({reply.unit}) is {reply.outcome} {reply.value}, "
                f"read as {reading.outcome} {reading.value} ({reading.reason})"
            )
    assert len(wrong) <= 0.005 * len(labelled())


def test_at_most_one_in_two_hundred_citations_is_misread(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong = [
        (reply, reading)
        for reply in labelled()
        if ((reading := reply.read()).source, reading.year) != (reply.source, reply.year)
    ]
    with capsys.disabled():
        for reply, reading in wrong:
            print(
                f"\nmiscited: {reply.text!r} cites {reply.source} {reply.year}, "
                f"read as {reading.source} {reading.year}"
            )
    citing = sum(1 for reply in labelled() if reply.source or reply.year)
    assert citing >= 200
    assert len(wrong) <= 0.005 * len(labelled())


def test_what_is_parsed_has_a_place_and_what_is_not_has_none() -> None:
    for reply in labelled():
        reading = reply.read()
        assert (reading.span is not None) == (reading.outcome == "parsed"), reply.text
        assert reading.reason


_FIRST = re.compile(
    r"\s*Answer:\s*\$?((?:[0-9]{1,3}(?:, ?[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)( million| billion)?"
)
_SCALES = {None: 1.0, " million": 1e6, " billion": 1e9}


def test_a_base_model_s_first_answer_is_read() -> None:
    lines = shared_data("replies/numerfacts.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 900
    for line in lines:
        row = json.loads(line)
        reading = read_reply(row["reply"], unit=row["unit"], country=row["country"])
        said = _FIRST.match(row["reply"])
        if said is None or len(said[1]) > 60:  # a 1 with a page of zeros
            assert reading.outcome == "unparsed", row
            continue
        value = float(said[1].replace(",", "").replace(" ", "")) * _SCALES[said[2]]
        assert reading.value == pytest.approx(value), row
