"""Limits on metrics, from a command line, a file or Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec

from geobias.errors import BadRequest
from geobias.untrusted import Undecodable, toml_table

Bound = Literal["max", "min", "within", "worse"]
BOUNDS: tuple[Bound, ...] = ("max", "min", "within", "worse")


class Limit(msgspec.Struct, frozen=True):
    """A metric's name, and what it may be.

    max, min  at most, at least
    within    from −value to value: a size, whatever its sign
    worse     worse than in the baseline run by at most so much
    """

    metric: str
    bound: Bound
    value: float

    def __str__(self) -> str:
        sign = {"max": "≤", "min": "≥", "within": "within ±", "worse": "worse by ≤"}[self.bound]
        return f"{self.metric} {sign} {self.value:g}"

    @property
    def allowed(self) -> tuple[float, float]:
        """From where to where it is kept."""
        return {
            "max": (-math.inf, self.value),
            "min": (self.value, math.inf),
            "within": (-self.value, self.value),
            "worse": (-math.inf, self.value),
        }[self.bound]


def parse_limits(bound: Bound, texts: Iterable[str]) -> list[Limit]:
    """Limits as they are written on the command line: "PROBE.region_disparity=0.15"."""
    limits = []
    for text in texts:
        name, _, number = text.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise BadRequest(
                f"--{bound} {text}: write METRIC=NUMBER, such as PROBE.region_disparity=0.15"
            )
        limits.append(Limit(name.strip(), bound, value))
    return limits


def read_limits(toml: bytes, source: str) -> list[Limit]:
    """Limits in a TOML file: tables [max], [min], [within], [worse] of metric = number.

    A metric's name may stand in quotes, or plainly, since a dot in TOML makes tables of tables.
    """
    try:
        read = toml_table(toml.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadRequest(f"{source}: it is not TOML: no UTF-8 text (byte {error.start})") from None
    except Undecodable as error:
        raise BadRequest(f"{source}: {error}") from None
    return limits_from(read, source)


def limits_from(read: Mapping[str, object], source: str) -> list[Limit]:
    """The same tables as they are in Python: {"max": {"worldbench.error": 0.4}}."""
    if unknown := sorted(read.keys() - set(BOUNDS)):
        tables = ", ".join(f"[{bound}]" for bound in BOUNDS)
        raise BadRequest(f"{source}: no limit is called {unknown[0]!r}; there are {tables}")
    limits: list[Limit] = []
    for bound in BOUNDS:
        limits += _limits_in(bound, read.get(bound, {}), "", source)
    if not limits:
        raise BadRequest(f"{source} sets no limit; write [max] and below it METRIC = NUMBER")
    return limits


def _limits_in(bound: Bound, value: object, name: str, source: str) -> Iterator[Limit]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _limits_in(bound, below, f"{name}.{key}".lstrip("."), source)
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRequest(f"{source}: [{bound}] {name} is not a number")
    elif not math.isfinite(value):
        raise BadRequest(f"{source}: [{bound}] {name} = {value} is no limit; write a number")
    else:
        yield Limit(name, bound, float(value))
