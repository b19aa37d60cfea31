"""`geobias compare`: what changed from one run to another."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
import polars as pl
from rich.table import Table

from geobias.atlas.economies import economies
from geobias.cli.options import RUNS, opened
from geobias.cli.terminal import Console, as_table, print_json, print_whole
from geobias.probes import derived
from geobias.probes.registry import find_probe
from geobias.report.comparing import Pair
from geobias.report.comparing import compare as compare_runs
from geobias.report.findings import short_names
from geobias.results.changes import Change, ComparisonRule, Lead, direction
from geobias.results.formatting import (
    counted,
    estimate,
    in_natural_order,
    number,
    one_line,
    p_phrase,
    p_with_adjusted,
    words,
)
from geobias.results.tables import table_from
from geobias.stats.estimates import LEVEL

MOST = 20
"""Rows of a long table that a person wants to see."""


@click.command()
@RUNS
@click.option(
    "--anyway",
    is_flag=True,
    help="Compare runs even where their manifests forbid it.",
)
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

    console = Console()
    for name in compared.left_out:
        click.echo(f"{name} is not compared: the probe declares no comparison", err=True)
    pairs = list(map(_with_short_names, compared.pairs))
    for line in (line for pair in pairs for line in _verdict(pair)):
        console.print(line, soft_wrap=not console.is_terminal)
    console.print()
    for pair in pairs:
        for line in _heading(pair):
            console.print(line, soft_wrap=not console.is_terminal)
        for table in _tables(pair):
            print_whole(console, table)
        below = "\n".join([*_unchanged(pair), *_turned_items(pair), *_countries(pair), ""])
        console.print(below, soft_wrap=not console.is_terminal)


def _with_short_names(pair: Pair) -> Pair:
    """The pair with models named as on the page."""
    short = short_names([pair.first, pair.second])
    return msgspec.structs.replace(pair, first=short[pair.first], second=short[pair.second])


def _verdict(pair: Pair) -> list[str]:
    """Better, worse or not clear, and by how much: what a reader came for."""
    probe = find_probe(pair.probe)
    who = one_line(f"{probe.title}, {pair.second} against {pair.first}")
    for model, why in ((pair.first, pair.why_not_first), (pair.second, pair.why_not_second)):
        if why:
            return [
                f"{who}: not measurable, because {one_line(model)} cannot be measured (why, below)."
            ]
    changes = {one.metric: one for one in pair.changes if one.by in ("all", _GAP)}
    told = [(lead, changes[lead.metric]) for lead in _rule(pair).leads if lead.metric in changes]
    if not told:
        return [f"{who}: not clear, because nothing that both runs have tells it."]
    sides = [direction(change, lead.better) for lead, change in told]
    clear = list(dict.fromkeys(side for side in sides if side != "not clear"))
    word = " and ".join(clear) or "not clear"
    beware = f" Beware: {'; '.join(pair.cautions)}." if pair.cautions else ""
    lines = [f"{who}: {word}.{beware}"]
    for (lead, change), side in zip(told, sides, strict=True):
        lines.append(f"  {side.capitalize()}: {_change_in_words(lead, change)}")
    return lines


def _change_in_words(lead: Lead, change: Change) -> str:
    """ "mean error, from 0.550 to 0.540: a change of -0.010 [-0.015, -0.005] (p < 0.001)."."""
    values = " to ".join(number(value, 3) for value in (change.first, change.second))
    by = estimate(change.difference, change.difference_low, change.difference_high, 3)
    p = p_with_adjusted(change.p, change.p_adjusted)
    return f"{lead.label}, from {values}: a change of {by} ({p})."


def _heading(pair: Pair) -> list[str]:
    lines = [f"{find_probe(pair.probe).title} · from {pair.first} to {pair.second}"]
    for model, why in ((pair.first, pair.why_not_first), (pair.second, pair.why_not_second)):
        if why:
            lines.append(f"{model}: not measurable, because {'; and '.join(why)}.")
    for said, differences in (
        ("Beware: these runs must not be compared, since they differ in", pair.differs.forbidding),
        ("A difference may come from", pair.differs.telling),
        ("They asked other items", pair.differs.choosing),
    ):
        if differences:
            lines.append(f"{said}: {'; '.join(differences)}.")
    for model, missing in ((pair.first, pair.missing_first), (pair.second, pair.missing_second)):
        if missing:
            lines.append(f"{model}: not finished, {missing:,} are still to be asked.")
    lines.append(
        f"{pair.shared:,} items were asked in both runs, and {pair.read:,} of them were scored in "
        f"both; {pair.only_first:,} only in the first, {pair.only_second:,} only in the second."
    )
    return [one_line(line) for line in lines]


def _tables(pair: Pair) -> list[Table]:
    """One table for each metric: everything together, then its groups but for single countries;
    and one of all gaps between groups.
    """
    tables = [
        _table(_measure(pair, metric), rows)
        for metric, rows in _by_metric(pair).items()
        if any(one.difference != 0 for one in rows)
    ]
    if gaps := [one for one in pair.changes if one.by == _GAP]:
        named = [msgspec.structs.replace(one, group=_measure(pair, one.metric)) for one in gaps]
        tables.append(_table("Gaps between groups", named))
    return tables


def _by_metric(pair: Pair) -> dict[str, list[Change]]:
    found: dict[str, list[Change]] = {}
    for one in pair.changes:
        if one.by not in (*_LONG, _GAP):
            found.setdefault(one.metric, []).append(one)
    return found


def _unchanged(pair: Pair) -> list[str]:
    """Metrics that are the same in every group: a table of them would say nothing more."""
    return [
        f"{_measure(pair, metric)}: {number(rows[0].first, 3)} in both runs, and no change in any "
        f"group ({counted(rows[0].items, 'items')})."
        for metric, rows in _by_metric(pair).items()
        if all(one.difference == 0 for one in rows)
    ]


_NUMBERS = ("first", "second", "difference", "difference_low", "difference_high")
_COLUMNS: dict[str, type] = {
    "group": str,
    **dict.fromkeys((*_NUMBERS, "p", "p_adjusted"), float),
    **dict.fromkeys(("n", "items"), int),
}
_LONG = ("country", "nationality")
_GAP = "gap"


def _measure(pair: Pair, metric: str) -> str:
    """A metric in words."""
    return _rule(pair).labels.get(metric) or words(metric.partition(".")[2])


def _rule(pair: Pair) -> ComparisonRule:
    rule = derived.comparison(find_probe(pair.probe))
    assert rule is not None
    return rule


def _turned_items(pair: Pair) -> list[str]:
    """How many items turned right and wrong; games turn won and lost."""
    good, bad = _rule(pair).turned
    return [
        f"{_measure(pair, one.metric)}: of {counted(one.items, 'items')} {one.gained:,} turned "
        f"{good}, {one.lost:,} turned {bad}, {p_phrase(one.p_items)} (McNemar, items taken as "
        "independent)."
        for one in pair.changes
        if one.by == "all" and one.p_items is not None
    ]


def _table(title: str, rows: list[Change]) -> Table:
    cells = []
    for by in dict.fromkeys(row.by for row in rows):
        own = [{name: getattr(row, name) for name in _COLUMNS} for row in rows if row.by == by]
        cells += in_natural_order(own, "group")
    for row in cells:
        name = str(row["group"])
        row["group"] = words(name) if name.islower() and name != "all" else name
    frame = pl.DataFrame(cells, schema=_COLUMNS)
    return as_table(table_from(frame, title))


def _countries(pair: Pair) -> list[str]:
    """Where it changed surely: countries and nationalities, the largest change first."""
    lines = []
    places = [one for one in pair.changes if one.by in _LONG]
    for metric in dict.fromkeys(one.metric for one in places):
        tested = [one for one in places if one.metric == metric]
        adjusted = ((one, one.p_adjusted) for one in tested)
        sure = [one for one, p in adjusted if p is not None and p < LEVEL]
        sure.sort(key=lambda one: -abs(one.difference or 0))
        named = ", ".join(f"{_place(one.group)} {one.difference:+.2f}" for one in sure[:MOST])
        more = f" and {len(sure) - MOST} more" if len(sure) > MOST else ""
        lines.append(
            f"{_measure(pair, metric)}, by {tested[0].by}: {len(sure)} of {len(tested)} changed "
            f"clearly (adjusted p < {LEVEL}){': ' if sure else ''}{named}{more}."
        )
    return lines


def _place(group: str) -> str:
    """A country by its name; a nationality is a name already."""
    return economies()[group].name if group in economies() else group
