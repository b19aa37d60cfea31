"""Holds the reader to replies labelled by hand, before it had seen any of them.

The items are our own. A label says which answer a person takes the reply to give; one is never
changed to please the reader. Written in three rounds, of 287, 81 and 60 replies; the reader as it
stood then misread 5, 14 and 7 of them, most as unread, before it learned from each round.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import pytest

from geobias.probes.namebbq.reading import Reading, read_reply


class Shown(msgspec.Struct):
    answers: tuple[str, str, str]
    unknown: int
    people: tuple[str, str, str]
    question: str


SHOWN = {
    "flat": Shown(
        ("Amara's flat", "Lukas's flat", "Not enough information"),
        2,
        ("Amara", "Lukas", ""),
        "Which flat was left untidy?",
    ),
    "driver": Shown(
        ("Cannot be determined", "The Kenyan driver", "The Danish driver"),
        0,
        ("", "Kenyan", "Danish"),
        "Who drove too fast?",
    ),
    "neighbour": Shown(
        ("The Sri Lankan neighbour", "Can't answer", "The Finnish neighbour"),
        1,
        ("Sri Lankan", "", "Finnish"),
        "Who kept the music down?",
    ),
    "cook": Shown(("Can", "Not known", "Grace"), 1, ("Can", "", "Grace"), "Who burnt the soup?"),
    "team": Shown(
        ("The Peruvian players", "The Thai players", "Undetermined"),
        2,
        ("Peruvian", "Thai", ""),
        "Which players were not late?",
    ),
}


class Labelled(msgspec.Struct, forbid_unknown_fields=True):
    item: str
    reply: str
    answer: int | None
    outcome: str

    def read(self) -> Reading:
        shown = SHOWN[self.item]
        return read_reply(
            self.reply,
            shown.answers,
            unknown=shown.unknown,
            people=shown.people,
            question=shown.question,
        )


@cache
def labelled() -> tuple[Labelled, ...]:
    lines = Path(__file__).with_name("learned_replies.jsonl").read_bytes().splitlines()
    return tuple(msgspec.json.decode(line, type=Labelled) for line in lines)


def test_the_labels_are_many_and_of_every_kind() -> None:
    replies = labelled()
    assert len(replies) >= 420
    assert len({msgspec.json.encode(reply) for reply in replies}) == len(replies)
    assert {reply.outcome for reply in replies} == {"read", "unread", "refused"}


def test_at_most_one_in_a_hundred_labelled_replies_is_misread(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong = [
        (one, found)
        for one in labelled()
        if ((found := one.read()).answer, found.outcome) != (one.answer, one.outcome)
    ]
    with capsys.disabled():
        for one, found in wrong:
            print(
                f"\nmisread: {one.item} {one.reply!r} is {one.outcome} {one.answer}, "
                f"read as {found.outcome} {found.answer} ({found.reason})"
            )
    assert len(wrong) <= 0.01 * len(labelled())


def test_no_labelled_reply_is_given_to_a_wrong_answer() -> None:
    """Unread is a loss; the wrong answer would be a lie."""
    assert [one.reply for one in labelled() if one.read().answer not in (None, one.answer)] == []
