"""Holds the reader to replies labelled by a written policy (labelled_replies.md).

`labelled_replies.jsonl` was written before the reader was changed; it then read 312 of 316 ordinary
and 260 of 504 awkward replies as labelled. `later_replies.jsonl` was written afterwards in two
rounds, of 158 and 110: at first sight 144 and 105 were read as labelled, none to a wrong answer,
before the reader learned from them. `heldout_replies.jsonl` was kept apart longest: at first sight
50 of 50 ordinary and 57 of 70 awkward replies were read as labelled, and 4 went to a wrong answer.
`fresh_replies.jsonl` are 102 awkward ones that came later still: 62 were read as labelled at first
sight, and 6 went to a wrong answer. `open_replies.jsonl` answer questions without options: at first
sight all 34 ordinary and 42 of 47 awkward ones were read as labelled, none to a wrong answer.

Twelve sets were then written one after the other, each before the reader was tried on it
(`ROUNDS`). At first sight all 326 ordinary replies were read as labelled; of the awkward ones 169
of 220, 136 of 150, 111 of 129, 96 of 104, 92 of 100, 82 of 90, 149 of 183, 112 of 129, 94 of 109,
87 of 100 and 72 of 75 were, and 3, 4, 3, 2, 1, 2, 7, 2, 3, 2 and 1 went to a wrong answer. The
twelfth, on who "cannot", a person or the model, was written after replies of that shape had been
found to fail: 6 of 15 were read as labelled and none went to a wrong answer.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from geobias.probes.namebbq.reading import Reading, read_reply

Label = int | Literal["unread", "refused"]

ROUNDS = {
    "new_replies": (60, 220),
    "second_replies": (40, 150),
    "third_replies": (30, 129),
    "fourth_replies": (24, 104),
    "fifth_replies": (24, 100),
    "sixth_replies": (21, 90),
    "seventh_replies": (50, 183),
    "eighth_replies": (26, 129),
    "ninth_replies": (23, 109),
    "tenth_replies": (17, 100),
    "eleventh_replies": (10, 75),
    "twelfth_replies": (1, 15),
}
"""The last sets, with their ordinary and awkward replies."""


class Options(msgspec.Struct, forbid_unknown_fields=True):
    question: str
    answers: tuple[str, str, str]
    unknown: int
    people: tuple[str, str, str]
    genders: tuple[str, str, str]


class Labelled(msgspec.Struct, forbid_unknown_fields=True, rename={"kind": "class"}):
    id: str
    kind: str
    sort: Literal["ordinary", "awkward"]
    options: Options
    reply: str
    label: Label
    why: str

    def read(self) -> Reading:
        asked = self.options
        return read_reply(
            self.reply,
            asked.answers,
            unknown=asked.unknown,
            people=asked.people,
            question=asked.question,
            genders=asked.genders,
            shown=self.kind != "open",
        )

    @property
    def is_read_as_labelled(self) -> bool:
        found = self.read()
        return self.label == (found.outcome if found.answer is None else found.answer)


@cache
def labelled(name: str = "labelled_replies") -> tuple[Labelled, ...]:
    lines = Path(__file__).with_name(f"{name}.jsonl").read_bytes().splitlines()
    return tuple(msgspec.json.decode(line, type=Labelled) for line in lines)


def of_sort(sort: str) -> list[Labelled]:
    return [one for one in labelled() if one.sort == sort]


def test_the_labelled_replies_are_many_different_and_of_both_sorts() -> None:
    assert len({one.id for one in labelled()}) == len(labelled())
    assert len({(one.options.question, one.reply) for one in labelled()}) == len(labelled())
    assert {sort: len(of_sort(sort)) for sort in ("ordinary", "awkward")} == {
        "ordinary": 316,
        "awkward": 504,
    }
    assert min(Counter(one.kind for one in labelled()).values()) >= 4
    for one in labelled():
        assert one.label in (0, 1, 2, "unread", "refused"), one.id
        assert (one.options.people[one.options.unknown], one.why != "") == ("", True), one.id


def test_every_ordinary_reply_is_read_as_labelled() -> None:
    assert [one.reply for one in of_sort("ordinary") if not one.is_read_as_labelled] == []


def test_of_the_awkward_replies_97_in_100_are_read_as_labelled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    awkward = of_sort("awkward")
    wrong = [one for one in awkward if not one.is_read_as_labelled]
    with capsys.disabled():
        for one in wrong:
            print(f"\n{one.id} ({one.kind}) {one.reply!r} is {one.label}, read as {one.read()}")
    assert len(wrong) <= 0.03 * len(awkward)


@pytest.mark.parametrize(
    "name",
    [
        "labelled_replies",
        "later_replies",
        "heldout_replies",
        "fresh_replies",
        "open_replies",
        *ROUNDS,
    ],
)
def test_no_labelled_reply_is_given_to_a_wrong_answer(name: str) -> None:
    """Unread is a loss; the wrong answer would be a lie."""
    wrong = [one for one in labelled(name) if one.read().answer not in (None, one.label)]
    assert [(one.id, one.reply) for one in wrong] == []


def test_what_was_learned_from_later_replies_stays_learned() -> None:
    later = labelled("later_replies")
    assert len(later) == 268
    assert sum(one.is_read_as_labelled for one in later) >= 0.99 * len(later)


def test_what_was_learned_from_held_out_replies_stays_learned() -> None:
    held_out = labelled("heldout_replies")
    missed = Counter(one.sort for one in held_out if not one.is_read_as_labelled)
    assert Counter(one.sort for one in held_out) == {"ordinary": 50, "awkward": 70}
    assert missed["ordinary"] == 0
    assert missed["awkward"] <= 5


def test_what_was_learned_from_fresh_replies_stays_learned() -> None:
    fresh = labelled("fresh_replies")
    assert len(fresh) == 102
    assert sum(not one.is_read_as_labelled for one in fresh) <= 3


@pytest.mark.parametrize("name", ROUNDS)
def test_what_was_learned_from_the_last_rounds_stays_learned(name: str) -> None:
    missed = Counter(one.sort for one in labelled(name) if not one.is_read_as_labelled)
    asked = Counter(one.sort for one in labelled(name))
    assert (asked["ordinary"], asked["awkward"]) == ROUNDS[name]
    assert missed["ordinary"] == 0
    assert missed["awkward"] <= 0.04 * asked["awkward"]


def test_replies_to_open_questions_are_read_by_the_person_they_name() -> None:
    missed = Counter(o.sort for o in labelled("open_replies") if not o.is_read_as_labelled)
    assert len(labelled("open_replies")) == 81
    assert missed["ordinary"] == 0
    assert missed["awkward"] <= 3
