"""Tables of several models as people read them; programs get a row for each model and group.

What holds over all models comes last, with its intervals, where a terminal shows it. Before it
stands a column for each model, with intervals; where there are many models, a row for each model
and a column for each group, without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from geobias.probes.lazy import pl
from geobias.probes.worldbench.conditions import ALL_MODELS
from geobias.results.formatting import in_natural_order

Frames: TypeAlias = Mapping[str, "pl.DataFrame"]
FEW = 4
"""Models that get a column each: two lines of tables hold so many with their intervals."""

_LAST = ("countries", "models", "questions", "asked", "over", "note")


def by_model(key: str, **values: str) -> Callable[[Frames], dict[str, pl.DataFrame]]:
    """What lays out a table whose rows are named by the column `key`; `values` are the columns that
    are shown of each model → what they are."""

    def people(frames: Frames) -> dict[str, pl.DataFrame]:
        shown: dict[str, pl.DataFrame] = {}
        for title, frame in frames.items():
            if "model" not in frame.columns:
                shown[title] = frame
                continue
            pooled = pl.col("model") == ALL_MODELS
            own, whole = frame.filter(~pooled), frame.filter(pooled)
            few = own["model"].n_unique() <= FEW
            for column, words in values.items():
                lay = _columns if few else _rows
                ending = "" if few else " (intervals: --json)"
                shown[f"{title}: {words}, model by model{ending}"] = lay(own, key, column)
            if whole.height:
                full = [name for name in whole.columns if whole[name].null_count() < whole.height]
                last = [name for name in _LAST if name in full]
                ordered = [name for name in full if name not in last] + last
                made, over = whole.select(ordered).drop("model"), ""
                if "over" in full and made["over"].n_unique() == 1:
                    over = f" (intervals over {made['over'][0]})"
                    made = made.drop("over")
                shown[f"{title}: over all models{over}"] = made
        return shown

    return people


def in_order(frames: Frames) -> dict[str, pl.DataFrame]:
    """Tables with their groups in the order that people expect: incomes from low to high."""
    return {
        title: _in_order(frame) if "group" in frame.columns else frame
        for title, frame in frames.items()
    }


def _in_order(frame: pl.DataFrame) -> pl.DataFrame:
    several = "model" in frame.columns
    parts = frame.partition_by("model", maintain_order=True) if several else [frame]
    rows = [row for part in parts for row in in_natural_order(part.to_dicts(), "group")]
    return pl.DataFrame(rows, schema=frame.schema)


def _columns(frame: pl.DataFrame, key: str, value: str) -> pl.DataFrame:
    """A row for each group, a column with its interval for each model."""
    table = frame.select(key).unique(maintain_order=True)
    for (model,), part in frame.group_by("model", maintain_order=True):
        bounds = [name for name in (f"{value}_low", f"{value}_high") if name in part.columns]
        named = {name: str(model) + name.removeprefix(value) for name in (value, *bounds)}
        own = part.select(key, *(pl.col(name).alias(as_) for name, as_ in named.items()))
        table = table.join(own, on=key, how="left", maintain_order="left")
    return table


def _rows(frame: pl.DataFrame, key: str, value: str) -> pl.DataFrame:
    """A row for each model, a column for each group."""
    return frame.pivot(key, index="model", values=value)
