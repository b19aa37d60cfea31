"""From an audit to TOML: what was run, or would be, as a file that repeats it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from geobias.config.audit_config import COMMON, AuditConfig, GateConfig, ModelEntry
from geobias.config.reading import is_file
from geobias.errors import BadRequest
from geobias.example import WORD
from geobias.files import write_whole
from geobias.probes.registry import all_probes
from geobias.probes.repeating import given_settings, plans_from
from geobias.runfile.manifest import Manifest

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def as_toml(config: AuditConfig, about: str = "") -> str:
    """The file that describes an audit; `about` stands above it, as a comment."""
    return "".join(f"{line}\n" for line in _lines(config, about))


def _lines(config: AuditConfig, about: str) -> Iterator[str]:
    for line in about.splitlines():
        yield f"# {_printable(line)}"
    models = [{"name": one.name, **one.own} if one.own else one.name for one in config.models]
    top: dict[str, Any] = {"models": models or ["embedded"]}
    if config.probes:
        top["probes"] = list(config.probes)
    top |= config.settings | config.roles
    options = dict(config.options)
    if options.pop("batch", False):
        top["batch"] = True
    if config.out != AuditConfig().out:
        top["out"] = str(config.out)
    if config.beside:
        top["beside"] = list(map(str, config.beside))
    if config.outputs:
        top["outputs"] = list(map(str, config.outputs))
    yield from _values(top)
    yield from _section("limits", options)
    for name, settings in config.of_probe.items():
        yield from _section(name, settings)
    if config.gate is not None:
        yield from _gate_lines(config.gate)


def _gate_lines(gate: GateConfig) -> Iterator[str]:
    usual = GateConfig()
    names = ("undecided", "allow_unmeasurable", "allow_unfinished", "baseline", "junit")
    values = {name: getattr(gate, name) for name in names}
    changed = {name: value for name, value in values.items() if value != getattr(usual, name)}
    yield from _section("gate", changed, empty=True)
    for bound, limits in gate.limits.items():
        yield from _section(f"gate.{bound}", dict(_flat(limits)))


def _flat(limits: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in limits.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _section(name: str, values: Mapping[str, Any], *, empty: bool = False) -> Iterator[str]:
    if values or empty:
        yield ""
        yield f"[{name}]"
        yield from _values(values)


def _values(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if value is not None:
            key = name if _BARE.fullmatch(name) else _text(name)
            yield f"{key} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_value(one)}" for name, one in value.items()) + " }"
    return _text(str(value))


def _text(text: str) -> str:
    """TOML's basic strings are JSON's. What is invisible, or reorders a line, is written out."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else _written_out(sign) for sign in quoted)


def _written_out(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if ord(sign) < 1 << 16 else f"\\U{ord(sign):08x}"


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)


def config_of(manifest: Manifest) -> tuple[AuditConfig, str]:
    """The audit that a run was, and what could not be found out about it, in a sentence."""
    given = {name: _settings_in(manifest, name) for name in manifest.probes}
    first = next(iter(given.values()), {})
    common = {
        name: first[name]
        for name in COMMON
        if name in first and all(one.get(name) == first[name] for one in given.values())
    }
    own = {
        probe: {name: value for name, value in settings.items() if name not in common}
        for probe, settings in given.items()
    }
    why = ""
    try:
        plans_from(manifest)
    except BadRequest as error:
        why = f"This does not repeat the run exactly: {error}."
    models = dict(manifest.models)
    config = AuditConfig(
        models=(ModelEntry(models.pop("model")),),
        probes=tuple(manifest.probes),
        settings=common,
        of_probe={probe: settings for probe, settings in own.items() if settings},
        roles=models,
    )
    return config, why


def _settings_in(manifest: Manifest, name: str) -> dict[str, Any]:
    """A probe's settings in a run: the size in any case, and what is not the usual."""
    size = {name: one for name, one in manifest.probes[name].items() if name == "size" and one}
    return size | given_settings(manifest, name)


def write_beside(config: AuditConfig, about: str) -> Path:
    """Write the audit into its folder, under a name that holds nothing else."""
    text = as_toml(_in_its_folder(config), about).encode()
    number = 1
    while True:
        path = config.out / ("audit.toml" if number == 1 else f"audit-{number}.toml")
        try:
            same = path.read_bytes() == text
        except FileNotFoundError:
            write_whole(path, text, BadRequest)
            return path
        except OSError as error:
            raise BadRequest(f"cannot read {path}: {error.strerror or error}") from None
        if same:
            return path
        number += 1


def _in_its_folder(config: AuditConfig) -> AuditConfig:
    """The audit as a file in its own folder tells it: files it names are found from there."""

    def from_there(value: Any) -> str:
        return os.path.relpath(value, config.out)

    of_probe = {}
    for name, settings in config.of_probe.items():
        fields = {one.name: one for one in all_probes()[name].setting_fields()}
        of_probe[name] = {
            key: from_there(value) if is_file(fields[key], str(value), Path()) else value
            for key, value in settings.items()
        }
    options = dict(config.options)
    if options.get("prices"):
        options["prices"] = from_there(options["prices"])
    gate = config.gate
    if gate is not None:
        files = {"baseline": gate.baseline, "junit": gate.junit}
        there = {key: Path(from_there(value)) for key, value in files.items() if value}
        gate = msgspec.structs.replace(gate, **there)
    beside = tuple(one if one == WORD else Path(from_there(one)) for one in config.beside)
    return msgspec.structs.replace(
        config, of_probe=of_probe, options=options, out=Path(), beside=beside, gate=gate
    )
