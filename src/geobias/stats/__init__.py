"""Estimates with uncertainty. Knows numbers, not benchmarks."""

from geobias.stats.bootstrap import mean_over_units, median_over_units
from geobias.stats.correlation import Correlation, pearson, spearman
from geobias.stats.disparity import Disparity, disparity
from geobias.stats.rates import Estimate, rate
from geobias.stats.ratios import ratio_over_units, score_over_units

__all__ = [
    "Correlation",
    "Disparity",
    "Estimate",
    "disparity",
    "mean_over_units",
    "median_over_units",
    "pearson",
    "rate",
    "ratio_over_units",
    "score_over_units",
    "spearman",
]
