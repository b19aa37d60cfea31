"""How runs of a probe differ, and whether they may be compared or pooled in spite of it.

The manifests decide. If questions, truth or prompts differ, a difference of results says nothing
about the models. Other differences, such as a system message or the temperature, may explain it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from geobias.probes.probe import Probe
from geobias.probes.settings import Bears, bearing, fields_of
from geobias.runfile.manifest import Manifest


class Difference(NamedTuple):
    """Something in which runs differ, and what it decides (`Bears`).

    `values` are the values of the runs in words, or empty if words would say nothing.
    """

    bears: Bears
    what: str
    values: Sequence[str] = ()

    def __str__(self) -> str:
        values = " and ".join(map(shortened, dict.fromkeys(self.values)))
        return f"{self.what}: {values}" if values else self.what


def differences(probe: Probe[Any, Any], runs: Sequence[Manifest]) -> Iterator[Difference]:
    """Yield the differences between runs that affect a probe's results, except the model.

    A run of several probes records the editions and prompts of all of them. This function ignores
    those of other probes, and those that a run lacks.
    """
    own = {name for name, one in probe.editions.items() if not one.chosen}
    for kind, digests, is_own in (
        ("edition", [run.editions for run in runs], own.__contains__),
        ("prompt", [run.prompts for run in runs], lambda name: uses_prompt(probe, name)),
    ):
        for name in sorted(filter(is_own, {name for one in digests for name in one})):
            if len({one[name] for one in digests if name in one}) > 1:
                yield Difference("truth", f"{kind} of {name}")
    fields = fields_of(probe.Settings)
    usual = {one.name: one.default for one in fields}
    settings = [usual | msgspec.to_builtins(run.probes.get(probe.name, {})) for run in runs]
    for name, values in _unequal(settings):
        yield Difference(bearing(fields, name), name.replace("_", " "), values)
    others = [{role: one for role, one in run.models.items() if role != "model"} for run in runs]
    for name, values in (*_unequal(others), *_unequal([_how_asked(run) for run in runs])):
        yield Difference("replies", name.replace("_", " "), values)


def uses_prompt(probe: Probe[Any, Any], prompt: str) -> bool:
    """Whether a prompt in a manifest belongs to the probe, judged by the prompt's name."""
    return prompt.partition(".")[0] in probe.records


def _how_asked(run: Manifest) -> dict[str, object]:
    """The conditions, besides models and settings, that affect the records of a run."""
    asked = {"answer_format": "text", **run.asked.get("model", {})}
    asked.pop("model", None)
    return asked | {
        "layout": "by text" if "model" in run.by_text else "chat",
        "version of the rules that read replies (`geobias reread RUN`)": run.reading or "unknown",
        "replies": "made elsewhere" if run.elsewhere else "made by geobias",
    }


def _unequal(runs: Sequence[Mapping[str, object]]) -> Iterator[tuple[str, list[str]]]:
    """Yield the keys whose values differ, with each run's value in words."""
    for key in sorted({key for one in runs for key in one}):
        values = [one.get(key) for one in runs]
        words = [_in_words(value) for value in values]
        # Absent and empty are the same, and so are 0 and 0.0.
        if len(set(words)) > 1 and any(value != values[0] for value in values):
            yield key, words


def _in_words(value: object) -> str:
    # A temperature of 0 is a number, though equal to False.
    return "none" if value is None or value is False or value in ("", []) else str(value)


def shortened(words: str) -> str:
    return words if len(words) <= 40 else f"{words[:37]}…"
