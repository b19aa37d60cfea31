"""What may leave the report by itself: a number that stands in somebody else's table or card.

There it loses its screens and its cautions. So only numbers of what can be measured go, and what
does not go is named with the reason.
"""

from __future__ import annotations

from typing import NamedTuple

from geobias.errors import BadRequest
from geobias.results.findings import Findings, Metric, Run, Section

SIMULATED = "sim/"
"""Names of simulated models begin so."""


class Travelling(NamedTuple):
    """A section's metrics that have a number to show; and the others, by name with the reason."""

    shown: list[Metric]
    left_out: dict[str, str]


def travelling(section: Section) -> Travelling:
    shown, left_out = [], {}
    for metric in section.metrics:
        if metric.screened and not section.measurable:
            left_out[metric.name] = f"not measurable: {'; '.join(section.why_not)}"
        elif metric.value is None:
            left_out[metric.name] = f"undefined: {metric.undefined_because or 'no answers'}"
        else:
            shown.append(metric)
    return Travelling(shown, left_out)


def only_run(findings: Findings, what: str) -> Run:
    """The one run that a document is about; a `BadRequest` where there are more."""
    if len(findings.runs) > 1:
        raise BadRequest(f"{what} is about one model: name one run, and make one for each")
    return findings.runs[0]


def is_simulated(run: Run) -> bool:
    return run.models.get("model", run.model).startswith(SIMULATED)
