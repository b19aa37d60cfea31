"""How single ratings are read outside of a run."""

from __future__ import annotations

from geobias.probes.ratings.reading import ASKED, read_rating
from geobias.probes.readers import Line, ReadReply, ReplyReader, number_label, text_of
from geobias.reading.again import Asker, number_asker, pointed_at, pointing, says_none
from geobias.trials import Ask


def _read(line: Line) -> ReadReply:
    found = read_rating(text_of(line, "reply"))
    return ReadReply(found.rating, found.outcome, found.reason)


def _asker(line: Line) -> Asker:
    place = str(line.get("place") or line.get("country") or "the place")
    return number_asker(f"Rate {place} on {line.get('topic') or 'the topic'}.", ASKED.unit, place)


def _ask(line: Line) -> Ask:
    return pointing(text_of(line, "reply"), _asker(line))


def _settle(line: Line, said: str) -> ReadReply:
    if says_none(said):
        return ReadReply(None, "declined", "reader: gives no rating")
    quote = pointed_at(text_of(line, "reply"), said, _asker(line))
    found = read_rating(quote)
    return ReadReply(found.rating, found.outcome, f"reader: {quote}")


READER = ReplyReader("topic, country", _read, number_label, _ask, _settle)
