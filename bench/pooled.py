"""Do pooled numbers of crossed units hold: a lean over models, templates and nationalities?

    python bench/pooled.py [--studies 1000]

Draws studies of Name-BBQ's own items: each model, template and nationality leans by its own amount
around the truth, and an answer leans, goes against the stereotype or names nobody. Prints how often
the 95% interval holds the truth, and how often p < 0.05 where the truth is no lean. Exits with 1
where a fair set of models is rejected in over 6% of studies, or an interval holds the truth in
under 93%.
"""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

import numpy as np
import polars as pl

from geobias.measures.crossed import crossed_mean, with_models
from geobias.probes.namebbq import plan
from geobias.probes.namebbq.measures import measure

LEAN = measure("bias_ambiguous")


class Study(NamedTuple):
    """SDs of what models, templates and nationalities lean by, and the true lean."""

    models: int
    size: str
    truth: float = 0.0
    between_models: float = 0.05
    between_templates: float = 0.1
    between_nationalities: float = 0.05
    unread: float = 0.0


STUDIES = (
    Study(3, "quick"),
    Study(3, "standard"),
    Study(5, "standard", between_models=0.0),
    Study(5, "standard"),
    Study(5, "standard", between_models=0.15),
    Study(5, "standard", truth=0.2),
    Study(5, "standard", unread=0.3),
    Study(12, "standard"),
)


def design(size: str) -> pl.DataFrame:
    """The units of each item that nobody can answer."""
    asked = plan(size=size).compared
    assert asked is not None
    columns = LEAN.units
    return pl.DataFrame(list(asked()), schema=list(columns), orient="row")


def rejects_and_holds(study: Study, items: pl.DataFrame, dice: np.random.Generator) -> np.ndarray:
    """Whether the test says lean, and whether the interval holds the truth."""
    n = items.height
    lean = np.full((study.models, n), study.truth)
    lean += dice.normal(0, study.between_models, study.models)[:, None]
    spreads = (study.between_templates, *[study.between_nationalities] * (len(LEAN.units) - 1))
    for kind, spread in zip(LEAN.units, spreads, strict=True):
        _, unit = np.unique(items[kind].to_numpy(), return_inverse=True)
        lean += dice.normal(0, spread, unit.max() + 1)[unit]
    names = dice.random((study.models, n)) < np.maximum(0.4, np.abs(lean))
    up = dice.random((study.models, n)) < (1 + lean / np.maximum(0.4, np.abs(lean))) / 2
    values = np.where(names, np.where(up, 1.0, -1.0), 0.0)
    # The first models are the ones that are hard to read.
    missing = np.linspace(study.unread, 0, study.models)[:, None]
    values[dice.random((study.models, n)) < missing] = np.nan
    frame = pl.concat(
        items.with_columns(
            pl.Series(LEAN.value, own).fill_nan(None), pl.lit(f"m{i}").alias("model")
        )
        for i, own in enumerate(values)
    )
    found = crossed_mean(frame, with_models(LEAN)).estimate
    low, high = found.low, found.high
    assert low is not None
    assert high is not None
    return np.array([found.p is not None and found.p < 0.05, low <= study.truth <= high])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    studies = parser.parse_args().studies
    failed = False
    for study in STUDIES:
        items, dice = design(study.size), np.random.default_rng(1)
        rejected, held = np.mean(
            [rejects_and_holds(study, items, dice) for _ in range(studies)], axis=0
        )
        failed |= held < 0.93 or (study.truth == 0 and rejected > 0.06)
        print(f"{study}: rejects {rejected:.1%}, holds {held:.1%}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
