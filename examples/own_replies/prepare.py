"""Replies made elsewhere, made ready for `geobias score worldbench`: figures, and one line a reply.

    python prepare.py numerfacts.jsonl

NumerFacts (Mau-B-Silva/NumerFacts, 2024) asked four base models for countries' figures and kept
each reply beside the truth. This writes figures.csv and replies.jsonl; indicators.toml, beside this
file, says what each figure is. Median incomes that were asked for in another currency than the US
dollar are left out and counted, and so are places that are no economy of the World Bank (Niue).
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

from geobias.atlas.economies import find_economy

IDS = {
    "countries_lifeExpectancy": "life_expectancy",
    "countries_urbanPopulation": "urban_population",
    "countries_population": "inhabitants",
    "country_population": "inhabitants",
    "countries_medianIncome": "median_income",
}
COLUMN = "2022"
"""Each question names a year of its own, and its figure is of that year: one column for all."""


def main(path: Path) -> None:
    figures: dict[tuple[str, str], str] = {}
    asked: dict[tuple[str, str, str], int] = {}
    left_out = 0
    with Path("replies.jsonl").open("w", encoding="utf-8") as replies:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            name, place = IDS[row["indicator"]], find_economy(row["country"])
            other_currency = name == "median_income" and row["unit"] != "United States dollar"
            if other_currency or place is None:
                left_out += 1
                continue
            iso3 = place.iso3
            figures[name, iso3] = row["truth"]
            model = row["model"].split("/")[1].split(" ")[0]
            repeat = asked.get((name, iso3, model), 0)
            asked[name, iso3, model] = repeat + 1
            said = {"model": model, "indicator": name, "country": iso3, "repeat": repeat}
            replies.write(json.dumps({**said, "reply": row["reply"]}) + "\n")
    with Path("figures.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["indicator", "iso3", "edition", COLUMN])
        table.writerows([*key, "2024-01-01", truth] for key, truth in sorted(figures.items()))
    print(f"{sum(asked.values())} replies, {len(figures)} figures; {left_out} left out")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
