"""Other tests of whether groups differ, to check the primary one by.

They are made on the very units of the primary one (`group_differences.Groups`): units without a
group (None) or a value (NaN) are left out, and so are groups of too few.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from geobias.stats.arrays import Floats
from geobias.stats.dealing import dealt_means, group_means
from geobias.stats.group_differences import Groups

DRAWS = 5000


def permuted_f_p(
    values: Floats, groups: Sequence[str | None], *, draws: int = DRAWS
) -> float | None:
    """The share of shuffles into groups of the same sizes, this one counted, in which means lie
    as far apart (Fisher's F; Good 2005, chapter 3). Assumes groups that vary alike."""
    units, sizes = _tested(values, groups)
    if len(sizes) < 2 or np.ptp(units) == 0:
        return None
    # With the units given, F rises with the sum of squares between groups and with nothing else.
    own = float(group_means(units[None, :], sizes)[0] ** 2 @ sizes)
    dealt = dealt_means(units, sizes, draws) ** 2 @ sizes
    return float((1 + (dealt >= own - 1e-12).sum()) / (1 + draws))


def kruskal_p(values: Floats, groups: Sequence[str | None]) -> float | None:
    """Kruskal and Wallis (1952): whether values of one group tend to rank above another's; with
    their correction for ties, and from χ² with k − 1 degrees of freedom.

    SciPy has it, in a module that takes longer to load than all our tests of a report take.
    """
    units, sizes = _tested(values, groups)
    if len(sizes) < 2 or np.ptp(units) == 0:
        return None
    n = len(units)
    _, place, ties = np.unique(units, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place]
    sums = np.add.reduceat(ranks, np.cumsum(sizes) - sizes)
    h = 12 / (n * (n + 1)) * float((sums**2 / sizes).sum()) - 3 * (n + 1)
    return float(chdtrc(len(sizes) - 1, h / (1 - float((ties**3 - ties).sum()) / (n**3 - n))))


def _tested(values: Floats, groups: Sequence[str | None]) -> tuple[Floats, NDArray[Any]]:
    """The units of groups that are large enough, group after group, less their mean; the sizes."""
    known = Groups.of(values, groups)
    units = known.values - (known.values.mean() if len(known.values) else 0)
    return units, np.asarray(known.sizes, dtype=int)
