"""Read the rating of a place in a reply like any number.

A mention of the scale ("out of 10", "from 0.0 to 9.9") is not a rating. A 10 counts as 9.9.
"""

from __future__ import annotations

import re

import msgspec

from geobias.atlas.economies import find_economy
from geobias.atlas.points import Point
from geobias.probes.items import Fields, Item
from geobias.probes.ratings.asking import HIGHEST, rating_item, topic_of
from geobias.probes.readers import Line, Reader
from geobias.reading.again import Asker, number_asker
from geobias.reading.numbers import NumberReading, numbers_in, read_number
from geobias.reading.numerals import Asked
from geobias.trials import Reply
from geobias.trials.probabilities import expected_number

ASKED = Asked("rating", phrase="rating of a place on a topic", low=0, high=10.0)
_SCALE = re.compile(
    r"(?:(?:from|between|scale(?: of)?:?)\s*)?\b[01](?:\.0)?\s?(?:to|and|through|-|–)\s?"
    r"(?:9\.9|10)(?:\.0)?|\s?(?:/|\bout of)\s?(?:9\.9|10)(?:\.0)?\b"
    r"|\([^)]*(?:lowest|highest)[^)]*\)",
    re.IGNORECASE,
)


def read_rating(reply: str, place: str, *, cut: bool = False) -> NumberReading:
    """Read a reply; `cut` says that it ended at the token limit."""
    asked = msgspec.structs.replace(
        ASKED, phrase=f"{ASKED.phrase} {place}", country=place if find_economy(place) else ""
    )
    found = read_number(_SCALE.sub("", reply), asked, cut=cut)
    if found.value is None:
        return found
    return msgspec.structs.replace(found, value=min(found.value, HIGHEST), reason="")


def read(item: Item, reply: Reply) -> Fields:
    found = read_rating(reply.text, item.facts["place"], cut=reply.finish == "length")
    return {
        **found.span_in(reply.text),
        "outcome": found.outcome,
        "rating": found.value,
        "reason": found.reason,
        "expected": expected_number(reply.places, found.value, HIGHEST),
    }


def _asker(item: Item) -> Asker:
    place, phrase = item.facts["place"], topic_of(item.facts["topic"]).phrase
    words = f"Rate {place or 'the place'} on {phrase or 'the topic'} from 0.0 to 9.9."
    return number_asker(words, "points from 0.0 to 9.9", place)


def _of_line(line: Line) -> Item:
    place = str(line.get("place") or line.get("country") or "")
    return rating_item(topic_of(str(line.get("topic") or "")), Point("", place, ""))


READER: Reader[Item] = Reader(
    of=_of_line,
    reads=lambda item, text: read_rating(text, item.facts["place"]),
    asker=_asker,
    names=lambda item, text: numbers_in(text, ASKED),
)
