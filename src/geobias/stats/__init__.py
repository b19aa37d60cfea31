"""Estimates with uncertainty. Knows numbers, not benchmarks."""

from geobias.stats.agreement import kappa
from geobias.stats.bootstrap import mean_over_units, nested_mean
from geobias.stats.correlation import Correlation, pearson, spearman
from geobias.stats.group_changes import GroupChange, changed_groups
from geobias.stats.group_differences import GroupDifferences, group_differences
from geobias.stats.groups import (
    Comparison,
    Difference,
    difference_of_means,
    group_mean,
    mover_difference,
    share_over_units,
    two_groups,
)
from geobias.stats.medians import median_over_units
from geobias.stats.multiple import benjamini_hochberg, holm
from geobias.stats.paired import McNemar, Paired, mcnemar, paired
from geobias.stats.planning import Design, Needed, needed, power, smallest_gap, unit_spread
from geobias.stats.pooling import Pooled, lent_errors, pooled_means, pooled_rates
from geobias.stats.rates import Estimate, rate
from geobias.stats.ratios import rate_over_units, ratio_over_units, score_over_units
from geobias.stats.regression import (
    Coefficient,
    Regression,
    difference_at_equal,
    linear,
    logistic,
    mixed_difference,
)

__all__ = [
    "Coefficient",
    "Comparison",
    "Correlation",
    "Design",
    "Difference",
    "Estimate",
    "GroupChange",
    "GroupDifferences",
    "McNemar",
    "Needed",
    "Paired",
    "Pooled",
    "Regression",
    "benjamini_hochberg",
    "changed_groups",
    "difference_at_equal",
    "difference_of_means",
    "group_differences",
    "group_mean",
    "holm",
    "kappa",
    "lent_errors",
    "linear",
    "logistic",
    "mcnemar",
    "mean_over_units",
    "median_over_units",
    "mixed_difference",
    "mover_difference",
    "needed",
    "nested_mean",
    "paired",
    "pearson",
    "pooled_means",
    "pooled_rates",
    "power",
    "rate",
    "rate_over_units",
    "ratio_over_units",
    "score_over_units",
    "share_over_units",
    "smallest_gap",
    "spearman",
    "two_groups",
    "unit_spread",
]
