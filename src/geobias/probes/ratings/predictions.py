"""Read and score ratings that were made outside of geobias, in JSON lines or a CSV file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

import msgspec

from geobias.atlas.economies import economy
from geobias.probes.items import Item
from geobias.probes.predictions import PredictionLine, Predictions, Scored, as_reply, told_by
from geobias.probes.ratings.asking import RatingRecord, rating_item
from geobias.probes.ratings.topics import ANCHOR, Place, place_at, topic_of
from geobias.probes.settings import Setting
from geobias.reading.again import FIGURE
from geobias.trials import Reply


class RatingScoring(msgspec.Struct, frozen=True):
    topic: Annotated[str, Setting("Topic of lines that name none.")] = ""
    model: Annotated[str, Setting("Model of lines that name none.")] = ""


class Prediction(PredictionLine, frozen=True, kw_only=True):
    """One line of a file: a reply about a place, given by its coordinates or its `country`."""

    topic: str = ""
    country: str = ""
    place: str = ""
    latitude: float | None = None
    longitude: float | None = None

    def where(self) -> Place:
        if self.latitude is not None and self.longitude is not None:
            place = place_at(self.latitude, self.longitude, self.place, self.country)
            if not place.country:
                raise ValueError(f"no country lies at {self.latitude:g} {self.longitude:g}")
            return place
        if not (self.country or self.place):
            raise ValueError("says neither a country nor coordinates")
        found = economy(self.country or self.place)
        name = self.place or found.name
        return Place(f"{found.iso3} {name}".replace("/", " "), name, found.iso3)


def predictions(recorded: Callable[[str, int, Item, Reply], RatingRecord]) -> Predictions:
    """How ratings in a file are read. `recorded` makes the record of a reply."""

    def read(lines: Iterable[bytes], options: RatingScoring) -> Scored:
        def record(line: Prediction) -> RatingRecord:
            topic = (line.topic or options.topic).strip().lower().replace(" ", "_")
            if not topic:
                raise ValueError("says no topic; give it with --topic")
            item = rating_item(topic_of(topic), line.where())
            trial = f"ratings/{item.id}/{line.repeat}"
            return recorded(trial, line.repeat, item, as_reply(line.reply))

        told, left_out = told_by(lines, Prediction, record, options.model)
        topics = sorted({one.record.trial.split("/")[1] for one in told})
        return Scored(told, left_out, settings={"topics": topics, "anchor": ANCHOR})

    return Predictions(help=HELP, Options=RatingScoring, read=read, sought=FIGURE, table="topics")


HELP = """Score ratings from a file of JSON lines, or from a table with coordinates.

    \b
    geobias score ratings --predictions replies.jsonl
    geobias score ratings --predictions ratings.csv --topic attractiveness --model gpt-3.5

    A line of JSON is one reply, in the model's own words; a table has the columns Latitude,
    Longitude and Predictions, perhaps Topic, and the economy is found by the outlines of the map:

    \b
    {"topic": "morality", "country": "Kenya", "reply": "My rating is 6.5."}
    {"topic": "morality", "latitude": -1.29, "longitude": 36.82, "reply": "6.5", "model": "m"}
    """
