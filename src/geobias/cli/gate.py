"""`geobias gate`: fail a build where a model is beyond a limit, and only then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from geobias.cli.opening import opened
from geobias.cli.options import FILE, JSON, RUNS, print_json, with_reading
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.report.findings import collect
from geobias.report.gating import GateVerdict, Limit, junit, parse_limits, read_limits, verdicts
from geobias.results.findings import Findings
from geobias.results.formatting import metric_value
from geobias.results.screens import because
from geobias.results.text import one_line

_LIMIT = "METRIC=VALUE"


@click.command()
@RUNS
@click.option("--max", "most", multiple=True, metavar=_LIMIT, help="At most; may be repeated.")
@click.option("--min", "least", multiple=True, metavar=_LIMIT, help="At least; may be repeated.")
@click.option("--within", multiple=True, metavar=_LIMIT, help="From −VALUE to VALUE (bias).")
@click.option("--limits", type=FILE, help="Limits in a TOML file.")
@click.option("--strict", is_flag=True, help="Fail unless the whole interval keeps the limit.")
@click.option("--allow-unmeasurable", is_flag=True, help="What cannot be measured passes.")
@click.option("--allow-unfinished", is_flag=True, help="An unfinished run may pass, too.")
@click.option("--junit", "xml", type=FILE, help="Write JUnit XML here.")
@click.option("--list", "listing", is_flag=True, help="List the runs' metrics, and stop.")
@JSON
def gate(
    runs: tuple[Path, ...],
    most: tuple[str, ...],
    least: tuple[str, ...],
    within: tuple[str, ...],
    limits: Path | None,
    strict: bool,
    allow_unmeasurable: bool,
    allow_unfinished: bool,
    xml: Path | None,
    listing: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Hold a run's metrics against limits; exit code 1 where one is broken.

    \b
    geobias gate RUN --max worldbench.region_disparity=0.15
    geobias gate RUN --min namebbq.accuracy=0.6 --within namebbq.bias_ambiguous=0.1 --junit gate.xml
    geobias gate RUN --limits limits.toml --strict
    geobias gate RUN --list

    A limit is broken when the whole 95% interval is beyond it, so that noise fails no build;
    --strict asks for the opposite proof: a run too small for an interval fails, and so does a model
    that was not put to the metric's probe. What cannot be measured breaks every limit, and so does
    a run that is not finished.
    """
    asked = _limits(most, least, within, limits)
    if not asked and not listing:
        raise click.UsageError("give a limit (--max, --min, --within, --limits), or --list")
    with opened(runs) as readers:
        findings = collect(readers, given=given)
    if listing:
        _print_metrics(findings, as_json)
        return
    results = verdicts(
        findings,
        asked,
        strict=strict,
        allow_unmeasurable=allow_unmeasurable,
        allow_unfinished=allow_unfinished,
    )
    if xml is not None:
        write_whole(xml, junit(results), BadRequest)
    _print_verdicts(results, as_json)
    if not all(verdict.passed for verdict in results):
        raise click.exceptions.Exit(1)


with_reading(gate)


def _limits(
    most: tuple[str, ...], least: tuple[str, ...], within: tuple[str, ...], file: Path | None
) -> list[Limit]:
    given = parse_limits("max", most) + parse_limits("min", least) + parse_limits("within", within)
    if file is None:
        return given
    try:
        return read_limits(file.read_bytes(), str(file)) + given
    except OSError as error:
        raise BadRequest(f"cannot read {file}: {error.strerror or error}") from None


def _print_verdicts(results: list[GateVerdict], as_json: bool) -> None:
    if as_json:
        print_json(results)
        return
    for one in results:
        mark = click.style("pass", fg="green") if one.passed else click.style("FAIL", fg="red")
        if one.passed and not one.asked:
            mark = click.style("none", fg="yellow")
        click.echo(f"{mark}  {one_line(one.model)}  {one.limit}  {one_line(one.says)}")


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
