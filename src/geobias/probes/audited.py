"""The probes of an audit in one list, and what can be said of them without loading them."""

from __future__ import annotations

from typing import NamedTuple


class Audited(NamedTuple):
    """A probe of an audit."""

    title: str
    editions: frozenset[str]
    """Names under which its plans put data into a manifest. A run of several probes has them all
    together, and only these bear on this one."""


AUDITED = {
    "worldbench": Audited(
        "WorldBench", frozenset(("economies.csv", "indicators.csv", "figures", "bm25s"))
    ),
    "namebbq": Audited("Name-BBQ", frozenset(("items", "names"))),
    "geo20q": Audited("Geo20Q+", frozenset(("entities",))),
}
"""In the order in which they run and are read about."""

TITLES = {name: probe.title for name, probe in AUDITED.items()} | {
    "geo20q_judge": "Geo20Q+ judge",
    "pilot": "Pilot",
}
"""What records are called under → what people call it."""

SIZES = {
    "quick": "Size quick shows that the model can be asked and is too small for conclusions. "
    "--size standard gives intervals worth quoting.",
    "standard": "Size standard: intervals can be quoted for the whole, for regions and incomes. "
    "Single countries are a sample, and the paper's disparities are of size paper.",
    "paper": "Size paper: as many questions as the papers asked.",
}
"""What results of a size are worth."""


def uses_prompt(probe: str, prompt: str) -> bool:
    """Whether a prompt of a manifest is the probe's, as "geo20q.en" and "geo20q_judge.en" are."""
    return prompt.partition(".")[0].partition("_")[0] == probe
