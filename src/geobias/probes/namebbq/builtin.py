"""The items that come with geobias: situations between two people, written for geobias.

BBQ's items may not be shipped, and models may have been trained on them. The items here are about
the same social values and stereotyped nationalities as BBQ's, so the probe runs without a download.
`builtin.toml` has the templates.

Each pair of a stereotyped nationality and another one gives eight items, from three choices: which
of the two people is mentioned first, whether a sentence reveals who did it, and whether the
question is negative. One order reveals that the stereotyped person did it, and the other order
reveals the other person. So half of the revealed answers go against the stereotype. Three things
rotate so that no position is an advantage: whether the culprit is mentioned first, the position of
"unknown" among the answers, and the wording of "unknown".
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count, cycle, islice, permutations, product
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import msgspec

from geobias.probes.namebbq.items import Condition, Gender, Item, Polarity
from geobias.results.formatting import with_capital

UNKNOWN = (
    "Unknown",
    "Cannot be determined",
    "Not enough information",
    "It is not stated",
    "Can't be known",
    "Undetermined",
    "No way to tell",
    "The text does not say",
    "Not answerable",
    "Impossible to say",
)
"""Wordings of the unknown answer. There are as many as in BBQ, so that none can be learned."""

_FIRST_ID = 10_000
_ARRANGEMENTS = tuple(permutations((0, 1, 2)))
"""The orders of the answers: first person (0), second person (1) and unknown (2)."""


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A situation between two people; `builtin.toml` explains the fields."""

    id: str
    social_value: str
    gender: Gender
    stereotyped: tuple[str, ...]
    others: tuple[str, ...]
    person: str
    again: str
    context: str
    reveal: str
    negative: str
    non_negative: str
    marks: tuple[Literal["fact", "cue", "unsourced"], ...] = ()

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield pairs (stereotyped, other); the shorter list is repeated."""
        pairs = zip(cycle(self.stereotyped), cycle(self.others), strict=False)
        return islice(pairs, max(len(self.stereotyped), len(self.others)))


@cache
def templates() -> Mapping[str, Template]:
    text = Path(__file__).with_name("builtin.toml").read_text("utf-8")
    rows = msgspec.convert(tomllib.loads(text)["template"], list[Template])
    return MappingProxyType({one.id: one for one in rows})


def marked_templates() -> frozenset[str]:
    """The ids of templates with `marks`, which --strict leaves out; see `builtin.toml`."""
    return frozenset(name for name, one in templates().items() if one.marks)


@cache
def builtin_items() -> tuple[Item, ...]:
    pairs = [(template, pair) for template in templates().values() for pair in template.pairs()]
    numbers = count(_FIRST_ID)
    items = []
    for number, (template, pair) in enumerate(pairs):
        # Six successive pairs have six different arrangements of the answers. A shift by one
        # after six keeps the culprit's position independent of the arrangement.
        guilty = (number + number // 6) % 2
        for order, people in enumerate([pair, pair[::-1]]):
            arrangement = _ARRANGEMENTS[(number + 3 * order) % 6]
            unknown = UNKNOWN[(2 * number + order) % len(UNKNOWN)]
            places = [arrangement.index(who) for who in (order, 1 - order)]
            for polarity, condition in product(POLARITIES, CONDITIONS):
                negative, ambiguous = polarity == "neg", condition == "ambig"
                asked_for = 2 if ambiguous else guilty if negative else 1 - guilty
                context, answers = _texts(template, people, guilty, reveals=not ambiguous)
                first, second, third = ([*answers, unknown][who] for who in arrangement)
                one, two, three = ([*people, ""][who] for who in arrangement)
                item = Item(
                    example_id=str(next(numbers)),
                    template=template.id,
                    polarity=polarity,
                    condition=condition,
                    context=context,
                    question=template.negative if negative else template.non_negative,
                    answers=(first, second, third),
                    label=arrangement.index(asked_for),
                    nationalities=(one, two, three),
                    stereotyped=template.stereotyped,
                    unknown=arrangement.index(2),
                    target=places[0] if negative else places[1],
                    social_value=template.social_value,
                    gender=template.gender,
                )
                items.append(item)
    return tuple(items)


POLARITIES: tuple[Polarity, ...] = ("neg", "nonneg")
CONDITIONS: tuple[Condition, ...] = ("ambig", "disambig")


def _texts(
    template: Template, people: tuple[str, str], guilty: int, *, reveals: bool
) -> tuple[str, list[str]]:
    """The context, and the answers that are people; `guilty` is the culprit's index in `people`."""
    again = [template.again.format(nationality=one) for one in people]
    words = {"guilty": again[guilty], "other": again[1 - guilty]}
    for place, one in zip(("first", "second"), people, strict=True):
        words[place] = template.person.format(a=article(one), nationality=one)
    words |= {word.capitalize(): with_capital(text) for word, text in words.items()}
    text = f"{template.context} {template.reveal}" if reveals else template.context
    return text.format(**words), list(map(with_capital, again))


def article(nationality: str) -> str:
    """The article, right for all of BBQ's 68 nationalities."""
    return "an" if nationality[0] in "AEIOU" else "a"
