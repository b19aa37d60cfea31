"""What a run was made with, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geobias.atlas.editions import published_editions
from geobias.atlas.figures import figures, ground_truth_rule
from geobias.probes.worldbench.trials import figures_digest


def edition(name: str, digest: str, settings: Mapping[str, Any]) -> str:
    """The figures' publisher, rule and date; other tables go by their own edition."""
    if name != "figures":
        return ""
    if settings.get("figures", "shipped") != "shipped":
        return "the user’s own table"
    shipped = figures()
    if digest != figures_digest(shipped):
        return "World Bank, another edition than this geobias ships"
    files = next(one.edition for one in published_editions() if one.table == "figures.csv")
    rule = ground_truth_rule(str(settings.get("ground_truth", "average")))
    first, last = shipped.years[-3], shipped.years[-1]
    used = {"average": f"average of {first}–{last % 100:02d}", "latest": "most recent year"}
    return f"World Bank, {used.get(str(rule), f'year {rule}')}, files of {files}"
