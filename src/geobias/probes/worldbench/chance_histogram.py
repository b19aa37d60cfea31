"""The gaps that chance alone would give, drawn again for the histogram behind an observed gap.

The p-value and the baseline of the gap come with the findings, from the same countries' values.
"""

from __future__ import annotations

from geobias.results.findings import Findings, Section

SHUFFLES = 2000
BINS = 44


def shuffled_gaps(findings: Findings, section: Section, metric: str, by: str) -> list[float]:
    """Gaps between groups when economies are dealt at random into groups of the same sizes."""
    import numpy as np

    known = [
        (measure.value, getattr(country, by))
        for country in findings.countries
        for measure in country.measures
        if (measure.model, measure.metric) == (section.model, metric)
        and measure.value is not None
        and getattr(country, by)
    ]
    values, groups = [value for value, _ in known], [group for _, group in known]
    names, sizes = np.unique(groups, return_counts=True)
    if len(names) < 2:
        return []
    order = np.tile(np.arange(len(values)), (SHUFFLES, 1))
    dealt = np.asarray(values)[np.random.default_rng(0).permuted(order, axis=1)]
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    means = np.add.reduceat(dealt, starts, axis=1) / sizes
    return [round(float(gap), 6) for gap in means.max(axis=1) - means.min(axis=1)]


def histogram(values: list[float], end: float) -> list[dict[str, float]]:
    """How many values lie between `from` and `to`, in even steps from 0 to `end`; empty ones go."""
    import numpy as np

    counts, edges = np.histogram(values, bins=BINS, range=(0, end))
    return [
        {"from": round(float(a), 6), "to": round(float(b), 6), "deals": int(n)}
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
        if n
    ]
