"""Replies made elsewhere, one JSON object a line, read and scored as a run's own are."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from geobias.probes.namebbq.answers import Assumptions
from geobias.probes.namebbq.scores import frame_of
from geobias.probes.namebbq.settings import NameBBQScoring
from geobias.probes.namebbq.trials import NameBBQRecord, read, version_name
from geobias.probes.namebbq.versions import ItemSource
from geobias.probes.predictions import Predictions, Scored, as_reply, records_of


class Prediction(msgspec.Struct, frozen=True):
    """One line: the item's id, the seed of its name version (none: nationalities), the reply.

    Letters mean the data's order: (a) is ans0.
    """

    example_id: str | int
    reply: str
    seed: int | None = None
    model: str = ""
    repeat: int = 0


def score_lines(lines: Iterable[bytes], options: NameBBQScoring) -> Scored[Assumptions]:
    """A line is left out that names no item of the source, or a seed without names.

    Ids of our own items tell their edition: replies to the first are scored as such.
    """
    editions = ("builtin", "builtin-1") if options.items == "builtin" else (options.items,)
    sources = [ItemSource.of(items, edition=options.names_edition) for items in editions]

    def record(prediction: Prediction) -> NameBBQRecord:
        asked = str(prediction.example_id)
        source = next((one for one in sources if asked in one.by_id), None)
        if source is None:
            raise ValueError(
                f"no item has the id {prediction.example_id!r} among the {sources[0].name} items"
            )
        version = source.version(source.by_id[asked], prediction.seed)
        trial = f"{version_name(version)}/{prediction.repeat}"
        return read(trial, prediction.repeat, version, as_reply(prediction.reply))

    rows, left_out = records_of(lines, Prediction, record)
    answers = [
        Assumptions(model=str(model), frame=own)
        for (model,), own in frame_of(rows).group_by("model", maintain_order=True)
    ]
    return Scored(answers, left_out)


PREDICTIONS = Predictions[Assumptions](
    help="""Score Name-BBQ replies from a file of JSON lines.

    \b
    geobias score namebbq --predictions replies.jsonl --items bbq
    geobias score namebbq --predictions replies.jsonl --table nationalities --json

    Each line is one reply, a letter or the answer in words; with a seed it answers the version
    with the names of that seed (`geobias namebbq preview --seed 1` shows them):

    \b
    {"example_id": 17, "reply": "(b)"}
    {"example_id": 17, "seed": 1, "reply": "…", "model": "m", "repeat": 1}

    Lines that cannot be used are named on standard error with the reason; the rest is scored.
    """,
    Options=NameBBQScoring,
    read=score_lines,
    tables=("scores", "sensitivity", "nationalities", "values", "positions", "published"),
)
