"""How often is a model without any gap blamed for figures that moved?

    python bench/editions.py                     sim/fair, seeds 1 to 40, sizes standard and paper
    python bench/editions.py --seeds 10 --sizes standard

A fair model knows a table of figures by heart, but for noise, and is scored on the shipped one:

    the same    the shipped table
    older       the table as it stood three years before: its last three years are 2017 to 2019
    mixed       for each figure one of both, by chance

Prints how many pages say that a gap was found, and the range of the number they rest on.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
import tempfile
from pathlib import Path

from geobias.atlas.table import shipped_table
from pages import page

YEARS = 3
"""By how many years the older table is older."""


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
            older = row[:3] + row[3 : 3 + YEARS] + row[3:-YEARS]
            written.writerow(older if which == "older" or dice.random() < 0.5 else row)
    return f"figures={path}&"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default="sim/fair")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--sizes", default="standard,paper")
    chosen = parser.parse_args()
    print(
        "| figures it knows | size | gap found | words | poor minus rich |\n|---|---|---:|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for size in chosen.sizes.split(","):
            for which in ("the same", "older", "mixed"):
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
