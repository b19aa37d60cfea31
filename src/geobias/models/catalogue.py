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


@cache
def providers() -> Mapping[str, Provider]:
    table = files("geobias.models").joinpath("providers.csv").read_text("utf-8")
    by_name = {}
    for row in csv.DictReader(table.splitlines()):
        variables = tuple(filter(None, row.pop("key_variable").split("|")))
        by_name[row["name"]] = Provider(key_variables=variables, **row)
    return by_name


REASONING = re.compile(r"^(o\d|gpt-5(?!.*chat))")
"""OpenAI's reasoning models, which accept no temperature and need tokens to think. Others are
detected from their replies.
"""


_AS_TEXT = "completions:"
_PLUG_INS = ("sim/", "inspect:")
_ADDRESS = re.compile(r"(https?://[^/\s]+(?:/.*)?/v1(?:beta/openai)?)/(.+)")


def find_model(
    model: str | ModelEntry,
    *,
    timeout_seconds: float | None = None,
    by_files: bool = False,
    thinking: int | None = None,
) -> Model:
    """Open the model with this name. Raises BadRequest or MissingPart.

    If `timeout_seconds` is None, the default for this kind of model is used. With `by_files`, asks
    are written to files, so neither a key nor the model itself is needed. `thinking` is the initial
    number of tokens for reasoning, unless the model's entry has a number.
    """
    entry = ModelEntry(model) if isinstance(model, str) else model
    if entry.thinking is None:
        entry = msgspec.structs.replace(entry, thinking=thinking)
    for said in (entry.name, entry.label, *entry.headers.values()):
        if of_environment()(said) != said:
            raise BadRequest("the model's name contains a key; remove it")
    spec = entry.name
    opened: Model
    if _is_embedded(spec) and not by_files:
        opened = _embedded(spec, timeout_seconds)
    elif spec.startswith(_PLUG_INS) and not by_files:
        [found] = entry_points(group="geobias.models", name=re.split("[:/]", spec)[0])
        opened = found.load()(spec, timeout_seconds=timeout_seconds)
    else:
        chat = _over_http(spec, timeout_seconds, bool(entry.key_env), by_files=by_files)
        chat.spec = spec
        chat.adapt(entry if not by_files else msgspec.structs.replace(entry, key_env=""))
        return chat
    if entry.plain:
        return opened
    of_http = {"key_env", "headers", "extra", "answer_format"}
    if isinstance(opened, embedded.EmbeddedModel):
        of_http -= {"extra", "answer_format"}
    if given := of_http & {name for name, value in entry.said() if value != "auto"}:
        raise BadRequest(f"{spec}: {min(given)} applies only to models that are asked over HTTP")
    adapt: Callable[[ModelEntry], None] | None = getattr(opened, "adapt", None)
    if adapt is not None:
        adapt(entry)
    elif entry.effort or entry.label:
        raise BadRequest(f"{spec} takes no {'effort' if entry.effort else 'label'}")
    return opened


def exact_name(entry: ModelEntry) -> str:
    """Return the name under which a model's replies are stored. Needs no key."""
    if entry.label:
        return entry.label
    return _embedded(entry.name, None).name if _is_embedded(entry.name) else entry.name


def check_name(spec: str) -> None:
    """Raise BadRequest if no model has this name. Needs no key and opens no model."""
    if spec.startswith("sim/"):
        find_model(spec)
    elif not _is_embedded(spec) and not spec.startswith((*_PLUG_INS, _AS_TEXT)):
        _place_of(spec)


def thinking_of(entry: ModelEntry, thinking: int | None, effort: str = "") -> int:
    """Return the number of tokens that a model is expected to need for reasoning.

    A model with a reasoning effort, its own or a probe's, is taken to reason.
    """
    if entry.thinking is not None or thinking is not None:
        return thinking or 0 if entry.thinking is None else entry.thinking
    provider, _, model = entry.name.partition("/")
    effort = effort or entry.effort
    reasons = effort not in ("", "none") or _reasons(provider, model)
    return FIRST_TOKENS if reasons else 0


def _reasons(provider: str, model: str) -> bool:
    return provider == "openai" and REASONING.match(model) is not None


def takes_effort(spec: str) -> bool:
    """Whether requests to this model may set a reasoning effort; the server may still refuse it."""
    provider = providers().get(spec.partition("/")[0])
    without = spec.startswith(("sim/", "embedded", _AS_TEXT))
    return not without and (provider is None or bool(provider.effort))


def _is_embedded(spec: str) -> bool:
    return spec == "embedded" or spec.startswith(("embedded/", "embedded:", "embedded?"))


def _over_http(spec: str, timeout: float | None, has_key: bool, *, by_files: bool) -> ChatModel:
    """Open a chat model at an address or a provider; after `completions:`, a base model."""
    if not spec.startswith(_AS_TEXT):
        facts = _reached(spec, has_key, by_files=by_files)
        return ChatModel(name=spec, timeout_seconds=timeout, **facts)
    if by_files:
        raise BadRequest(
            f"{spec} is a base model, which cannot be asked by files: leave out --batch-files"
        )
    place = spec.removeprefix(_AS_TEXT)
    if not place.startswith("http") and place.partition("/")[0] not in providers():
        raise BadRequest(
            f"{spec!r} is not of the form completions:http(s)://host[:port]/v1/NAME or "
            "completions:PROVIDER/NAME"
        )
    facts = _reached(place, has_key, by_files=False)
    return TextModel(name=spec, timeout_seconds=timeout, **facts)


def _place_of(spec: str) -> tuple[str | Provider, str]:
    """Return the address or provider that serves a model, and the model's name there."""
    if spec.startswith(("http://", "https://")):
        check_address(spec)
        address = _ADDRESS.fullmatch(spec)
        if not address:
            raise BadRequest(f"{spec!r} is not of the form http(s)://host[:port]/v1/NAME")
        try:
            _ = urlsplit(address[1]).port
        except ValueError as error:
            raise BadRequest(f"{spec!r} is not an address: {error}") from None
        return address[1], address[2]
    name, slash, model = spec.partition("/")
    provider = providers().get(name)
    if provider is None or not model:
        known = ", ".join(f"{one}/…" for one in providers())
        places = () if provider else (*providers(), "sim", "embedded")
        raise BadRequest(
            f"no model {spec!r}. Models are: embedded, embedded:FILE.gguf, sim/fair, {known}, "
            "http(s)://host:port/v1/NAME, completions:…, inspect:PROVIDER/NAME. `geobias models` "
            "lists them." + meant(name, places, after=f"{slash}{model}")
        )
    return provider, model


def check_address(spec: str) -> None:
    """Raise BadRequest for an address that contains a key, since addresses are stored and shown."""
    rest = spec.partition("://")[2]
    if "?" in rest or "@" in rest.partition("/")[0]:
        raise BadRequest(f"put the key in {CUSTOM_KEY}, not in the address")


def _reached(spec: str, has_key: bool, *, by_files: bool) -> dict[str, Any]:
    """Return the arguments for `ChatModel`: address, key and the provider's parameters."""
    try:
        place, model = _place_of(spec)
    except BadRequest:
        if by_files and not spec.startswith("http"):  # any name goes
            return {"url": "http://127.0.0.1/v1", "model": spec}
        raise
    if isinstance(place, str):
        key = os.environ.get(CUSTOM_KEY, "").strip()
        variable = CUSTOM_KEY if key else ""
        return {"url": place, "model": model, "key": key, "key_variable": variable}
    key, variable = place.key()
    if not (key or place.own_server or has_key or by_files):
        raise MissingPart(
            f"{place.name} needs a key: export {place.key_variables[0]}=… and run again"
        )
    url = os.environ.get(place.url_variable) or place.url
    if "?" in url or "@" in url:
        raise BadRequest(f"{place.url_variable}: put the key in {variable}, not in the address")
    reasons = _reasons(place.name, model)
    return {
        "url": url,
        "model": model,
        "key": key,
        "key_variable": variable,
        "seed": place.seed,
        "max_tokens": place.max_tokens,
        "temperature": not reasons,
        "thinking": FIRST_TOKENS if reasons else 0,
        "effort": place.effort,
    }


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
