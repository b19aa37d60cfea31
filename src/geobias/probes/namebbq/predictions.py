"""Replies made elsewhere, one JSON object a line, read and scored as a run's own are."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from geobias.probes.namebbq.scores import frame_of
from geobias.probes.namebbq.settings import NameBBQScoring
from geobias.probes.namebbq.trials import NameBBQRecord, read, trial_name
from geobias.probes.namebbq.versions import Source, Version
from geobias.probes.predictions import Predictions, Scored, as_reply, records_of
from geobias.probes.probe import Answers


class Prediction(msgspec.Struct, frozen=True):
    """One line: the item's id, the seed of its name version (none: nationalities), the reply.

    Letters mean the data's order: (a) is ans0.
    """

    example_id: str | int
    reply: str
    seed: int | None = None
    model: str = ""
    repeat: int = 0


def score_lines(lines: Iterable[bytes], options: NameBBQScoring) -> Scored[Answers]:
    """Read and score each line's reply.

    A line that names an item that is not among the items, or has no names for its seed, is left
    out.
    """
    source = Source.of(options.items)

    def record(said: Prediction) -> NameBBQRecord:
        version = _version(source, said)
        trial = trial_name(version, said.repeat)
        return read(trial, version, said.repeat, as_reply(said.reply))

    rows, left_out = records_of(lines, Prediction, record)
    answers = [
        Answers(model=str(model), frame=own)
        for (model,), own in frame_of(rows).group_by("model", maintain_order=True)
    ]
    return Scored(answers, left_out)


def _version(source: Source, said: Prediction) -> Version:
    item = source.by_id.get(str(said.example_id))
    if item is None:
        raise ValueError(f"no item has the id {said.example_id!r} among the {source.name} items")
    return source.version(item, said.seed)


PREDICTIONS = Predictions[Answers](
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
    tables=("scores", "nationalities", "values", "positions", "published"),
)
