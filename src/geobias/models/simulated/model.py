"""The simulated model as a model: text in, text out, the same for the same seed."""

from __future__ import annotations

import random
from collections import OrderedDict

from geobias.models.simulated import assumptions, knowledge, play
from geobias.models.simulated.parameters import parse
from geobias.models.simulated.twenty_questions import Player
from geobias.trials import Ask, Dialogue, Reply

SKILLS = (knowledge.answer, assumptions.answer, play.answer)
"""Each looks at the dialogue and answers it, or leaves it to the next."""
REMEMBERED = 4_096
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
        self._player = Player(self._chosen)
        self._tokens = Tokens()

    async def answer(self, ask: Ask) -> Reply:
        """See `Model.answer`; never fails."""
        text = self._player.answer(ask)
        if text is None:
            text = self._said(ask)
        return Reply(
            text,
            finish="stop",
            tokens_in=self._tokens.of(ask.dialogue),
            tokens_out=len(text) // 4 + 1,
            model=self.name,
        )

    def _said(self, ask: Ask) -> str:
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
                return text
        return dice.choice(_FILLER)

    async def close(self) -> None:
        """Nothing to let go of."""


class Tokens:
    """About what a tokenizer would count; a history that went before is not counted again."""

    def __init__(self) -> None:
        self._counted: OrderedDict[bytes, int] = OrderedDict()

    def of(self, dialogue: Dialogue) -> int:
        """The tokens of a dialogue."""
        count = 0
        for node in dialogue.backwards():
            if (before := self._counted.get(node.digest)) is not None:
                count += before
                break
            count += len(node.content) // 4 + 4
        self._counted[dialogue.digest] = count
        if len(self._counted) > REMEMBERED:
            self._counted.popitem(last=False)
        return count
