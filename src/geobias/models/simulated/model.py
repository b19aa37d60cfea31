"""The simulated model as a model: text in, text out, the same for the same seed."""

from __future__ import annotations

import random

from geobias.models.simulated import assumptions, knowledge, play
from geobias.models.simulated.parameters import parse
from geobias.trials import Ask, Dialogue, Reply

SKILLS = (knowledge.answer, assumptions.answer, play.answer)
"""Each looks at the dialogue and answers it, or leaves it to the next."""
_FILLER = ("That is hard to say.", "It depends.", "Perhaps.", "I would have to think about it.")


class SimulatedModel:
    """Answers by its parameters. A greedy ask always gets the same reply; draws differ."""

    concurrency = 64
    adaptive = False
    thinking = 0
    left_out = ()

    def __init__(self, spec: str) -> None:
        self.name = spec
        self._chosen = parse(spec)

    async def answer(self, ask: Ask) -> Reply:
        """See `Model.answer`; never fails."""
        dice = random.Random(
            b"%d %b %b"
            % (
                self._chosen.seed,
                ask.dialogue.digest,
                f"{ask.draw} {ask.seed}".encode() if ask.temperature > 0 else b"",
            )
        )
        for skill in SKILLS:
            if (text := skill(ask.dialogue, self._chosen, dice)) is not None:
                break
        else:
            text = dice.choice(_FILLER)
        return Reply(
            text,
            finish="stop",
            tokens_in=_tokens(ask.dialogue),
            tokens_out=len(text) // 4 + 1,
            model=self.name,
        )

    async def close(self) -> None:
        """Nothing to let go of."""


def _tokens(dialogue: Dialogue) -> int:
    """About what a tokenizer would count."""
    return sum(len(node.content) // 4 + 4 for node in dialogue.backwards())
