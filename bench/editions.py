"""How often is a model without any gap blamed for figures that moved?

    python bench/editions.py                     sim/fair, seeds 1 to 40, size paper
    python bench/editions.py --seeds 10 --sizes standard,paper

A fair model knows a table of figures by heart, but for noise, and is scored on the shipped one:

    the same    the shipped table
    older       the table as it stood three years before: its last three years are 2017 to 2019
    revised     a later edition: the indicators of `REVISED` moved by as much as they did from 2023
                to 2026, up or down for a whole region together, as rebased prices and new estimates
                move. What each economy's figures became is not at hand
    mixed       for each row one of the three, by chance

Prints how many pages say that a gap was found, and the range of the number they rest on.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import sys
import tempfile
from pathlib import Path

from geobias.atlas.economies import economies
from geobias.atlas.table import shipped_table
from pages import page

YEARS = 3
"""By how many years the older table is older."""
REVISED = {
    "maternal_mortality": 0.227,
    "co2_emissions": 0.179,
    "gdp_ppp_per_person_employed": 0.163,
}
"""Mean error of the 2023 edition against the averages of 2020 to 2022 of that of 2026."""
EDITIONS = ("the same", "older", "revised", "mixed")


def edition(which: str, folder: Path) -> str:
    """The parameter of a simulated model that knows this edition."""
    if which == "the same":
        return ""
    dice = random.Random("editions")
    path = folder / f"{which}.csv"
    with shipped_table("figures.csv").open(newline="") as shipped, path.open("w") as file:
        rows, written = csv.reader(shipped), csv.writer(file)
        written.writerow(next(rows))
        for row in rows:
            forms = (row, older(row), revised(row, dice))
            known = dict(zip(EDITIONS, forms, strict=False))
            written.writerow(dice.choice(forms) if which == "mixed" else known[which])
    return f"figures={path}&"


def older(row: list[str]) -> list[str]:
    return row[:3] + row[3 : 3 + YEARS] + row[3:-YEARS]


def revised(row: list[str], dice: random.Random) -> list[str]:
    """The row times or divided by a factor whose log is exponential: 1 - 1/factor, its error, is
    then on average what is known of the indicator."""
    indicator, iso3, *_ = row
    off = REVISED.get(indicator, 0.0)
    factor = math.exp(dice.expovariate((1 - off) / off)) if off else 1.0
    up = random.Random(f"{indicator} {economies()[iso3].region}").random() < 0.5
    cells = [str(float(cell) * (factor if up else 1 / factor)) if cell else "" for cell in row[3:]]
    return row[:3] + cells


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default="sim/fair")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--sizes", default="paper")
    chosen = parser.parse_args()
    print(
        "| figures it knows | size | gap found | words | poor minus rich |\n|---|---|---:|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for size in chosen.sizes.split(","):
            for which in EDITIONS:
                known = edition(which, Path(folder))
                told = [
                    page(f"{chosen.model}?{known}seed={seed}", size, ["worldbench"])["worldbench"]
                    for seed in range(1, chosen.seeds + 1)
                ]
                words = [word for word, _ in told]
                values = [value for _, value in told if value is not None]
                every = ", ".join(f"{words.count(one)} {one}" for one in sorted(set(words)))
                found = f"{words.count('found')} of {len(words)}"
                span = f"{min(values):+.3f} to {max(values):+.3f}"
                print(f"| {which} | {size} | {found} | {every} | {span} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
