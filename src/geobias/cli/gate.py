"""`geobias gate`: fail a build where a model is beyond a limit, and only then."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geobias.cli.opening import RUNS, opened
from geobias.cli.options import with_reading
from geobias.errors import BadRequest
from geobias.files import write_whole

if TYPE_CHECKING:
    from geobias.report.gating import Limit, Verdict
    from geobias.results.findings import Findings

_LIMIT = "METRIC=VALUE"


@click.command()
@RUNS
@click.option("--max", "most", multiple=True, metavar=_LIMIT, help="At most; may be repeated.")
@click.option("--min", "least", multiple=True, metavar=_LIMIT, help="At least; may be repeated.")
@click.option("--within", multiple=True, metavar=_LIMIT, help="From −VALUE to VALUE (bias).")
@click.option("--limits", type=click.Path(path_type=Path), help="Limits in a TOML file.")
@click.option("--strict", is_flag=True, help="Fail unless the whole interval keeps the limit.")
@click.option("--allow-unmeasurable", is_flag=True, help="What cannot be measured passes.")
@click.option("--allow-unfinished", is_flag=True, help="An unfinished run may pass, too.")
@click.option("--junit", "xml", type=click.Path(path_type=Path), help="Write JUnit XML here.")
@click.option("--list", "listing", is_flag=True, help="List the runs' metrics, and stop.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
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
    from geobias.report.findings import collect
    from geobias.report.gating import junit, verdicts

    asked = _limits(most, least, within, limits)
    if not asked and not listing:
        raise click.UsageError("give a limit (--max, --min, --within, --limits), or --list")
    with opened(runs) as readers:
        findings = collect(readers, given=given)
    if listing:
        _list(findings, as_json)
        return
    found = verdicts(
        findings,
        asked,
        strict=strict,
        allow_unmeasurable=allow_unmeasurable,
        allow_unfinished=allow_unfinished,
    )
    if xml is not None:
        write_whole(xml, junit(found), BadRequest)
    _say(found, as_json)
    if not all(one.passed for one in found):
        raise click.exceptions.Exit(1)


with_reading(gate)


def _limits(
    most: tuple[str, ...], least: tuple[str, ...], within: tuple[str, ...], file: Path | None
) -> list[Limit]:
    from geobias.report.gating import parse_limits, read_limits

    found: list[Limit] = []
    if file is not None:
        try:
            found += read_limits(file.read_bytes(), str(file))
        except OSError as error:
            raise BadRequest(f"cannot read {file}: {error.strerror or error}") from None
    found += parse_limits("max", most) + parse_limits("min", least)
    return found + parse_limits("within", within)


def _say(found: list[Verdict], as_json: bool) -> None:
    import msgspec

    from geobias.results.text import one_line

    if as_json:
        click.echo(msgspec.json.encode(found))
        return
    for one in found:
        mark = click.style("pass", fg="green") if one.passed else click.style("FAIL", fg="red")
        if one.passed and not one.asked:
            mark = click.style("none", fg="yellow")
        click.echo(f"{mark}  {one_line(one.model)}  {one.limit}  {one_line(one.says)}")


def _list(findings: Findings, as_json: bool) -> None:
    import msgspec

    from geobias.results.formatting import metric_value
    from geobias.results.screens import because
    from geobias.results.text import one_line

    if as_json:
        rows = [
            {"model": one.model, "measurable": one.measurable} | msgspec.to_builtins(metric)
            for one in findings.sections
            for metric in one.metrics
        ]
        click.echo(msgspec.json.encode(rows))
        return
    for one in findings.sections:
        click.echo(one_line(f"{one.model}, {one.probe}"))
        if one.why_not:
            click.echo(f"  {one_line(because(one.why_not))}")
        for metric in one.metrics:
            words = (
                f"{metric.name:<40} {metric_value(metric, 3):<24} {metric.label}, n = {metric.n:,}"
            )
            click.echo(f"  {words}")
