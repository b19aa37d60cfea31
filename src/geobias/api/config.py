"""An audit as one TOML file: read and checked, and written from a plan or a manifest.

Every mistake in a file is one plain sentence that names the key and the nearest one that there is.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import msgspec

from geobias.api.auditing import chosen_probes
from geobias.api.example import WORD
from geobias.api.running import DEFAULT_FOLDER, Options, default_path, open_run, refuse_impossible
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.models.catalogue import check_address, check_name
from geobias.models.naming import ModelEntry, entry_of
from geobias.probes.plan import Plan
from geobias.probes.registry import all_probes, given_settings, plan_of, plans_from
from geobias.probes.settings import Field, Settings, fields_of, settings_from
from geobias.report.baseline import BOUNDS, check_baseline, limits_from
from geobias.report.formats import SUFFIXES
from geobias.report.gating import check_names
from geobias.runfile.manifest import Manifest
from geobias.untrusted import Undecodable, in_words, text_of, toml_table

COMMON = tuple(field.name for field in fields_of(Settings))
"""Settings that every probe has; a probe's own ones stand under its name."""
OWN = ("concurrency", "timeout", "batch")
_OF_MODEL = ("url", *(name for name in ModelEntry.__struct_fields__ if name != "own"))
"""Options that each model may have its own of."""


class GateConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What `geobias gate` would be told: tables of metric → number, and what becomes of doubt."""

    limits: dict[str, dict[str, Any]] = {}
    undecided: Literal["pass", "fail"] | None = None
    allow_unmeasurable: bool = False
    allow_unfinished: bool = False
    baseline: Path | None = None
    junit: Path | None = None


class AuditConfig(msgspec.Struct, frozen=True, kw_only=True):
    """An audit. No probes means all of them, no models the embedded one.

    settings     those of `COMMON`, for every probe
    of_probe     a probe's own
    roles        models beside the tested one, such as a judge; `others` says more about them
    options      fields of `geobias.Options`
    beside       further runs that the report shows; "example" is the one that geobias carries
    outputs      further files for the report, each of a kind that its name tells
    """

    models: tuple[ModelEntry, ...] = ()
    probes: tuple[str, ...] = ()
    settings: dict[str, Any] = {}
    of_probe: dict[str, dict[str, Any]] = {}
    roles: dict[str, str] = {}
    others: tuple[ModelEntry, ...] = ()
    options: dict[str, Any] = {}
    out: Path = DEFAULT_FOLDER
    beside: tuple[Path, ...] = ()
    outputs: tuple[Path, ...] = ()
    gate: GateConfig | None = None

    @property
    def names(self) -> list[str]:
        """What the models are called, each once."""
        return list(dict.fromkeys(one.shown for one in self.models)) or ["embedded"]

    @property
    def entries(self) -> dict[str, ModelEntry]:
        """More about models than their names say."""
        return {one.shown: one for one in (*self.models, *self.others) if not one.plain}

    def plans(self) -> list[Plan]:
        """The probes' plans. Raises BadRequest for settings that cannot be."""
        chosen = chosen_probes(list(self.probes) or None)
        for name in self.of_probe:
            if name not in {probe.name for probe in chosen}:
                raise BadRequest(f"there are settings for {name}, which is not among the probes")
        return [
            plan_of(probe, self.settings | self.of_probe.get(probe.name, {})) for probe in chosen
        ]

    def paths(self, plans: Sequence[Plan]) -> dict[str, Path]:
        """The run file of each model."""
        roles = self.roles.values()
        return {
            model: default_path(plans, "+".join([model, *roles]), self.out) for model in self.names
        }

    def check_models(self) -> None:
        """Refuse names that no model has, as far as that can be told without a key. By files any
        name goes: whoever executes them knows it."""
        if not self.options.get("batch_files"):
            for name in {*self.names, *self.roles.values()} - {"none"}:
                check_name(self.entries[name].name if name in self.entries else name)

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
        own = next((one.own for one in self.models if one.shown == model), {})
        return Options(**self.options | own, entries=self.entries)


LIMITS = (
    *("concurrency", "max_calls", "max_tokens", "max_cost", "prices", "timeout", "poll"),
    "thinking",
)
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
    others = {name: model_entry(table[name], source) for name in sorted(roles & table.keys())}
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
        roles={name: one.shown for name, one in others.items()},
        others=tuple(others.values()),
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
            config.options_of(one.shown)
    except BadRequest as error:
        raise BadRequest(f"{source}: [limits] {error}") from None
    return config


def check_labels(entries: Iterable[ModelEntry]) -> None:
    """Refuse one label for two models."""
    known: dict[str, ModelEntry] = {}
    for one in entries:
        if known.setdefault(one.shown, one).name != one.name:
            raise BadRequest(f"two models are called {one.shown!r}: give one another label")


def role_names() -> set[str]:
    """Models that some probe takes beside the tested one."""
    return {role for probe in all_probes().values() for role in probe.roles}


def _models(value: Any, source: str) -> tuple[ModelEntry, ...]:
    if not isinstance(value, list):
        raise BadRequest(f'{source}: models is a list, such as ["openai/gpt-4o-mini"]')
    entries = tuple(model_entry(one, source) for one in value)
    check_labels(entries)
    return entries


def model_entry(one: Any, source: str) -> ModelEntry:
    """A model as a file names it, by one text or a table."""
    if isinstance(one, str):
        one = {"name": one}
    entry = dict(_table(one, f"{source}: models"))
    _check(entry, [*_OF_MODEL, *OWN], source, "models: ")
    place = "/".join(str(entry.pop(key)).strip("/") for key in ("url", "name") if key in entry)
    _of_kind(place or None, str, f"{source}: models: name")
    where = f"{source}: models: {entry.get('label') or place}"
    own = _numbers({key: entry.pop(key) for key in OWN if key in entry}, where)
    try:
        check_address(place)
        return msgspec.convert(entry | {"name": place, "own": own}, ModelEntry)
    except (BadRequest, msgspec.ValidationError) as error:
        raise BadRequest(f"{where}: {in_words(error)}") from None


def typed_model(text: str) -> ModelEntry:
    """A model as it is typed on the command line: by its name, or by a table as files have it."""
    if not text.lstrip().startswith("{"):
        return model_entry(text, "MODEL")
    try:
        return model_entry(toml_table(f"model = {text}")["model"], "MODEL")
    except Undecodable as error:
        raise BadRequest(f"MODEL {text[:60]!r}: {error}") from None


def _settings(
    given: Mapping[str, Any], probe: str | None, source: str, folder: Path
) -> dict[str, Any]:
    """Settings as `make_plan` takes them, tried here so that a mistake is told with its place."""
    declared: type[msgspec.Struct] = Settings if probe is None else all_probes()[probe].Settings
    fields = _fields(declared)
    where = "" if probe is None else f"[{probe}] "
    _check(given, fields, source, where, "setting")
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


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def as_toml(config: AuditConfig, about: str = "") -> str:
    """The file that describes an audit; `about` stands above it, as a comment."""
    return "".join(f"{line}\n" for line in _lines(config, about))


def _lines(config: AuditConfig, about: str) -> Iterator[str]:
    for line in about.splitlines():
        yield f"# {_printable(line)}"
    top: dict[str, Any] = {"models": [*map(_as_value, config.models)] or ["embedded"]}
    if config.probes:
        top["probes"] = list(config.probes)
    others = {one.shown: _as_value(one) for one in config.others}
    top |= config.settings | {role: others.get(name, name) for role, name in config.roles.items()}
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


def _as_value(entry: ModelEntry) -> Any:
    if entry == ModelEntry(entry.name):
        return entry.name
    fields = {name: getattr(entry, name) for name in _OF_MODEL if name != "url"}
    usual = ModelEntry("")
    given = {name: value for name, value in fields.items() if value != getattr(usual, name)}
    return {"name": entry.name} | given | entry.own


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
            yield f"{_key(name)} = {_value(value)}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{_key(name)} = {_value(one)}" for name, one in value.items()) + " }"
        )
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
        models=(entry_of(models.pop("model"), manifest.asked.get("model", {})),),
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
        fields = {one.name: one for one in fields_of(all_probes()[name].Settings)}
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
