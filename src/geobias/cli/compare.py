"""`geobias compare`: what changed from one run to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec
import polars as pl
from rich.text import Text

from geobias.cli.options import FILE, RUNS, opened
from geobias.cli.terminal import (
    Console,
    check_suffix,
    empty_table,
    print_json,
    print_whole,
    write_frame,
)
from geobias.probes import derived
from geobias.probes.registry import find_probe
from geobias.report.comparing import Pair
from geobias.report.comparing import compare as compare_runs
from geobias.report.findings import short_names
from geobias.results.changes import Change, ComparisonRule, Lead, direction
from geobias.results.formatting import counted, estimate, number, one_line, p_phrase
from geobias.stats.estimates import LEVEL

MOST_LEADS = 3
"""Changes of a part on the screen: its primary number and the first others."""


@click.command()
@RUNS
@click.option(
    "--anyway",
    is_flag=True,
    help="Compare runs even where their manifests forbid it.",
)
@click.option("--to", "out", type=FILE, help="Write every change, of every group: x.csv, …")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, every row.")
def compare(runs: tuple[Path, ...], anyway: bool, out: Path | None, as_json: bool) -> None:
    """Compare the first run with each of the others, on the items that both have.

    \b
    geobias compare before.geobias after.geobias
    geobias compare before.geobias after.geobias --to changes.csv
    geobias compare a.geobias b.geobias c.geobias --json

    Differences are the second minus the first, paired item by item. A change is better or worse
    where its test says so, allowing for the others of its kind. Runs with other data, prompts or
    truth are refused, with the reason.
    """
    if out is not None:
        check_suffix(out)
    with opened(runs) as readers:
        compared = compare_runs(readers, anyway=anyway)
    if out is not None:
        write_frame(_frame(compared.pairs), out)
    if as_json:
        print_json(compared)
        return
    console = Console()
    for name in compared.left_out:
        click.echo(f"{name} is not compared: the probe declares no comparison", err=True)
    pairs = list(map(_with_short_names, compared.pairs))
    for second in dict.fromkeys(pair.second for pair in pairs):
        _print_pairs(console, [pair for pair in pairs if pair.second == second])
    where = f"Every change, of every group: {out}" if out else "--to FILE writes every change"
    console.print(where, soft_wrap=True)


def _print_pairs(console: Console, pairs: Sequence[Pair]) -> None:
    """One screen: a line for each part's first changes, and what to beware of."""
    first, second = one_line(pairs[0].first), one_line(pairs[0].second)
    table = empty_table(Text(f"From {first} to {second}"))
    for heading in ("part", "change", "measure"):
        table.add_column(heading)
    for heading in ("from", "to", "difference [95% interval]"):
        table.add_column(heading, justify="right")
    for pair in pairs:
        for row in _rows(pair):
            table.add_row(*map(Text, row))
    print_whole(console, table)
    for line in dict.fromkeys(line for pair in pairs for line in _notes(pair)):
        console.print(f"- {one_line(line)}", soft_wrap=not console.is_terminal)
    console.print()


def _rows(pair: Pair) -> Iterator[tuple[str, ...]]:
    """The changes of one part: better, worse, reversed, or no clear change."""
    part = find_probe(pair.probe).title
    if pair.why_not_first or pair.why_not_second:
        yield (part, "not measurable", "", "", "", "")
        return
    changes = {one.metric: one for one in pair.changes if one.by in ("all", _GAP)}
    known = [(lead, changes[lead.metric]) for lead in _leads(pair) if lead.metric in changes]
    if not known:
        yield (part, "not measurable", "nothing that both runs have tells it", "", "", "")
    for i, (lead, change) in enumerate(known):
        yield (
            "" if i else part,
            direction(change, lead.better),
            lead.label,
            number(change.first, 3),
            number(change.second, 3),
            estimate(change.difference, change.difference_low, change.difference_high, 3),
        )


def _leads(pair: Pair) -> list[Lead]:
    """The primary number first, then the others in their order; those by which it is told."""
    probe = find_probe(pair.probe)
    primary = {derived.primary_metric(probe, expected=expected) for expected in (True, False)}
    leads = sorted(_rule(pair).leads, key=lambda lead: lead.metric not in primary)
    return leads[:MOST_LEADS]


def _notes(pair: Pair) -> Iterator[str]:
    """What to beware of, and what the numbers rest on."""
    part = find_probe(pair.probe).title
    for caution in pair.cautions:
        yield f"{caution[:1].upper()}{caution[1:]}."
    for model, why in ((pair.first, pair.why_not_first), (pair.second, pair.why_not_second)):
        if why:
            yield f"{part}: {model} is not measurable, because {'; and '.join(why)}."
    for said, differences in (
        ("these runs must not be compared, since they differ in", pair.differs.forbidding),
        ("a difference may come from", pair.differs.telling),
        ("they asked other items", pair.differs.choosing),
    ):
        if differences:
            yield f"{part}: {said}: {'; '.join(differences)}."
    for model, missing in ((pair.first, pair.missing_first), (pair.second, pair.missing_second)):
        if missing:
            yield f"{part}: {model} is not finished, {missing:,} are still to be asked."
    yield (
        f"{part}: {pair.shared:,} items were asked in both runs, and {pair.read:,} of them were "
        f"scored in both; {pair.only_first:,} only in the first, {pair.only_second:,} only in the "
        "second."
    )
    yield from _turned_items(pair)
    for one, lead in ((one, lead) for one in pair.changes for lead in _leads(pair)):
        if one.by == "alike" and one.metric == lead.metric and one.p is not None:
            differs = "differs" if one.p < LEVEL else "is not seen to differ"
            yield (
                f"{part}, {lead.label}: the change {differs} between {one.group}s (Welch's F test, "
                f"{p_phrase(one.p)})."
            )


def _with_short_names(pair: Pair) -> Pair:
    """The pair with models named as on the page."""
    short = short_names([pair.first, pair.second])
    return msgspec.structs.replace(pair, first=short[pair.first], second=short[pair.second])


_GAP = "gap"


def _rule(pair: Pair) -> ComparisonRule:
    rule = derived.comparison(find_probe(pair.probe))
    assert rule is not None
    return rule


def _turned_items(pair: Pair) -> Iterator[str]:
    """How many items turned right and wrong in what the screen shows; games turn won and lost."""
    good, bad = _rule(pair).turned
    shown = {lead.metric: lead.label for lead in _leads(pair)}
    for one in pair.changes:
        if one.by == "all" and one.p_items is not None and one.metric in shown:
            yield (
                f"{find_probe(pair.probe).title}, {shown[one.metric]}: of "
                f"{counted(one.items, 'items')} {one.gained:,} turned {good}, {one.lost:,} turned "
                f"{bad}, {p_phrase(one.p_items)} (McNemar, items taken as independent)."
            )


def _frame(pairs: Sequence[Pair]) -> pl.DataFrame:
    """Every change as a row."""
    rows = [
        {"probe": pair.probe, "from": pair.first, "to": pair.second} | msgspec.structs.asdict(one)
        for pair in pairs
        for one in pair.changes
    ]
    texts = ("probe", "from", "to", "metric", "by", "group", "counted")
    whole = ("n", "items", "gained", "lost")
    schema: dict[str, type] = dict.fromkeys(("probe", "from", "to"), str)
    for name in Change.__struct_fields__:
        schema[name] = str if name in texts else int if name in whole else float
    return pl.DataFrame(rows, schema=schema)
