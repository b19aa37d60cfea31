"""The layout of a dialogue as plain text, for base models.

A base model continues a text, so the form of the text influences what the model says. Every run of
a base model therefore records the layout's digest.
"""

from __future__ import annotations

from hashlib import sha256

from geobias.trials import Ask, Dialogue

LAYOUT = {
    "system": "{content}\n\n",
    "user": "User: {content}\n",
    "assistant": "Assistant: {content}\n",
}
"""The text around each message."""
CUE = "Assistant:"
"""The text before the answer."""
STOPS = ("\nUser:", "\nAssistant:")
"""Strings that end the answer."""
MOST_STOPS = 4
"""Maximum number of stop strings in OpenAI's protocol."""
DIGEST = sha256("".join((*LAYOUT.values(), CUE, *STOPS)).encode()).hexdigest()[:16]


def as_text(dialogue: Dialogue, lead: str = "") -> str:
    """Return the dialogue as the text that the model continues; `lead` begins the answer."""
    said = [LAYOUT[node.role].replace("{content}", node.content) for node in dialogue]
    return "".join(said) + CUE + (f" {lead}" if lead else "")


def stops(ask: Ask) -> tuple[str, ...]:
    """Return the stop strings: those of the ask, then those of the layout."""
    return tuple(dict.fromkeys((*ask.stop, *STOPS)))[:MOST_STOPS]


def base_model_note(name: str) -> str:
    return (
        f"{name} is asked as a base model: each dialogue is laid out as text, without a chat "
        "template, and the answer is how the model goes on. It was not taught to answer or to "
        "decline, so its numbers say what such texts lean to, not what an assistant would do."
    )
