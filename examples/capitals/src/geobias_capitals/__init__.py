"""A probe in a package of its own: does a model know every country's capital?"""

import csv
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar

from geobias.atlas.economies import economy_name
from geobias.measures.measure import Measure, by_half
from geobias.probes.items import Item, ItemProbe, SimulatedAnswers, sampled, says_any
from geobias.probes.settings import Setting, Settings
from geobias.probes.simulation import Share
from geobias.trials import Record


@cache
def capitals():
    """ISO-3 → the capital, and what else people call it."""
    with Path(__file__).with_name("capitals.csv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return {row["iso3"]: [row["capital"], *row["also"].split("|")] for row in rows}


class CapitalSettings(Settings, frozen=True, kw_only=True):
    continents: Annotated[tuple[str, ...], Setting("Only these, by commas.", bears="items")] = ()


class CapitalRecord(Record, frozen=True, kw_only=True):
    correct: bool | None = None


class SimulatedCapitals(SimulatedAnswers, frozen=True, kw_only=True):
    """It forgets a share (`capital_gap`) of the capitals of the group `against`."""

    capital_gap: Share = 0.0
    biased: ClassVar = {"capital_gap": "0.5"}

    def answer(self, asked, dice):
        forgets = self.is_against(asked.id) and dice.random() < self.capital_gap
        return "I am not sure." if forgets else capitals()[asked.id][0]


class Capitals(ItemProbe[CapitalSettings]):
    name, title, verb = "capitals", "Capitals", "can name"
    about = "Does a model know every country's capital? One question a country."
    Settings, Record, Simulated = CapitalSettings, CapitalRecord, SimulatedCapitals
    wording = "What is the capital of {}? Answer with the name of the city only."
    measures = (
        Measure(name="accuracy", value="correct", label="Share of capitals known", unit="share",
                better="high", primary="north_south", spread=(0.3, 0.3),
                contrasts=(by_half("north_south", "Capitals known, North minus South"),)),
    )  # fmt: skip

    def items(self, settings):
        for iso3 in sampled(capitals(), settings.size, settings.continents):
            yield Item(iso3, self.wording.format(economy_name(iso3)), country=iso3)

    def read(self, item, reply):
        return {"correct": says_any(reply.text, capitals()[item.id])}
