"""Frames on the terminal: a table for people, JSON for programs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from geobias.report.text import NOTHING, decimals, is_bound, is_p_value, is_year, p_value

if TYPE_CHECKING:
    import polars as pl
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
    if not console.is_terminal:
        # A pipe has no width of its own; a cut column would be a lost number.
        console = Console(highlight=False, width=240)
    for title, frame in tables.items():
        console.print(as_table(frame if limit is None else frame.head(limit), title))
        if limit is not None and frame.height > limit:
            click.echo(f"… {frame.height - limit:,} more; raise --limit to see them", err=True)


def as_table(frame: pl.DataFrame, title: str = "") -> Table:
    """A frame as a table; a number and its `_low` and `_high` share a column, and a column of notes
    is left out where there are none.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    names = [n for n in frame.columns if not is_bound(n, frame.columns)]
    if "note" in names and not any(frame["note"]):
        names.remove("note")
    for name in names:
        numeric = frame.schema[name].is_numeric()
        table.add_column(
            name.replace("_", " "),
            justify="right" if numeric else "left",
            no_wrap=numeric or name == names[0],
        )
    for row in frame.iter_rows(named=True):
        table.add_row(*(Text(_with_interval(name, row)) for name in names))
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
    return str(value)


def _decimals(name: str, value: float) -> str:
    if is_p_value(name):
        return p_value(value)
    return f"{value:,.1f}" if _COUNTED.match(name) else decimals(value)
