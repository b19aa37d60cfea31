"""How often the intervals over models and countries hold the truth: simulated studies.

    python bench/pooled_models.py [STUDIES]

Each study draws models and countries anew. An error is the mean of its group, plus what the model
adds, what the country adds, what the two add together, and noise. The truth is the mean over all
models and countries there could be. `pairs` is the gap between two groups, as in
`geobias worldbench pairs`; `min F′` is how often Clark's test finds a difference of groups where
there is none, among seven groups.
"""

from __future__ import annotations

import sys

import numpy as np

from geobias.stats.crossed import crossed_median, crossed_ratio, crossed_score
from geobias.stats.variance_components import min_f

MEAN, SD_MODEL, SD_COUNTRY, SD_GROUP_MODEL, SD_REST = 0.4, 0.1, 0.05, 0.03, 0.07


def study(dice: np.random.Generator, models: int, countries: int, groups: int) -> np.ndarray:
    group = np.arange(countries) % groups
    table = MEAN + dice.normal(0, SD_MODEL, (models, 1)) + dice.normal(0, SD_COUNTRY, countries)
    table = table + dice.normal(0, SD_GROUP_MODEL, (models, groups))[:, group]
    return table + dice.normal(0, SD_REST, table.shape)


def held(low: float | None, high: float | None, truth: float) -> bool:
    return low is not None and high is not None and low <= truth <= high


def main(studies: int) -> None:
    print("models  countries    mean  median   pairs  min F′ finds")
    for models, countries in ((3, 16), (5, 16), (10, 50), (20, 50), (20, 16)):
        dice = np.random.default_rng(models * 1000 + countries)
        counts = np.zeros(4)
        for number in range(studies):
            table = study(dice, models, countries, 2)
            rows, columns = (side.ravel() for side in np.indices(table.shape))
            errors = table.ravel()
            mean = crossed_ratio(errors, np.ones(len(errors)), rows, columns, bounds=(0, 1))
            counts[0] += held(mean.estimate.low, mean.estimate.high, MEAN)
            if number % 4 == 0:
                median = crossed_median(errors, rows, columns, bounds=(0, 1))
                counts[1] += 4 * held(median.low, median.high, MEAN)
            first = (columns % 2 == 0).astype(float)
            sums = np.column_stack([errors * first, first, errors * (1 - first), 1 - first])
            gap = crossed_score(
                sums, [rows, columns], lambda s: s[:, 0] / s[:, 1] - s[:, 2] / s[:, 3]
            )
            counts[2] += held(gap.estimate.low, gap.estimate.high, 0)
            seven = study(dice, models, max(countries, 28), 7)
            names = [str(i % 7) for i in range(seven.shape[1])]
            counts[3] += (min_f(seven, names).p or 1) < 0.05
        shares = counts / studies
        print(f"{models:6} {countries:10} " + " ".join(f"{one:7.3f}" for one in shares))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
