"""The probability of each option, from the alternatives that a server returns for a token.

A server that gives log-probabilities lists the likeliest alternatives of every token. The options
are weighed at the first token that could be the letter: at the beginning, after an opening sign
("(", "**"), or after words that introduce an answer ("The answer is"). Later tokens are ignored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

Alternatives: TypeAlias = tuple[tuple[str, float], ...]
"""A token of a reply, then its alternatives, each with its natural log-probability."""

DIGITS = tuple("0123456789")
MOST_PLACES = 16
"""Number of tokens stored of a reply. An answer that begins later gets no probabilities."""
LEAST_MASS = 0.5
"""Minimum total probability of the options. Below 0.5, tokens that are not an option are
likelier."""
_AROUND = " \t\r\n()[]{}*_\"'`.:,;▁Ġ"
_LEAD = re.compile(
    r"\W*(?:(?:(?:the|my)\s+)?(?:(?:correct|best|right|final|likeliest)\s+)?"
    r"(?:answer|option|choice|letter|rating|score)\s*(?:is|would be)?\W*)?",
    re.IGNORECASE,
)


_WORD = re.compile(r"[^\W\d_]|[ \t▁Ġ]+[^\W\d_]")
_AFTER_A_LETTER = frozenset(("is", "because", "since", "as", "seems", "would"))
"""Words that may follow "A" where it is a letter and not the article."""


class Weighed(msgspec.Struct, frozen=True):
    """Options with their probabilities, which add up to 1.

    `mass` is the options' total probability before scaling. `place` is the index of the token
    in the reply, from 0.
    """

    probabilities: dict[str, float]
    mass: float
    place: int

    @property
    def likeliest(self) -> str:
        return max(self.probabilities, key=lambda option: self.probabilities[option])


def bare(token: str) -> str:
    """Return a token in lower case without the signs around a letter: " (A" becomes "a"."""
    return token.strip(_AROUND).casefold()


def kept(places: Iterable[Alternatives], options: Sequence[str]) -> tuple[Alternatives, ...]:
    """Return each token with only those alternatives that are options, for `weigh`."""
    wanted = {option.casefold() for option in options}
    found = []
    for number, (chosen, *others) in enumerate(places):
        if number == MOST_PLACES:
            break
        rest = (one for one in others if one[0] != chosen[0] and bare(one[0]) in wanted)
        found.append((chosen, *rest))
    return tuple(found)


def weigh(places: Sequence[Alternatives], options: Sequence[str]) -> Weighed | None:
    """Return the options' probabilities, or None if no token could be an option."""
    before = ""
    for number, alternatives in enumerate(places):
        if before.rstrip().endswith(("(", "[")) or (
            _LEAD.fullmatch(before) and not _begins_a_word(places, number)
        ):
            sums = dict.fromkeys(options, 0.0)
            names = {option.casefold(): option for option in options}
            for token, logprob in alternatives:
                if (option := names.get(bare(token))) is not None:
                    sums[option] += math.exp(min(0.0, logprob))
            mass = sum(sums.values())
            if mass >= LEAST_MASS:
                shares = {option: share / mass for option, share in sums.items()}
                return Weighed(shares, min(1.0, mass), number)
        before += alternatives[0][0] if alternatives else ""
    return None


def _begins_a_word(places: Sequence[Alternatives], number: int) -> bool:
    """Whether a token like a letter begins a word or phrase ("A Nigerian man", "Answer")."""
    if number + 1 >= len(places) or len(bare(places[number][0][0])) != 1:
        return False
    after = places[number + 1][0][0]
    return _WORD.match(after) is not None and bare(after) not in _AFTER_A_LETTER


def expected_number(
    places: Sequence[Alternatives], number: float | None, most: float
) -> float | None:
    """Return the expected value of a number such as "6.5", cut at `most`.

    The number has at most one digit on either side of its point. None if the probabilities do not
    belong to the digits of `number`.

    "6.5" is one of many numbers that a model could have written. The server gives probabilities of
    the digit before the point, and of the digit after it if the first digit is the one written. The
    expected value is the mean of the first digit, plus a tenth of the mean of the second. The mean
    of the second digit is assumed to be the same after every first digit.

    The first digit of a reply need not be the number: "10" begins with a 1, and "7 of 10 people"
    with a 7. So `number` must begin with the digit whose probabilities are used.
    """
    whole = weigh(places, DIGITS)
    if whole is None or number is None:
        return None
    written = [place[0][0].strip() for place in places]
    if written[whole.place] != str(int(number)):
        return None
    after, tenths = whole.place + 1, 0.0
    if after < len(places) and written[after] == ".":
        decimals = weigh(places[after + 1 :], DIGITS)
        if decimals is None or decimals.place:
            return None
        tenths = _mean_digit(decimals)
    elif after < len(places) and written[after][:1].isdigit():
        return None
    return min(most, _mean_digit(whole) + tenths / 10)


def _mean_digit(found: Weighed) -> float:
    return sum(int(digit) * chance for digit, chance in found.probabilities.items())
