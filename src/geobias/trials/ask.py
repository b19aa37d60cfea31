"""What is asked of a model, and what comes back."""

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

ok         text came back (whether it makes sense is for the probe to say)
empty      the model answered with nothing
still_thinking
           it was cut off before its answer, with as many tokens for reasoning as can be allowed;
           a resume asks again
filtered   a content filter withheld the answer
too_long   the dialogue does not fit the model's context
rejected   the provider will not take this question, though it takes others
unasked    the ask is optional, and the run has no model of its role; such a reply is not kept
malformed  what came back was not a chat completion, also when asked again; the raw text is kept
"""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a model.

    temperature 0 means greedy: equal asks share one reply. A sampled ask (temperature > 0) names
    its `draw` (trial and repeat), so that independent draws stay independent. `role` says who is
    asked where a trial has several (guesser, judge); the engine maps roles to models.

    `options` are short answers, one token each (letters, digits), whose probabilities are wanted
    with the reply. `effort` is how much a model that reasons is to think.

    An `optional` ask is answered only by a model of its own role; without one nobody is asked.

    Four fields are not part of an ask's identity: `lead` is what the answer begins with, for
    models that continue a text; `about` is what the probe asks about, for simulated models
    (`probes.simulation`), which do not read prompts; `form` has the words that an answer can be, or
    none for a number, for servers that see to it (`--answer-format`, which a manifest has); and
    `optional`.
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
        """How the reply is drawn, in a few readable characters, e.g. `t=0.8 max=64 draw=…`."""
        words = _sampling(self.temperature, self.max_tokens, self.stop, self.seed)
        if self.options:
            words += f" options={','.join(self.options)}"
        if self.effort:
            words += f" effort={self.effort}"
        return f"{words} draw={self.draw}" if self.temperature > 0 else words

    def digest(self, model: str) -> bytes:
        """Identity of this question to this model: everything that may change the reply."""
        return blake2b(
            self.dialogue.digest + model.encode() + b"\0" + self.sampling().encode(),
            digest_size=DIGEST_BYTES,
        ).digest()


def draw_seed(draw: str, temperature: float) -> int | None:
    """The seed that a provider is sent with a sampled ask, of the draw's name; None where nothing
    is drawn. Another draw has another seed, and the same run the same ones."""
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

    Tokens are as the provider counts them, None where it does not say. `reasoning` is thinking that
    the provider or the model set apart from the answer. `model` is the name that answered, which
    may be more exact than the one asked. `seconds` is the time of the successful attempt.
    `places` are the tokens of the answer with their alternatives, where the ask wants them and the
    server says.
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
