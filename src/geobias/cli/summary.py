"""What a run ends with on the terminal: results, what was spent, and where everything is."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence

from rich.table import Table
from rich.text import Text

from geobias.api.auditing import Audit
from geobias.api.running import Result, open_run
from geobias.cli.terminal import Console, as_table, empty_table, print_whole
from geobias.probes import derived
from geobias.probes.probe import Headline
from geobias.probes.registry import all_probes
from geobias.report.findings import collect
from geobias.report.grids import metrics_grid
from geobias.report.records import spending
from geobias.report.verdicts import (
    MANY,
    in_a_sentence,
    spread_of_words,
    title_of,
    verdict_of,
)
from geobias.results.findings import Findings, Metric, Section
from geobias.results.formatting import counted, one_line
from geobias.results.tables import metric_of, metric_value
from geobias.results.verdicts import LABELS, is_significant, primary_of, word_of
from geobias.runfile import RunReader
from geobias.runfile.manifest import sum_known
from geobias.runfile.reading import Spent

WIDE = 120
"""Columns of a pipe, which has no width of its own."""


def print_summary(result: Result) -> None:
    console = Console()
    with open_run(result.path) as run:
        if all_probes().keys() & run.manifest().probes.keys():
            _print_findings(console, collect([run], brief=True))
        print_spending(console, run)
    console.print(f"\nRun file  {result.path}", soft_wrap=True)
    for before, command in (("Read on", "show"), ("", "replies"), ("", "report")):
        line = f"{before:<9} geobias {command} {shlex.quote(str(result.path))}"
        console.print(line, soft_wrap=True)


def print_audit(audit: Audit, about_size: str, *, verbose: bool = False) -> None:
    """A line for each part of each model, and where the report is; all the rest where it is
    `verbose`."""
    console = Console()
    findings = audit.findings
    if verbose:
        _print_everything(console, audit, findings)
    else:
        _print_parts(console, findings)
    console.print(f"\n{about_size}")
    runs = [f"{'' if i else 'Run files':<9} {path}" for i, path in enumerate(audit.runs.values())]
    reports = [f"Report    {audit.page}", *(f"{'':<9} {path}" for path in audit.further)]
    for line in (*(runs if verbose else []), *reports):
        console.print(line, soft_wrap=True)
    if not verbose:
        console.print("          --verbose shows the numbers behind it, costs and run files here")


def _print_everything(console: Console, audit: Audit, findings: Findings) -> None:
    wide = console if console.is_terminal else Console(width=WIDE)
    several = len(findings.models)
    show = _print_comparison if several >= MANY else _print_findings
    show(wide, findings)
    if several > 1:
        for table in _models_tables(findings):
            print_whole(wide, table)
    for model, path in audit.runs.items():
        with open_run(path) as run:
            print_spending(wide, run, model if len(audit.runs) > 1 else "")


def _print_parts(console: Console, findings: Findings) -> None:
    """ "WorldBench  Gap found: 0.21 [0.16, 0.26], 215 countries"; why, where there is no number."""
    if len(findings.models) > 1:
        console.print(Text(f"{title_of(findings)}.", style="bold"))
    width = max(len(probe.title) for probe in all_probes().values())
    for model in findings.models:
        console.print(Text(f"\n{one_line(model)}", style="bold"))
        for section in findings.sections:
            if section.model == model:
                title = f"  {all_probes()[section.probe].title:<{width}}  "
                line = Text(title + _part(findings, section), overflow="ellipsis", no_wrap=True)
                console.print(line)


def _part(findings: Findings, section: Section) -> str:
    verdict = verdict_of(findings, section)
    metric = primary_of(section)
    if not section.measurable or metric is None or metric.value is None:
        return one_line(f"{verdict.label}: {verdict.matters}")
    return f"{verdict.label}: {metric_value(metric)}, {counted(metric.n, metric.counted)}"


def _print_findings(console: Console, findings: Findings) -> None:
    """Model by model and probe by probe: what was found in words, and the table behind it."""
    for section in sorted(findings.sections, key=lambda one: findings.models.index(one.model)):
        whose = (section.probe, section.model)
        sentences = [one for one in findings.sentences if (one.probe, one.model) == whose]
        probe = all_probes()[section.probe]
        console.print(Text(one_line(f"{probe.title} · {section.model}"), style="bold"))
        console.print(Text(in_a_sentence(verdict_of(findings, section))))
        for why in section.why_not:
            console.print(Text(one_line(f"- {why[:1].upper()}{why[1:]}."), style="bold"))
        table = derived.summary(probe, section)
        if table is None:
            print_whole(console, _metrics_table(section, probe.title))
        else:
            print_whole(console, as_table(table))
        for one in sentences:
            if one.kind in ("finding", "caution"):
                console.print(Text(one_line(one.text)))
        console.print()


def _print_comparison(console: Console, findings: Findings) -> None:
    """Many models: what was found over all of them, and a table with a row for each."""
    console.print(Text(f"{title_of(findings)}.", style="bold"))
    for name, probe in all_probes().items():
        counts, listed = spread_of_words(findings, name)
        if counts:
            console.print(f"{probe.title}: {listed}.")
    console.print()


_SHOWN = ("measure", "value [95% interval]", "n")
"""Columns of a probe's metrics on a terminal. Their names are for programs."""


def _metrics_table(section: Section, title: str) -> Table:
    table = empty_table(Text(one_line(title)))
    grid = metrics_grid(section.metrics)
    shown = [i for i, heading in enumerate(grid.headings) if heading in _SHOWN]
    for i in shown:
        table.add_column(grid.headings[i])
    for row in grid.rows:
        table.add_row(*(Text(row[i]) for i in shown))
    return table


def _models_tables(findings: Findings) -> Iterator[Table]:
    """For each probe a row for each model: its headline numbers with interval, verdict and what
    they rest on, or why there is none. Rows stay readable however many models there are.
    """
    for name, probe in all_probes().items():
        sections = [section for section in findings.sections if section.probe == name]
        if not sections:
            continue
        table = empty_table(
            Text(f"{probe.title}: what the models {derived.verb_of_several(probe)}")
        )
        table.add_column("model", no_wrap=True)
        columns = derived.headlines(all_probes()[name]) or _first_metrics(sections)
        for one in columns:
            table.add_column(Text(f"{one.label} ({one.hint})" if one.hint else one.label))
        for section in sections:
            cells = [_cell(section, one) for one in columns]
            table.add_row(Text(one_line(section.model)), *map(Text, cells))
        yield table


def _first_metrics(sections: Sequence[Section]) -> list[Headline]:
    """What stands for the headlines of a probe that names none."""
    return [Headline(one.label, "", (one.name,)) for one in sections[0].metrics[:3]]


def _cell(section: Section, headline: Headline) -> str:
    found = (metric_of(section, name) for name in headline.metrics)
    metric = next(filter(None, found), None)
    if metric is None:
        return "not run"
    if metric.screened and not section.measurable:
        return "not measurable"
    word = f", {said}" if (said := _word(metric)) else ""
    no_interval = metric.value is not None and None in (metric.low, metric.high)
    before_n = "no interval:" if no_interval else "n ="
    return f"{metric_value(metric, 3)}{word}\n{before_n} {metric.n:,} {metric.counted}"


def _word(metric: Metric) -> str:
    """What its test says; "" without one."""
    if metric.p is None:
        return ""
    if metric.primary:
        word = word_of(metric)
        return "" if word == "untested" else LABELS[word].lower()
    return "differs" if is_significant(metric) else "open"


def print_spending(console: Console, run: RunReader, model: str = "") -> None:
    """Calls, tokens and money, with the model before them where there are several."""
    manifest, spent, total = run.manifest(), run.spent(), spending(run)
    batched = sum(one.batched for one in spent.values())
    calls = f"{total['calls']:,} calls" + (f" ({batched:,} by batch)" if batched else "")
    words = [calls, _tokens_in_words(spent.values())]
    at_most = sum_known(manifest.cost(role, *s.most_billed()) for role, s in spent.items())
    if total["cost"] is not None:
        words.append(f"${total['cost']:.4f}")
    elif at_most is not None:
        words.append(f"cost at most about ${at_most:.4f}")
    elif all(manifest.cost(role, 0, 0) is not None for role in spent):
        words.append("cost unknown: the tokens are not known")
    else:
        words.append("cost unknown: no price is known")
    if taken := sum(run.reused().values()):
        words.append(f"{taken:,} replies taken from other runs")
    whose = f"{one_line(model)}: " if model else ""
    console.print(Text(whose + ", ".join(words)), soft_wrap=True)


def _tokens_in_words(spent: Collection[Spent]) -> str:
    for names, words in (
        (("tokens_in", "tokens_out"), "{:,} tokens in, {:,} out"),
        (("most_in", "most_out"), "tokens unknown (at most about {:,} in, {:,} out)"),
    ):
        sums = [sum_known(getattr(one, name) for one in spent) for name in names]
        if None not in sums:
            return words.format(*sums)
    return "tokens unknown"
