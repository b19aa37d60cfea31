"""`geobias gate`: fail a build if, and only if, a model exceeds a limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.text import Text

from geobias.api.auditing import opened_baseline
from geobias.cli import Word
from geobias.cli.options import FILE, JSON, RUN_FILE, RUNS, open_run, opened, with_reading
from geobias.cli.terminal import Console, print_json, print_table, table_of
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.report.baseline import Bound, Limit, parse_limits, read_limits, worsened
from geobias.report.findings import collect
from geobias.report.gating import (
    GateVerdict,
    Outcome,
    Undecided,
    check_names,
    junit,
    tally,
    verdicts,
)
from geobias.results.findings import Findings, because
from geobias.results.formatting import estimate, one_line
from geobias.results.tables import metric_value

_LIMIT = "METRIC=VALUE"
UNDECIDED_CODE = 4
UNDECIDED = click.option(
    "--undecided",
    type=Word(["pass", "fail"]),
    help="What to do if the interval spans a limit; default: exit code 4.",
)


@click.command()
@RUNS
@click.option(
    "--max",
    "most",
    multiple=True,
    metavar=_LIMIT,
    help="The metric must be at most VALUE. Repeatable.",
)
@click.option(
    "--min",
    "least",
    multiple=True,
    metavar=_LIMIT,
    help="The metric must be at least VALUE. Repeatable.",
)
@click.option(
    "--within", multiple=True, metavar=_LIMIT, help="The metric must lie between −VALUE and VALUE."
)
@click.option("--limits", type=FILE, help="A TOML file of limits.")
@click.option(
    "--worse",
    multiple=True,
    metavar=_LIMIT,
    help="The metric may be worse than in --baseline by at most VALUE.",
)
@click.option("--baseline", type=RUN_FILE, help="The earlier run or its report.json, for --worse.")
@click.option(
    "--anyway", is_flag=True, help="Compare with a baseline even if it is not comparable."
)
@UNDECIDED
@click.option("--junit", "xml", type=FILE, help="Also write the results as JUnit XML.")
@click.option("--list", "listing", is_flag=True, help="List the runs' metrics, and stop.")
@JSON
def gate(
    runs: tuple[Path, ...],
    most: tuple[str, ...],
    least: tuple[str, ...],
    within: tuple[str, ...],
    worse: tuple[str, ...],
    baseline: Path | None,
    anyway: bool,
    limits: Path | None,
    undecided: Undecided | None,
    xml: Path | None,
    listing: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Check a run's metrics against limits.

    \b
    geobias gate RUN --max worldbench.error=0.4
    geobias gate RUN --min namebbq.accuracy=0.6 --within namebbq.bias_ambiguous=0.1 --junit gate.xml
    geobias gate RUN --baseline BEFORE --worse worldbench.error=0.02
    geobias gate RUN --limits limits.toml --undecided fail
    geobias gate RUN --list

    A limit is kept if the whole 95% interval lies within it, broken if the whole interval lies
    beyond it (exit code 1), and otherwise undecided (exit code 4). A metric that cannot be measured
    counts as broken, and so does an unfinished run.
    """
    asked = _limits({"max": most, "min": least, "within": within, "worse": worse}, limits)
    if not asked and not listing:
        options = "--max, --min, --within, --worse, --limits"
        raise click.UsageError(f"give a limit ({options}), or --list")
    if (baseline is not None) != any(limit.bound == "worse" for limit in asked):
        raise click.UsageError("--worse METRIC=VALUE needs --baseline RUN, and vice versa")
    with opened(runs) as readers:
        check_names(asked, {probe for run in readers for probe in run.manifest().probes})
        findings = collect(readers, given=given, brief=True)
        since = {}
        if baseline is not None:
            with opened_baseline(baseline, open_run) as before:
                since = worsened(readers, before, findings, asked, anyway=anyway)
    if listing:
        _print_metrics(findings, as_json)
        return
    results = verdicts(findings, asked, undecided=undecided or "pass", since=since)
    if xml is not None:
        write_whole(xml, junit(results, undecided), BadRequest)
    end_by(results, undecided, as_json)


with_reading(gate)


def _limits(options: Mapping[Bound, tuple[str, ...]], file: Path | None) -> list[Limit]:
    given = [limit for bound, texts in options.items() for limit in parse_limits(bound, texts)]
    return given if file is None else read_limits(file) + given


_COLOURS: dict[Outcome, str] = {"pass": "green", "undecided": "yellow", "fail": "red"}


def end_by(
    results: list[GateVerdict],
    undecided: Undecided | None,
    as_json: bool = False,
    *,
    to_stderr: bool = False,
) -> None:
    """Print the verdicts with their reasons, and exit with the code that they imply."""
    if as_json:
        print_json(results)
    else:
        console = Console(stderr=to_stderr)
        rows = list(_rows(results))
        headings: list[str | Text] = ["result", "model", "metric", "limit", "value [95% interval]"]
        if len({one.model for one in results}) == 1:
            for row in (headings, *rows):
                del row[1]
        print_table(console, table_of(headings, rows), all_columns=True)
        for one in results:
            if one.outcome != "pass":
                said = f"- {one_line(one.model)}, {one.limit.metric}: {one_line(one.says)}."
                console.print(said, soft_wrap=not console.is_terminal)
        click.echo(tally(results), err=to_stderr)
    if not all(one.passed for one in results):
        raise click.exceptions.Exit(1)
    if open_ := sum(one.outcome == "undecided" for one in results):
        end = ", and let through" if undecided else f": exit code {UNDECIDED_CODE}"
        words = "ask more questions (geobias plan), or decide with --undecided pass|fail"
        click.echo(f"warning: {open_:,} of {len(results):,} undecided{end}; {words}", err=True)
        if undecided is None:
            raise click.exceptions.Exit(UNDECIDED_CODE)


def _rows(results: list[GateVerdict]) -> Iterator[list[str | Text]]:
    """Yield a row for each verdict: result, model, metric, limit, value."""
    for one in results:
        word = "FAIL" if one.outcome == "fail" else one.outcome
        yield [
            Text(word, style=_COLOURS[one.outcome if one.passed else "fail"]),
            one_line(one.model),
            one.limit.metric,
            str(one.limit).removeprefix(one.limit.metric).strip(),
            "–" if one.value is None else estimate(one.value, one.low, one.high, 3),
        ]


def _print_metrics(findings: Findings, as_json: bool) -> None:
    if as_json:
        rows = [
            {"model": one.model, "measurable": one.measurable} | msgspec.to_builtins(metric)
            for one in findings.sections
            for metric in one.metrics
        ]
        print_json(rows)
        return
    for one in findings.sections:
        click.echo(one_line(f"{one.model}, {one.probe}"))
        if one.why_not:
            click.echo(f"  {one_line(because(one.why_not))}")
        for metric in one.metrics:
            value = f"{metric_value(metric, 3):<24}"
            click.echo(f"  {metric.name:<40} {value} {metric.label}, n = {metric.n:,}")
