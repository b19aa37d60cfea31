"""The installed probes, and the plans of earlier runs, made again from the runs' manifests.

Installed packages, like geobias itself, name probes as entry points `geobias.probes`. Listing names
imports no probe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeAlias

import msgspec

from geobias.errors import BadRequest, meant
from geobias.measures.measure import check_names
from geobias.probes.plan import Plan
from geobias.probes.probe import Probe
from geobias.probes.settings import settings_from, unusual
from geobias.runfile.manifest import Manifest
from geobias.trials import StoredSettings

AnyProbe: TypeAlias = Probe[Any, Any]
"""A probe with any settings and answers."""
GROUP = "geobias.probes"
FIRST = ("worldbench", "namebbq", "geo20q", "ratings")
"""The order in which the probes of geobias are run and reported. Others follow by name."""
REQUIRED = ("title", "verb", "about", "Settings", "records", "showing")
"""The attributes that every probe must declare in addition to its name."""


@cache
def _found() -> dict[str, EntryPoint]:
    return {one.name: one for one in entry_points(group=GROUP)}


def probe_names() -> list[str]:
    return sorted(_found())


@cache
def find_probe(name: str) -> AnyProbe:
    """Raises `BadRequest` if the probe is missing or cannot be loaded."""
    if name not in _found():
        there = ", ".join(all_probes())
        raise BadRequest(
            f"no probe is called {name!r}; choose from {there}.{meant(name, _found())}"
        )
    entry = _found()[name]
    try:
        made = entry.load()()
        check_names(getattr(made, "measures", ()))
    except Exception as error:  # a foreign package may raise anything
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise BadRequest(f"the probe {name} ({entry.value}) cannot be loaded: {why}") from error
    if not isinstance(made, Probe) or made.name != name:
        raise BadRequest(f"{entry.value} is not a probe called {name!r}: see docs/extending.md")
    if missing := [one for one in REQUIRED if not hasattr(made, one)]:
        raise BadRequest(f"the probe {name} ({entry.value}) lacks {', '.join(missing)}")
    return made


@cache
def _loaded() -> tuple[dict[str, AnyProbe], dict[str, str]]:
    """The probes that can be loaded, in the order of a report, and why the others cannot."""
    found: list[AnyProbe] = []
    broken: dict[str, str] = {}
    for name in probe_names():
        try:
            found.append(find_probe(name))
        except BadRequest as error:
            broken[name] = str(error)
    found.sort(key=lambda probe: (*[probe.name != name for name in FIRST], probe.name))
    return {probe.name: probe for probe in found}, broken


def all_probes() -> dict[str, AnyProbe]:
    return _loaded()[0]


def usual_probes() -> dict[str, AnyProbe]:
    """The probes of geobias itself. Those of other packages run only if the user names them."""
    own = {name for name, entry in _found().items() if entry.value.startswith("geobias.")}
    return {name: probe for name, probe in all_probes().items() if name in own}


def broken_probes() -> dict[str, str]:
    return _loaded()[1]


def record_owner(record: str) -> AnyProbe | None:
    """The probe whose trials leave records of this name; None if it is not installed."""
    return next((one for one in all_probes().values() if record in one.records), None)


def record_titles() -> dict[str, str]:
    return {
        name: f"{probe.title}{name.removeprefix(probe.name).replace('_', ' ')}"
        for probe in all_probes().values()
        for name in probe.records
    }


def plan_of(probe: AnyProbe, given: Mapping[str, object]) -> Plan:
    """The probe's plan with these settings. Values may be text from a command line."""
    settings = settings_from(probe.Settings, given, probe.name)
    return msgspec.structs.replace(probe.plan(settings), given=unusual(settings))


def planner(probe: AnyProbe) -> Callable[..., Plan]:
    """A function that plans a run of the probe: `planner(WorldBench())(size="standard")`."""
    return lambda **given: plan_of(probe, given)


def given_settings(manifest: Manifest, name: str) -> StoredSettings:
    return (manifest.given or {}).get(name, {})
