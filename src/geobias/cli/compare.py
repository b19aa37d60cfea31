"""`geobias compare`: what changed from one run to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from geobias.cli.opening import opened
from geobias.cli.options import RUNS, print_json
from geobias.cli.tables import as_table, print_whole
from geobias.probes.lazy import pl
from geobias.probes.registry import find_probe
from geobias.report.comparing import Pair
from geobias.report.comparing import compare as compare_runs
from geobias.results.changes import Change
from geobias.results.formatting import p_phrase
from geobias.results.tabling import table_from
from geobias.results.text import one_line
from geobias.stats.multiple import SIGNIFICANCE

if TYPE_CHECKING:
    from rich.table import Table

MOST = 20
"""Rows of a long table that a person wants to see."""


@click.command()
@RUNS
@click.option("--anyway", is_flag=True, help="Compare runs that the manifests say one must not.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, every row.")
def compare(runs: tuple[Path, ...], anyway: bool, as_json: bool) -> None:
    """Compare the first run with each of the others, on the items that both have.

    \b
    geobias compare before.geobias after.geobias
    geobias compare a.geobias b.geobias c.geobias --json

    Differences are the second minus the first, paired item by item; p-values are adjusted for the
    number of rows. Runs with other data, prompts or truth are refused, with the reason.
    """
    with opened(runs) as readers:
        compared = compare_runs(readers, anyway=anyway)
    if as_json:
        print_json(compared)
        return
    from geobias.cli.terminal import Console

    console = Console()
    for pair in compared.pairs:
        for line in _heading(pair):
            console.print(line, soft_wrap=not console.is_terminal)
        for table in _tables(pair):
            print_whole(console, table)
        below = "\n".join([*_turned_items(pair), *_countries(pair), ""])
        console.print(below, soft_wrap=not console.is_terminal)


def _heading(pair: Pair) -> list[str]:
    lines = [f"{pair.probe} · from {pair.first} to {pair.second}"]
    for model, why in ((pair.first, pair.why_not_first), (pair.second, pair.why_not_second)):
        if why:
            lines.append(f"{model}: not measurable, because {'; and '.join(why)}.")
    for words, differences in (
        ("Beware: these runs must not be compared, since they differ in", pair.differs.forbidding),
        ("A difference may come from", pair.differs.telling),
        ("They asked other items", pair.differs.choosing),
    ):
        if differences:
            lines.append(f"{words}: {'; '.join(differences)}.")
    for model, missing in ((pair.first, pair.missing_first), (pair.second, pair.missing_second)):
        if missing:
            lines.append(f"{model}: not finished, {missing:,} are still to be asked.")
    lines.append(
        f"{pair.shared:,} items in both, {pair.read:,} of them read in both; {pair.only_first:,} "
        f"only in the first, {pair.only_second:,} only in the second."
    )
    return [one_line(line) for line in lines]


def _tables(pair: Pair) -> list[Table]:
    """One table for each metric: everything together, then its groups but for single countries;
    and one of all gaps between groups.
    """
    tables = []
    plain = [one for one in pair.changes if one.by not in (*_LONG, _GAP)]
    for metric in dict.fromkeys(one.metric for one in plain):
        tables.append(_table(metric, [one for one in plain if one.metric == metric]))
    if gaps := [one for one in pair.changes if one.by == _GAP]:
        named = [msgspec.structs.replace(one, by=one.metric) for one in gaps]
        tables.append(_table("gaps between groups", named))
    return tables


_NUMBERS = ("first", "second", "difference", "difference_low", "difference_high")
_COLUMNS: dict[str, type] = {
    **dict.fromkeys(("by", "group"), str),
    **dict.fromkeys((*_NUMBERS, "p", "p_adjusted"), float),
    **dict.fromkeys(("n", "items"), int),
}
_LONG = ("country", "nationality")
_GAP = "gap"


def _turned_items(pair: Pair) -> list[str]:
    """How many items turned right and wrong; games turn won and lost."""
    rule = find_probe(pair.probe).comparison
    assert rule is not None
    good, bad = rule.turned
    return [
        f"{one.metric}: of {one.items:,} items {one.gained:,} turned {good}, {one.lost:,} turned "
        f"{bad}, {p_phrase(one.p_items)} (McNemar, items taken as independent)."
        for one in pair.changes
        if one.by == "all" and one.p_items is not None
    ]


def _table(title: str, rows: list[Change]) -> Table:
    frame = pl.DataFrame(
        [{name: getattr(row, name) for name in _COLUMNS} for row in rows], schema=_COLUMNS
    )
    return as_table(table_from(frame, title))


def _countries(pair: Pair) -> list[str]:
    """Where it changed surely: countries and nationalities, the largest change first."""
    lines = []
    places = [one for one in pair.changes if one.by in _LONG]
    for metric in dict.fromkeys(one.metric for one in places):
        tested = [one for one in places if one.metric == metric]
        adjusted = ((one, one.p_adjusted) for one in tested)
        sure = [one for one, p in adjusted if p is not None and p < SIGNIFICANCE]
        sure.sort(key=lambda one: -abs(one.difference or 0))
        named = ", ".join(f"{one.group} {one.difference:+.2f}" for one in sure[:MOST])
        more = f" and {len(sure) - MOST} more" if len(sure) > MOST else ""
        lines.append(
            f"{metric}: of {len(tested)} by {tested[0].by}, {len(sure)} changed surely (adjusted "
            f"p < {SIGNIFICANCE}){': ' if sure else ''}{named}{more}."
        )
    return lines
