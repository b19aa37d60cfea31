"""From TOML to an audit. Every mistake is one plain sentence that names the key and the nearest
one that there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

from geobias.api import Options
from geobias.config.audit_config import COMMON, OWN, AuditConfig, GateConfig, ModelEntry
from geobias.errors import BadRequest
from geobias.example import WORD
from geobias.outside import Undecodable, text_of, toml_table
from geobias.probes.registry import all_probes
from geobias.probes.settings import Field, Settings, fields_of, settings_from
from geobias.report.formats import SUFFIXES
from geobias.report.limits import BOUNDS, limits_from

LIMITS = ("concurrency", "max_calls", "max_tokens", "max_cost", "prices", "timeout", "poll")
"""Keys of [limits]: they never change what is asked."""


def read_config(path: Path) -> AuditConfig:
    """The audit that a file describes; files it names are found from its folder."""
    try:
        table = toml_table(text_of(path))
    except Undecodable as error:
        raise BadRequest(f"{path}: {error}") from None
    return config_from(table, str(path), path.parent)


def config_from(table: Mapping[str, Any], source: str, folder: Path = Path()) -> AuditConfig:
    """The same from a table as Python has it."""
    probes, roles = all_probes(), role_names()
    known = ["models", "probes", "out", "beside", "outputs", "batch", *COMMON, *roles]
    _check(table, [*known, "limits", "gate", *probes], source, "")
    chosen = _texts(table.get("probes", []), f"{source}: probes")
    _check(dict.fromkeys(chosen), list(probes), source, "", what="probe")
    options = _options(table.get("limits", {}), source, folder)
    if "batch" in table:
        options["batch"] = _of_kind(table["batch"], bool, f"{source}: batch")
    config = AuditConfig(
        models=_models(table.get("models", []), source),
        probes=tuple(chosen),
        settings=_settings(
            {name: table[name] for name in COMMON if name in table}, None, source, folder
        ),
        of_probe={
            name: _settings(_table(table[name], f"{source}: [{name}]"), name, source, folder)
            for name in probes
            if name in table
        },
        roles={
            name: _of_kind(table[name], str, f"{source}: {name}") for name in roles & table.keys()
        },
        options=options,
        out=folder / _path(table["out"], f"{source}: out") if "out" in table else AuditConfig().out,
        beside=tuple(
            WORD if name == str(WORD) else folder / _path(name, f"{source}: beside")
            for name in _texts(table.get("beside", []), f"{source}: beside")
        ),
        outputs=tuple(
            _output(name, source) for name in _texts(table.get("outputs", []), f"{source}: outputs")
        ),
        gate=_gate(table["gate"], source, folder) if "gate" in table else None,
    )
    try:
        config.options_of()
        for one in config.models:
            config.options_of(one.name)
    except BadRequest as error:
        raise BadRequest(f"{source}: [limits] {error}") from None
    return config


def role_names() -> set[str]:
    """Models that some probe takes beside the tested one."""
    return {role for probe in all_probes().values() for role in probe.roles}


def _models(value: Any, source: str) -> tuple[ModelEntry, ...]:
    if not isinstance(value, list):
        raise BadRequest(f'{source}: models is a list, such as ["openai/gpt-4o-mini"]')
    return tuple(_model(one, source) for one in value)


def _model(one: Any, source: str) -> ModelEntry:
    own = {}
    if not isinstance(one, str):
        entry = _table(one, f"{source}: models")
        _check(entry, ["name", *OWN], source, "models: ")
        one = entry.get("name")
        own = {key: entry[key] for key in OWN if key in entry}
    name = _of_kind(one, str, f"{source}: models: name")
    _numbers(own, f"{source}: models: {name}")
    try:
        return ModelEntry(name, own)
    except BadRequest as error:
        raise BadRequest(f"{source}: models: {error}") from None


def _settings(
    given: Mapping[str, Any], probe: str | None, source: str, folder: Path
) -> dict[str, Any]:
    """Settings as `make_plan` takes them, tried here so that a mistake is told with its place."""
    declared: type[msgspec.Struct] = Settings if probe is None else all_probes()[probe].Settings
    fields = _fields(declared)
    where = "" if probe is None else f"[{probe}] "
    shown = [name for name, one in fields.items() if not one.setting.hidden]
    _check(given, [*shown, *(name for name in fields if name in given)], source, where, "setting")
    found = {}
    for name, value in given.items():
        if isinstance(value, dict):
            raise BadRequest(f"{source}: {where}{name} is a value, not a table")
        found[name] = str(folder / value) if is_file(fields[name], value, folder) else value
    try:
        settings_from(declared, found, probe or "an audit")
    except BadRequest as error:
        raise BadRequest(f"{source}: {where}{error}") from None
    return found


def is_file(field: Field, value: Any, folder: Path) -> bool:
    """Whether a setting names a file, to be found from a folder; some take words instead."""
    if not isinstance(value, str):
        return False
    return field.kind is Path or ("FILE" in field.setting.metavar and (folder / value).is_file())


def _fields(declared: type[msgspec.Struct]) -> dict[str, Field]:
    return {field.name: field for field in fields_of(declared)}


def _options(value: Any, source: str, folder: Path) -> dict[str, Any]:
    limits = _table(value, f"{source}: [limits]")
    _check(limits, LIMITS, source, "[limits] ")
    found = _numbers(limits, f"{source}: [limits]")
    if "prices" in found:
        found["prices"] = folder / _path(found["prices"], f"{source}: [limits] prices")
    return found


def _numbers(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    kinds: dict[str, Any] = {"prices": str, "batch": bool, "max_cost": float, "poll": float}
    kinds |= {"timeout": float}
    for name, value in given.items():
        _of_kind(value, kinds.get(name, int), f"{where} {name}")
        if isinstance(value, int | float) and not isinstance(value, bool) and not value > 0:
            raise BadRequest(f"{where} {name} = {value} is no limit: it is more than 0")
    try:
        Options(**{name: value for name, value in given.items() if name != "prices"})
    except BadRequest as error:
        raise BadRequest(f"{where} {error}") from None
    return dict(given)


def _gate(value: Any, source: str, folder: Path) -> GateConfig:
    gate = dict(_table(value, f"{source}: [gate]"))
    others = ("undecided", "allow_unmeasurable", "allow_unfinished", "baseline", "junit")
    _check(gate, [*BOUNDS, *others], source, "[gate] ")
    limits: dict[str, dict[str, Any]] = {
        bound: dict(_table(gate.pop(bound), f"{source}: [gate.{bound}]"))
        for bound in BOUNDS
        if bound in gate
    }
    if gate.get("undecided", "pass") not in ("pass", "fail"):
        raise BadRequest(f'{source}: [gate] undecided is "pass" or "fail"')
    for name in ("allow_unmeasurable", "allow_unfinished"):
        if name in gate:
            _of_kind(gate[name], bool, f"{source}: [gate] {name}")
    for name in ("baseline", "junit"):
        if name in gate:
            gate[name] = folder / _path(gate[name], f"{source}: [gate] {name}")
    if ("worse" in limits) != ("baseline" in gate):
        raise BadRequest(f"{source}: [gate.worse] and baseline = RUN go together")
    if not any(limits.values()):
        raise BadRequest(f"{source}: [gate] sets no limit; write [gate.max] and METRIC = NUMBER")
    limits_from(limits, f"{source}: [gate]")
    return GateConfig(limits=limits, **gate)


def _output(name: str, source: str) -> Path:
    path = _path(name, f"{source}: outputs")
    if path.suffix.lower() not in SUFFIXES:
        raise BadRequest(f"{source}: outputs: {name} ends in none of {', '.join(SUFFIXES)}")
    return path


def _check(
    given: Iterable[str], known: Iterable[str], source: str, where: str, what: str = "key"
) -> None:
    """Refuse a name that nobody knows, with the one that may have been meant."""
    names = list(known)
    for name in given:
        if name not in names:
            near = get_close_matches(str(name), names, n=1, cutoff=0.6)
            hint = f"did you mean {near[0]!r}?" if near else f"there is {', '.join(names)}"
            raise BadRequest(f"{source}: {where}no {what} is called {name!r}; {hint}")


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadRequest(f"{where} is a table, not {value!r}")
    return value


def _texts(value: Any, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BadRequest(f"{where} is a list of texts, not {value!r}")
    return list(dict.fromkeys(value))


def _of_kind(value: Any, kind: type, where: str) -> Any:
    words = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
    fits = isinstance(value, (int, float) if kind is float else kind)
    if not fits or (kind in (int, float) and isinstance(value, bool)):
        raise BadRequest(f"{where} is {words[kind]}, not {value!r}")
    return value


def _path(value: Any, where: str) -> Path:
    name = _of_kind(value, str, where)
    if "\0" in name:
        raise BadRequest(f"{where} is no path: {name!r}")
    return Path(name)
