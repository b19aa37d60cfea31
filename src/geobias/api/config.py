"""Read and check the TOML file that describes an audit.

Every error is one sentence that names the wrong key and the most similar known key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_type_hints

import msgspec

from geobias.api.auditing import chosen_probes, opened_baseline
from geobias.errors import BadRequest
from geobias.models.catalogue import check_address, check_name
from geobias.models.naming import ModelEntry
from geobias.probes.plan import Plan
from geobias.probes.registry import all_probes, plan_of
from geobias.probes.settings import Settings, fields_of, settings_from
from geobias.report.baseline import BOUNDS, Limit, check_baseline, limits_from
from geobias.report.gating import check_names
from geobias.running import (
    DEFAULT_FOLDER,
    Options,
    default_path,
    make_manifest,
    refuse_impossible,
)
from geobias.trials import StoredSettings
from geobias.untrusted import Json, Undecodable, in_words, text_of, toml_value

COMMON = tuple(field.name for field in fields_of(Settings))
"""Settings that every probe has. Settings of one probe stand in a table with the probe's name."""
LIMITS = ("concurrency", "max_calls", "max_tokens", "max_cost", "timeout", "thinking")
"""Keys of [limits]. Limits never change what is asked."""
T = TypeVar("T")


class GateConfig(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The options of `geobias gate`."""

    limits: list[Limit] = []
    undecided: Literal["pass", "fail"] | None = None
    allow_unmeasurable: bool = False
    allow_unfinished: bool = False
    baseline: Path | None = None


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The top-level keys of a configuration file, other than settings and roles."""

    models: list[str | Json] = []
    probes: list[str] = []
    out: Path = DEFAULT_FOLDER
    batch: bool = False
    limits: Json = {}
    gate: Json | None = None


class AuditConfig(msgspec.Struct, frozen=True, kw_only=True):
    """An audit as a file describes it.

    models       the tested models; the embedded model if empty
    probes       names of probes; all probes of geobias if empty
    settings     settings for every probe, with the names in `COMMON`
    of_probe     settings of single probes, by the probe's name
    roles        names of further models by role, such as a judge
    others       entries of the models in `roles`
    options      fields of `geobias.Options`
    """

    models: tuple[ModelEntry, ...] = ()
    probes: tuple[str, ...] = ()
    settings: StoredSettings = {}
    of_probe: dict[str, StoredSettings] = {}
    roles: dict[str, str] = {}
    others: tuple[ModelEntry, ...] = ()
    options: Json = {}
    out: Path = DEFAULT_FOLDER
    gate: GateConfig | None = None

    @property
    def names(self) -> list[str]:
        """The labels of the tested models, without repetition."""
        return list(dict.fromkeys(one.shown for one in self.models)) or ["embedded"]

    @property
    def entries(self) -> dict[str, ModelEntry]:
        """The entries of models by label, except entries that are only a name."""
        return {one.shown: one for one in (*self.models, *self.others) if not one.plain}

    def plans(self) -> list[Plan]:
        """Return the plan of each probe. Raises BadRequest for impossible settings."""
        chosen = chosen_probes(list(self.probes) or None)
        for name in self.of_probe:
            if name not in {probe.name for probe in chosen}:
                raise BadRequest(
                    f"there are settings for {name}, which is not among the probes: add it to the "
                    "probes, or remove the settings"
                )
        return [
            plan_of(probe, self.settings | self.of_probe.get(probe.name, {})) for probe in chosen
        ]

    def paths(self, plans: Sequence[Plan]) -> dict[str, Path]:
        """Return the path of each model's run file."""
        return {
            model: default_path(plans, {"model": model} | self.roles, self.out)
            for model in self.names
        }

    def how(self) -> Options:
        """Return the options, completed with the entries of the models."""
        return Options(**self.options, entries=self.entries)

    def check_models(self) -> None:
        """Raise BadRequest for two models with one label, or for an unknown name. Needs no key.

        With batch files any name is allowed, since geobias does not open the model.
        """
        known: dict[str, ModelEntry] = {}
        for one in (*self.models, *self.others):
            if known.setdefault(one.shown, one).name != one.name:
                raise BadRequest(f"two models are called {one.shown!r}: give one another label")
        if not self.options.get("batch_files"):
            for name in {*self.names, *self.roles.values()} - {"none"}:
                check_name(known[name].name if name in known else name)

    def check_asks(self) -> None:
        """Raise BadRequest for options that these models cannot fulfil, before the first call."""
        plans = self.plans()
        for name in self.names:
            refuse_impossible(plans, {"model": name} | self.roles, self.how())

    def check_gate(self) -> None:
        """Raise BadRequest for limits that could not be checked after the audit.

        A limit cannot be checked if no probe of the audit has its metric, or if its baseline is
        unreadable or must not be compared with this audit.
        """
        if self.gate is None:
            return
        plans = self.plans() if self.gate.baseline is not None else []
        with placed("[gate] "):
            names = [probe.name for probe in chosen_probes(list(self.probes) or None)]
            for limit in self.gate.limits:
                probe = limit.metric.partition(".")[0]
                if probe in all_probes() and probe not in names:
                    raise BadRequest(
                        f"{limit.metric} has a limit, but this audit asks only {', '.join(names)}: "
                        f"add {probe} to the probes, or remove the limit"
                    )
            check_names(self.gate.limits, names)
            if self.gate.baseline is not None:
                with opened_baseline(self.gate.baseline) as before:
                    exact = [name for name in self.names if not name.startswith("embedded")]
                    planned = [
                        make_manifest(plans, {"model": name} | self.roles, {}, "") for name in exact
                    ]
                    check_baseline(before, self.gate.limits, planned)


# Reading ------------------------------------------------------------------------------------------


@contextmanager
def placed(where: str) -> Iterator[None]:
    """Put `where` in front of the message of a BadRequest."""
    try:
        yield
    except BadRequest as error:
        raise BadRequest(f"{where}{error}") from None


def read_config(path: Path) -> AuditConfig:
    """Read an audit from a TOML file. Its paths are relative to the current folder."""
    try:
        table = toml_value(text_of(path), Json)
    except Undecodable as error:
        raise BadRequest(f"{path}: {error}") from None
    return config_from(table, str(path))


def config_from(table: Json, source: str) -> AuditConfig:
    """Return the audit that a dictionary describes."""
    with placed(f"{source}: "):
        config = _config(table)
        config.how()
        return config


def _config(table: Json) -> AuditConfig:
    probes, roles = all_probes(), role_names()
    known = [name for name in Document.__struct_fields__ if name not in probes]
    _check(table, [*known, *COMMON, *roles, *probes])
    read = _converted({name: table[name] for name in known if name in table}, Document)
    _check(read.probes, list(probes), what="probe")
    others = {name: model_entry(table[name]) for name in sorted(roles & table.keys())}
    with placed("[limits] "):
        _check(read.limits, LIMITS)
        limits = settings_from(Options, read.limits, "an audit")
    options = {name: getattr(limits, name) for name in read.limits}
    return AuditConfig(
        models=tuple(map(model_entry, read.models)),
        probes=tuple(dict.fromkeys(read.probes)),
        settings=_settings({name: table[name] for name in COMMON if name in table}, Settings),
        of_probe={
            name: _settings(table[name], probe.Settings, f"[{name}] ")
            for name, probe in probes.items()
            if name in table
        },
        roles={name: one.shown for name, one in others.items()},
        others=tuple(others.values()),
        options=options | ({"batch": True} if read.batch else {}),
        out=read.out,
        gate=None if read.gate is None else _gate(read.gate),
    )


def _converted(value: Any, kind: type[T], where: str = "") -> T:

    def path_of(_: type, text: Any) -> Path:
        if not isinstance(text, str) or "\0" in text:
            raise ValueError(f"{text!r} is not a path")
        return Path(text)

    with placed(where):
        try:
            return msgspec.convert(value, kind, dec_hook=path_of)
        except msgspec.ValidationError as error:
            raise BadRequest(in_words(error) + _choices(kind, error)) from None


def _choices(kind: type, error: msgspec.ValidationError) -> str:
    """Return the words that a field allows, to end an error about another word; "" otherwise."""
    hint = get_type_hints(kind).get(str(error).rpartition("$.")[2].strip("`"))
    words = [one for part in (hint, *get_args(hint)) for one in get_args(part)]
    known = ", ".join(one for one in dict.fromkeys(words) if isinstance(one, str) and one)
    return f"; choose from {known}" if str(error).startswith("Invalid enum value") else ""


def role_names() -> set[str]:
    """Return the roles of models that some probe uses, such as judge, except the tested model."""
    return {role for probe in all_probes().values() for role in probe.roles}


def model_entry(one: Any) -> ModelEntry:
    """Return a model's entry from a file, which gives it as a string or a table."""
    entry = {"name": one} if isinstance(one, str) else one
    if not isinstance(entry, dict):
        raise BadRequest(f"a model is a name or a table, not {one!r}")
    entry = dict(entry)
    _check(entry, ["url", *ModelEntry.__struct_fields__], "models: ")
    url = entry.pop("url", "")
    if url and not (isinstance(url, str) and _URL.match(url)):
        raise BadRequest(f"models: url is an address, such as http://10.0.0.7:8000/v1, not {url!r}")
    place = "/".join(str(part).strip("/") for part in (url, entry.get("name", "")) if part)
    if not place:
        raise BadRequest("models: a model needs a name or a url")
    where = f"models: {entry.get('label') or place}: "
    check_address(place)
    return _converted(entry | {"name": place}, ModelEntry, where)


_URL = re.compile(r"(completions:)?https?://")


def typed_model(text: str) -> ModelEntry:
    """Return the entry of a model on the command line: a name, or a table as in files."""
    try:
        braced = text.lstrip().startswith("{")
        return model_entry(toml_value(f"model = {text}", Json)["model"] if braced else text)
    except (Undecodable, BadRequest) as error:
        raise BadRequest(f"MODEL {text[:60]!r}: {error}") from None


def _settings(given: Any, declared: type[msgspec.Struct], where: str = "") -> StoredSettings:
    """Return settings for `plan_of`, checked here so that an error names the place in the file."""
    if not isinstance(given, dict):
        raise BadRequest(f"{where}is a table: write its settings below it, not {given!r}")
    with placed(where):
        _check(given, [field.name for field in fields_of(declared)], what="setting")
        if tables := [name for name, value in given.items() if isinstance(value, dict)]:
            raise BadRequest(f"{tables[0]} is a value, not a table: write {tables[0]} = …")
        settings_from(declared, given, "an audit")
    return dict(given)


def _gate(given: Json) -> GateConfig:
    fields = [name for name in GateConfig.__struct_fields__ if name != "limits"]
    _check(given, [*BOUNDS, *fields], "[gate] ")
    tables: Json = {bound: given[bound] for bound in BOUNDS if bound in given}
    others = {name: given[name] for name in fields if name in given}
    gate = _converted(others, GateConfig, "[gate] ")
    gate = msgspec.structs.replace(gate, limits=limits_from(tables, "[gate]"))
    if ("worse" in tables) != (gate.baseline is not None):
        raise BadRequest("[gate.worse] needs baseline = RUN, and baseline = RUN needs [gate.worse]")
    return gate


def _check(given: Iterable[str], known: Iterable[str], where: str = "", what: str = "key") -> None:
    """Raise BadRequest for an unknown name, and suggest the most similar known name."""
    names = list(known)
    for name in given:
        if name not in names:
            near = get_close_matches(str(name), names, n=1, cutoff=0.6)
            hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(names)}"
            raise BadRequest(f"{where}no {what} is called {name!r}; {hint}")
