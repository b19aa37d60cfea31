"""`geobias compare`: changes from one run to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec
import polars as pl

from geobias.cli.options import FILE, RUNS, opened
from geobias.cli.terminal import (
    Console,
    check_suffix,
    print_json,
    print_table,
    table_of,
    wrapped,
    write_frame,
)
from geobias.measures.frames import schema_of
from geobias.measures.words import incomes_named
from geobias.probes import derived
from geobias.probes.registry import find_probe
from geobias.probes.tables import column_types
from geobias.report.comparing import Pair
from geobias.report.comparing import compare as compare_runs
from geobias.results.changes import Change, ComparisonRule, Lead, direction
from geobias.results.formatting import counted, estimate, number, one_line, p_phrase, with_capital
from geobias.stats.estimates import LEVEL

MOST_LEADS = 3
"""Maximum number of changes shown for a part: its primary number, then the first others."""
HEADINGS = ("measure", "change", "from", "to", "difference")


@click.command()
@RUNS
@click.option("--anyway", is_flag=True, help="Compare runs even if they are not comparable.")
@click.option(
    "--to", "out", type=FILE, help="Write every change of every group, for example to x.csv."
)
@click.option("--json", "as_json", is_flag=True, help="Print every change as JSON.")
def compare(runs: tuple[Path, ...], anyway: bool, out: Path | None, as_json: bool) -> None:
    """Compare the first run with each of the others, on the items that both have.

    \b
    geobias compare before.geobias after.geobias
    geobias compare before.geobias after.geobias --to changes.csv
    geobias compare a.geobias b.geobias c.geobias --json

    Differences are the second run minus the first, paired by item. A change is called better or
    worse if it is significant after adjustment for the other changes of its kind. Runs that differ
    in data, prompts or truth are refused, with the reason.
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
    for name in compared.left_out:
        click.echo(f"{name} is not compared: the probe declares no comparison", err=True)
    pairs = compared.pairs
    for second in dict.fromkeys(pair.second for pair in pairs):
        own = [pair for pair in pairs if pair.second == second]
        title = f"From {own[0].first} to {second}"
        rows = [row for pair in own for row in _rows(pair)]
        numeric = [False, False, True, True, True]
        print_table(
            Console(), table_of(HEADINGS, rows, title=title, numeric=numeric), all_columns=True
        )
        for line in dict.fromkeys(line for pair in own for line in _notes(pair)):
            click.echo("\n".join(wrapped("- ", one_line(line))))
        click.echo()
    click.echo(f"Every change, of every group: {out}" if out else "--to FILE writes every change")


def _rows(pair: Pair) -> Iterator[tuple[str, ...]]:
    """Yield the changes of a part: each better, worse, reversed, or no clear change."""
    part = find_probe(pair.probe).title
    changes = {one.metric: one for one in pair.changes if one.by in ("all", "gap")}
    known = [(lead, changes[lead.metric]) for lead in _leads(pair) if lead.metric in changes]
    if pair.why_not_first or pair.why_not_second or not known:
        yield (part, "not measurable", "", "", "")
        return
    asked = {one.group: one.n for one in pair.changes if one.by == "income"}
    for lead, change in known:
        label = incomes_named(lead.label, asked) if change.by == "gap" else lead.label
        yield (
            f"{part}: {label}",
            direction(change, lead.better),
            number(change.first, 3),
            number(change.second, 3),
            estimate(change.difference, change.difference_low, change.difference_high, 3),
        )


def _leads(pair: Pair) -> list[Lead]:
    """The first few numbers that a comparison shows, beginning with the primary number."""
    probe = find_probe(pair.probe)
    primary = derived.primary_metric(probe)
    leads = sorted(_rule(pair).leads, key=lambda lead: lead.metric != primary)
    return leads[:MOST_LEADS]


def _rule(pair: Pair) -> ComparisonRule:
    rule = derived.comparison(find_probe(pair.probe))
    assert rule is not None
    return rule


_SIDES = {"home": "countries where the first run's language is official and others"}


def _notes(pair: Pair) -> Iterator[str]:
    """Yield cautions, then sentences on how the runs differ and which items they share."""
    part = find_probe(pair.probe).title
    for caution in pair.cautions:
        yield f"{with_capital(caution)}."
    for model, why, missing in (
        (pair.first, pair.why_not_first, pair.missing_first),
        (pair.second, pair.why_not_second, pair.missing_second),
    ):
        if why:
            yield f"{part}: {model} is not measurable, because {'; and '.join(why)}."
        if missing:
            yield f"{part}: {model} is not finished: {missing:,} are still to be asked."
    # Entities keep their ids but have other names in another language.
    same = not (pair.only_first or pair.only_second)
    for said, differences in (
        ("these runs are not comparable, since they differ in", pair.differs.forbidding),
        ("a difference may come from", pair.differs.telling),
        ("they asked otherwise" if same else "they asked other items", pair.differs.choosing),
    ):
        if differences:
            yield f"{part}: {said}: {'; '.join(differences)}."
    alone = [
        f"{count:,} only in the {which}"
        for count, which in ((pair.only_first, "first"), (pair.only_second, "second"))
        if count
    ]
    yield f"{part}: {pair.read:,} of {pair.shared:,} shared items were scored in both runs" + (
        f"; {', '.join(alone)}." if alone else "."
    )
    leads = {lead.metric: lead for lead in _leads(pair)}
    for one in pair.changes:
        if one.by == "alike" and one.metric in leads and one.p is not None:
            differs = "differs" if one.p < LEVEL else "is not seen to differ"
            sides = _SIDES.get(one.group, f"{one.group}s")
            yield (
                f"{part}, {leads[one.metric].label}: the change {differs} between {sides} "
                f"(Welch's F test, {p_phrase(one.p)})."
            )
    lead = _leads(pair)[0]
    for one in pair.changes:
        if one.by == "all" and one.gained is not None and one.metric == lead.metric:
            yield (
                f"{part}, {lead.label}: of {counted(one.items, 'items')} {one.gained:,} turned "
                f"right, {one.lost:,} turned wrong."
            )


def _frame(pairs: Sequence[Pair]) -> pl.DataFrame:
    rows = [
        {"probe": pair.probe, "from": pair.first, "to": pair.second} | msgspec.structs.asdict(one)
        for pair in pairs
        for one in pair.changes
    ]
    schema = schema_of(("probe", "from", "to")) | column_types(Change)
    return pl.DataFrame(rows, schema=schema)
