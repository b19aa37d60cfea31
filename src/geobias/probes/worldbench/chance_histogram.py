"""The gaps that chance alone would give, drawn again for the histogram behind an observed gap.

The p-value and the baseline of the gap come with the findings, from the same countries' values.
"""

from __future__ import annotations

from geobias.results.findings import Findings, Section
from geobias.stats.group_differences import Groups, dealt_gaps

SHUFFLES = 2000
BINS = 44


def shuffled_gaps(findings: Findings, section: Section, metric: str, by: str) -> list[float]:
    """Gaps between groups when economies are shuffled into groups of the same sizes."""
    import numpy as np

    known = [
        (measure.value, getattr(country, by))
        for country in findings.countries
        for measure in country.measures
        if (measure.model, measure.metric) == (section.model, metric)
        and measure.value is not None
        and getattr(country, by)
    ]
    groups = Groups.of([value for value, _ in known], [group for _, group in known])
    if len(groups.names) < 2:
        return []
    values = np.array([value for value, group in known if group in groups.names])
    gaps = dealt_gaps(values, groups.sizes.astype(int), SHUFFLES)
    return [round(float(gap), 6) for gap in gaps]


def histogram(values: list[float], end: float) -> list[dict[str, float]]:
    """How many values lie between `from` and `to`, in even steps from 0 to `end`; empty ones go."""
    import numpy as np

    counts, edges = np.histogram(values, bins=BINS, range=(0, end))
    return [
        {"from": round(float(a), 6), "to": round(float(b), 6), "deals": int(n)}
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
        if n
    ]
