"""Patterns that are compiled at their first use."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import walk_packages

import geobias.probes
from geobias.probes.lazy import regex


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    later = regex(r"(\d+) people", re.I)
    assert later.findall("3 People, 40 people") == ["3", "40"]
    assert (later.pattern, later.flags & re.I) == (r"(\d+) people", re.I)


def test_every_pattern_of_the_probes_can_be_compiled() -> None:
    found = 0
    for module in walk_packages(geobias.probes.__path__, "geobias.probes."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type(regex("x"))):
                assert value.pattern
                found += 1
    assert found > 400
