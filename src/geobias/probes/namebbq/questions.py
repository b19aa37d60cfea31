"""The question as a model sees it: context, question, three lettered answers.

Answers stand in the order of the data, or are shuffled, so that a liking for one letter can be
told from a stereotype. In the open format none are shown. An order is a tuple `o` with the data's
index `o[k]` at place k of the page.
"""

from __future__ import annotations

import random
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from geobias.probes.namebbq.items import Item
from geobias.probes.questions import opened
from geobias.trials import Dialogue

Order = tuple[int, int, int]
IN_ORDER: Order = (0, 1, 2)


def order_of(example_id: str, seed: int, *, shuffle: bool) -> Order:
    """The order in which an item's answers are shown.

    Shuffled by seed and item alone, so that an item has the same order with nationalities and
    with names: what differs between the two is then not the order.
    """
    if not shuffle:
        return IN_ORDER
    order = list(IN_ORDER)
    random.Random(f"{seed} {example_id}").shuffle(order)
    return order[0], order[1], order[2]


Format = Literal["options", "open"]


def dialogue(
    item: Item, order: Order = IN_ORDER, *, system: str = "", format: Format = "options"
) -> Dialogue:
    """The question with its answers in this order, or without any."""
    if format == "open":
        asked = prompts("open")["item"].format(context=item.context, question=item.question)
        return opened(system).user(asked)
    first, second, third = (item.answers[index] for index in order)
    words = prompts()["item"].format(
        context=item.context, question=item.question, first=first, second=second, third=third
    )
    return opened(system).user(words)


_FILES: dict[Format, str] = {"options": "prompts.toml", "open": "open_prompt.toml"}


@cache
def prompts_source(format: Format = "options") -> str:
    """The file of prompts, whose fingerprint goes into a run's manifest."""
    return Path(__file__).with_name(_FILES[format]).read_text("utf-8")


@cache
def prompts(format: Format = "options") -> dict[str, str]:
    return {name: text.strip() for name, text in tomllib.loads(prompts_source(format)).items()}
