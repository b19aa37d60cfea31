"""From MODEL, as typed by a user, to something that answers, and what it costs (`prices.csv`)."""

from __future__ import annotations

import csv
import math
import os
import re
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from geobias.errors import BadRequest, MissingPart
from geobias.models.providers import CUSTOM_KEY, Provider, providers

if TYPE_CHECKING:
    from geobias.models.model import Model

REASONING = re.compile(r"^(o\d|gpt-5(?!.*chat))")
"""OpenAI's reasoning models: no temperature, and tokens to think. Others are found out."""


def find_model(spec: str, *, timeout_seconds: float | None = None) -> Model:
    """The model that `spec` names, ready to be asked. Raises BadRequest or MissingPart.

    `timeout_seconds` of None leaves each kind of model its own.
    """
    if spec == "embedded" or spec.startswith(("embedded/", "embedded:", "embedded?")):
        return _embedded(spec, timeout_seconds)
    if spec.startswith("sim/"):
        from geobias.models.simulated import SimulatedModel

        return SimulatedModel(spec)
    if spec.startswith(("http://", "https://")):
        return _by_address(spec, timeout_seconds)
    if spec.startswith("inspect:"):
        from geobias.models.inspected import InspectedModel

        return InspectedModel(spec, timeout_seconds=timeout_seconds)
    provider_name, slash, model = spec.partition("/")
    provider = providers().get(provider_name)
    if provider is None or not slash or not model:
        known = ", ".join(f"{name}/…" for name in providers())
        raise BadRequest(
            f"no model {spec!r}. Models are: embedded, embedded:FILE.gguf, sim/fair, {known}, "
            "http(s)://host:port/v1/NAME, inspect:PROVIDER/NAME. `geobias models` lists them"
        )
    return _by_provider(provider, model, timeout_seconds)


def _by_provider(provider: Provider, model: str, timeout: float | None) -> Model:
    from geobias.models.chat import THINKING_TOKENS, ChatModel

    reasons = provider.name == "openai" and REASONING.match(model) is not None
    key, variable = provider.key()
    if not key and not provider.own_server:
        raise MissingPart(
            f"{provider.name} needs a key: export {provider.key_variables[0]}=… and run again"
        )
    url = os.environ.get(provider.url_variable) or provider.url
    if "?" in url or "@" in url:
        raise BadRequest(f"{provider.url_variable}: put the key in {variable}, not in the address")
    return ChatModel(
        name=f"{provider.name}/{model}",
        url=url,
        model=model,
        key=key,
        key_variable=variable,
        max_tokens=provider.max_tokens,
        temperature=not reasons,
        thinking=THINKING_TOKENS if reasons else 0,
        seed=provider.seed,
        timeout_seconds=timeout,
    )


def _by_address(spec: str, timeout: float | None) -> Model:
    from geobias.models.chat import ChatModel

    address = re.fullmatch(r"(https?://[^/\s]+(?:/.*)?/v1(?:beta/openai)?)/(.+)", spec)
    if not address:
        raise BadRequest(f"{spec!r} is not of the form http(s)://host[:port]/v1/NAME")
    try:
        parts = urlsplit(address[1])
        _ = parts.port
    except ValueError as error:
        raise BadRequest(f"{spec!r} is no address: {error}") from None
    if parts.username or parts.password or "?" in spec:
        raise BadRequest(f"put the key in {CUSTOM_KEY}, not in the address")
    key = os.environ.get(CUSTOM_KEY, "").strip()
    return ChatModel(
        name=spec,
        url=address[1],
        model=address[2],
        key=key,
        key_variable=CUSTOM_KEY if key else "",
        timeout_seconds=timeout,
    )


def _embedded(spec: str, timeout: float | None) -> Model:
    from geobias.models import embedded

    place, _, query = spec.partition("?")
    usual = {"slots": embedded.SLOTS, "context": embedded.CONTEXT_TOKENS}
    settings = _whole_numbers(spec, query, usual)
    if place.startswith("embedded:"):
        weights = embedded.gguf_file(Path(place.removeprefix("embedded:")).expanduser())
        name = f"embedded:{weights.name}#{embedded.fingerprint(weights)}"
    else:
        short = place.removeprefix("embedded").removeprefix("/") or embedded.DEFAULT
        weights, name = embedded.shipped_weights(short), f"embedded/{short}"
    return embedded.EmbeddedModel(weights, name=name, timeout_seconds=timeout, **settings)


def _whole_numbers(spec: str, query: str, defaults: dict[str, int]) -> dict[str, int]:
    given = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := given.keys() - defaults.keys():
        raise BadRequest(f"{spec!r}: no setting {min(unknown)!r}; there is {', '.join(defaults)}")
    try:
        chosen = defaults | {key: int(value) for key, value in given.items()}
    except ValueError:
        raise BadRequest(f"{spec!r}: {', '.join(defaults)} are whole numbers") from None
    if min(chosen.values()) < 1:
        raise BadRequest(f"{spec!r}: {', '.join(defaults)} must be at least 1")
    return chosen


def price(model: str, own_table: Path | None = None) -> tuple[float, float] | None:
    """US$ per million tokens in and out, or None if no row fits.

    Rows are patterns (`*` stands for anything); the user's table goes first, and the longest
    matching pattern wins within a table.
    """
    for table in (_own_prices(own_table) if own_table else {}, _shipped_prices()):
        fitting = [pattern for pattern in table if fnmatchcase(model, pattern)]
        if fitting:
            return table[max(fitting, key=len)]
    return None


@cache
def _shipped_prices() -> dict[str, tuple[float, float]]:
    table = files("geobias.models").joinpath("prices.csv").read_text("utf-8")
    return _parse_prices(table, "prices.csv")


def _own_prices(path: Path) -> dict[str, tuple[float, float]]:
    try:
        return _parse_prices(path.read_text("utf-8-sig"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"cannot read the price table {path}: {error}") from None


def _parse_prices(table: str, name: str) -> dict[str, tuple[float, float]]:
    prices = {}
    for number, row in enumerate(csv.DictReader(table.splitlines()), start=2):
        try:
            pair = (float(row["usd_per_million_in"]), float(row["usd_per_million_out"]))
            if not all(math.isfinite(price) and price >= 0 for price in pair):
                raise ValueError
            prices[row["model"]] = pair
        except (KeyError, TypeError, ValueError):
            raise BadRequest(
                f"{name}, line {number}: a price table has the columns model, usd_per_million_in, "
                "usd_per_million_out"
            ) from None
    return prices
