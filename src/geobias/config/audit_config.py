"""What an audit is: models, probes and their settings, limits, gates, outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from geobias.api import DEFAULT_FOLDER, Options, open_run, refuse_impossible
from geobias.auditing import chosen_probes
from geobias.errors import BadRequest
from geobias.models.catalogue import check_address, check_name
from geobias.probes.plan import Plan
from geobias.probes.settings import Settings, fields_of
from geobias.report.baseline import check_baseline
from geobias.report.gating import check_names
from geobias.report.limits import limits_from

COMMON = tuple(field.name for field in fields_of(Settings))
"""Settings that every probe has; a probe's own ones stand under its name."""
OWN = ("concurrency", "timeout", "batch")
"""Options that each model may have its own of."""


class ModelEntry(msgspec.Struct, frozen=True):
    """A model, with options of its own where it has any."""

    name: str
    own: dict[str, Any] = {}

    def __post_init__(self) -> None:
        check_address(self.name)


class GateConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What `geobias gate` would be told: tables of metric → number, and what becomes of doubt."""

    limits: dict[str, dict[str, Any]] = {}
    undecided: Literal["pass", "fail"] = "pass"
    allow_unmeasurable: bool = False
    allow_unfinished: bool = False
    baseline: Path | None = None
    junit: Path | None = None


class AuditConfig(msgspec.Struct, frozen=True, kw_only=True):
    """An audit. No probes means all of them, no models the embedded one.

    settings     those of `COMMON`, for every probe
    of_probe     a probe's own
    roles        models beside the tested one, such as a judge
    options      fields of `geobias.Options`
    beside       further runs that the report shows; "example" is the one that geobias carries
    outputs      further files for the report, each of a kind that its name tells
    """

    models: tuple[ModelEntry, ...] = ()
    probes: tuple[str, ...] = ()
    settings: dict[str, Any] = {}
    of_probe: dict[str, dict[str, Any]] = {}
    roles: dict[str, str] = {}
    options: dict[str, Any] = {}
    out: Path = DEFAULT_FOLDER
    beside: tuple[Path, ...] = ()
    outputs: tuple[Path, ...] = ()
    gate: GateConfig | None = None

    @property
    def names(self) -> list[str]:
        """The models, each once."""
        return list(dict.fromkeys(one.name for one in self.models)) or ["embedded"]

    def plans(self) -> list[Plan]:
        """The probes' plans. Raises BadRequest for settings that cannot be."""
        chosen = chosen_probes(list(self.probes) or None)
        for name in self.of_probe:
            if name not in {probe.name for probe in chosen}:
                raise BadRequest(f"there are settings for {name}, which is not among the probes")
        return [
            probe.make_plan(**self.settings | self.of_probe.get(probe.name, {})) for probe in chosen
        ]

    def check_models(self) -> None:
        """Refuse names that no model has, as far as that can be told without a key. By files any
        name goes: whoever executes them knows it."""
        if not self.options.get("batch_files"):
            for name in (*self.names, *self.roles.values()):
                check_name(name)

    def check_asks(self) -> None:
        """Refuse what could not be asked of these models in this way, before anything is."""
        plans = self.plans()
        for name in self.names:
            refuse_impossible(plans, {"model": name} | self.roles, self.options_of(name))

    def check_gate(self) -> None:
        """Refuse what the gate could not judge once everything is asked: a metric that no probe of
        the audit has, a baseline that cannot be read."""
        if self.gate is None:
            return
        limits = limits_from(self.gate.limits, "[gate]")
        try:
            check_names(limits, [probe.name for probe in chosen_probes(list(self.probes) or None)])
            if self.gate.baseline is not None:
                with open_run(self.gate.baseline) as before:
                    check_baseline(before, limits)
        except BadRequest as error:
            raise BadRequest(f"[gate] {error}") from None

    def options_of(self, model: str = "") -> Options:
        """The options of one model, or those that all share."""
        own = next((one.own for one in self.models if one.name == model), {})
        return Options(**self.options | own)
