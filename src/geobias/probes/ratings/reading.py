"""Read a rating from 0.0 to 9.9 from a reply, and an expected rating from its probabilities.

The rating is read like any number (`reading.numbers`). A mention of the scale ("out of 10", "from
0.0 to 9.9") is not a rating, and 10 counts as the top of the scale.

"6.5" is one of many ratings that a model could have given. The digit before the point has
probabilities, and so does the one after it, given the first digit that was written. The expected
rating is the mean of the first digit, plus a tenth of the mean of the second. The reply does not
tell the second digit's mean after other first digits, so it is assumed to be the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from geobias.atlas.economies import find_economy
from geobias.probes.readers import Line, number_reader
from geobias.reading.again import Asker, number_asker
from geobias.reading.numbers import NumberReading, read_number
from geobias.reading.numerals import Asked
from geobias.trials.probabilities import Alternatives, weigh

HIGHEST = 9.9
ASKED = Asked("rating", phrase="rating of a place on a topic", low=0, high=10.0)
_SCALE = re.compile(
    r"(?:(?:from|between|scale(?: of)?:?)\s*)?\b[01](?:\.0)?\s?(?:to|and|through|-|–)\s?"
    r"(?:9\.9|10)(?:\.0)?|\s?(?:/|\bout of)\s?(?:9\.9|10)(?:\.0)?\b"
    r"|\([^)]*(?:lowest|highest)[^)]*\)",
    re.IGNORECASE,
)
DIGITS = tuple("0123456789")


def read_rating(reply: str, place: str = "", *, cut: bool = False) -> NumberReading:
    """The rating of a place in a reply. `cut` says that the reply ended at the token limit."""
    asked = msgspec.structs.replace(
        ASKED, phrase=f"{ASKED.phrase} {place}", country=place if find_economy(place) else ""
    )
    found = read_number(_SCALE.sub("", reply), asked, cut=cut)
    if found.value is None:
        return found
    return msgspec.structs.replace(found, value=min(found.value, HIGHEST), reason="")


def expected_rating(places: Sequence[Alternatives], rating: float | None) -> float | None:
    """The expected rating by the digits' probabilities; None if they do not belong to `rating`.

    A reply of "10" begins with a 1 and one of "7 of 10 people" with a 7, and neither digit is a
    rating. So the rating must begin with the digit whose probabilities are used.
    """
    whole = weigh(places, DIGITS)
    if whole is None or rating is None:
        return None
    written = [place[0][0].strip() for place in places]
    if written[whole.place] != str(int(rating)):
        return None
    after, tenths = whole.place + 1, 0.0
    if after < len(places) and written[after] == ".":
        decimals = weigh(places[after + 1 :], DIGITS)
        if decimals is None or decimals.place:
            return None
        tenths = _mean(decimals.probabilities)
    elif after < len(places) and written[after][:1].isdigit():
        return None
    return min(HIGHEST, _mean(whole.probabilities) + tenths / 10)


def _mean(chances: dict[str, float]) -> float:
    return sum(int(digit) * chance for digit, chance in chances.items())


def _place(line: Line) -> str:
    return str(line.get("place") or line.get("country") or "")


def _asker(line: Line) -> Asker:
    place = _place(line) or "the place"
    return number_asker(f"Rate {place} on {line.get('topic') or 'the topic'}.", ASKED.unit, place)


READER = number_reader(_place, _asker, read_rating)
"""Reads single replies outside of a run."""
