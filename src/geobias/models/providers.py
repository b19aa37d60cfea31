"""Who offers models behind the OpenAI chat protocol, by `providers.csv`."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

CUSTOM_KEY = "GEOBIAS_API_KEY"
"""Sent to servers given by address, and to them alone: no provider's key goes to a stranger."""


class Provider(msgspec.Struct, frozen=True):
    """A row of providers.csv. Several key variables are tried in turn."""

    name: str
    url: str
    key_variables: tuple[str, ...]
    url_variable: str
    seed: str
    max_tokens: str
    effort: str
    note: str

    @property
    def own_server(self) -> bool:
        """Runs on the user's machine: a key is optional."""
        return self.url.startswith("http://")

    def key(self) -> tuple[str, str]:
        """The key and the variable it stands in; both empty if none is set."""
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
