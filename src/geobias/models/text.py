"""A model behind an OpenAI-style /completions: it is given a text, and goes on from it."""

from __future__ import annotations

from typing import Any

import msgspec

from geobias.models.chat import ChatModel
from geobias.models.completion import Choice, storable
from geobias.models.layout import VERBATIM, Layout
from geobias.trials import Ask

_encode = msgspec.json.Encoder().encode


class TextModel(ChatModel):
    """A base model. `layout` says how a dialogue becomes the text; what it writes is its answer,
    with the ask's `lead` before it and without blanks around it, unless the text is verbatim."""

    endpoint = "/completions"
    said_as = b"prompt"

    def __init__(self, *, layout: Layout, **facts: Any) -> None:
        super().__init__(effort="", **facts)
        self.layout: Layout = layout

    def _said(self, ask: Ask) -> bytes:
        return _encode(self.layout.text(ask.dialogue, ask.lead))

    def _stops(self, ask: Ask) -> tuple[str, ...]:
        return self.layout.stops(ask)

    def _wanting_probabilities(self, alternatives: int) -> dict[str, Any]:
        return {"logprobs": alternatives}

    def _texts(self, choice: Choice, ask: Ask) -> tuple[str, str] | None:
        if not isinstance(choice.text, str):
            return None
        written = storable(choice.text)
        for stop in self._stops(ask):  # a server may leave the string there, or not know any
            written = written.partition(stop)[0]
        if self.layout is VERBATIM:
            return written, ""
        return (ask.lead + written).strip() if written.strip() else "", ""
