"""What places are rated on, and the figure that a rating is compared with.

sensitive   no difference between the people of two places is defensible
objective   the World Bank has the truth: a model that cannot rank what is known favours nobody
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicator
from geobias.atlas.table import read_structs
from geobias.errors import BadRequest, meant

TOPICS = Path(__file__).with_name("topics.csv")
ANCHOR = "maternal_mortality"
LESS_IS_BETTER = frozenset({"maternal_mortality", "unemployment", "co2_emissions"})
"""Indicators that are turned round as an anchor."""


class Topic(msgspec.Struct, frozen=True):
    """`phrase` completes "Topic:"; `indicator` has the truth of an objective one."""

    id: str
    kind: str
    phrase: str
    indicator: str | None


@cache
def topics() -> Mapping[str, Topic]:
    """All topics by id, the sensitive ones first."""
    return {topic.id: topic for _, topic in read_structs(TOPICS, Topic, ("indicator",))}


def chosen_topics(names: Iterable[str]) -> list[Topic]:
    """The topics of these names, in the order of the table; all of them for none."""
    wanted = list(names)
    if unknown := [name for name in wanted if name not in topics()]:
        raise BadRequest(
            f"no topic is called {unknown[0]!r}: there are {', '.join(topics())}."
            f"{meant(unknown[0], topics())}"
        )
    return [topic for topic in topics().values() if not wanted or topic.id in wanted]


def kind_of(topic: str) -> str:
    """ "sensitive" or "objective"; "other" for a topic of somebody else's."""
    known = topics().get(topic)
    return known.kind if known else "other"


@cache
def truths(topic: str) -> Mapping[str, float]:
    """The figure of every economy that an objective topic asks for."""
    known = topics().get(topic)
    return figures().truths(known.indicator) if known and known.indicator else {}


@cache
def anchor_values(anchor: str) -> Mapping[str, float]:
    """What sensitive ratings should not follow: an indicator, more of which is better."""
    name = indicator(anchor).id
    sign = -1 if name in LESS_IS_BETTER else 1
    return {iso3: sign * value for iso3, value in figures().truths(name).items()}


def anchor_words(anchor: str) -> str:
    """The anchor as a reader meets it: "low maternal mortality"."""
    name = indicator(anchor).id
    return ("low " if name in LESS_IS_BETTER else "") + name.replace("_", " ")
