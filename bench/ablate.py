"""Which patterns does a stored reply need? Takes every pattern of a reader out in turn.

    python bench/ablate.py worldbench            a line per pattern: what changes without it
    python bench/ablate.py namebbq geo20q        several readers

A pattern is a compiled regular expression that a module of the reading room or of the probe's own
reading holds, by name or inside a tuple, list or dictionary. It is replaced by one that matches
nothing, wherever it stands, and all labelled replies and, with GEOBIAS_DATA, all real replies are
read again. Real ones count apart: a pattern that only invented replies need is a rule for replies
that nobody gave.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from same_results import (
    LABELLED_LINES,
    TESTS,
    data_folder,
    json_lines,
    read_as,
    read_labelled,
    real_files,
    real_lines,
)

NOTHING = re.compile(r"(?!)")
OWN = {
    "worldbench": ("worldbench.cited",),
    "namebbq": (),
    "geo20q": ("geo20q.winning", "geo20q.naming"),
    "ratings": ("ratings.reading",),
}
"""Modules of a probe that read replies, beside the room that all share."""
REAL = {"worldbench": "number", "namebbq": "namebbq", "geo20q": "geo20q", "ratings": "ratings"}
"""Probe → as which kind its real replies are read."""


def modules(probe: str) -> Iterator[Any]:
    package = importlib.import_module("geobias.reading")
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)
    for name in OWN[probe]:
        yield importlib.import_module(f"geobias.probes.{name}")


def patterns(probe: str) -> dict[re.Pattern[str], str]:
    """Every pattern that the modules hold, with the name under which it was met first."""
    names: dict[re.Pattern[str], str] = {}
    for module in modules(probe):
        for name, value in vars(module).items():
            where = f"{module.__name__.removeprefix('geobias.')}.{name}"
            for pattern in _inside(value):
                names.setdefault(pattern, where)
    return names


def _inside(value: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _inside(part)
    elif isinstance(value, dict) and "__builtins__" not in value:
        for part in value.values():
            yield from _inside(part)


def _without(value: Any, pattern: re.Pattern[str]) -> Any:
    """The value with a pattern that matches nothing in place of this one."""
    if value is pattern:
        return NOTHING
    if isinstance(value, list):
        return [_without(part, pattern) for part in value]
    if isinstance(value, tuple):
        parts = [_without(part, pattern) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, dict):
        return {key: _without(part, pattern) for key, part in value.items()}
    return value


@contextmanager
def taken_out(probe: str, pattern: re.Pattern[str]) -> Iterator[None]:
    """The reader without a pattern, wherever its modules hold it."""
    before = [
        (vars(module), name, value)
        for module in modules(probe)
        for name, value in vars(module).items()
        if any(one is pattern for one in _inside(value))
    ]
    for names, name, value in before:
        names[name] = _without(value, pattern)
    forget(probe)
    try:
        yield
    finally:
        for names, name, value in before:
            names[name] = value
        forget(probe)


def forget(probe: str) -> None:
    """Clear what functions of the probe remember, which the pattern may have had a part in."""
    for module in modules(probe):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def readings(probe: str) -> tuple[list[Any], list[Any]]:
    """Of all labelled replies, and of all real ones."""
    labelled = [
        read_labelled(probe, line)
        for path in sorted((TESTS / "probes" / probe).glob("*.jsonl"))
        for line in json_lines(path)
    ]
    folder, key = TESTS / "data" / "real" / "replies", REAL[probe]
    real: list[Any] = []
    if probe == "worldbench":
        real += [read_as("number", line) for line in json_lines(folder / "numbers.jsonl")]
    if probe == "geo20q":
        real += [read_as("geo20q", line) for line in json_lines(folder / "turns.jsonl")]
    if (data := data_folder()) is not None:
        for path in real_files(data):
            asked = (real_lines(line).get(key) for line in json_lines(path))
            real += [read_as(key, line) for line in asked if line is not None]
    return labelled, real


def changed(before: list[Any], after: list[Any]) -> int:
    return sum(one != other for one, other in zip(before, after, strict=True))


def ablate(probe: str) -> None:
    before = readings(probe)
    needless = unreal = 0
    for pattern, name in patterns(probe).items():
        with taken_out(probe, pattern):
            try:
                labelled, real = (
                    changed(*pair) for pair in zip(before, readings(probe), strict=True)
                )
            except Exception as error:  # without it the reader cannot go on
                print(f"{type(error).__name__:>29}   {name}", flush=True)
                continue
        needless += not (labelled or real)
        unreal += not real
        print(f"{labelled:>6} labelled {real:>8} real   {name}", flush=True)
    total = len(patterns(probe))
    print(f"{probe}: {total} patterns; {needless} change no reply, {unreal} no real one")


if __name__ == "__main__":
    for name in sys.argv[1:] or LABELLED_LINES:
        ablate(name)
