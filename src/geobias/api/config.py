"""Read and check an audit: one document, from a TOML file, the command line or both.

Every error is one sentence that names the wrong key and similar known keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_type_hints

import msgspec

from geobias.api.auditing import chosen_probes, opened_baseline
from geobias.errors import BadRequest, unknown
from geobias.models.catalogue import check_address, check_name
from geobias.models.naming import ModelEntry
from geobias.probes.plan import Plan
from geobias.probes.registry import all_probes, plan_of
from geobias.probes.settings import Settings, fields_of, settings_from
from geobias.report.baseline import Limit, check_baseline, read_limits
from geobias.report.gating import check_names
from geobias.running import DEFAULT_FOLDER, Options, default_path, make_manifest, refuse_impossible
from geobias.trials import StoredSettings
from geobias.untrusted import Json, Undecodable, in_words, text_of, toml_value

COMMON = tuple(field.name for field in fields_of(Settings))
"""Settings that every probe has. Settings of one probe stand in a table with the probe's name."""
OPTIONS = tuple(field.name for field in fields_of(Options) if field.setting.help)
"""Keys of [limits]. They never change what is asked."""
T = TypeVar("T")


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of an audit's document, other than settings and roles.

    `gate` is a file of limits that the finished runs must keep; see `geobias gate`.
    """

    models: list[str | Json] = []
    probes: list[str] = []
    out: Path = DEFAULT_FOLDER
    batch: bool = False
    limits: Json = {}
    gate: Path | None = None
    baseline: Path | None = None
    undecided: Literal["pass", "fail"] | None = None


class AuditConfig(msgspec.Struct, frozen=True, kw_only=True):
    """An audit, checked. By default it asks the embedded model, with all probes of geobias.

    `settings` are those of every probe (`COMMON`), `of_probe` those of single probes, and `options`
    fields of `geobias.Options`. `others` are models by role, such as a judge.
    """

    models: tuple[ModelEntry, ...] = ()
    probes: tuple[str, ...] = ()
    settings: StoredSettings = {}
    of_probe: dict[str, StoredSettings] = {}
    others: dict[str, ModelEntry] = {}
    options: Json = {}
    out: Path = DEFAULT_FOLDER
    gate: list[Limit] = []
    baseline: Path | None = None
    undecided: Literal["pass", "fail"] | None = None

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(one.shown for one in self.models)) or ["embedded"]

    @property
    def roles(self) -> dict[str, str]:
        return {role: one.shown for role, one in self.others.items()}

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
        return {
            model: default_path(plans, {"model": model} | self.roles, self.out)
            for model in self.names
        }

    def how(self) -> Options:
        entries = {one.shown: one for one in (*self.models, *self.others.values()) if not one.plain}
        return Options(**self.options, entries=entries)

    def check_models(self) -> None:
        """Raise BadRequest for two models with one label, or for an unknown name. Needs no key.

        With batch files any name is allowed, since geobias does not open the model.
        """
        known: dict[str, ModelEntry] = {}
        for one in (*self.models, *self.others.values()):
            if known.setdefault(one.shown, one).name != one.name:
                raise BadRequest(f"two models are called {one.shown!r}: give one another label")
        if not self.options.get("batch_files"):
            for name in known.keys() - {"none"}:
                check_name(known[name].name)

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
        if self.undecided is not None and not self.gate:
            raise BadRequest("--undecided needs --limits")
        if (self.baseline is not None) != any(one.bound == "worse" for one in self.gate):
            raise BadRequest("limits in [worse] need --baseline RUN, and vice versa")
        names = [probe.name for probe in chosen_probes(list(self.probes) or None)]
        for limit in self.gate:
            probe = limit.metric.partition(".")[0]
            if probe in all_probes() and probe not in names:
                raise BadRequest(
                    f"{limit.metric} has a limit, but this audit asks only {', '.join(names)}: "
                    f"add {probe} to the probes, or remove the limit"
                )
        check_names(self.gate, names)
        if self.baseline is not None:
            plans = self.plans()
            with opened_baseline(self.baseline) as before:
                exact = [name for name in self.names if not name.startswith("embedded")]
                planned = [
                    make_manifest(plans, {"model": name} | self.roles, {}, "") for name in exact
                ]
                check_baseline(before, self.gate, planned)


@contextmanager
def placed(where: str) -> Iterator[None]:
    """Put `where` in front of the message of a BadRequest."""
    try:
        yield
    except BadRequest as error:
        raise BadRequest(f"{where}{error}") from None


def read_document(path: Path) -> Json:
    """Read an audit's document from a TOML file. Its paths are relative to the current folder."""
    with placed(f"{path}: "):
        try:
            document = toml_value(text_of(path), Json)
        except Undecodable as error:
            raise BadRequest(str(error)) from None
        config_from(document)
    return document


def config_from(document: Json) -> AuditConfig:
    """Return the audit that a document describes."""
    probes, roles = all_probes(), role_names()
    known = [name for name in Document.__struct_fields__ if name not in probes]
    _check(document, [*known, *COMMON, *roles, *probes])
    read = _converted({name: document[name] for name in known if name in document}, Document)
    _check(read.probes, probes, "probe")
    _check(read.limits, OPTIONS, "key of [limits]")
    limits = settings_from(Options, read.limits, "an audit")
    options = {name: getattr(limits, name) for name in read.limits}
    config = AuditConfig(
        models=tuple(map(model_entry, read.models)),
        probes=tuple(dict.fromkeys(read.probes)),
        settings=_settings({name: document[name] for name in COMMON if name in document}, Settings),
        of_probe={
            name: _settings(document[name], probe.Settings, f"{name}: ")
            for name, probe in probes.items()
            if name in document
        },
        others={name: model_entry(document[name]) for name in roles if name in document},
        options=options | ({"batch": True} if read.batch else {}),
        out=read.out,
        gate=[] if read.gate is None else read_limits(read.gate),
        baseline=read.baseline,
        undecided=read.undecided,
    )
    config.how()
    return config


def _check(given: Iterable[str], known: Iterable[str], what: str = "key") -> None:
    for name in given:
        if name not in known:
            raise unknown(what, str(name), known)


def _converted(value: Any, kind: type[T], where: str = "") -> T:

    def path_of(_: type, text: Any) -> Path:
        if not isinstance(text, str | Path) or "\0" in str(text):
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


def role_names() -> list[str]:
    """Return the roles of models that some probe uses, such as judge, except the tested model."""
    return sorted({role for probe in all_probes().values() for role in probe.roles})


def model_entry(one: Any) -> ModelEntry:
    """Return a model's entry. It is given as a name, as a table, or as the text of a table."""
    if isinstance(one, str) and one.lstrip().startswith("{"):
        try:
            one = toml_value(f"model = {one}", Json)["model"]
        except Undecodable as error:
            raise BadRequest(f"models: {one[:60]!r}: {error}") from None
    entry = {"name": one} if isinstance(one, str) else one
    if not isinstance(entry, dict):
        raise BadRequest(f"a model is a name or a table, not {one!r}")
    entry = dict(entry)
    _check(entry, ["url", *ModelEntry.__struct_fields__], "key of a model")
    url = entry.pop("url", "")
    if url and not (isinstance(url, str) and _URL.match(url)):
        raise BadRequest(f"models: url is an address, such as http://10.0.0.7:8000/v1, not {url!r}")
    place = "/".join(str(part).strip("/") for part in (url, entry.get("name", "")) if part)
    if not place:
        raise BadRequest("models: a model needs a name or a url")
    check_address(place)
    return _converted(
        entry | {"name": place}, ModelEntry, f"models: {entry.get('label') or place}: "
    )


_URL = re.compile(r"(completions:)?https?://")


def _settings(given: Any, declared: type[msgspec.Struct], where: str = "") -> StoredSettings:
    """Return settings for `plan_of`, checked here so that an error names their place."""
    if not isinstance(given, dict):
        raise BadRequest(f"{where}write its settings as a table, not {given!r}")
    with placed(where):
        if tables := [name for name, value in given.items() if isinstance(value, dict)]:
            raise BadRequest(f"{tables[0]} is a value, not a table: write {tables[0]} = …")
        settings_from(declared, given, "it")
    return dict(given)
