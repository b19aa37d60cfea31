"""May two runs be compared? Their manifests say.

Where the questions, the truth or the prompts differ, a difference of results says nothing about
the models, and the comparison is refused. Where something differs that may well be what one wants
to know about (a system message, retrieval, the temperature), it is named. Where only the choice of
questions differs, those that both asked are compared.
"""

from __future__ import annotations

from typing import Any

import msgspec

from geobias.runfile import Manifest

CHOICE = frozenset(
    {
        *("size", "indicators", "countries", "regions", "repeats", "names"),
        *("entities", "type", "setting", "languages", "design", "each", "judge_questions"),
    }
)
"""Settings that decide which items are asked, and nothing else about them."""
CHOSEN = "entities"
"""The edition that is of the entities chosen, not of the table that they come from."""
TRUTH = frozenset(("ground_truth", "year", "figures", "own_indicators", "items"))
"""Settings without which the same item is another item."""


class Differences(msgspec.Struct, frozen=True):
    """What tells two runs of a probe apart, in words.

    forbidding  they must not be compared
    telling     a difference of results may come from it
    choosing    they asked other items; shared ones can be compared
    """

    forbidding: list[str]
    telling: list[str]
    choosing: list[str]


def differences(first: Manifest, second: Manifest, probe: str) -> Differences:
    """What differs between two runs in all that decides a probe's results, but for the model."""
    forbidding = [
        f"{field[:-1]} of {name}"
        for field in ("editions", "prompts")
        for name in sorted(getattr(first, field).keys() & getattr(second, field).keys())
        if getattr(first, field)[name] != getattr(second, field)[name] and name != CHOSEN
    ]
    telling: list[str] = []
    choosing: list[str] = []
    mine, theirs = (msgspec.to_builtins(one.probes.get(probe, {})) for one in (first, second))
    for key in sorted(mine.keys() | theirs.keys()):
        a, b = mine.get(key), theirs.get(key)
        if a == b:
            continue
        said = f"{key.replace('_', ' ')}: {_short(a)} and {_short(b)}"
        if key in TRUTH:
            forbidding.append(said)
        elif key in CHOICE:
            choosing.append(said)
        else:
            telling.append(said)
    for role in sorted((first.models.keys() | second.models.keys()) - {"model"}):
        a, b = first.models.get(role), second.models.get(role)
        if a != b:
            telling.append(f"{role}: {_short(a)} and {_short(b)}")
    return Differences(forbidding, telling, choosing)


def _short(value: Any) -> str:
    words = "none" if value in (None, "", [], False) else str(value)
    return words if len(words) <= 40 else words[:37] + "…"
