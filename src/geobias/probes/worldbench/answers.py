"""The answers of a WorldBench run, and the figures that they are compared with."""

from __future__ import annotations

from geobias.atlas.figures import Figures, Rule, ground_truth_rule
from geobias.atlas.figures import figures as shipped_figures
from geobias.atlas.table import published_editions
from geobias.errors import BadRequest
from geobias.probes.probe import Answers
from geobias.probes.worldbench.trials import figures_digest
from geobias.trials import StoredSettings


class FigureAnswers(Answers, frozen=True, kw_only=True):
    """The answers of one model, with the figures that they are compared with.

    `figures` is None if the figures of the run are not available.
    """

    figures: Figures | None
    rule: Rule = "average"

    def known_figures(self) -> Figures:
        """The figures that answers were compared with. Raises `BadRequest` if they are missing."""
        if self.figures is None:
            raise BadRequest(
                f"{self.model} was not run with these figures; give --figures FILE with the table "
                "that was used"
            )
        return self.figures


def own_figures(settings: StoredSettings) -> str:
    """The words for a user's figures, with their indicators; "" for a run with shipped figures."""
    if settings.get("figures", "shipped") == "shipped":
        return ""
    named = [one["label"] for one in settings.get("indicator_file", ())]
    return f"own figures ({', '.join(named)})" if named else "own figures"


def figures_edition(digest: str, settings: StoredSettings) -> str:
    """The publisher of a run's figures, the ground truth rule, and the date of the files."""
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
