"""Print on a terminal: texts that cannot control it, and frames as tables or JSON."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click
import msgspec
import polars as pl
import rich.console
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table as RichTable
from rich.text import Text

from geobias.errors import BadRequest
from geobias.files import draft_of
from geobias.probes.tables import Frames
from geobias.report.documents import latex_table
from geobias.report.formats import csv_of
from geobias.report.grids import grid
from geobias.results.findings import Table
from geobias.results.formatting import counted, one_line, printable
from geobias.results.tables import table_from

_UNSAFE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]")
"""Characters that JSON does not escape, though terminals may obey them."""


class Console(rich.console.Console):
    """Rich's console, which prints texts unchanged: no markup, no emoji codes, no escapes.

    Raises BrokenPipeError if the reader has gone (`| head`), as other output does.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"highlight": False, "markup": False, "emoji": False} | given)

    def print(self, *objects: Any, **given: Any) -> None:
        safe = [printable(one) if isinstance(one, str) else one for one in objects]
        super().print(*safe, **given)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def wrapped(head: str, text: str) -> list[str]:
    """Break a text into lines of at most 80 columns, indented by the width of its head."""
    below = " " * len(head)
    return textwrap.wrap(
        text,
        79,
        initial_indent=head,
        subsequent_indent=below,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [head]


def safe_json(document: bytes) -> str:
    """Escape characters in a JSON document that could control a terminal."""
    text = document.decode("utf-8", "replace")
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_json(value: Any) -> None:
    click.echo(safe_json(msgspec.json.encode(value)))


def print_tables(
    tables: Frames, *, as_json: bool, limit: int | None = None, wide: bool = False
) -> None:
    """Print a single table as its rows, and several tables each below its title.

    `limit` shortens the output for people, never the JSON. If `wide`, every column is shown.
    """
    if as_json:
        rows = {title: frame.to_dicts() for title, frame in tables.items()}
        print_json(next(iter(rows.values())) if len(rows) == 1 else rows)
        return

    console = Console()
    for title, frame in tables.items():
        if not frame.height:
            console.print(one_line(f"{title}: no rows."), markup=False)
            continue
        shown = frame if limit is None else frame.head(limit)
        if left_out := print_table(console, as_table(table_from(shown, title)), wide=wide):
            click.echo(f"Not shown: {', '.join(left_out)}; --wide shows them", err=True)
        if limit is not None and frame.height > limit:
            click.echo(f"… {frame.height - limit:,} more; raise --limit to see them", err=True)


MOST_NAMED = 20


def say_left_out(source: str, left_out: Sequence[tuple[int, str]], used: int) -> None:
    """Say which lines of a file cannot be used, and why. Raises `BadRequest` if none can."""
    for number, why in left_out[:MOST_NAMED]:
        click.echo(f"line {number}: {one_line(why)}", err=True)
    if left_out:
        click.echo(f"{counted(len(left_out), 'lines')} left out, {used:,} read", err=True)
    if not used:
        raise BadRequest(f"{source} holds no line that can be read; --help shows a line")


LABEL = 30
"""Row labels up to this width stay on one line. To make room for them, the last columns are left
out.
"""
_BETWEEN = 3
"""Padding and border that each column of a table takes, at most."""


def print_table(
    console: Console, table: RichTable, *, wide: bool = False, all_columns: bool = False
) -> list[str]:
    """Print a table without cutting numbers or words, and return the columns left out.

    If a terminal is too narrow, text is broken between words. If that is not enough, the last
    columns are left out, unless `all_columns`. A pipe has no width, so each row is one line there,
    unless the variable COLUMNS gives a width.
    """
    least, widths = _widths(table)
    left_out: list[str] = []
    if not wide and (console.is_terminal or "COLUMNS" in os.environ):
        while (
            not all_columns
            and len(least) > 2
            and sum(least) + _BETWEEN * len(least) > console.width
        ):
            left_out.insert(0, str(table.columns.pop().header))
            del least[-1], widths[-1]
        widths = _shared_out(console.width - _BETWEEN * len(least), least, widths)
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    whole = max(console.width, sum(widths) + _BETWEEN * len(widths))
    Console(file=console.file, width=whole).print(table)
    return left_out


def _widths(table: RichTable) -> tuple[list[int], list[int]]:
    """Return each column's width with text broken between all words, and without breaks."""
    least, most = [], []
    for column in table.columns:
        lines = [line for cell in (column.header, *column.cells) for line in str(cell).split("\n")]
        most.append(max(map(cell_len, lines)))
        words = lines if column.no_wrap else [word for line in lines for word in line.split(" ")]
        least.append(max(map(cell_len, words)))
    return least, most


def _shared_out(room: int, least: list[int], most: list[int]) -> list[int]:
    """Widths of columns that fill the room.

    Each column gets its `least` and an equal share of the remaining room, up to its `most`.
    """
    widths = list(least)
    spare = max(0, room - sum(least))
    wanting = sorted(range(len(most)), key=lambda i: most[i] - least[i])
    for served, i in enumerate(wanting):
        more = min(spare // (len(wanting) - served), most[i] - least[i])
        widths[i] += more
        spare -= more
    return widths


def as_table(table: Table) -> RichTable:
    """Make a terminal table from a table of findings. An empty column of notes is left out."""
    shown = grid(table)
    kept = [
        i
        for i, heading in enumerate(shown.headings)
        if heading != "note" or any(row[i] for row in shown.rows)
    ]
    made = table_of(
        [shown.headings[i] for i in kept],
        [[row[i] for i in kept] for row in shown.rows],
        title=table.title,
        numeric=[shown.numeric[i] for i in kept],
    )
    if made.columns:
        made.columns[0].no_wrap = _widths(made)[1][0] <= LABEL
    return made


def table_of(
    headings: Sequence[str | Text],
    rows: Iterable[Sequence[str | Text]],
    *,
    title: str = "",
    numeric: Sequence[bool] = (),
) -> RichTable:
    """Make a terminal table of texts. Numeric columns are aligned right and not broken."""
    heading = Text(one_line(title), style="table.title") if title else None
    made = RichTable(title=heading, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for name, right in zip_longest(headings, numeric, fillvalue=False):
        made.add_column(Text(str(name)), justify="right" if right else "left", no_wrap=bool(right))
    for row in rows:
        made.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return made


def check_suffix(out: Path) -> None:
    if out.suffix not in (".parquet", ".csv", ".jsonl", ".tex"):
        raise BadRequest(f"--to {out}: the name must end in .parquet, .csv, .jsonl or .tex")


def write_tables(tables: Frames, out: Path) -> None:
    """Write a single table to `out`, several to files with their titles in the names."""
    for title, frame in tables.items():
        words = "-".join(re.findall(r"\w+", title.lower()))
        path = out if len(tables) == 1 else out.with_stem(f"{out.stem}-{words}")
        write_frame(frame, path, title)
        click.echo(f"{frame.height:,} rows: {path}", err=True)


def write_frame(frame: pl.DataFrame, out: Path, title: str = "") -> None:
    check_suffix(out)
    with draft_of(out, BadRequest) as draft:
        try:
            if out.suffix == ".parquet":
                frame.write_parquet(draft)
            elif out.suffix == ".csv":
                draft.write_text(csv_of(frame), encoding="utf-8")
            elif out.suffix == ".tex":
                draft.write_text(
                    latex_table(table_from(frame, title or out.stem)), encoding="utf-8"
                )
            else:
                frame.write_ndjson(draft)
        except pl.exceptions.PolarsError as error:  # some failures to write
            why = "see whether the disk has room for it"
            raise BadRequest(f"cannot write {out}: {why} ({error})") from None
