"""May two runs be compared? Their manifests say.

Where the questions, the truth or the prompts differ, a difference of results says nothing about
the models, and the comparison is refused. Where something differs that may well be what one wants
to know about (a system message, retrieval, the temperature), it is named. Where only the choice of
questions differs, those that both asked are compared.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from geobias.probes.registry import AnyProbe, uses_prompt
from geobias.probes.settings import bearing
from geobias.runfile import Manifest


class Differences(msgspec.Struct, frozen=True):
    """What tells two runs of a probe apart, in words.

    forbidding  they must not be compared
    telling     a difference of results may come from it
    choosing    they asked other items; shared ones can be compared
    """

    forbidding: list[str]
    telling: list[str]
    choosing: list[str]


def differences(first: Manifest, second: Manifest, probe: AnyProbe) -> Differences:
    """What differs between two runs in all that decides a probe's results, but for the model.

    A run of several probes has the data and prompts of them all; only this probe's count.
    """
    editions = probe.editions.keys() - probe.chosen_editions
    forbidding = [
        *(f"edition of {name}" for name in _changed(first.editions, second.editions, editions)),
        *(
            f"prompt of {name}"
            for name in _changed(
                first.prompts,
                second.prompts,
                {name for name in first.prompts if uses_prompt(probe, name)},
            )
        ),
    ]
    fields = probe.setting_fields()
    telling: list[str] = []
    choosing: list[str] = []
    mine, theirs = (msgspec.to_builtins(one.probes.get(probe.name, {})) for one in (first, second))
    for key in sorted(mine.keys() | theirs.keys()):
        a, b = mine.get(key), theirs.get(key)
        if a == b:
            continue
        said = f"{key.replace('_', ' ')}: {_short(a)} and {_short(b)}"
        lists = {"truth": forbidding, "items": choosing}
        lists.get(bearing(fields, key), telling).append(said)
    for role in sorted((first.models.keys() | second.models.keys()) - {"model"}):
        a, b = first.models.get(role), second.models.get(role)
        if a != b:
            telling.append(f"{role}: {_short(a)} and {_short(b)}")
    return Differences(forbidding, telling, choosing)


def _changed(
    first: Mapping[str, str], second: Mapping[str, str], wanted: Collection[str]
) -> list[str]:
    """Which of the wanted ones both have, and not the same."""
    both = first.keys() & second.keys() & set(wanted)
    return sorted(name for name in both if first[name] != second[name])


def _short(value: Any) -> str:
    # A temperature of 0 is a number, and equal to False.
    words = "none" if value is None or value is False or value in ("", []) else str(value)
    return words if len(words) <= 40 else words[:37] + "…"
