"""WorldBench's answers: questions with their errors, and the figures they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geobias.atlas.figures import Figures, Rule, ground_truth_rule
from geobias.atlas.figures import figures as shipped_figures
from geobias.atlas.table import published_editions
from geobias.errors import BadRequest
from geobias.probes.probe import Answers
from geobias.probes.worldbench.trials import figures_digest


class FigureAnswers(Answers, frozen=True, kw_only=True):
    """The answers of one model.

    `figures` is None if those that the run was made with are not available.
    """

    figures: Figures | None
    rule: Rule = "average"

    def known_figures(self) -> Figures:
        """The figures with which answers were compared. Raises if they are not available."""
        if self.figures is None:
            raise BadRequest(
                f"{self.model} was not run with these figures; give --figures FILE with the table "
                "that was used"
            )
        return self.figures


def own_figures(settings: Mapping[str, Any]) -> str:
    """A user's own figures by the names of their indicators; "" if a run has none."""
    if settings.get("figures", "shipped") == "shipped":
        return ""
    named = [one.get("label") or one["phrase"] for one in settings.get("indicator_file", ())]
    return f"own figures ({', '.join(named)})" if named else "own figures"


def figures_edition(digest: str, settings: Mapping[str, Any]) -> str:
    """The figures' publisher, rule and date."""
    if own := own_figures(settings):
        return own
    shipped = shipped_figures()
    if digest != figures_digest(shipped):
        return "World Bank, another edition than this geobias ships"
    files = next(one.edition for one in published_editions() if one.table == "figures.csv")
    rule = ground_truth_rule(str(settings.get("ground_truth", "average")))
    first, last = shipped.years[-3], shipped.years[-1]
    used = {"average": f"average of {first}–{last % 100:02d}", "latest": "most recent year"}
    return f"World Bank, {used.get(str(rule), f'year {rule}')}, files of {files}"
