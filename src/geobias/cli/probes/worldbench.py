"""WorldBench on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geobias.errors import BadRequest

if TYPE_CHECKING:
    from rich.console import RenderableType

    from geobias.atlas.figures import Figures
    from geobias.atlas.indicators import Indicator
    from geobias.probes.plan import Plan
    from geobias.probes.power import Aim
    from geobias.runfile import RunReader

FIGURES_OPTION = click.option(
    "--figures",
    type=click.Path(path_type=Path),
    help="Your own table of figures (CSV) instead of the shipped one.",
)
INDICATOR_FILE_OPTION = click.option(
    "--indicator-file",
    type=click.Path(path_type=Path),
    help="Your own indicators (TOML); their figures come with --figures.",
)
GROUND_TRUTH_OPTION = click.option(
    "--ground-truth",
    metavar="average|latest|YEAR",
    help="Which figure is true: the mean of the last three years (default), each country's "
    "latest, or one year's.",
)
OPTIONS: Sequence[Callable[[Any], Any]] = (
    click.option("--indicators", help="Ids or World Bank codes, by commas."),
    click.option("--countries", help="Names or codes, by semicolons or commas; asked at any size."),
    click.option("--regions", help="World Bank regions, by semicolons or commas."),
    click.option(
        "--example-country",
        default="Switzerland",
        show_default=True,
        help="Answers the worked example, and is not asked about.",
    ),
    click.option("--year", type=int, help="Name this year in question and example."),
    GROUND_TRUTH_OPTION,
    click.option(
        "--retrieve",
        type=click.IntRange(0),
        default=0,
        metavar="K",
        help="Put the K nearest statements of fact before each question.",
    ),
    FIGURES_OPTION,
    INDICATOR_FILE_OPTION,
)


def make_plan(
    *,
    indicators: str | None,
    countries: str | None,
    regions: str | None,
    figures: Path | None,
    indicator_file: Path | None,
    **settings: Any,
) -> Plan:
    """The plan for these options."""
    from geobias.probes import worldbench

    return worldbench.plan(
        indicators=listed(indicators),
        countries=names_listed(countries),
        regions=names_listed(regions),
        figures=own_figures(figures),
        extra_indicators=own_indicators(indicator_file),
        **settings,
    )


def listed(text: str | None) -> list[str] | None:
    """What a user lists by commas; None where nothing was given."""
    if text is None:
        return None
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not found:
        raise BadRequest(f"{text!r} names nothing")
    return found


def names_listed(text: str | None) -> list[str] | None:
    """Names by semicolons, or by commas where there is no semicolon ("Bahamas, The; Kenya")."""
    if text is None or ";" not in text:
        return listed(text)
    apart = text.replace(",", "\0").replace(";", ",")
    return [name.replace("\0", ",") for name in listed(apart) or []]


def own_figures(path: Path | None) -> Figures | None:
    """A user's table of figures."""
    if path is None:
        return None
    from geobias.atlas.figures import read_figures
    from geobias.atlas.table import TableError

    try:
        return read_figures(path)
    except TableError as error:
        raise BadRequest(str(error)) from None


def own_indicators(path: Path | None) -> dict[str, Indicator] | None:
    """A user's indicators."""
    if path is None:
        return None
    from geobias.atlas.indicators import read_indicators
    from geobias.atlas.table import TableError

    try:
        return dict(read_indicators(path))
    except TableError as error:
        raise BadRequest(str(error)) from None


def summary(run: RunReader) -> RenderableType:
    """Errors of regions and incomes with intervals, and the disparities with their baseline.

    Where nothing can be measured, the reason stands first, and no disparity.
    """
    from rich.console import Group
    from rich.text import Text

    from geobias.cli.tables import as_table
    from geobias.probes.screens import because, reasons
    from geobias.probes.worldbench.dealing import dealt
    from geobias.probes.worldbench.scores import frame_of
    from geobias.probes.worldbench.screens import screens
    from geobias.probes.worldbench.summary import disparity_sentences, error_table, unread_sentence

    model = run.manifest().models["model"]
    frame = frame_of(run.records("worldbench"), model)
    found = dealt(frame)
    why = reasons(screens(frame, found))
    said = [unread_sentence(frame), *([] if why else disparity_sentences(frame, found))]
    lines = [Text(line) for line in said if line]
    title = f"worldbench · {model} · error from 0 to 1, n countries"
    first = [Text(because(why), style="bold")] if why else []
    return Group(*first, as_table(error_table(frame), title), *lines, Text(""))


def aim(plan: Plan, spread: tuple[float, float] | None) -> Aim:
    """The test that a run of this plan is made for."""
    from geobias.probes.worldbench.power import aim as of_plan

    return of_plan(plan, spread)


def spread_of(run: Path) -> tuple[float, float] | None:
    """How much the answers of a run vary between units and within them; None: too few."""
    from geobias.api import open_run
    from geobias.probes.worldbench.power import spread_of as of_frame
    from geobias.probes.worldbench.scores import frame_of

    with open_run(run) as reader:
        return of_frame(frame_of(reader.records("worldbench")))
