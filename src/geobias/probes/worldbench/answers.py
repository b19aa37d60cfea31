"""WorldBench's answers: questions with their errors, and the figures they are compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.atlas.figures import Figures, Rule, ground_truth_rule
from geobias.atlas.figures import figures as shipped_figures
from geobias.errors import BadRequest
from geobias.probes.probe import Answers, RunRecords
from geobias.probes.worldbench.choosing import own_figures
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.trials import figures_digest

if TYPE_CHECKING:
    from geobias.probes.worldbench.settings import WorldBenchReading


class FigureAnswers(Answers, frozen=True, kw_only=True):
    """`figures` is None where those that the run was made with are not at hand."""

    figures: Figures | None
    rule: Rule = "average"

    def known_figures(self) -> Figures:
        """The figures the answers were compared with, which a table may need."""
        if self.figures is None:
            raise BadRequest(
                f"{self.model} was not run with these figures; give --figures FILE with the table "
                "that was used"
            )
        return self.figures


def read_answers(run: RunRecords, reading: WorldBenchReading) -> FigureAnswers:
    """A run's answers. Trials end in whatever order; sums of floats must not depend on it."""
    table = own_figures(reading.figures) or shipped_figures()
    same = run.editions.get("figures") == figures_digest(table)
    return FigureAnswers(
        model=run.model,
        frame=frame_of(run.rows("worldbench"), run.model).sort("trial"),
        records=run,
        figures=table if same else None,
        rule=ground_truth_rule(run.settings.get("ground_truth", "average")),
    )
