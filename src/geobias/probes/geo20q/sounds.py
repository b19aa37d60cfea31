"""How near a name is to another: as they sound, and by letters that are wrong."""

from __future__ import annotations

import re
from functools import lru_cache

_LATIN, _OTHER, _ANY = (
    [(re.compile(pattern), sound) for pattern, sound in pairs]
    for pairs in (
        (
            (r"ph", "f"), (r"sch|sh|tch|ch|sz|cz|zh|dzh|dj|j(?=[aeiou])", "j"),
            (r"ck|kh|gh|q|x", "k"), (r"c(?=[eiy])", "s"), (r"c", "k"),
            (r"ou|oo|w(?=[aeiou])u?", "u"), (r"w", "v"), (r"y|ee", "i"), (r"(?<=[bdgkprt])h", ""),
            (r"z", "s"), (r"h(?![aeiou])", ""), (r"ae|oe", "e"),
        ),
        (
            ("ヴァ", "バ"), ("ヴィ", "ビ"), ("ヴェ", "ベ"), ("ヴォ", "ボ"), ("ヴ", "ブ"),
            ("ヂ", "ジ"), ("ヅ", "ズ"), ("ー|ッ", ""), ("ァ", "ア"), ("ィ", "イ"), ("ゥ", "ウ"),
            ("ェ", "エ"), ("ォ", "オ"),
            ("ी", "ि"), ("ू", "ु"), ("ै", "े"), ("ौ|ॉ", "ो"), ("्|ं", ""), ("ई", "इ"),
            ("ऊ", "उ"),
        ),
        ((r"(.)\1+", r"\1"),),
    )
)  # fmt: skip


@lru_cache(maxsize=50_000)
def sound_of(letters: str) -> str:
    """Letters with one sign for what is often written in several ways: y and i, k, q and kh …"""
    # Most words are of one script: the rules of the others find nothing in them.
    latin = _LATIN if letters and min(letters) <= "z" else ()
    other = _OTHER if letters and max(letters) >= "\u0900" else ()
    for pattern, sound in (*latin, *other, *_ANY):
        letters = pattern.sub(sound, letters)
    return letters


def slips(sound: str) -> int:
    """How many letters of a name of this length may be wrong."""
    return 0 if len(sound) < 6 else 1 if len(sound) < 10 else 2


@lru_cache(maxsize=50_000)
def letter_bits(sound: str) -> int:
    """Which letters a sound has, as bits; letters far apart in Unicode may share one."""
    bits = 0
    for letter in sound:
        bits |= 1 << (ord(letter) & 63)
    return bits


def may_be_near(one: int, other: int, most: int) -> bool:
    """Whether sounds with these letters may be near: a wrong letter changes two bits at most."""
    return (one ^ other).bit_count() <= 2 * most


def distance(one: str, other: str, most: int) -> int:
    """Letters that are wrong, missing, too many or swapped with the next; `most + 1` if more."""
    if one == other:
        return 0
    if abs(len(one) - len(other)) > most:
        return most + 1
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        further, before, row = before, row, [i]
        for j, right in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, further[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
