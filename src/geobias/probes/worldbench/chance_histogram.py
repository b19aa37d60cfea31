"""What chance alone would give, drawn again for the eye.

The p-value and the baseline of a gap come with the findings; here only the shape of the
distribution is made, from the same countries' values, for the histogram behind the observed gap.
"""

from __future__ import annotations

from geobias.results.findings import Findings, Section

DEALS = 2000
BINS = 44


def deals(findings: Findings, section: Section, metric: str, by: str) -> list[float]:
    """Gaps between groups when economies are dealt at random into groups of the same sizes."""
    import numpy as np

    values, groups = [], []
    for country in findings.countries:
        group = getattr(country, by)
        for one in country.measures:
            if (
                one.model == section.model
                and one.metric == metric
                and one.value is not None
                and group
            ):
                values.append(one.value)
                groups.append(group)
    names, index = np.unique(groups, return_inverse=True)
    if len(names) < 2:
        return []
    sizes = np.bincount(index)
    order = np.tile(np.arange(len(values)), (DEALS, 1))
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
