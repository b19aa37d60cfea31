"""A run's plans, made again from its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from geobias.errors import BadRequest
from geobias.probes.plan import Plan
from geobias.probes.registry import AnyProbe, find_probe
from geobias.probes.settings import completed, unsaid
from geobias.runfile.manifest import Manifest


def plans_from(manifest: Manifest) -> list[Plan]:
    """The plans whose run this is. What cannot be made again is a `BadRequest` that says why."""
    plans = []
    for name in manifest.probes:
        probe, entries = find_probe(name), _entries(manifest, name)
        plan = probe.make_plan(**given_settings(manifest, name))
        if different := _different(plan, entries):
            raise BadRequest(
                f"{name} cannot be made again as this run asked it: {', '.join(different)} would "
                "be another"
            )
        plans.append(plan)
    return plans


def given_settings(manifest: Manifest, name: str) -> dict[str, Any]:
    """A probe's settings in a run, without the usual ones.

    Earlier runs did not keep them: theirs are looked for among what they resolved to.
    """
    if manifest.given is not None and name in manifest.given:
        return _earlier_defaults(manifest, name) | manifest.given[name]
    return _found(find_probe(name), _entries(manifest, name))


def _entries(manifest: Manifest, name: str) -> dict[str, Any]:
    """A probe's settings as a manifest of today has them."""
    return completed(find_probe(name).Settings, manifest.probes[name])


def _earlier_defaults(manifest: Manifest, name: str) -> dict[str, Any]:
    """What was usual when the run was made, as settings, where it is no longer."""
    entries = manifest.probes[name]
    meant = unsaid(find_probe(name).Settings, entries)
    return {
        field.name: meant[field.entry]
        for field in find_probe(name).setting_fields()
        if field.entry in meant.keys() - entries.keys() and meant[field.entry] != field.default
    }


def _found(probe: AnyProbe, entries: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with which a plan resolves to these entries, as far as there are such."""
    common = ("size", "repeats", "temperature", "seed", "system")
    fields = probe.setting_fields()
    usual = {field.name: field.default for field in fields}
    known = {field.name for field in fields}
    given = {name: entries[name] for name in common if name in entries and name in known}
    if given.get("temperature") == 0 or given.get("repeats", 1) > 1:
        given.pop("temperature", None)
    plan = probe.make_plan(**given)
    for field in fields:
        wanted = entries.get(field.entry)
        if wanted is None or plan.settings.get(field.entry) == wanted:
            continue
        try:
            closer = probe.make_plan(**given, **{field.name: wanted})
        except (BadRequest, TypeError):
            continue
        if len(_different(closer, entries)) < len(_different(plan, entries)):
            plan, given = closer, given | {field.name: wanted}
    return {name: value for name, value in given.items() if value != usual[name]}


def _different(plan: Plan, entries: Mapping[str, Any]) -> list[str]:
    made = msgspec.to_builtins(plan.settings)
    return sorted(
        name for name in made.keys() | entries.keys() if made.get(name) != entries.get(name)
    )
