"""Frames on the terminal: a table for people, JSON for programs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from geobias.report.text import (
    NOTHING,
    decimals,
    is_bound,
    is_p_value,
    is_year,
    one_line,
    p_value,
)

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console, RenderableType
    from rich.table import Table

_COUNTED = re.compile(r"turns?(?!_p)|entered_turn|outside|asked_per|median_turns")
"""Numbers of turns and questions: a tenth is as fine as anyone needs."""


def print_tables(
    tables: Mapping[str, pl.DataFrame], *, as_json: bool, limit: int | None = None
) -> None:
    """One table: its rows. Several: each with its title; in JSON an object of lists of rows.

    `limit` shortens what people see, never the JSON.
    """
    if as_json:
        import msgspec

        rows = {title: frame.to_dicts() for title, frame in tables.items()}
        click.echo(msgspec.json.encode(next(iter(rows.values())) if len(rows) == 1 else rows))
        return
    from rich.console import Console

    console = Console(highlight=False)
    for title, frame in tables.items():
        print_whole(console, as_table(frame if limit is None else frame.head(limit), title))
        if limit is not None and frame.height > limit:
            click.echo(f"… {frame.height - limit:,} more; raise --limit to see them", err=True)


def print_whole(console: Console, what: RenderableType) -> None:
    """Print tables so that no number and no word is cut, and text as wide as the terminal.

    Where a terminal is too narrow, text in a table is broken between its words; lines that are
    still too long are left to the terminal, to break or to scroll. A pipe has no width of its own:
    there each row is one line.
    """
    from rich.console import Console, Group
    from rich.measure import Measurement
    from rich.table import Table

    if isinstance(what, Group):
        for part in what.renderables:
            print_whole(console, part)
        return
    if not isinstance(what, Table):
        console.print(what)
        return
    endless = console.options.update(width=_ENDLESS)
    around = Measurement.get(console, endless, what).maximum
    least, most = [], []
    for column in what.columns:
        cells = [column.header, *column.cells]
        sizes = [Measurement.get(console, endless, cell) for cell in cells]
        whole = [column.no_wrap or getattr(cell, "no_wrap", False) for cell in cells]
        most.append(max(size.maximum for size in sizes))
        pairs = zip(sizes, whole, strict=True)
        least.append(max(size.maximum if one else size.minimum for size, one in pairs))
    around -= sum(most)
    spare = console.width - around - sum(least) if console.is_terminal else _ENDLESS
    wanting = sorted(range(len(most)), key=lambda i: most[i] - least[i])
    for served, i in enumerate(wanting):  # equal shares; what one does not want is for the others
        share = max(0, spare) // (len(wanting) - served)
        more = min(share, most[i] - least[i])
        what.columns[i].width = least[i] + more
        spare -= more
    needed = around + sum(column.width or 0 for column in what.columns)
    wide = Console(file=console.file, highlight=False, width=max(console.width, needed))
    wide.print(what)


_ENDLESS = 1_000_000


def as_table(frame: pl.DataFrame, title: str = "") -> Table:
    """A frame as a table; a number and its `_low` and `_high` share a column, and a column of notes
    is left out where there are none.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    above = Text(one_line(title), style="table.title") if title else None
    table = Table(title=above, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    names = [n for n in frame.columns if not is_bound(n, frame.columns)]
    if "note" in names and not any(frame["note"]):
        names.remove("note")
    numeric = [name for name in names if frame.schema[name].is_numeric()]
    unbroken = {*numeric, *names[:1]}
    for name in names:
        heading = Text(one_line(name.replace("_", " ")))
        table.add_column(heading, justify="right" if name in numeric else "left")
    for row in frame.iter_rows(named=True):
        cells = (Text(_with_interval(name, row), no_wrap=name in unbroken) for name in names)
        table.add_row(*cells)
    return table


def _with_interval(name: str, row: dict[str, Any]) -> str:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    text = _written(name, row[name])
    if low is None or high is None:
        return text
    return f"{text} [{_written(name, low)}, {_written(name, high)}]"


def _written(name: str, value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return _decimals(name, value)
    if isinstance(value, int):
        return str(value) if is_year(name) else f"{value:,}"
    return one_line(str(value))


def _decimals(name: str, value: float) -> str:
    if is_p_value(name):
        return p_value(value)
    return f"{value:,.1f}" if _COUNTED.match(name) else decimals(value)
