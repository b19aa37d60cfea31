"""The simulated model as a model: text in, text out, the same for the same seed."""

from __future__ import annotations

import math
import random
import re
from collections import Counter, OrderedDict

import msgspec

from geobias.errors import ProviderSaysNo
from geobias.models.layout import dialogue_of
from geobias.models.simulated.parameters import parse
from geobias.probes.registry import find_probe
from geobias.trials import Ask, Dialogue, Reply
from geobias.trials.probabilities import Alternatives, kept

REMEMBERED = 4_096
DRAWS = 64
"""Replies from which it tells how probable each token was."""
_TOKENS = re.compile(r"[A-Za-z]+|\d|.", re.S)
_FILLER = ("That is hard to say.", "It depends.", "Perhaps.", "I would have to think about it.")


class SimulatedModel:
    """Answers by its parameters. A greedy ask always gets the same reply; draws differ."""

    concurrency = 64
    adaptive = False
    thinking = 0
    unsent_parameters = ()

    def __init__(self, spec: str) -> None:
        self.name = spec
        chosen = parse(spec)
        self._skills = [find_probe(name).skill(one) for name, one in chosen.items()]
        self._seed = next((one.seed for one in chosen.values()), 0)
        self._tokens = Tokens()

    async def answer(self, ask: Ask) -> Reply:
        if ask.effort:
            raise ProviderSaysNo(f"{self.name} does not reason: leave out --effort")
        places = self._places(ask) if ask.options or ask.alternatives else ()
        text = "".join(place[0][0] for place in places) or self._text(ask)
        return Reply(
            text,
            finish="stop",
            tokens_in=self._tokens.of(ask.dialogue),
            tokens_out=len(text) // 4 + 1,
            model=self.name,
            places=kept(places, ask.options) if ask.options else tuple(places),
        )

    async def go_on(self, ask: Ask) -> Reply:
        """See `GoesOn`. It reads the shipped layout back; any other text is a question to it."""
        dialogue, lead = dialogue_of(ask.dialogue.content)
        reply = await self.answer(msgspec.structs.replace(ask, dialogue=dialogue))
        return _without(lead, reply) if lead else reply

    def _places(self, ask: Ask) -> list[Alternatives]:
        """The reply token by token, with what else it might have said there.

        Probabilities are the shares of many replies, drawn as if it were asked again and again. A
        greedy ask gets the likeliest token at each place, any other one the reply that it drew.
        """
        greedy = msgspec.structs.replace(ask, temperature=0.0)
        replies = [tuple(_TOKENS.findall(self._text(greedy, b"%d" % n))) for n in range(DRAWS)]
        drawn: tuple[str, ...] = ()
        if ask.temperature > 0:
            drawn = tuple(_TOKENS.findall(self._text(ask)))
            replies.append(drawn)
        found: list[Alternatives] = []
        while True:
            place = len(found)
            counts = Counter(one[place] for one in replies if len(one) > place)
            if not counts or (drawn and place == len(drawn)):
                return found
            said = drawn[place] if drawn else counts.most_common(1)[0][0]
            others = (token for token, _ in counts.most_common() if token != said)
            alike = len(replies)
            found.append(tuple((one, math.log(counts[one] / alike)) for one in (said, *others)))
            replies = [one for one in replies if one[place : place + 1] == (said,)]

    def _text(self, ask: Ask, drawn: bytes = b"") -> str:
        """What the first skill says that knows what to do with the ask."""
        if ask.temperature > 0:
            drawn = f"{ask.draw} {ask.seed}".encode()
        dice = random.Random(b"%d %b %b" % (self._seed, ask.dialogue.digest, drawn))
        for skill in self._skills:
            if (text := skill(ask, dice)) is not None:
                return text
        return dice.choice(_FILLER)

    async def close(self) -> None:
        """Nothing to let go of."""


def _without(lead: str, reply: Reply) -> Reply:
    """What comes after the words that the answer was begun with, where it begins with them."""
    if not reply.text.startswith(lead):
        return reply
    said, places = "", reply.places
    while places and len(said) < len(lead):
        said += places[0][0][0]
        places = places[1:]
    return msgspec.structs.replace(reply, text=reply.text[len(lead) :], places=places)


class Tokens:
    """About what a tokenizer would count; a history that went before is not counted again."""

    def __init__(self) -> None:
        self._counted: OrderedDict[bytes, int] = OrderedDict()

    def of(self, dialogue: Dialogue) -> int:
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
