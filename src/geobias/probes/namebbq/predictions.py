"""Read and score replies that were made outside of geobias, one JSON object per line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

import msgspec

from geobias.probes.namebbq.names import countries_of
from geobias.probes.namebbq.questions import NameBBQRecord, read, version_name
from geobias.probes.namebbq.settings import NameBBQScoring
from geobias.probes.namebbq.versions import ItemSource
from geobias.probes.predictions import (
    PredictionLine,
    Predictions,
    Said,
    Scored,
    as_reply,
    told_by,
)
from geobias.probes.questions import read_reply
from geobias.reading.again import ANSWER


class Prediction(PredictionLine, frozen=True, kw_only=True):
    """One reply to a trial of the plan, or to an item with the names of `seed` or nationalities.

    Letters in the reply refer to the order of the data: (a) is ans0.
    """

    reply: Said
    trial: str = ""
    example_id: str | int = ""
    seed: int | None = None

    def asked(self) -> tuple[str, int | None, int, int]:
        """The item's id, the name seed, the wording and the repeat."""
        if not self.trial:
            return str(self.example_id), self.seed, 0, self.repeat
        if not (found := _TRIAL.fullmatch(self.trial)):
            raise ValueError(f"no trial is called {self.trial!r}")
        seed, wording = found["seed"], found["wording"]
        return (
            found["item"],
            int(seed) if seed else None,
            int(wording) if wording else 0,
            int(found["repeat"]),
        )


_TRIAL = re.compile(
    r"namebbq/(?P<item>.+)/(?:nationality|name-(?P<seed>\d{1,6}))"
    r"(?:/w(?P<wording>\d{1,2}))?/(?P<repeat>\d{1,6})"
)


def score_lines(lines: Iterable[bytes], options: NameBBQScoring) -> Scored:
    """Read and score each line. An unknown item, or a seed without names, is left out."""
    source = ItemSource.of(options.items, options.names_file)
    countries = countries_of(source.names)

    def record(prediction: Prediction) -> NameBBQRecord:
        example_id, seed, wording, repeat = prediction.asked()
        item = source.by_id.get(example_id)
        if item is None:
            raise ValueError(f"no item has the id {example_id!r} among the {source.name} items")
        version = msgspec.structs.replace(source.version(item, seed), wording=wording)
        trial = f"{version_name(version)}/{repeat}"
        own = partial(read, trial, repeat, version, countries=countries)
        return read_reply(own, as_reply(prediction.reply))

    told, left_out = told_by(lines, Prediction, record)
    seeds = {one.seed for one in (t.record for t in told) if isinstance(one, NameBBQRecord)}
    return Scored(
        told,
        left_out,
        settings={"items": source.name, "names": len(seeds - {None})},
        editions={"items": source.digest, "names": source.names_digest},
    )


PREDICTIONS = Predictions(
    help="""Score Name-BBQ replies from a file of JSON lines.

    \b
    geobias score namebbq --predictions replies.jsonl --items bbq
    geobias score namebbq --predictions replies.jsonl --to theirs.geobias
    geobias table theirs.geobias scores

    Each line is one reply, a letter or the answer in words, to a trial of
    `geobias plan namebbq --show 100 --json`, or to an item, with a seed to its version with the
    names of that seed:

    \b
    {"trial": "namebbq/10017/name-1/0", "reply": "(b)"}
    {"example_id": 10017, "seed": 1, "reply": "…", "model": "m", "repeat": 1}
    """,
    Options=NameBBQScoring,
    read=score_lines,
    sought=ANSWER,
    table="scores",
)
