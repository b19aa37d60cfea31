"""`geobias table`: print a measure of a run by a grouping, or a table of a probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import polars as pl

from geobias.api.example import WORD, run_named
from geobias.cli.options import FILE, JSON, opened, option_from, with_options, with_reading
from geobias.cli.terminal import check_suffix, print_tables, write_tables
from geobias.errors import BadRequest, meant
from geobias.measures.countries import country_table
from geobias.measures.estimates import group_table
from geobias.measures.grouping import with_groups
from geobias.measures.measure import Measure
from geobias.measures.over_models import ALL_MODELS
from geobias.probes import derived
from geobias.probes.registry import AnyProbe, all_probes
from geobias.probes.settings import fields_of, settings_from
from geobias.probes.tables import Frames, TableSpec, each_model
from geobias.report.documents import latex_table
from geobias.report.formats import csv_of
from geobias.report.records import answers_of, labelled, probes_of
from geobias.results.formatting import one_line
from geobias.results.tables import table_from
from geobias.runfile import RunReader


class Choice(NamedTuple):
    """Something that `geobias table` can print: a measure of a probe, or one of its tables."""

    probe: AnyProbe
    name: str
    what: Measure | TableSpec[Any]

    @property
    def words(self) -> str:
        """One line that says what it shows."""
        if isinstance(self.what, Measure):
            by = ", ".join(("all", *self.what.groups, *filter(None, (self.what.item,)), "country"))
            return f"{self.what.label}; --by {by} …"
        return self.what.help.strip().splitlines()[0]


def choices(probes: Sequence[AnyProbe]) -> list[Choice]:
    """All measures and tables of the probes. In each probe, measures come first."""
    found = []
    for probe in probes:
        found += [Choice(probe, one.name, one) for one in derived.all_measures(probe)]
        found += [Choice(probe, name, spec) for name, spec in probe.tables.items()]
    return found


def chosen(name: str, probes: Sequence[AnyProbe]) -> list[Choice]:
    """The measures and tables with this name, such as "worldbench.error" or "error"."""
    return [one for one in choices(probes) if name in (one.name, f"{one.probe.name}.{one.name}")]


@click.command()
@click.argument("words", nargs=-1, metavar="[RUN]... [TABLE]")
@click.option("--by", default="", help="The groups: all, region, income, country, an item …")
@click.option(
    "--group-file", type=FILE, help="Your own CSV with a column iso3 and the column for --by."
)
@click.option(
    "--limit", type=click.IntRange(1), help="Maximum rows to print. Files and JSON have all rows."
)
@click.option("--wide", is_flag=True, help="Print every column, even if the table gets too wide.")
@click.option(
    "--to", "out", type=FILE, help="Write the table to a .csv, .parquet, .jsonl or .tex file."
)
@click.option("--csv", "as_csv", is_flag=True, help="Print it as CSV.")
@click.option("--latex", "as_latex", is_flag=True, help="Print it as LaTeX.")
@JSON
def table(words: tuple[str, ...], **given: Any) -> None:
    """Print a table of one or more runs: a measure by group, or one of the papers' tables.

    \b
    geobias table                                     list all measures and tables
    geobias table RUN                                 list those of this run
    geobias table RUN error --by region
    geobias table RUN RUN worldbench.error --by income --to t.tex
    geobias table RUN error --by bloc --group-file blocs.csv
    geobias table RUN years --json

    If several probes have a name, put the probe's name before it: worldbench.declined.
    """
    runs, name = _split(words)
    if not runs:
        every = list(all_probes().values())
        _list(chosen(name, every) if name else choices(every))
        return
    with opened(runs) as readers:
        if not name:
            held = {probe.name: probe for run in readers for probe in probes_of(run)}
            _list(choices(list(held.values())))
            return
        one = _one(name, readers)
        told = [run for run in readers if one.probe.name in run.manifest().probes]
        frames, notes = _frames(one, told, given)
    _print(frames, notes, one, given)


with_options(
    [
        option_from(field._replace(default=None))
        for field in {
            field.name: field
            for probe in all_probes().values()
            for spec in probe.tables.values()
            for field in fields_of(spec.Options)
        }.values()
        if field.name not in {param.name for param in table.params}
    ],
    with_reading(table),
)


def _split(words: Sequence[str]) -> tuple[list[Path], str]:
    """Split the arguments into runs and a table, whose word names a table or is not a file."""
    every = list(all_probes().values())
    names = [
        word
        for word in words
        if word != str(WORD) and (chosen(word, every) or not Path(word).exists())
    ]
    if len(names) > 1:
        raise BadRequest(f"{names[0]} is not a run file, and only one table can be named")
    return [run_named(Path(word)) for word in words if word not in names], "".join(names)


def _one(name: str, runs: Sequence[RunReader]) -> Choice:
    """The measure or table that a name means for these runs.

    Raises `BadRequest` if there is none, or if several probes have the name.
    """
    every = list(all_probes().values())
    found = chosen(name, every)
    if not found:
        like = meant(name, [one.name for one in choices(every)])
        raise BadRequest(f"no table is called {name!r}: geobias table RUN lists them.{like}")
    held = [one for one in found if any(one.probe.name in run.manifest().probes for run in runs)]
    if not held:
        there = ", ".join(runs[0].manifest().probes)
        raise BadRequest(f"{runs[0].path} holds no {found[0].probe.name}, only {there}")
    # If a table and a measure have the same name, print the table, which shows more.
    held = [one for one in held if isinstance(one.what, TableSpec)] or held
    if len(held) > 1:
        names = " or ".join(f"{one.probe.name}.{one.name}" for one in held)
        raise BadRequest(f"several probes have {name!r}: name one of {names}")
    return held[0]


def _list(found: Sequence[Choice]) -> None:
    for probe in dict.fromkeys(one.probe for one in found):
        click.echo(click.style(probe.title, bold=True))
        for one in found:
            if one.probe is probe:
                click.echo(f"  {f'{probe.name}.{one.name}':<38} {one_line(one.words)}")


def _frames(
    one: Choice, runs: Sequence[RunReader], given: Mapping[str, Any]
) -> tuple[Frames, list[str]]:
    named = labelled(runs)
    answers = answers_of(one.probe, named, given)
    if isinstance(one.what, Measure):
        frames, notes = measured(
            one.probe, answers, one.what, given["by"] or "all", given["group_file"]
        )
        expected = [note for each in answers for note in derived.expected_note(each)]
        return frames, [*notes, *dict.fromkeys(expected)]
    if given["by"] and "by" not in {field.name for field in fields_of(one.what.Options)}:
        raise BadRequest(f"the table {one.name} cannot be grouped: leave out --by")
    own = {field.name: given[field.name] for field in fields_of(one.what.Options)}
    own = {key: value for key, value in own.items() if value not in (None, "", False)}
    options = settings_from(one.what.Options, own, one.name)
    return tabled(one.probe, answers, one.what, options)


def measured(
    probe: AnyProbe, answers: Sequence[Any], measure: Measure, by: str, file: Path | None
) -> tuple[Frames, list[str]]:
    """A measure by groups, of each model and over all models: title → table, and notes."""
    frames = dict(each_model(lambda one, _: _of_one(one, measure, by, file))(answers, None))
    pooled, notes = derived.measure_over_models(probe, answers, measure, by, file)
    return _with_pooled(frames, dict.fromkeys(frames, pooled)), notes


def tabled(
    probe: AnyProbe, answers: Sequence[Any], spec: TableSpec[Any], options: Any
) -> tuple[Frames, list[str]]:
    """A table that a probe declares, of each model and over all: title → table, and notes."""
    frames = spec.make(answers, options)
    together, notes = derived.table_over_models(probe, answers, spec, options)
    return _with_pooled(frames, together), [*spec.notes(answers, options), *notes]


def _with_pooled(frames: Frames, together: Frames) -> Frames:
    """Add the results over all models, as rows at the end of a table or as a table beside it."""
    found = dict(frames)
    for title, table in together.items():
        if not table.width:
            continue
        rows = table.select(pl.lit(ALL_MODELS).alias("model"), pl.exclude("model"))
        if title in frames:
            found[title] = pl.concat([frames[title], rows], how="diagonal_relaxed")
        else:
            found[f"over all models: {title}"] = table
    return found


def _of_one(one: Any, measure: Measure, by: str, file: Path | None) -> Frames:
    frame, column = with_groups(derived.asked_in(one, measure), measure, by, file)
    title = f"{measure.label} by {by.replace('_', ' ')}" if by != "all" else measure.label
    if column == "country" and (measure.item or measure.crossed or measure.within):
        return {title: country_table(frame, measure)}
    return {title: group_table(frame, measure, column)}


def _print(frames: Frames, notes: Sequence[str], one: Choice, given: Mapping[str, Any]) -> None:
    out: Path | None = given["out"]
    if out is not None:
        check_suffix(out)
        write_tables(frames, out)
    elif given["as_json"]:
        print_tables(frames, as_json=True)
    elif given["as_csv"]:
        for frame in frames.values():
            click.echo(csv_of(frame), nl=False)
    elif given["as_latex"]:
        for title, frame in frames.items():
            click.echo(latex_table(table_from(frame, title)))
    else:
        shown = one.what.people(frames) if isinstance(one.what, TableSpec) else frames
        print_tables(shown, as_json=False, limit=given["limit"], wide=given["wide"])
    for note in notes:
        click.echo(one_line(note), err=True)
