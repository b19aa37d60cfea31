"""The terminal: text that it will not obey, frames as tables for people or JSON for programs."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import msgspec
import polars as pl
import rich.console
from rich.box import SIMPLE_HEAD
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text, TextType

from geobias.errors import BadRequest
from geobias.files import draft_of
from geobias.report.documents import latex_table
from geobias.report.grids import grid
from geobias.results.findings import Table
from geobias.results.formatting import one_line, printable
from geobias.results.tables import table_from

_UNSAFE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]")
"""What JSON leaves as it is, and some terminals take as commands or as another direction."""


class Console(rich.console.Console):
    """Rich's console. Texts are printed as they are: no markup, no emoji codes, no escapes.

    Where the reader has gone (`| head`), it says so by BrokenPipeError, as other output does.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"highlight": False, "markup": False, "emoji": False} | given)

    def print(self, *objects: Any, **given: Any) -> None:
        safe = [printable(one) if isinstance(one, str) else one for one in objects]
        super().print(*safe, **given)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def print_filled(console: Console, head: str, text: str, wide: int) -> None:
    """A line that goes on below itself, behind its head."""
    lines = textwrap.wrap(text, wide - len(head), break_long_words=False, break_on_hyphens=False)
    for i, line in enumerate(lines or [""]):
        console.print(f"{' ' * len(head) if i else head}{line}")


def safe_json(document: bytes) -> str:
    """The same JSON document, with escapes in place of what a terminal might obey."""
    text = document.decode("utf-8", "replace")
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_json(value: Any) -> None:
    """JSON for programs, which may be shown on a terminal all the same."""
    click.echo(safe_json(msgspec.json.encode(value)))


def print_tables(
    tables: Mapping[str, pl.DataFrame],
    *,
    as_json: bool,
    limit: int | None = None,
    width: int | None = None,
) -> None:
    """One table: its rows. Several: each with its title; in JSON an object of lists of rows.

    `limit` shortens what people see, never the JSON; columns that would make it wider than `width`
    are left out, the last ones first.
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
        table = as_table(table_from(shown, title))
        left_out = _narrowed(console, table, width) if width else []
        print_whole(console, table)
        if left_out:
            click.echo(f"Not shown: {', '.join(left_out)}; --wide shows them", err=True)
        if limit is not None and frame.height > limit:
            click.echo(f"… {frame.height - limit:,} more; raise --limit to see them", err=True)


def print_whole(console: Console, table: RichTable) -> None:
    """Print a table so that no number and no word is cut.

    Where a terminal is too narrow, text in a table is broken between its words; if that is not
    enough, the table goes on below itself with further columns, its labels repeated. A pipe has no
    width of its own: there each row is one line, unless the variable COLUMNS gives it a width.
    """
    bounded = console.is_terminal or "COLUMNS" in os.environ
    for part in _parts(console, table) if bounded else [table]:
        least, widths = _widths(console, part)
        if bounded:
            widths = _shared_out(console.width - _BETWEEN * len(least), least, widths)
        for column, column_width in zip(part.columns, widths, strict=True):
            column.width = column_width
        width = max(console.width, sum(widths) + _BETWEEN * len(widths))
        Console(file=console.file, width=width).print(part)


def _narrowed(console: Console, table: RichTable, width: int) -> list[str]:
    """Leave out the last columns of a table until it fits; which ones."""
    left_out: list[str] = []
    while (
        len(table.columns) > 2
        and sum(_widths(console, table)[1]) + _BETWEEN * len(table.columns) > width
    ):
        column = table.columns.pop()
        left_out.insert(0, str(column.header))
    return left_out


_ENDLESS = 1_000_000
_BETWEEN = 3
"""Padding and border that each column of a table takes, at most."""


def _widths(console: Console, table: RichTable) -> tuple[list[int], list[int]]:
    """Each column's width with its text broken between all words, and with none broken."""
    endless = console.options.update(width=_ENDLESS)
    least, most = [], []
    for column in table.columns:
        cells = [column.header, *column.cells]
        sizes = [Measurement.get(console, endless, cell) for cell in cells]
        whole = [column.no_wrap or getattr(cell, "no_wrap", False) for cell in cells]
        pairs = zip(sizes, whole, strict=True)
        least.append(max(size.maximum if one else size.minimum for size, one in pairs))
        most.append(max(size.maximum for size in sizes))
    return least, most


def _shared_out(room: int, least: list[int], most: list[int]) -> list[int]:
    """Widths that fill the room: equal shares of what is spare, of which nobody gets too much."""
    widths = list(least)
    spare = max(0, room - sum(least))
    wanting = sorted(range(len(most)), key=lambda i: most[i] - least[i])
    for served, i in enumerate(wanting):
        more = min(spare // (len(wanting) - served), most[i] - least[i])
        widths[i] += more
        spare -= more
    return widths


def _parts(console: Console, table: RichTable) -> list[RichTable]:
    """The table, or tables of some of its columns each that fit the terminal, if any can.

    Labels, which are what stands left of the numbers, are in each of them.
    """
    least, _ = _widths(console, table)
    taken = [width + _BETWEEN for width in least]
    if sum(taken) <= console.width:
        return [table]
    numbers = [i for i, column in enumerate(table.columns) if column.justify == "right"]
    labels = list(range(numbers[0] if numbers else 1)) or [0]
    if sum(taken[i] for i in labels) > console.width // 2:
        # Names of rows are broken between their words rather than left out of a part.
        table = _with_broken_labels(table, labels)
        taken = [width + _BETWEEN for width in _widths(console, table)[0]]
    blocks = [list(labels)]
    for i in range(len(labels), len(taken)):
        full = sum(taken[j] for j in blocks[-1]) + taken[i] > console.width
        if full and len(blocks[-1]) > len(labels):
            blocks.append(list(labels))
        blocks[-1].append(i)
    parts = []
    for number, block in enumerate(blocks):
        part = copy(table)
        part.columns = [replace(table.columns[i], _index=at) for at, i in enumerate(block)]
        part.title = table.title if number == 0 else None
        part.caption = table.caption if number == len(blocks) - 1 else None
        parts.append(part)
    return parts


def _with_broken_labels(table: RichTable, labels: list[int]) -> RichTable:

    broken = copy(table)
    broken.columns = [
        replace(
            column,
            no_wrap=False,
            _cells=[Text(cell.plain) if isinstance(cell, Text) else cell for cell in column._cells],
        )
        if i in labels
        else column
        for i, column in enumerate(table.columns)
    ]
    return broken


def as_table(table: Table) -> RichTable:
    """A table of the findings on a terminal; a column of notes is left out where there are none."""
    made = empty_table(Text(one_line(table.title), style="table.title") if table.title else None)
    shown = grid(table)
    kept = [
        i
        for i, heading in enumerate(shown.headings)
        if heading != "note" or any(row[i] for row in shown.rows)
    ]
    for i in kept:
        made.add_column(Text(shown.headings[i]), justify="right" if shown.numeric[i] else "left")
    for row in shown.rows:
        made.add_row(*(Text(row[i], no_wrap=shown.numeric[i] or i == 0) for i in kept))
    return made


def empty_table(title: TextType | None) -> RichTable:

    return RichTable(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)


def check_suffix(out: Path) -> None:
    if out.suffix not in (".parquet", ".csv", ".jsonl", ".tex"):
        raise BadRequest(f"--to {out}: the name must end in .parquet, .csv, .jsonl or .tex")


def without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Text that no spreadsheet takes for a formula: where it begins like one, it gets a quote.

    A number with its sign is none. Nor does it command a terminal that shows the file.
    """
    texts = pl.col(pl.String).str.replace_all(_CONTROLS, "\ufffd")
    formula = texts.str.contains(
        r"^\s*[=+\-@|%＝＋－＠｜％﹢﹣﹦﹫﹪]|^[\t\r]"
    ) & ~texts.str.contains(_SIGNED_NUMBER)
    return frame.with_columns(pl.when(formula).then("'" + texts).otherwise(texts).name.keep())


_CONTROLS = r"[\p{Cc}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}&&[^\t\r\n]]"
"""Escape sequences begin with one; the others turn the order of a line around."""
_FORMULA = r"^\s*[=+\-@|%＝＋－＠｜％﹢﹣﹦﹫﹪]|^[\t\r]"
"""Some programs take a sign of full width for the plain one."""
_SIGNED_NUMBER = r"^\s*[+\-]?[\d.,]*\d\s*%?\s*$"


def write_tables(tables: Mapping[str, pl.DataFrame], out: Path) -> None:
    """One table: into the file. Several: a file for each, its title behind the file's name."""
    for title, frame in tables.items():
        words = "-".join(re.findall(r"\w+", title.lower()))
        path = out if len(tables) == 1 else out.with_stem(f"{out.stem}-{words}")
        write_frame(frame, path)
        click.echo(f"{frame.height:,} rows: {path}", err=True)


def write_frame(frame: pl.DataFrame, out: Path) -> None:
    check_suffix(out)
    with draft_of(out, BadRequest) as draft:
        try:
            if out.suffix == ".parquet":
                frame.write_parquet(draft)
            elif out.suffix == ".csv":
                without_formulas(frame).write_csv(draft)
            elif out.suffix == ".tex":
                draft.write_text(latex_table(table_from(frame, out.stem)), encoding="utf-8")
            else:
                frame.write_ndjson(draft)
        except pl.exceptions.PolarsError as error:  # what polars makes of some failures to write
            why = "see whether the disk has room for it"
            raise BadRequest(f"cannot write {out}: {why} ({error})") from None
