"""Open a model by the name that the user typed, and look up its price.

`providers.csv` lists services with the OpenAI chat protocol. `prices.csv` lists their prices.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from geobias.errors import BadRequest, MissingPart, meant
from geobias.models import embedded
from geobias.models.chat import ChatModel, TextModel
from geobias.models.model import CUSTOM_KEY, Model
from geobias.models.naming import ModelEntry
from geobias.models.thinking import FIRST_TOKENS
from geobias.redaction import of_environment
from geobias.runfile.manifest import Price


class Provider(msgspec.Struct, frozen=True):
    """A row of providers.csv. The first of `key_variables` that is set holds the key."""

    name: str
    url: str
    key_variables: tuple[str, ...]
    url_variable: str
    seed: str
    max_tokens: str
    effort: str

    @property
    def own_server(self) -> bool:
        """Whether the provider runs on the user's machine, where a key is optional."""
        return self.url.startswith("http://")

    def key(self) -> tuple[str, str]:
        """Return the key and the environment variable that holds it; both "" if none is set."""
        for variable in self.key_variables:
            if value := os.environ.get(variable, "").strip():
                return value, variable
        return "", ""

    def address(self) -> str:
        """Return the address, which an environment variable may replace."""
        url = os.environ.get(self.url_variable) or self.url
        if "?" in url or "@" in url:
            variable = self.key()[1]
            raise BadRequest(f"{self.url_variable}: put the key in {variable}, not in the address")
        return url


@cache
def providers() -> Mapping[str, Provider]:
    table = files("geobias.models").joinpath("providers.csv").read_text("utf-8")
    by_name = {}
    for row in csv.DictReader(table.splitlines()):
        variables = tuple(filter(None, row.pop("key_variable").split("|")))
        by_name[row["name"]] = Provider(key_variables=variables, **row)
    return by_name


REASONING = re.compile(r"openai/(o\d|gpt-5(?!.*chat))")
"""OpenAI's reasoning models, which accept no temperature and need tokens to think. Others are
detected from their replies.
"""
_AS_TEXT = "completions:"
_ADDRESS = re.compile(r"(https?://[^/\s]+(?:/.*)?/v1(?:beta/openai)?)/(.+)")


class Spec(msgspec.Struct, frozen=True):
    """A model's name, taken apart.

    `kind` is "embedded", "sim" or "inspect", "text" for a base model at a server, or "http" for any
    other model at a server. A server has an address, and its name for the model; a server that is
    named by its address has no `provider`.
    """

    name: str
    kind: str
    url: str = ""
    model: str = ""
    provider: Provider | None = None


def spec_of(name: str) -> Spec:
    """Take a model's name apart. Raises BadRequest if no model has this name. Needs no key."""
    kind = re.split("[:/?]", name)[0]
    if kind in ("embedded", "sim", "inspect"):
        return Spec(name, kind)
    place = name.removeprefix(_AS_TEXT)
    kind = "http" if place == name else "text"
    if place.startswith(("http://", "https://")):
        check_address(place)
        address = _ADDRESS.fullmatch(place)
        if not address:
            raise BadRequest(f"{name!r} is not of the form http(s)://host[:port]/v1/NAME")
        try:
            _ = urlsplit(address[1]).port
        except ValueError as error:
            raise BadRequest(f"{name!r} is not an address: {error}") from None
        return Spec(name, kind, address[1], address[2])
    own, slash, model = place.partition("/")
    provider = providers().get(own)
    if provider is None or not model:
        known = ", ".join(f"{one}/…" for one in providers())
        places = () if provider else (*providers(), "sim", "embedded")
        raise BadRequest(
            f"no model {name!r}. Models are: embedded, embedded:FILE.gguf, sim/fair, {known}, "
            "http(s)://host:port/v1/NAME, completions:…, inspect:PROVIDER/NAME. `geobias models` "
            "lists them." + meant(own, places, after=f"{slash}{model}")
        )
    return Spec(name, kind, provider.address(), model, provider)


def check_address(spec: str) -> None:
    """Raise BadRequest for an address that contains a key, since addresses are stored and shown."""
    rest = spec.partition("://")[2]
    if "?" in rest or "@" in rest.partition("/")[0]:
        raise BadRequest(f"put the key in {CUSTOM_KEY}, not in the address")


def find_model(
    model: str | ModelEntry,
    *,
    timeout_seconds: float | None = None,
    by_files: bool = False,
    thinking: int | None = None,
) -> Model:
    """Open the model with this name. Raises BadRequest or MissingPart.

    With `by_files`, asks are written to files, so neither a key nor the model itself is needed.
    `thinking` is the initial number of tokens for reasoning, unless the model's entry has a number.
    """
    entry = ModelEntry(model) if isinstance(model, str) else model
    if entry.thinking is None:
        entry = msgspec.structs.replace(entry, thinking=thinking)
    for said in (entry.name, entry.label, *entry.headers.values()):
        if of_environment()(said) != said:
            raise BadRequest("the model's name contains a key; remove it")
    if by_files:
        entry = msgspec.structs.replace(entry, key_env="")
    spec = _by_files(entry.name) if by_files else spec_of(entry.name)
    if spec.kind in ("http", "text"):
        chat = _over_http(spec, timeout_seconds, needs_key=not (by_files or entry.key_env))
        chat.adapt(entry)
        return chat
    opened: Model
    if spec.kind == "embedded":
        opened = _embedded(spec.name, timeout_seconds)
    else:
        [found] = entry_points(group="geobias.models", name=spec.kind)
        opened = found.load()(spec.name, timeout_seconds=timeout_seconds)
    given = {name for name, value in entry.said() if value != "auto"} - _ALLOWED[spec.kind]
    if given or (entry.label and spec.kind == "sim"):
        raise BadRequest(f"{spec.name} takes no {min(given, default='label')}")
    adapt: Callable[[ModelEntry], None] | None = getattr(opened, "adapt", None)
    if adapt is not None and not entry.plain:
        adapt(entry)
    return opened


_ALLOWED: Mapping[str, set[str]] = {
    "embedded": {"effort", "extra", "answer_format"},
    "inspect": {"effort"},
    "sim": set(),
}
"""Kind of model → fields that an entry of a model may have if it is not asked over HTTP."""


def _by_files(name: str) -> Spec:
    """Take apart the name of a model that somebody else calls. Any name is allowed."""
    if name.startswith(_AS_TEXT):
        raise BadRequest(
            f"{name} is a base model, which cannot be asked by files: leave out --batch-files"
        )
    is_known = name.startswith("http") or name.partition("/")[0] in providers()
    return spec_of(name) if is_known else Spec(name, "http", "http://127.0.0.1/v1", name)


def check_name(name: str) -> None:
    """Raise BadRequest if no model has this name. Needs no key."""
    if spec_of(name).kind == "sim":
        find_model(name)


def thinking_of(entry: ModelEntry, thinking: int | None, effort: str = "") -> int:
    """Return the number of tokens that a model is expected to need for reasoning.

    A model with a reasoning effort, its own or a probe's, is taken to reason.
    """
    given = thinking if entry.thinking is None else entry.thinking
    if given is not None:
        return given
    effort = effort or entry.effort
    reasons = effort not in ("", "none") or REASONING.match(entry.name)
    return FIRST_TOKENS if reasons else 0


def takes_effort(name: str) -> bool:
    """Whether requests to this model may set a reasoning effort; the server may still refuse it."""
    spec = spec_of(name)
    return spec.kind in ("http", "inspect") and (
        spec.provider is None or bool(spec.provider.effort)
    )


def _over_http(spec: Spec, timeout: float | None, *, needs_key: bool) -> ChatModel:
    provider = spec.provider
    facts: dict[str, Any] = {"name": spec.name, "url": spec.url, "model": spec.model}
    if provider is None:
        key = os.environ.get(CUSTOM_KEY, "").strip()
        variable = CUSTOM_KEY if key else ""
    else:
        key, variable = provider.key()
        if needs_key and not (key or provider.own_server):
            raise MissingPart(
                f"{provider.name} needs a key: export {provider.key_variables[0]}=… and run again"
            )
        reasons = REASONING.match(spec.name) is not None
        facts |= {
            "seed": provider.seed,
            "max_tokens": provider.max_tokens,
            "effort": provider.effort,
            "temperature": not reasons,
            "thinking": FIRST_TOKENS if reasons else 0,
        }
    kind = TextModel if spec.kind == "text" else ChatModel
    return kind(**facts, key=key, key_variable=variable, timeout_seconds=timeout)


def _embedded(spec: str, timeout: float | None) -> Model:
    """Open an embedded model. Settings may follow its name: `?slots=2&context=512`."""
    place, _, query = spec.partition("?")
    given = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := given.keys() - {"slots", "context"}:
        raise BadRequest(
            f"{spec!r}: no setting is called {min(unknown)!r}; choose from slots, context"
        )
    if not all(re.fullmatch(r"0*[1-9]\d{0,8}", value, re.ASCII) for value in given.values()):
        raise BadRequest(f"{spec!r}: slots and context must be whole numbers of at least 1")
    settings = {name: int(value) for name, value in given.items()}
    by_text = False
    if place.startswith("embedded:"):
        weights = embedded.gguf_file(Path(place.removeprefix("embedded:")).expanduser())
        name = f"embedded:{weights.name}#{embedded.fingerprint(weights)}"
        by_text = not embedded.has_chat_template(weights)
    elif place in ("embedded", f"embedded/{embedded.SHIPPED}"):
        weights, name = embedded.shipped_weights(), f"embedded/{embedded.SHIPPED}"
    else:
        raise BadRequest(f"no embedded model {place!r}: name any GGUF file as embedded:PATH")
    return embedded.EmbeddedModel(
        weights, name=name, timeout_seconds=timeout, by_text=by_text, **settings
    )


def price(model: str) -> Price | None:
    """Return the price in US$ per million tokens in and out, or None if no row matches.

    Rows are patterns in which `*` stands for any text. If several match, the longest decides.
    """
    fitting = [pattern for pattern in _prices() if fnmatchcase(model, pattern)]
    return _prices()[max(fitting, key=len)] if fitting else None


@cache
def _prices() -> Mapping[str, Price]:
    table = files("geobias.models").joinpath("prices.csv").read_text("utf-8")
    return {
        row["model"]: (float(row["usd_per_million_in"]), float(row["usd_per_million_out"]))
        for row in csv.DictReader(table.splitlines())
    }
