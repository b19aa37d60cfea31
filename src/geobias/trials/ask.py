"""What a trial asks a model, and what comes back."""

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
"""What became of one question.

ok         text came back; the probe decides whether it makes sense
empty      the model answered with nothing
still_thinking
           the answer was cut off although the model had the most reasoning tokens allowed;
           a resume asks again
filtered   a content filter withheld the answer
too_long   the dialogue does not fit the model's context
rejected   the provider refuses this question, though it accepts others
unasked    the ask is optional and the run has no model of its role; such a reply is not kept
malformed  not a chat completion, also when asked again; the raw text is kept
"""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a model.

    Temperature 0 means greedy: equal asks share one reply. A sampled ask (temperature > 0) names
    its `draw` (trial and repeat), so that independent draws stay independent. `role` says who is
    asked if a trial has several roles (guesser, judge); the engine maps roles to models.

    `options` are short answers of one token each (letters, digits); the ask wants their
    probabilities with the reply. `effort` says how much a reasoning model should think.

    Only a model of the ask's own role answers an `optional` ask. Without one nobody is asked.

    Four fields are not part of an ask's identity. `lead` is how the answer begins, for models that
    continue a text. `about` is what the probe asks about, for simulated models
    (`probes.simulation`), which do not read prompts. `form` lists the words that an answer can be
    (none for a number), for servers that enforce it (`--answer-format`, recorded in the manifest).
    The fourth is `optional`.
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
        """How the reply is sampled, in a short text such as `t=0.8 max=64 draw=…`."""
        words = _sampling(self.temperature, self.max_tokens, self.stop, self.seed)
        if self.options:
            words += f" options={','.join(self.options)}"
        if self.effort:
            words += f" effort={self.effort}"
        return f"{words} draw={self.draw}" if self.temperature > 0 else words

    def digest(self, model: str) -> bytes:
        """The identity of this question to this model: a digest of everything that may change the
        reply.
        """
        return blake2b(
            self.dialogue.digest + model.encode() + b"\0" + self.sampling().encode(),
            digest_size=DIGEST_BYTES,
        ).digest()


def draw_seed(draw: str, temperature: float) -> int | None:
    """The seed sent with a sampled ask; None for a greedy ask.

    It follows from the draw's name: other draws have other seeds, and a repeated run has the same.
    """
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
    """What came back for one ask.

    Tokens are as the provider counts them, None if it does not say. `reasoning` is thinking that
    the provider or the model separated from the answer. `model` is the name that the server gave,
    which may be more exact than the name asked for. `seconds` is the time of the successful
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
