"""A simulated model whose knowledge, stereotype and play are set by parameters.

The model is told what each ask is about (`Ask.about`) and answers in words, like any other model.
Its true bias is known, so it can show that geobias finds a bias that exists, and no other.

Its name is `sim/fair`, `sim/biased`, or `sim/?name=value&…`. Parameters are declared by probes
(`Probe.Simulated`); a few exist for all simulated models.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from urllib.parse import parse_qsl

import msgspec

from geobias.errors import BadRequest, ProviderSaysNo, meant
from geobias.probes.registry import all_probes
from geobias.probes.simulation import SimulatedParameters, group_members
from geobias.trials import Ask, Dialogue, Reply
from geobias.trials.probabilities import Alternatives, kept
from geobias.untrusted import in_words, usable

PRESETS = ("fair", "biased")
DRAWS = 64
"""Number of replies from which the probability of each token is estimated."""
_TOKENS = re.compile(r"[A-Za-z]+|\d|.", re.S)
FILLER = ("That is hard to say.", "It depends.", "Perhaps.", "I would have to think about it.")


class SimulatedModel:
    """A model that answers according to its parameters.

    Equal greedy asks get equal replies. Sampled asks get different draws.
    """

    concurrency = 64
    adaptive = False
    thinking = 0
    unsent_parameters = ()

    def __init__(self, spec: str, *, timeout_seconds: float | None = None) -> None:
        """Parse the parameters. The timeout is ignored, since the model answers at once."""
        self.name = spec
        chosen = parse(spec)
        self._skills = [one.skill() for one in chosen.values()]
        self._seed = next((one.seed for one in chosen.values()), 0)

    async def answer(self, ask: Ask) -> Reply:
        if ask.effort:
            raise ProviderSaysNo(f"{self.name} does not reason: leave out --effort")
        places = self._places(ask) if ask.options else ()
        text = "".join(place[0][0] for place in places) or self._text(ask)
        return Reply(
            text,
            finish="stop",
            tokens_in=_tokens(ask.dialogue),
            tokens_out=len(text) // 4 + 1,
            model=self.name,
            places=kept(places, ask.options),
        )

    def _places(self, ask: Ask) -> list[Alternatives]:
        """Return the reply token by token, with the alternatives at each place.

        Probabilities are shares among DRAWS replies to the same ask. A greedy ask gets the
        likeliest token at each place, any other ask the reply that was drawn.
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
        """Return the answer of the first skill that can answer the ask."""
        if ask.temperature > 0:
            drawn = f"{ask.draw} {ask.seed}".encode()
        dice = random.Random(b"%d %b %b" % (self._seed, ask.dialogue.digest, drawn))
        for skill in self._skills:
            if (text := skill(ask, dice)) is not None:
                return text
        return dice.choice(FILLER)

    async def close(self) -> None:
        """Do nothing, since the model holds no resources."""


def _tokens(dialogue: Dialogue) -> int:
    """Return the approximate number of tokens of a dialogue."""
    return sum(len(node.content) // 4 + 4 for node in dialogue.backwards())


def parse(spec: str) -> dict[str, SimulatedParameters]:
    """Return probe → the model's parameters for that probe, from `sim/PRESET?name=value&…`.

    Raises BadRequest, which names the mistake.
    """
    preset, _, query = spec.removeprefix("sim/").partition("?")
    if preset not in PRESETS and preset:
        raise BadRequest(
            f"no simulated model {spec!r}; choose sim/fair, sim/biased or sim/?name=value&…."
            + meant(preset, PRESETS, before="sim/")
        )
    kinds = {name: one.Simulated for name, one in all_probes().items() if one.Simulated}
    every: list[type[SimulatedParameters]] = [*kinds.values(), SimulatedParameters]
    known = dict.fromkeys(name for kind in every for name in kind.__struct_fields__)
    given = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := given.keys() - known.keys():
        like = meant(min(unknown), known)
        raise BadRequest(
            f"{spec!r}: no parameter {min(unknown)!r}; choose from {', '.join(known)}.{like}"
        )
    parameters = {}
    for name, kind in kinds.items():
        values = (kind.biased if preset == "biased" else {}) | given
        own = {key: value for key, value in values.items() if key in kind.__struct_fields__}
        try:
            made = parameters[name] = msgspec.convert(own, kind, strict=False)
        except msgspec.ValidationError as error:
            raise BadRequest(f"{spec!r}: {in_words(error)}") from None
        for key, value in msgspec.structs.asdict(made).items():
            if isinstance(value, int | float):
                usable(value, key)
        group_members(made.against)
    return parameters
