"""The command line as a function: arguments in, exit code and output back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import click
from click.testing import CliRunner

from geobias.cli import main


class Done(NamedTuple):
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def _through_main(words: tuple[str, ...]) -> None:
    """By way of `main`, where errors become sentences and exit codes."""
    with patch("sys.argv", ["geobias", *words]):
        main(list(words))


def geobias(
    *words: object, typed: str | None = None, cwd: Path | None = None, charset: str = "utf-8"
) -> Done:
    """What `geobias WORDS` does in a folder, with what is typed meanwhile, on a terminal that knows
    these characters. What it printed is read as UTF-8."""
    with chdir(cwd or Path.cwd()):
        runner = CliRunner(charset=charset)
        result = runner.invoke(_through_main, [str(word) for word in words], input=typed)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout_bytes.decode(), result.stderr_bytes.decode())


POOR_AND_RICH = ("BOL", "EGY", "IND", "KEN", "VNM", "CHL", "FRA", "ITA", "JPN", "USA")


def few_countries(folder: Path, countries: Sequence[str] = POOR_AND_RICH) -> tuple[object, ...]:
    """Words for an audit in which WorldBench asks one question about each country, of five poor and
    five rich ones unless others are named; a file in the folder says so."""
    path = folder / "few.toml"
    path.write_text(
        f'[worldbench]\nindicators = ["gdp"]\ncountries = {json.dumps(countries)}\n', "utf-8"
    )
    return "--probes", "worldbench", "--config", path
