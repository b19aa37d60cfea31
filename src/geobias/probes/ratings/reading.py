"""How a reply becomes a rating from 0.0 to 9.9, and what its digits' probabilities say of it.

The reader is that of all numbers. What is said of the scale ("out of 10", "from 0.0 to 9.9") is no
rating; 10 is taken for the top of the scale.

"6.5" is one of many ratings that a model was about to give. The digit before the point has
probabilities, and the one after it has some too, given the first that was written. The expected
rating is the mean of the first digit, plus a tenth of the mean of the second: what the second would
be after another first digit is not known, and is taken to be the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from geobias.atlas.economies import find_economy
from geobias.probes.readers import Line, ReadReply, number_label, pointed_reader
from geobias.reading.again import Asker, number_asker
from geobias.reading.numbers import read_number
from geobias.reading.numerals import Asked
from geobias.trials.probabilities import Alternatives, weigh

HIGHEST = 9.9
TOP_OF_TEN = 10.0
ASKED = Asked("rating", phrase="rating of a place on a topic", low=0, high=TOP_OF_TEN)
_SCALE = re.compile(
    r"(?:(?:from|between|scale(?: of)?:?)\s*)?\b[01](?:\.0)?\s?(?:to|and|through|-|–)\s?"
    r"(?:9\.9|10)(?:\.0)?|\s?(?:/|\bout of)\s?(?:9\.9|10)(?:\.0)?\b"
    r"|\([^)]*(?:lowest|highest)[^)]*\)",
    re.IGNORECASE,
)


class Reading(msgspec.Struct, frozen=True):
    """What was read: a rating and where it stands in the reply, or why there is none.

    outcome   read, declined, unread or cut, or the reply's own where it has no text
    """

    rating: float | None
    outcome: str
    span: tuple[int, int] | None = None
    reason: str = ""


def read_rating(reply: str, place: str = "", *, cut: bool = False) -> Reading:
    """The rating that a reply gives of a place; none of one that was `cut` off before it."""
    asked = msgspec.structs.replace(
        ASKED, phrase=f"{ASKED.phrase} {place}", country=place if find_economy(place) else ""
    )
    found = read_number(_SCALE.sub("", reply), asked, cut=cut)
    if found.value is None:
        return Reading(None, found.outcome, reason=found.reason)
    start = reply.rfind(found.written)
    span = None if start < 0 else (start, start + len(found.written))
    return Reading(min(found.value, HIGHEST), "read", span)


DIGITS = tuple("0123456789")


def expected_rating(places: Sequence[Alternatives], rating: float | None) -> float | None:
    """None unless the probabilities are those of the `rating` that was read from the text.

    A reply of "10" begins with a 1 that is no rating, and one of "7 of 10 people" with a 7 that is
    none either: what was read must begin with the digit that was weighed.
    """
    whole = weigh(places, DIGITS)
    if whole is None or rating is None:
        return None
    written = [place[0][0].strip() for place in places]
    if written[whole.place] != str(int(rating)):
        return None
    after = whole.place + 1
    tenths = 0.0
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


# Single replies, outside of a run ----------------------------------------------------------------


def _asker(line: Line) -> Asker:
    place = str(line.get("place") or line.get("country") or "the place")
    return number_asker(f"Rate {place} on {line.get('topic') or 'the topic'}.", ASKED.unit, place)


def _read(line: Line, text: str) -> ReadReply:
    found = read_rating(text, str(line.get("place") or line.get("country") or ""))
    return ReadReply(found.rating, found.outcome, found.reason)


READER = pointed_reader(_read, number_label, _asker)
