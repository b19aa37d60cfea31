"""How many turns the games of a report may take: the run's own limits, for titles and labels."""

from __future__ import annotations

from collections.abc import Sequence

from geobias.probes.geo20q.scores import limits_of
from geobias.results.findings import Findings


def allowed_turns(findings: Findings, setting: str, model: str | None = None) -> list[int]:
    """The limits of a setting in the runs of this model, or of all; the smallest first."""
    asked = [run for run in findings.runs if model is None or run.model == model]
    limits = [limits_of(run.probes.get("geo20q", {})).get(setting) for run in asked]
    return sorted({limit for limit in limits if limit is not None})


def within(limits: Sequence[int], word: str = " in") -> str:
    """ "in 20 turns", "in 5 or 20 turns"; "" where no limit is known."""
    if not limits:
        return ""
    turns = "turn" if list(limits) == [1] else "turns"
    return f"{word} {' or '.join(f'{limit:,}' for limit in limits)} {turns}"
