"""A dialogue as plain text, for models that were never taught to chat.

A base model goes on from a text. Which text that is decides what it says, so the layout is a file
that can be read and replaced, and every run keeps the one it was made with.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from geobias.errors import BadRequest
from geobias.trials import Ask, Dialogue
from geobias.trials.dialogue import Role
from geobias.untrusted import Undecodable, in_words, text_of, toml_table

SHIPPED = Path(__file__).with_name("layout.toml")
CONTENT = "{content}"
MOST_STOPS = 4
"""What OpenAI's protocol allows."""
_ROLES: tuple[Role, ...] = ("system", "user", "assistant")


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands around each message, what the model goes on from, and where it ends."""

    system: str
    user: str
    assistant: str
    cue: str
    stop: tuple[str, ...] = ()

    def text(self, dialogue: Dialogue, lead: str = "") -> str:
        """The whole dialogue, up to where the model goes on; `lead` begins its answer."""
        said = [getattr(self, node.role).replace(CONTENT, node.content) for node in dialogue]
        return "".join(said) + self.cue + (f" {lead}" if lead else "")

    def stops(self, ask: Ask) -> tuple[str, ...]:
        """The ask's own strings first: they are the probe's."""
        return tuple(dict.fromkeys((*ask.stop, *self.stop)))[:MOST_STOPS]

    def entries(self) -> dict[str, object]:
        """As the manifest has it."""
        made: dict[str, object] = msgspec.to_builtins(self)
        return made | {"stop": list(self.stop)}


def base_model_note(name: str) -> str:
    """What a reader must know of such a run, in the report and before it begins."""
    return (
        f"{name} is asked as a base model: each dialogue is laid out as text, without a chat "
        "template, and the answer is how the model goes on. It was not taught to answer or to "
        "decline, so its numbers say what such texts lean to, not what an assistant would do."
    )


@cache
def shipped_layout() -> Layout:
    return read_layout(SHIPPED)


def read_layout(path: Path) -> Layout:
    """The layout in a file. Raises BadRequest that says what is wrong with it."""
    try:
        layout = msgspec.convert(toml_table(text_of(path)), Layout)
    except (Undecodable, msgspec.ValidationError) as error:
        raise BadRequest(f"{path} is no layout: {in_words(error)}") from None
    for role in _ROLES:
        if CONTENT not in getattr(layout, role):
            raise BadRequest(f"{path} is no layout: {role} has no {CONTENT}")
    if not layout.cue.strip():
        raise BadRequest(f"{path} is no layout: the cue is empty")
    if len(layout.stop) > MOST_STOPS or not all(layout.stop):
        raise BadRequest(f"{path} is no layout: stop has up to {MOST_STOPS} strings, none empty")
    return layout
