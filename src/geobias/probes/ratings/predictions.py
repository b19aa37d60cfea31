"""Read and score ratings that were made outside of geobias, in JSON lines or a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated

import msgspec

from geobias.atlas.economies import economy
from geobias.atlas.outlines import economy_near
from geobias.errors import BadRequest
from geobias.probes.predictions import (
    PredictionLine,
    Predictions,
    Scored,
    as_reply,
    told_by,
)
from geobias.probes.ratings.topics import ANCHOR, Place, topic_of
from geobias.probes.ratings.trials import RatingQuestion, RatingRecord, read
from geobias.probes.settings import Setting
from geobias.reading.again import FIGURE


class RatingScoring(msgspec.Struct, frozen=True):
    """The topic and the model of lines that do not name them."""

    topic: Annotated[str, Setting("Topic of lines that name none.")] = ""
    model: Annotated[str, Setting("Model of lines that name none.")] = ""


class Prediction(PredictionLine, frozen=True, kw_only=True):
    """One line of a file: a reply about a place, given by its coordinates or its `country`.

    Coordinates from a CSV file are text, or "" if the cell is empty.
    """

    topic: str = ""
    country: str = ""
    place: str = ""
    latitude: float | str | None = None
    longitude: float | str | None = None


def score_lines(lines: Iterable[bytes], options: RatingScoring) -> Scored:
    """Read and score each line. Lines about places in no economy are left out, with the reason."""

    def record(line: Prediction) -> RatingRecord:
        topic = (line.topic or options.topic).strip().lower().replace(" ", "_")
        if not topic:
            raise ValueError("says no topic; give it with --topic")
        place = _place(line)
        trial = f"ratings/{topic}/{place.id}/{line.repeat}"
        asked = RatingQuestion(topic_of(topic), place)
        return read(trial, line.repeat, asked, as_reply(line.reply))

    told, left_out = told_by(_json_lines(lines, options.model), Prediction, record)
    topics = sorted({one.record.trial.split("/")[1] for one in told})
    return Scored(told, left_out, settings={"topics": topics, "anchor": ANCHOR})


def _place(line: Prediction) -> Place:
    if line.latitude in (None, "") or line.longitude in (None, ""):
        if not (line.country or line.place):
            raise ValueError("says neither a country nor coordinates")
        found = economy(line.country or line.place)
        name = line.place or found.name
        return Place(f"{found.iso3} {name}".replace("/", " "), name, found.iso3)
    latitude, longitude = float(line.latitude or 0), float(line.longitude or 0)
    where = f"{latitude:g} {longitude:g}"
    country = economy(line.country).iso3 if line.country else economy_near(latitude, longitude)
    if not country:
        raise ValueError(f"no country lies at {where}")
    return Place(where, line.place or where, country, latitude, longitude)


MISSING = ("", "nan", "na", "null", "none")
"""How libraries write a missing value in CSV. Such a cell is an empty reply, not a refusal."""


def _json_lines(lines: Iterable[bytes], model: str) -> Iterator[bytes]:
    """Yield lines of JSON unchanged, and lines of a CSV file as JSON.

    The header of a CSV file becomes a blank line, so that line numbers stay right.
    """
    rest = iter(lines)
    first = next(rest, b"")
    head = first.decode("utf-8-sig", "replace").strip()
    if head.startswith("{") or not head:
        yield from chain([first], rest)
        return
    columns = [name.strip() for name in _cells(head)]
    needed = ("Latitude", "Longitude", "Predictions")
    if not {*needed} <= {*columns}:
        raise BadRequest(
            f"the file is neither JSON lines nor a table with the columns {', '.join(needed)}"
        )
    yield b""
    for line in rest:
        cells = _cells(line.decode("utf-8", "replace").strip())
        row = dict(zip(columns, cells, strict=False))
        fields = {name.lower(): row.get(name, "") for name in ("Latitude", "Longitude", "Topic")}
        rating = row.get("Predictions", "").strip()
        fields |= {"reply": "" if rating.lower() in MISSING else rating, "model": model}
        yield msgspec.json.encode(fields) if cells != [""] else b""


def _cells(line: str) -> list[str]:
    """The cells of one line of CSV; a quoted cell may contain commas, but no line break."""
    try:
        return next(csv.reader([line]), [""])
    except csv.Error:
        return [line]


PREDICTIONS = Predictions(
    help="""Score ratings from a file of JSON lines, or from a table with coordinates.

    \b
    geobias score ratings --predictions replies.jsonl
    geobias score ratings --predictions ratings.csv --topic attractiveness --model gpt-3.5

    A line of JSON is one reply, in the model's own words; a table has the columns Latitude,
    Longitude and Predictions, perhaps Topic, and the economy is found by the outlines of the map:

    \b
    {"topic": "morality", "country": "Kenya", "reply": "My rating is 6.5."}
    {"topic": "morality", "latitude": -1.29, "longitude": 36.82, "reply": "6.5", "model": "m"}

    --to run.geobias makes a run file. "prompt" says what was asked, to be shown beside the reply.

    Lines that cannot be used are named on standard error with the reason; the rest is scored.
    """,
    Options=RatingScoring,
    read=score_lines,
    sought=FIGURE,
    table="topics",
)
