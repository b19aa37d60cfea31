"""Scores as in the paper's tables, with the mean and the SD over name seeds and repeats."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from itertools import repeat

import polars as pl

from geobias.measures.frames import table_of
from geobias.measures.measure import Measure
from geobias.measures.words import known_in, metrics_of
from geobias.probes.namebbq.measures import BIASES, OF_CHANGES, OF_CONTEXTS
from geobias.probes.namebbq.scores import CHANGES, CONTEXTS, DATASETS, Assumptions, error_share


def scores(frame: pl.DataFrame) -> pl.DataFrame:
    """Every score, in a row for each context and dataset.

    `value` is over all trials, `mean` and `sd` over replicates (name seeds and repeats), as in the
    paper. `lowest` and `highest` fill in the missing answers.
    """
    measures = (*BIASES.values(), *OF_CONTEXTS, *OF_CHANGES)
    rows = []
    for one in known_in(Assumptions(model="", frame=frame), measures, {}) if frame.height else ():
        [metric] = metrics_of("namebbq", frame, one)
        context, dataset = CONTEXTS[str(one.of["condition"])], one.of.get("dataset")
        stem = one.name.removesuffix("_names").removesuffix(f"_{context}")
        values = _replicated(frame.filter(**one.of), one, stem)
        known = [value for value in values if value is not None]
        rows.append(
            {"metric": stem, "context": context, "dataset": dataset, "counted": metric.counted}
            | {"value": metric.value, "value_low": metric.low, "value_high": metric.high}
            | {"p": metric.p, "p_items": metric.p_items}
            | {"mean": statistics.fmean(known) if known else None}
            | {"sd": statistics.stdev(known) if len(known) > 1 else None}
            | {"lowest": metric.lowest, "highest": metric.highest, "n": metric.n}
            | {"replicates": len(known), "missing": metric.missing}
            | {"note": metric.undefined_because or metric.caution}
        )
    return table_of(rows)


def _replicated(rows: pl.DataFrame, measure: Measure, stem: str) -> Iterator[float | None]:
    """Yield the value of each name seed and repeat.

    A change compares names to nationalities draw by draw, if both have equally many draws.
    """
    if stem not in CHANGES:
        for one in _replicates(rows):
            known = one.drop_nulls(measure.value)
            under = float(known[measure.per].sum()) if measure.per else float(known.height)
            yield float(known[measure.value].sum()) / under if under else None
        return
    plain, named = (rows.filter(dataset=dataset) for dataset in DATASETS)
    draws, seeds = _replicates(plain), _replicates(named)
    beside = iter(draws) if len(draws) == len(seeds) else repeat(plain)
    for pair in zip(seeds, beside, strict=False):
        yield CHANGES[stem].of_shares(*(error_share(part, value=measure.value) for part in pair))


def _replicates(part: pl.DataFrame) -> list[pl.DataFrame]:
    ordered = part.sort("seed", "repeat", maintain_order=True)
    return ordered.partition_by("seed", "repeat", maintain_order=True)
