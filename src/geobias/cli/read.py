"""`geobias read` and `geobias reread`: read answers from the replies in a file or in a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import click
import polars as pl

from geobias.api.example import run_named
from geobias.api.rereading import ask_each
from geobias.api.rereading import reread as read_anew
from geobias.cli.options import JSON
from geobias.cli.terminal import print_json, print_tables, say_left_out
from geobias.errors import BadRequest
from geobias.probes.predictions import MOST_LINE_BYTES, Lines
from geobias.probes.readers import NUMBER, Judged, Line, ReadReply, ReplyReader, judged
from geobias.probes.registry import all_probes
from geobias.reading.again import LEAVE
from geobias.results.formatting import one_line
from geobias.stats.estimates import rate
from geobias.untrusted import Json, json_value

NUMBERS = "number"


def _readers() -> dict[str, ReplyReader]:
    of_probes = {name: probe.elsewhere.replies for name, probe in all_probes().items()}
    return {name: one for name, one in of_probes.items() if one is not None} | {NUMBERS: NUMBER}


@click.command()
@click.argument("kind", metavar="PROBE|number")
@click.argument("file", type=click.File("rb"))
@click.option(
    "--unread",
    default=LEAVE,
    metavar="MODEL|leave",
    help="The model that reads replies which the rules cannot read; in games the referee. "
    "Default: leave.",
)
@JSON
def read(kind: str, file: IO[bytes], unread: str, as_json: bool) -> None:
    """Read replies from a file, and compare the readings with labels, if it has any.

    \b
    geobias read number replies.jsonl
    geobias read namebbq labelled.jsonl --json
    geobias read worldbench labelled.jsonl --unread openai/gpt-4o-mini

    Each line is a reply with its question:

    \b
    worldbench  {"indicator": "population", "country": "Kenya", "reply": "53 million"}
    namebbq     {"options": ["…", "…", "…"], "unknown": 2, "question": "Who …?", "reply": "(b)"}
    geo20q      {"entity": "Nelson Mandela", "text": "Is it Mandela?", "language": "en"}
    ratings     {"topic": "morality", "country": "Kenya", "reply": "6.5"}
    number      {"prompt": "How many …?", "unit": "metres", "reply": "…"}

    A "label" is what a person reads in the reply: a number, a letter, true for a win, or null for
    no answer. If lines have labels, the command counts replies read right, read wrong and unread.
    """
    readers = _readers()
    if kind not in readers:
        raise BadRequest(f"{kind!r} cannot be read: choose from {', '.join(readers)}")
    reader = readers[kind]
    lines, left_out = _read_lines(file, reader)
    say_left_out(file.name, left_out, len(lines))
    if unread != LEAVE:
        lines = _asked_about(reader, lines, unread)
    _print(kind, lines, as_json)
    if left_out:
        raise click.exceptions.Exit(1)


class ReadLine(NamedTuple):
    """A line of the file with its number, the answer read from it, and its label if any."""

    number: int
    line: Line
    found: ReadReply
    labelled: bool
    label: Any

    @property
    def judged(self) -> Judged:
        return judged(self.found, self.label)


def _read_lines(
    file: IO[bytes], reader: ReplyReader
) -> tuple[list[ReadLine], list[tuple[int, str]]]:
    lines: list[ReadLine] = []
    left_out: list[tuple[int, str]] = []
    for number, raw in enumerate(Lines(file), start=1):
        if not raw.strip():
            continue
        try:
            if len(raw) > MOST_LINE_BYTES:
                raise ValueError("it is too long")
            line = json_value(raw, Json)
            label = reader.label(line) if "label" in line else None
            lines.append(ReadLine(number, line, reader.read(line), "label" in line, label))
        except (ValueError, BadRequest) as error:
            left_out.append((number, str(error)))
    return lines, left_out


def _asked_about(reader: ReplyReader, lines: Sequence[ReadLine], model: str) -> list[ReadLine]:
    """Ask a model to read the lines that the rules left unread. Returns all lines."""
    asked = [one for one in lines if one.found.outcome in ("unread", "cut")]
    said = ask_each(model, [reader.ask(one.line) for one in asked])
    settled = {
        one.number: one._replace(found=reader.settle(one.line, text))
        for one, text in zip(asked, said, strict=True)
    }
    return [settled.get(one.number, one) for one in lines]


def _print(kind: str, lines: Sequence[ReadLine], as_json: bool) -> None:
    rows: list[dict[str, object]] = [
        {"line": one.number, **one.found._asdict()}
        | ({"label": one.label, "judged": one.judged} if one.labelled else {})
        for one in lines
    ]
    scored = _scored([one for one in lines if one.labelled])
    if as_json:
        print_json({"kind": kind, "readings": rows, "scored": scored.to_dicts()})
    elif scored.is_empty():
        table = pl.DataFrame(rows, infer_schema_length=None, strict=False)
        print_tables({"readings": table}, as_json=False)
    else:
        print_tables({"read as labelled": scored}, as_json=False)
        for row in rows:
            if row.get("judged") == "wrong":
                told = f"line {row['line']}: {row['value']!r} is {row['label']!r}"
                click.echo(one_line(f"{told} ({row['reason']})"))


def _scored(lines: Sequence[ReadLine]) -> pl.DataFrame:
    """Count right, wrong and unread lines, with Wilson's intervals of the shares.

    There is a row for all lines, and one for each "kind" and "source".
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    for one in lines:
        of = [(name, str(one.line[name])) for name in ("kind", "source") if one.line.get(name)]
        for key in (("all", "all"), *of):
            counts.setdefault(key, Counter())[one.judged] += 1
    rows = [
        {"by": by, "group": group, "replies": found.total()}
        | {how: found[how] for how in ("right", "wrong", "unread")}
        | rate(found["right"], found.total()).columns("share_right")
        | rate(found["wrong"], found.total()).columns("share_wrong")
        for (by, group), found in sorted(counts.items(), key=lambda item: item[0][0] != "all")
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@JSON
def reread(runs: tuple[Path, ...], as_json: bool) -> None:
    """Read the stored replies of runs again, without a call.

    \b
    geobias reread geobias-runs/*.geobias

    This replaces the records in the run file. Models are not asked again about unread replies, and
    records without stored replies stay unchanged.
    """
    done = {path.name: read_anew(path) for path in map(run_named, runs)}
    if as_json:
        print_json([{"run": name, **one._asdict()} for name, one in done.items()])
        return
    for name, one in done.items():
        click.echo(
            f"{one_line(name)}: read {one.read_anew:,} of {one.records:,} records anew, "
            f"{one.changed:,} changed, {one.unread:,} unread"
        )
