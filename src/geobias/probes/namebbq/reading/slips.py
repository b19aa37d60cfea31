"""Names as they are but for one slip of the keyboard."""

from __future__ import annotations

from collections.abc import Sequence

from geobias.probes.namebbq.other_scripts import sound_alike
from geobias.probes.namebbq.peoples import demonyms
from geobias.probes.namebbq.reading.offered import OfferedAnswers
from geobias.probes.namebbq.reading.text_parts import WORD

_SLIP = 4
"""Letters that a name needs before a slip of the keyboard can be told from another word."""


def nearly_named(words: Sequence[str], offered: OfferedAnswers) -> set[int]:
    """The people whose names the words are but for one slip."""
    words = [word.removesuffix("'s") for word in words]
    return {
        person
        for person in offered.persons
        for word in words
        if (word[0].isupper() or len(words) <= _SLIP)
        and not (offered.peoples[person] and word.lower() in demonyms())
        for token in offered.tokens[person]
        if min(len(word), len(token)) >= _SLIP
        and (
            _one_slip(word.lower(), token)
            or (offered.peoples[person] is None and sound_alike(word, token))
        )
    }


def without_slips(said: str, person: int, offered: OfferedAnswers) -> str:
    """Without words that are a person's own but for a slip: "Lankam" beside "Sri"."""
    return " ".join(
        word
        for word in WORD.findall(said)
        if not any(
            min(len(word), len(token)) >= _SLIP and word != token and _one_slip(word, token)
            for token in (*offered.tokens[person], *offered.shared)
        )
    )


def _one_slip(one: str, other: str) -> bool:
    """Whether one letter was put in, left out, mistaken, or swapped with the next."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest, other_rest = one[start:], other[start:]
    return (
        rest[1:] == other_rest
        or rest == other_rest[1:]
        or rest[1:] == other_rest[1:]
        or (rest[:2] == other_rest[1::-1] and rest[2:] == other_rest[2:])
    )
