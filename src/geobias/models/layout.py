"""The layout of a dialogue as plain text, for base models.

A base model continues a text, so the form of the text influences what the model says. The layout
is therefore a file that the user can read and replace, and every run stores the layout it used.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from geobias.errors import BadRequest
from geobias.trials import Ask, Dialogue
from geobias.trials.dialogue import Role
from geobias.untrusted import Undecodable, in_words, text_of, toml_value

SHIPPED = Path(__file__).with_name("layout.toml")
CONTENT = "{content}"
MOST_STOPS = 4
"""Maximum number of stop strings in OpenAI's protocol."""
_ROLES: tuple[Role, ...] = ("system", "user", "assistant")


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The text around each message, the text before the answer, and strings that end the answer."""

    system: str
    user: str
    assistant: str
    cue: str
    stop: tuple[str, ...] = ()

    def text(self, dialogue: Dialogue, lead: str = "") -> str:
        """Return the dialogue as the text that the model continues; `lead` begins the answer."""
        said = [getattr(self, node.role).replace(CONTENT, node.content) for node in dialogue]
        return "".join(said) + self.cue + (f" {lead}" if lead else "")

    def stops(self, ask: Ask) -> tuple[str, ...]:
        """Return the stop strings: those of the ask, then those of the layout."""
        return tuple(dict.fromkeys((*ask.stop, *self.stop)))[:MOST_STOPS]

    def entries(self) -> dict[str, object]:
        """Return the layout as a table for the manifest."""
        made: dict[str, object] = msgspec.to_builtins(self)
        return made | {"stop": list(self.stop)}


def base_model_note(name: str) -> str:
    """Return the sentence on base models that is shown in the report and before a run begins."""
    return (
        f"{name} is asked as a base model: each dialogue is laid out as text, without a chat "
        "template, and the answer is how the model goes on. It was not taught to answer or to "
        "decline, so its numbers say what such texts lean to, not what an assistant would do."
    )


@cache
def shipped_layout() -> Layout:
    return read_layout(SHIPPED)


def read_layout(path: Path) -> Layout:
    """Read the layout in a file. Raises BadRequest, which names the fault."""
    try:
        layout = toml_value(text_of(path), Layout)
    except Undecodable as error:
        raise BadRequest(f"{path} is not a layout: {in_words(error)}") from None
    for role in _ROLES:
        if CONTENT not in getattr(layout, role):
            raise BadRequest(f"{path} is not a layout: {role} has no {CONTENT}")
    if not layout.cue.strip():
        raise BadRequest(f"{path} is not a layout: the cue is empty")
    if len(layout.stop) > MOST_STOPS or not all(layout.stop):
        raise BadRequest(f"{path} is not a layout: stop has up to {MOST_STOPS} strings, none empty")
    return layout
