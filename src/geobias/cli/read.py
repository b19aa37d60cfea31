"""`geobias read` and `geobias reread`: how replies are read, without a run and in one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, cast

import click
import polars as pl

from geobias.api.rereading import ask_each
from geobias.api.rereading import reread as read_anew
from geobias.cli.options import JSON, complete_models
from geobias.cli.terminal import print_json, print_tables
from geobias.errors import BadRequest
from geobias.probes.predictions import MOST_LINE_BYTES, Lines
from geobias.probes.readers import (
    NUMBER,
    Judged,
    Line,
    ReadReply,
    ReplyReader,
    judged,
    tally,
)
from geobias.probes.registry import all_probes
from geobias.reading.again import LEAVE
from geobias.results.formatting import one_line
from geobias.stats.estimates import rate
from geobias.untrusted import json_value

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
    shell_complete=complete_models,
    help="A model that reads what the rules cannot; in games the referee. Default leave.",
)
@JSON
def read(kind: str, file: IO[bytes], unread: str, as_json: bool) -> None:
    """Read replies from a file, and compare with labels where it has them.

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

    A line of namebbq may have a "context", one of geo20q says with "final" that it is a last guess.

    With "label" in a line, it prints how many are right, wrong and unread, of all and by "kind" and
    "source". A label is what a person takes the reply to say: a number, null or "none" for no
    answer; for namebbq a letter, the option's words or its place from 0; for geo20q whether the
    turn wins (true, "win", "guess"; false, "mention", "none").

    Lines that cannot be used are named on standard error; the exit code is then 1.
    """
    readers = _readers()
    if kind not in readers:
        raise BadRequest(f"{kind!r} cannot be read: there is {', '.join(readers)}")
    reader = readers[kind]
    lines, left_out = _read_lines(file, reader)
    for number, why in left_out[:20]:
        click.echo(f"line {number}: {one_line(why)}", err=True)
    if not lines:
        raise BadRequest(f"{file.name} holds no line that can be read")
    found = [one for _, _, one in lines]
    if unread != LEAVE:
        _ask_reader(reader, [line for _, line, _ in lines], found, unread)
    _print(kind, reader, [(number, line) for number, line, _ in lines], found, as_json)
    if left_out:
        click.echo(f"{len(left_out):,} lines left out, {len(lines):,} read", err=True)
        raise click.exceptions.Exit(1)


def _read_lines(
    file: IO[bytes], reader: ReplyReader
) -> tuple[list[tuple[int, Line, ReadReply]], list[tuple[int, str]]]:
    read_lines: list[tuple[int, Line, ReadReply]] = []
    left_out: list[tuple[int, str]] = []
    for number, raw in enumerate(Lines(file), start=1):
        if not raw.strip():
            continue
        try:
            if len(raw) > MOST_LINE_BYTES:
                raise ValueError("it is too long")
            line = cast(dict[str, Any], json_value(raw, dict))
            if "label" in line:
                reader.label(line)
            read_lines.append((number, line, reader.read(line)))
        except (ValueError, BadRequest) as error:
            left_out.append((number, str(error)))
    return read_lines, left_out


def _ask_reader(
    reader: ReplyReader, lines: Sequence[Line], found: list[ReadReply], model: str
) -> None:
    """Put what a reader model says in place of what the rules left open."""
    places = [place for place, one in enumerate(found) if one.open]
    said = ask_each(model, [reader.ask(lines[place]) for place in places])
    for place, text in zip(places, said, strict=True):
        found[place] = reader.settle(lines[place], text)


def _print(
    kind: str,
    reader: ReplyReader,
    lines: Sequence[tuple[int, Line]],
    found: Sequence[ReadReply],
    as_json: bool,
) -> None:
    rows: list[dict[str, Any]] = []
    scored: list[tuple[Line, Judged]] = []
    for (number, line), one in zip(lines, found, strict=True):
        row: dict[str, Any] = {"line": number, **one._asdict()}
        if "label" in line:
            label = reader.label(line)
            scored.append((line, judged(one, label)))
            row |= {"label": label, "judged": scored[-1][1]}
        rows.append(row)
    table = _table(scored)
    if as_json:
        print_json({"kind": kind, "readings": rows, "scored": table.to_dicts()})
        return
    if not scored:
        print_tables({"readings": pl.DataFrame(rows, infer_schema_length=None, strict=False)},
                     as_json=False)  # fmt: skip
        return
    print_tables({"read as labelled": table}, as_json=False)
    for row in rows:
        if row.get("judged") == "wrong":
            told = f"line {row['line']}: {row['value']!r} is {row['label']!r} ({row['reason']})"
            click.echo(one_line(told))


def _table(scored: Sequence[tuple[Line, Judged]]) -> pl.DataFrame:
    """Right, wrong and unread, with Wilson's intervals of the first two."""
    rows: list[dict[str, Any]] = []
    for (by, group), counts in tally(scored).items():
        n = sum(counts.values())
        right, wrong = (rate(counts[name], n) for name in ("right", "wrong"))
        rows.append(
            {"by": by, "group": group, "replies": n}
            | {"right": counts["right"], "wrong": counts["wrong"], "unread": counts["unread"]}
            | right.columns("share_right")
            | wrong.columns("share_wrong")
        )
    return pl.DataFrame(rows, infer_schema_length=None)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@JSON
def reread(runs: tuple[Path, ...], as_json: bool) -> None:
    """Read the stored replies of runs anew, without a call.

    \b
    geobias reread geobias-runs/*.geobias

    The run file then holds the records as they are read now. Replies that the rules cannot read,
    and that were not asked about again, stay unread: resume the run to ask.
    """
    rows = []
    for path in runs:
        done = read_anew(path)
        changed = sum(done.changed.values())
        rows.append(
            {"run": path.name, "read_anew": done.trials, "as_before": done.trials - changed}
            | {"changed": changed, "without_their_replies": done.missing}
            | {
                "outcomes": ", ".join(
                    f"{before} to {after}: {count}"
                    for (_, before, after), count in sorted(done.changed.items())
                    if before != after
                )
            }
        )
    if as_json:
        print_json(rows)
    else:
        print_tables({"read anew": pl.DataFrame(rows)}, as_json=False)
