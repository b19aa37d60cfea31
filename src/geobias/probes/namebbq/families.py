"""Whose a model is and how large, from its name, as the paper sorts models.

The published models are sorted as the paper does: two of each provider, a larger and a smaller.
Of others the provider is what stands before the name ("openai/gpt-4o-mini"), and the size what the
name says of it: billions of parameters, or a word that its maker gives to small or large ones.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from geobias.probes.lazy import regex

_PUBLISHED = {
    "GPT-4o": ("OpenAI", "large"),
    "GPT-4o-mini": ("OpenAI", "small"),
    "Claude 3 Sonnet": ("Anthropic", "large"),
    "Claude 3 Haiku": ("Anthropic", "small"),
    "Gemini 1.5 Pro": ("Google", "large"),
    "Gemini 1.5 Flash": ("Google", "small"),
    "GPT-3.5 Turbo (0125)": ("OpenAI", ""),
    "GPT-4o (2024-05-13)": ("OpenAI", "large"),
}
_PROVIDERS = {"openai": "OpenAI", "anthropic": "Anthropic", "google": "Google", "gemini": "Google"}
_PARAMETERS = regex(r"(?<![\d.])(\d{1,4}(?:\.\d{1,2})?)(b|m)(?![a-z])", re.I)
_SMALL = regex(r"\b(?:mini|nano|haiku|flash|lite|small|tiny)\b", re.I)
_LARGE = regex(r"\b(?:pro|sonnet|opus|large|ultra|max|4o)\b", re.I)


class Family(NamedTuple):
    """`provider` and `size` are "" where the name does not tell; `name` is without the provider."""

    provider: str
    name: str
    size: str

    @property
    def label(self) -> str:
        size = f" ({self.size})" if self.size else ""
        return f"{self.provider}: {self.name}{size}" if self.provider else f"{self.name}{size}"

    @property
    def place(self) -> tuple[bool, str, float, str]:
        """Providers by name, unknown ones last; of one provider the largest first."""
        words = {"large": -1e9, "small": 1e9}
        size = words.get(self.size) or -_billions(self.size)
        return not self.provider, self.provider.casefold(), size, self.name.casefold()


def family_of(model: str) -> Family:
    if model in _PUBLISHED:
        provider, size = _PUBLISHED[model]
        return Family(provider, model, size)
    before, slash, name = model.rpartition("/")
    if not slash or "://" in before:
        return Family("", model, _size(model))
    provider = before.rpartition(":")[2].partition("/")[0]
    return Family(_PROVIDERS.get(provider.casefold(), provider), name, _size(name))


def _size(name: str) -> str:
    if found := _PARAMETERS.search(name):
        return f"{found[1]}{found[2].upper()}"
    return "small" if _SMALL.search(name) else "large" if _LARGE.search(name) else ""


def _billions(size: str) -> float:
    found = _PARAMETERS.fullmatch(size)
    return float(found[1]) / (1000 if found[2] in "mM" else 1) if found else 0.0
