"""A model's entry: its label in every output, and how geobias reaches and asks it."""

from __future__ import annotations

import os
import re
from typing import Any, Literal, TypeAlias, cast

import msgspec

from geobias.errors import BadRequest, MissingPart
from geobias.models.forms import AnswerFormat
from geobias.runfile.manifest import AskedWith
from geobias.untrusted import Json

_VARIABLE = re.compile(r"\$([A-Za-z_]\w*)")
_OURS = ("model", "messages", "prompt", "stream", "n")
_ADDRESS = re.compile(r"(?:completions:)?https?://[^/]+(?:/.*)?/v1(?:beta/openai)?/(.+)")
LONGEST_LABEL = 100

Effort: TypeAlias = Literal["", "low", "medium", "high"]


class ModelEntry(msgspec.Struct, frozen=True):
    """A model as a user describes it: by a name, or by a table of fields.

    name       provider and model (`openai/gpt-4o-mini`), an address, `embedded` …
    label      the model's name in every output and in digests of asks, whoever serves it
    key_env    the environment variable that holds the key
    headers    HTTP headers of every call; $NAME in a value stands for an environment variable
    extra      further members of every request
    effort     reasoning effort, unless a probe sets one
    thinking   initial tokens for reasoning
    price      US$ per million tokens in and out
    """

    name: str
    label: str = ""
    key_env: str = ""
    headers: dict[str, str] = {}
    extra: Json = {}
    effort: Effort = ""
    answer_format: AnswerFormat = ""
    thinking: int | None = None
    price: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not self.label.isprintable() or len(self.label) > LONGEST_LABEL:
            raise BadRequest(f"a label is one line of at most {LONGEST_LABEL} characters")
        if taken := [name for name in self.extra if name in _OURS]:
            raise BadRequest(f"extra cannot set {taken[0]!r}, which geobias sets itself: remove it")
        if self.thinking is not None and self.thinking < 0:
            raise BadRequest("thinking is a number of tokens, 0 or more")
        if self.price is not None and not all(0 <= one < float("inf") for one in self.price):
            raise BadRequest("price is two numbers: US$ per million tokens in and out")

    @property
    def shown(self) -> str:
        return self.label or self.name

    @property
    def plain(self) -> bool:
        return self == ModelEntry(self.name)

    def said(self) -> list[tuple[str, Any]]:
        names = ("key_env", "headers", "effort", "extra", "answer_format")
        fields = ((name, getattr(self, name)) for name in names)
        return [(name, value) for name, value in fields if value not in ("", "text", {})]

    def asked(self) -> AskedWith:
        """The fields besides `label` that influence replies, for the manifest."""
        found = {name: value for name, value in self.said() if name not in ("key_env", "headers")}
        return cast(AskedWith, found | ({"model": self.served_as} if self.label else {}))

    @property
    def served_as(self) -> str:
        """The model's name without its address."""
        place = _ADDRESS.fullmatch(self.name)
        return place[1] if place else self.name

    def key(self) -> str | None:
        """The key of the model; None if the entry names no variable."""
        return environment(self.key_env) if self.key_env else None

    def filled_headers(self) -> dict[str, str]:
        return {
            name: _VARIABLE.sub(lambda found: environment(found[1]), value)
            for name, value in self.headers.items()
        }


def environment(variable: str) -> str:
    if value := os.environ.get(variable, "").strip():
        return value
    raise MissingPart(f"the variable {variable} is not set: export {variable}=… and run again")
