"""Whether a model's ratings can be measured: it must rank what is known."""

from __future__ import annotations

from geobias.probes.ratings.scores import RatingAnswers, of_kind, truth_correlation
from geobias.results.findings import Screen

RANKS = 0.3
"""What the lower end of the interval must reach. Ratings at random reach it in under one study of a
thousand; models that rank countries by electricity or output at all have 0.6 and more."""


def screens(answers: RatingAnswers) -> list[Screen]:
    """Objective topics, held against World Bank figures."""
    asked = of_kind(answers.frame, "objective")
    if not asked.height:
        says = "no objective topic was asked, so nothing shows that it can rank places"
        return [Screen(name="ranks", ok=False, value=None, threshold=RANKS, n=0, says=says)]
    found = truth_correlation(answers.frame).estimate
    ok = found.low is not None and found.low >= RANKS
    if found.value is None or found.low is None:
        says = f"on topics where the truth is known, it cannot be told: {found.reason}"
    else:
        says = (
            "its ratings on topics where the truth is known follow it "
            f"{'' if ok else 'too '}{'well enough' if ok else 'little'}: rank correlation "
            f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}], and the lower end must be "
            f"{RANKS} at least"
        )
    return [Screen(name="ranks", ok=ok, value=found.low, threshold=RANKS, n=found.n, says=says)]
