"""Options that commands share, in words that are the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from geobias.probes.audited import SIZES


def storable(_: click.Context, option: click.Parameter, value: str) -> str:
    """Text from the command line that is valid text."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise click.BadParameter("is not valid UTF-8", param=option) from None
    return value


PROBE_OPTIONS = (
    click.option(
        "--size",
        type=click.Choice(list(SIZES)),
        default="quick",
        show_default=True,
        help="quick: minutes. standard: intervals worth quoting. paper: as published.",
    ),
    click.option(
        "--repeats",
        type=click.IntRange(1),
        default=1,
        help="Independent draws of each trial (sampled).",
    ),
    click.option(
        "--temperature",
        type=click.FloatRange(0, 2),
        help="0 is greedy; default 0, or 0.8 with --repeats.",
    ),
    click.option("--seed", type=int, default=0, help="Another seed, other draws."),
    click.option(
        "--system",
        default="",
        callback=storable,
        help="A system message before the model's dialogues (not the judge's).",
    ),
)
"""What to ask: shared by all probes. Part of a run's identity."""

SPENDING_OPTIONS = (
    click.option("--concurrency", type=click.IntRange(1), help="Most calls in flight."),
    click.option(
        "--max-calls",
        type=click.IntRange(1),
        help="Stop before making more calls (all models and sessions together).",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(1),
        help="Stop before using more tokens, in and out, likewise.",
    ),
    click.option(
        "--max-cost",
        type=click.FloatRange(0, min_open=True),
        help="Stop before spending more US$, likewise.",
    ),
    click.option(
        "--prices",
        type=click.Path(path_type=Path),
        help="Your own price table (CSV): model, usd_per_million_in, usd_per_million_out.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        help="Seconds before a call counts as failed; default: 300, embedded models 600.",
    ),
)
"""How to run: never part of a run's identity."""

ENGINE_OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice(["native", "ray"]),
        default="native",
        show_default=True,
        help="Who drives the trials: this process, or workers on a Ray cluster.",
    ),
    click.option("--address", help="The Ray cluster (auto, HOST:PORT); default: one started here."),
    click.option(
        "--workers", type=click.IntRange(1), help="Ray workers; default one for each node."
    ),
)
"""Where to run."""


def with_options(options: Sequence[Callable[[Any], Any]], command: click.Command) -> click.Command:
    """The command with these options, listed in this order in its help."""
    for option in options:
        option(command)
    return command


def sampling(repeats: int, temperature: float | None) -> float:
    """The temperature to use, where the user leaves it open."""
    if temperature is None:
        return 0.8 if repeats > 1 else 0.0
    if repeats > 1 and temperature == 0:
        raise click.UsageError(
            "--repeats asks for independent draws, and a greedy model (--temperature 0) gives the "
            "same one each time"
        )
    return temperature
