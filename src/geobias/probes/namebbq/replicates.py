"""Scores as in the paper's tables, with the mean and the SD over name seeds and repeats."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any

import polars as pl

from geobias.measures.frames import schema_of
from geobias.measures.measure import Measure
from geobias.measures.words import known_in, metrics_of
from geobias.probes.namebbq.measures import BIASES, OF_CHANGES, OF_CONTEXTS
from geobias.probes.namebbq.scores import CHANGES, CONTEXTS, DATASETS, Assumptions, error_share

_NUMBERS = ("value", "value_low", "value_high", "p", "p_items", "mean", "sd", "lowest", "highest")


def scores(frame: pl.DataFrame) -> pl.DataFrame:
    """Every score, in a row for each context and dataset.

    `value` is over all trials, with its interval over templates and nationalities, and the p-value
    of no lean or no change. `p_items`, only for ambiguous biases, is the p-value of no lean for
    these very items. `mean` and `sd` are over replicates (name seeds and repeats), as in the paper;
    one replicate has no sd. `missing` are the answers without a score; `lowest` and `highest` are
    the value if all of them had been one thing or the other. `note` says why a value or an interval
    is missing, or may be too narrow.
    """
    rows = []
    measures = (*BIASES.values(), *OF_CONTEXTS, *OF_CHANGES)
    for one in known_in(Assumptions(model="", frame=frame), measures, {}) if frame.height else ():
        [metric] = metrics_of("namebbq", frame, one)
        facts = {
            name: getattr(metric, name) for name in ("n", "counted", "missing", "p", "p_items")
        }
        ends = {"value_low": metric.low, "value_high": metric.high}
        ends |= {"lowest": metric.lowest, "highest": metric.highest}
        spread = _spread(_replicated(frame, one))
        note = {"note": metric.undefined_because or metric.caution}
        rows.append(_named(one) | {"value": metric.value} | ends | spread | facts | note)
    schema = schema_of(("metric", "context", "dataset", "counted"), _NUMBERS)
    schema |= schema_of((), (), ("n", "replicates", "missing")) | schema_of(("note",))
    return pl.DataFrame(rows, schema)


def _named(measure: Measure) -> dict[str, Any]:
    """The measure's name in the paper's tables."""
    context, dataset = CONTEXTS[measure.of["condition"]], measure.of.get("dataset")
    stem = measure.name.removesuffix("_names").removesuffix(f"_{context}")
    return {"metric": stem, "context": context, "dataset": dataset}


def _replicated(frame: pl.DataFrame, measure: Measure) -> Iterable[float | None]:
    """The value of each replicate."""
    rows = frame.filter(**measure.of)
    change = _named(measure)["metric"].removeprefix(measure.prefix)
    if change in CHANGES:
        return _changes(rows, change, measure.value)
    return (_value(one, measure) for one in _replicates(rows))


def _value(rows: pl.DataFrame, measure: Measure) -> float | None:
    known = rows.drop_nulls(measure.value)
    under = float(known[measure.per].sum()) if measure.per else float(known.height)
    return float(known[measure.value].sum()) / under if under else None


def _changes(rows: pl.DataFrame, change: str, value: str) -> Iterator[float | None]:
    """Yield the change of each name seed from the answers with nationalities.

    If there are as many draws with nationalities as with names, they are compared one by one, else
    with all of them.
    """
    plain, named = (rows.filter(dataset=dataset) for dataset in DATASETS)
    draws, seeds = _replicates(plain), _replicates(named)
    beside = iter(draws) if len(draws) == len(seeds) else repeat(plain)
    for seed, draw in zip(seeds, beside, strict=False):
        shares = (error_share(part, value=value) for part in (seed, draw))
        yield CHANGES[change].of_shares(*shares)


def _spread(values: Iterable[float | None]) -> dict[str, float | int | None]:
    """Mean and SD (n − 1) over replicates that have a value, and their number."""
    known = [one for one in values if one is not None]
    return {
        "mean": statistics.fmean(known) if known else None,
        "sd": statistics.stdev(known) if len(known) > 1 else None,
        "replicates": len(known),
    }


def _replicates(part: pl.DataFrame) -> list[pl.DataFrame]:
    """The answers of each name seed and repeat, in order."""
    ordered = part.sort("seed", "repeat", maintain_order=True)
    return ordered.partition_by("seed", "repeat", maintain_order=True)
