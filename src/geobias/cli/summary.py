"""Print the end of a run: its results, its costs, and where its files are."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click
from rich.text import Text

from geobias.api.auditing import Audit
from geobias.cli.terminal import Console, as_table, print_table, table_of, wrapped
from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.findings import collect
from geobias.report.grids import metrics_grid
from geobias.report.records import cost_of
from geobias.report.verdicts import in_a_sentence, title_of, verdict_of
from geobias.results.findings import Findings
from geobias.results.formatting import one_line, with_capital
from geobias.runfile import RunReader
from geobias.running import THINKING, Result, open_run


def print_summary(result: Result) -> None:
    with open_run(result.path) as run:
        if all_probes().keys() & run.manifest().probes.keys():
            _print_findings(collect([run], brief=True))
        print_spending(run)
        _say_what_was_cut(run)
    click.echo(f"\nRun file  {result.path}")
    for before, command in (("Read on", "show"), ("", "replies"), ("", "report")):
        click.echo(f"{before:<9} geobias {command} {shlex.quote(str(result.path))}")


def print_audit(audit: Audit, about_size: str, *, verbose: bool) -> None:
    """Print a line for each part of each model, and the path of the report.

    If `verbose`, print the numbers behind each line, the costs and the run files too.
    """
    findings = audit.findings
    if len(findings.models) > 1:
        click.echo(click.style("\n".join(wrapped("", f"{title_of(findings)}.")), bold=True))
    for line in _parts(findings):
        click.echo(line)
    click.echo()
    if verbose:
        _print_findings(findings)
    for model, path in audit.runs.items():
        with open_run(path) as run:
            if verbose:
                print_spending(run, model if len(audit.runs) > 1 else "")
            _say_what_was_cut(run)
    click.echo("\n".join(wrapped("", about_size)))
    for head, paths in (
        ("Run files", audit.runs.values() if verbose else ()),
        ("Report", (audit.page, audit.data)),
    ):
        for i, path in enumerate(paths):
            click.echo(f"{'' if i else head:<9} {path}")
    if not verbose:
        click.echo("          --verbose shows the numbers behind it, costs and run files here")


def _parts(findings: Findings) -> Iterator[str]:
    """Yield the verdict on each part, with its number, or the reason why there is none."""
    width = max(len(probe.title) for probe in all_probes().values())
    for model in findings.models:
        yield click.style(f"\n{one_line(model)}", bold=True)
        for section in findings.sections:
            if section.model == model:
                title = f"  {all_probes()[section.probe].title:<{width}}  "
                told = verdict_of(findings, section)
                said = filter(None, (told.first, f"{told.label}.", told.matters))
                yield from wrapped(title, one_line(" ".join(said)))


def _print_findings(findings: Findings) -> None:
    """Print the findings of each model and probe, in words and as a table."""
    console = Console()
    for section in sorted(findings.sections, key=lambda one: findings.models.index(one.model)):
        probe = all_probes()[section.probe]
        said = [in_a_sentence(verdict_of(findings, section))]
        said += [f"- {with_capital(why)}." for why in section.why_not]
        console.print(Text(one_line(f"{probe.title} · {section.model}"), style="bold"))
        for text in said:
            console.print(one_line(text))
        table = derived.summary(probe, section)
        if table is None:
            grid = metrics_grid(section.metrics)
            shown = [grid.headings.index(name) for name in _SHOWN]
            rows = ([row[i] for i in shown] for row in grid.rows)
            print_table(console, table_of(_SHOWN, rows, title=probe.title))
        else:
            print_table(console, as_table(table))
        for one in findings.sentences:
            whose = (one.probe, one.model) == (section.probe, section.model)
            if whose and one.kind in ("finding", "caution"):
                console.print(one_line(one.text))
        console.print()


_SHOWN = ("measure", "value [95% interval]", "n")
"""Columns of a probe's metrics on a terminal, without their names for programs."""


def _say_what_was_cut(run: RunReader) -> None:
    """Print how many replies are missing because the model was cut off while it was thinking."""
    [(cut,)] = run.query("SELECT count(*) FROM replies WHERE outcome = 'still_thinking'")
    if cut:
        most = max(session.counts.get(THINKING, 0) for session in run.sessions())
        model = one_line(run.manifest().models["model"])
        click.echo(
            f"{model}: {cut:,} replies were cut off after {most:,} tokens of thinking; the same "
            "command asks again, and --thinking N allows more"
        )


def print_spending(run: RunReader, model: str = "") -> None:
    """Print calls, tokens and cost of a run, after the model's name if it is given."""
    spent, cost = run.spent().values(), cost_of(run)
    batched = sum(one.batched for one in spent)
    calls = f"{sum(one.calls for one in spent):,} calls"
    words = [calls + (f" ({batched:,} by batch)" if batched else "")]
    at_most = "" if all(one.counted for one in spent) else "at most about "
    if at_most and run.manifest().elsewhere:
        words.append("tokens unknown")
    else:
        tokens = (sum(one.tokens_in for one in spent), sum(one.tokens_out for one in spent))
        words.append("{}{:,} tokens in, {:,} out".format(at_most, *tokens))
    if cost is None:
        words.append("cost unknown: no price is known")
    else:
        words.append(f"cost {at_most}${cost:.4f}" if at_most and cost else f"${cost:.4f}")
    if taken := sum(run.reused().values()):
        words.append(f"{taken:,} replies taken from other runs")
    click.echo((f"{one_line(model)}: " if model else "") + ", ".join(words))
