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

`learned_replies.jsonl` is older, of three rounds of 287, 81 and 60 replies: 5, 14 and 7 were
misread at first sight, most as unread.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from geobias.probes.namebbq.reading import Reading, read_reply

SETS = {
    "labelled": (316, 504, 15),
    "later": (0, 268, 2),
    "heldout": (50, 70, 5),
    "fresh": (0, 102, 3),
    "open": (34, 47, 3),
    "new": (60, 220, 8),
    "second": (40, 150, 6),
    "third": (30, 129, 5),
    "fourth": (24, 104, 4),
    "fifth": (24, 100, 4),
    "sixth": (21, 90, 3),
    "seventh": (50, 183, 7),
    "eighth": (26, 129, 5),
    "ninth": (23, 109, 4),
    "tenth": (17, 100, 4),
    "eleventh": (10, 75, 3),
    "twelfth": (1, 15, 0),
    "learned": (0, 428, 4),
}
"""Ordinary and awkward replies, and how many of the latter may be misread: as unread at worst."""


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
    label: Literal[0, 1, 2, "unread", "refused"]
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


def labelled(name: str) -> list[Labelled]:
    lines = Path(__file__).with_name(f"{name}_replies.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Labelled) for line in lines]


def test_the_labelled_replies_are_many_different_and_of_both_sorts() -> None:
    replies = labelled("labelled")
    assert len({one.id for one in replies}) == len(replies)
    assert len({(one.options.question, one.reply) for one in replies}) == len(replies)
    assert min(Counter(one.kind for one in replies).values()) >= 4
    for one in replies:
        assert (one.options.people[one.options.unknown], one.why != "") == ("", True), one.id


@pytest.mark.parametrize("name", SETS)
def test_replies_are_read_as_labelled_and_none_is_given_to_a_wrong_answer(name: str) -> None:
    """Unread is a loss; the wrong answer would be a lie."""
    read = [(one, one.read()) for one in labelled(name)]
    asked = Counter(one.sort for one, _ in read)
    missed = [
        (one.sort, one.id, one.reply, found)
        for one, found in read
        if one.label != (found.outcome if found.answer is None else found.answer)
    ]
    ordinary, awkward, most_missed = SETS[name]
    assert (asked["ordinary"], asked["awkward"]) == (ordinary, awkward)
    assert [one for one in missed if one[0] == "ordinary" or one[3].answer is not None] == []
    assert len(missed) <= most_missed, missed
