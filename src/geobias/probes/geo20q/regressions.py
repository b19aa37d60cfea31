"""The paper's regressions of success and of turns on fame (its Table 3).

Standard errors are clustered by country.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from geobias.probes.geo20q.scores import by_setting, grouped, table_frame
from geobias.stats.estimates import Estimate
from geobias.stats.regression import Regression, linear, logistic

LOG = "log"
NO_FIGURE = "no game has a figure"
ALL_ZERO = "every figure is 0, which has no log"


class _Fit:
    """The part of the log in a regression, and why it is missing."""

    def __init__(self, fit: Regression) -> None:
        part = fit.coefficients.get(LOG)
        self.slope = part.estimate if part else Estimate(None, None, None, fit.clusters)
        self.p = part.p if part else None
        self.r_squared = fit.r_squared
        self.rows, self.clusters = fit.rows, fit.clusters
        self.reason = (fit.reason or self.slope.reason) if fit.rows else NO_FIGURE

    def odds_ratio(self, column: str, rise: float = 1) -> dict[str, float | None]:
        slopes = self.slope.columns(column).items()
        return {end: None if slope is None else math.exp(rise * slope) for end, slope in slopes}

    def signed_r_squared(self) -> float | None:
        """With the sign of the slope."""
        if self.r_squared is None or self.slope.value is None:
            return None
        return math.copysign(self.r_squared, self.slope.value)


def regression(games: pl.DataFrame) -> pl.DataFrame:
    """Success and turns on the log of page views and of corpus frequency (the paper's Table 3).

    odds_ratio            for a rise of 1%, e^(0.01 β) with β per unit of natural log: near 1 even
                          for strong effects, since 1% is little
    odds_ratio_doubling   for twice as much, 2^β, which a person can read
    r_squared             of turns to success on the log; it cannot be negative. The paper prints it
                          with a minus sign where more fame means fewer turns, as it seems;
                          `r_squared_signed` has the sign of the slope
    turns_per_doubling    turns more (or fewer) to success when fame doubles
    games, won            in the regression, and won among them
    zero                  games left out because the figure is 0 (a corpus never names the entity):
                          0 has no log, and no doubling leads away from it. A slope in log x is not
                          biased by leaving rows out by x; log(1 + x) would make the slope hang on
                          the size of the corpus
    zero_won              won among those
    no_figure             games left out because nobody counted
    undefined             why a number is missing
    """
    rows = []
    for group, part in grouped(by_setting(games)):
        played = part.drop_nulls("won")
        for predictor, column in (("popularity", "views"), ("frequency", "frequency")):
            logs = played[column].to_numpy().astype(float)
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.where(logs > 0, np.log(logs), np.nan)
            countries = played["country"].to_numpy()
            won = played["won"].to_numpy()
            success = _Fit(logistic(won.astype(float), {LOG: logs}, countries.tolist()))
            taken = played["turns"].to_numpy().astype(float)
            turns = _Fit(linear(taken[won], {LOG: logs[won]}, countries[won].tolist()))
            left_out = _left_out(played, column)
            if success.reason == NO_FIGURE and left_out["zero"]:
                success.reason = turns.reason = ALL_ZERO
            row: dict[str, Any] = group | {"predictor": predictor} | left_out
            row |= {"success_p": success.p, "games": success.rows, "countries": success.clusters}
            row |= success.odds_ratio("odds_ratio", 0.01)
            row |= success.odds_ratio("odds_ratio_doubling", math.log(2))
            row |= {"turns_p": turns.p, "won": turns.rows, "r_squared": turns.r_squared}
            row["r_squared_signed"] = turns.signed_r_squared()
            for end, slope in turns.slope.columns("turns_per_doubling").items():
                row[end] = None if slope is None else slope * math.log(2)
            rows.append(row | {"undefined": _undefined(success, turns)})
    text = ("type", "predictor", "setting")
    ratios = table_frame(
        rows,
        text,
        estimates=("odds_ratio", "odds_ratio_doubling"),
        numbers=["success_p"],
        counts=("games", "countries"),
    )
    pace = table_frame(
        rows,
        estimates=["turns_per_doubling"],
        numbers=("r_squared", "r_squared_signed", "turns_p"),
        counts=("won", "zero", "zero_won", "no_figure"),
        notes=["undefined"],
    )
    return ratios.hstack(pace)


def _left_out(played: pl.DataFrame, column: str) -> dict[str, int]:
    zero = played.filter(played[column] <= 0)
    none = played.height - played.filter(played[column].is_finite()).height
    return {"zero": zero.height, "zero_won": int(zero["won"].sum()), "no_figure": none}


def _undefined(success: _Fit, turns: _Fit) -> str | None:
    if success.reason and success.reason == turns.reason:
        return success.reason
    reasons = {"success": success.reason, "turns": turns.reason}
    return "; ".join(f"{what}: {reason}" for what, reason in reasons.items() if reason) or None
