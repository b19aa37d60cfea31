"""Options and arguments that several commands share, and functions that open the named runs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from os.path import realpath
from pathlib import Path
from typing import Any, cast

import click
import msgspec

from geobias import api
from geobias.api.example import run_named
from geobias.cli import Word
from geobias.integrations.inspect_logs import run_from_log
from geobias.probes.registry import all_probes
from geobias.probes.settings import Field, fields_of
from geobias.report.records import blaming
from geobias.runfile import RunReader
from geobias.runfile.reading import all_opened, runs_at
from geobias.running import Options
from geobias.untrusted import is_usable

Option = Callable[[Any], Any]


def option_of(declared: type[msgspec.Struct], name: str) -> Option:
    return option_from(next(field for field in fields_of(declared) if field.name == name))


def options_of(declared: type[msgspec.Struct]) -> list[Option]:
    """Make a command-line option from each setting that a struct declares."""
    return [option_from(field) for field in fields_of(declared)]


def option_from(field: Field) -> Option:
    """Make a command-line option from a declared setting (`probes.settings`)."""
    about = field.setting
    if field.kind is bool:
        return click.option(field.option, field.name, is_flag=True, help=about.help)
    default = field.default
    if isinstance(default, tuple):
        default = ",".join(default) or None
    return click.option(
        field.option,
        field.name,
        type=_type(field),
        default=default,
        show_default=default not in (None, "", 0),
        metavar=about.metavar or None,
        callback=storable if field.kind is str and not field.choices else None,
        help=about.help,
    )


def _type(field: Field) -> Any:
    least, most = field.setting.least, field.setting.most
    if field.choices:
        return Word(field.choices)
    if field.kind is int:
        low, high = (None if bound is None else int(bound) for bound in (least, most))
        return Count(low, high)
    if field.kind is float:
        return Number(least, most)
    return FILE if field.kind is Path else click.STRING


def storable(_: click.Context, option: click.Parameter, value: str | None) -> str | None:
    try:
        (value or "").encode()
    except UnicodeEncodeError:
        raise click.BadParameter("is not valid UTF-8", param=option) from None
    return value


class _Usable:
    """A range of finite 64-bit numbers, with or without limits."""

    min: Any
    max: Any

    def _describe_range(self) -> str:
        # click calls a range without limits "x<=None".
        return "" if self.min is self.max is None else super()._describe_range()  # type: ignore[misc]

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        number = super().convert(value, param, ctx)  # type: ignore[misc]
        if not is_usable(number):
            large = isinstance(number, int)
            why = "this number has too many digits" if large else f"{number} is not a finite number"
            self.fail(f"{why}.", param, ctx)  # type: ignore[attr-defined]
        return number


class Number(_Usable, click.FloatRange):
    """Type of an option: a finite number, within limits if there are any."""


class Count(_Usable, click.IntRange):
    """Type of an option: a whole number of at most 64 bits, within limits if there are any."""


class RunPath(click.Path):
    """Type of an argument: a run file, a folder of them, or "example" for the recorded run."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return run_named(cast(Path, super().convert(value, param, ctx)))


FILE = click.Path(path_type=Path)
RUN_FILE = RunPath(path_type=Path)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
RUN = click.argument("run", type=RUN_FILE)
RUNS = click.argument("runs", type=RUN_FILE, nargs=-1, required=True, metavar="RUN...")
WITH_CORRECTIONS = click.option(
    "--with-corrections",
    is_flag=True,
    help="Use the corrections that reviewers made in geobias view.",
)
SPENDING_OPTIONS = tuple(
    click.option(
        field.option,
        type=RUN_FILE,
        multiple=True,
        metavar=field.setting.metavar,
        help=field.setting.help,
    )
    if field.kind is tuple
    else option_from(field)
    for field in fields_of(Options)
    if field.setting.help
)
"""Options that say how to run. They never change what is asked."""


ENGINE_OPTIONS = (
    click.option(
        "--engine",
        type=Word(["native", "ray"]),
        default="native",
        show_default=True,
        help="Who drives the trials: this process, or workers on a Ray cluster.",
    ),
    click.option("--address", help="The Ray cluster (auto, HOST:PORT); default: one started here."),
    click.option(
        "--workers",
        type=Count(1, 10_000),
        help="Number of Ray workers; default: one for each node.",
    ),
)


def out_option(default: str, help: str = "The table to write.") -> Option:
    """The option --out, whose default is a file in the current folder."""
    return click.option("--out", type=FILE, default=Path(default), show_default=True, help=help)


def with_options(options: Sequence[Option], command: click.Command) -> click.Command:
    """Add the options to the command. Its help lists them in this order."""
    for option in options:
        option(command)
    return command


def with_reading(command: click.Command) -> click.Command:
    """Add an option to the command for each file that a probe may need to read its runs."""
    fields = {
        field.name: field for probe in all_probes().values() for field in fields_of(probe.Reading)
    }
    return with_options([*map(option_from, fields.values()), WITH_CORRECTIONS], command)


def run_files(named: Sequence[Path]) -> list[Path]:
    """The run files named, each once.

    A folder stands for the run files in it, sorted by name, except those that another includes.
    """
    files = [file for path in named for file in runs_at(path)]
    once = {realpath(file): file for file in reversed(files)}  # "a" and "./a" are one run
    return [file for file in dict.fromkeys(files) if once[realpath(file)] is file]


def opened(named: Sequence[Path]) -> AbstractContextManager[list[RunReader]]:
    return all_opened(run_files(named), open_run)


@contextmanager
def open_run(path: Path) -> Iterator[RunReader]:
    """Open a run for reading. A log of Inspect is converted to a temporary run file."""
    if path.suffix != ".eval":
        with api.open_run(path) as run, blaming(run, click.ClickException, click.exceptions.Exit):
            yield run
        return

    with (
        tempfile.TemporaryDirectory(prefix="geobias-") as folder,
        run_from_log(path, Path(folder) / (path.stem + ".geobias")) as run,
    ):
        yield run
