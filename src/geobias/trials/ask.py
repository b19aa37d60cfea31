"""The question of a trial to a model (`Ask`) and the answer (`Reply`)."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Literal

import msgspec

from geobias.trials.dialogue import DIGEST_BYTES, Dialogue
from geobias.trials.probabilities import Alternatives

Outcome = Literal[
    "ok", "empty", "still_thinking", "filtered", "too_long", "rejected", "malformed", "unasked"
]
"""The outcome of one ask.

ok         the model answered with text; the probe decides whether it makes sense
empty      the model answered with nothing
still_thinking
           the answer was cut off although the model had the most reasoning tokens allowed;
           a resume asks again
filtered   a content filter withheld the answer
too_long   the dialogue does not fit the model's context
rejected   the provider refuses this question, although it accepts others
unasked    the ask is optional and the run has no model for its role; such a reply is not stored
malformed  every response was something else than a chat completion; the raw text is stored
"""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a model.

    Temperature 0 means greedy: equal asks share one reply. A sampled ask (temperature > 0) names
    its `draw` (trial and repeat), so that each draw gets a separate reply. `role` says who is
    asked if a trial has several roles (guesser, judge); the engine maps roles to models.

    `options` are short answers of one token each (letters, digits), whose probabilities are
    requested with the reply. `effort` says how much a reasoning model should think.

    An `optional` ask is answered only by a model given for its role. Without such a model, nobody
    is asked.

    Four fields do not influence the digest: `lead`, `about`, `form` and `optional`. `lead` is the
    beginning of the answer, for models that continue text. `about` is what the probe asks about,
    for simulated models (`probes.simulation`), which do not read prompts. `form` lists the words
    that an answer can be (empty for a number), for servers that enforce it (`--answer-format`).
    """

    dialogue: Dialogue
    temperature: float = 0.0
    max_tokens: int = 64
    stop: tuple[str, ...] = ()
    seed: int | None = None
    role: str = "model"
    draw: str = ""
    options: tuple[str, ...] = ()
    effort: str = ""
    lead: str = ""
    about: object = None
    form: tuple[str, ...] | None = None
    optional: bool = False

    def sampling(self) -> str:
        """The sampling parameters as a short text, such as `t=0.8 max=64 draw=…`."""
        words = _sampling(self.temperature, self.max_tokens, self.stop, self.seed)
        if self.options:
            words += f" options={','.join(self.options)}"
        if self.effort:
            words += f" effort={self.effort}"
        return f"{words} draw={self.draw}" if self.temperature > 0 else words

    def most_tokens(self, thinking: int = 0) -> tuple[int, int]:
        """Return upper bounds of the tokens in (estimated from the prompt's length) and out.

        `thinking` is the number of tokens allowed for reasoning, on top of `max_tokens`.
        """
        length = self.dialogue.size + 12 * self.dialogue.length
        return int(length / BYTES_PER_TOKEN) + 8, self.max_tokens + thinking

    def digest(self, model: str) -> bytes:
        """Return a digest of the model's name and of all fields that may change the reply."""
        return blake2b(
            self.dialogue.digest + model.encode() + b"\0" + self.sampling().encode(),
            digest_size=DIGEST_BYTES,
        ).digest()


BYTES_PER_TOKEN = 3.0
"""Assumed bytes per token of a prompt. Low on purpose, so that a prompt is not underestimated."""


def draw_seed(draw: str, temperature: float) -> int | None:
    """Return the seed to send with a sampled ask, from its draw's name; None for a greedy ask."""
    if temperature <= 0:
        return None
    return int.from_bytes(blake2b(draw.encode(errors="replace"), digest_size=4).digest()) >> 1


@lru_cache(maxsize=256)
def _sampling(temperature: float, max_tokens: int, stop: tuple[str, ...], seed: int | None) -> str:
    words = f"t={temperature:g} max={max_tokens}"
    if stop:
        words += f" stop={stop!r}"
    if seed is not None:
        words += f" seed={seed}"
    return words


class Reply(msgspec.Struct, frozen=True):
    """The answer to one ask.

    Tokens are those that the provider counted; None if there is no count. `reasoning` is thinking
    that the provider or the model separated from the answer. `model` is the name that the server
    gave, which may be more exact than the name asked for. `seconds` is the time of the successful
    attempt. `places` are the answer's tokens with their alternatives, if the ask wants them and the
    server returns them.
    """

    text: str
    outcome: Outcome = "ok"
    reasoning: str = ""
    finish: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str = ""
    seconds: float = 0.0
    digest: bytes = b""
    places: tuple[Alternatives, ...] = ()
