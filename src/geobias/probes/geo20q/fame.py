"""Does fame explain success? Regressions on page views and corpus frequency.

Standard errors are clustered by country: games about one country stand and fall together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from geobias.probes.geo20q.analyses import HALVES
from geobias.probes.geo20q.scores import by_setting, grouped
from geobias.stats import Estimate, Regression, linear, logistic

if TYPE_CHECKING:
    import polars as pl


LOG, HALF = "log", "half"
NO_FIGURE = "no game has a figure"
ALL_ZERO = "every figure is 0, which has no log"


class _Fit:
    """One predictor's part in a regression, and why it is missing."""

    def __init__(self, found: Regression, name: str = LOG) -> None:
        part = found.coefficients.get(name)
        self.slope = part.estimate if part else Estimate(None, None, None, found.clusters)
        self.p = part.p if part else None
        self.r_squared = found.r_squared
        self.rows, self.clusters = found.rows, found.clusters
        self.reason = found.reason or self.slope.reason
        if not found.rows:
            self.reason = NO_FIGURE


def regression(frame: pl.DataFrame) -> pl.DataFrame:
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
    import numpy as np
    import polars as pl

    rows = []
    for group, part in grouped(by_setting(frame), "all"):
        played = part.filter(pl.col("won").is_not_null())
        for name, column in (("popularity", "views"), ("frequency", "frequency")):
            logs = played[column].to_numpy().astype(float)
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.where(logs > 0, np.log(logs), np.nan)
            countries = played["country"].to_list()
            chance = _Fit(logistic(played["won"].to_numpy().astype(float), {LOG: logs}, countries))
            won = (played["won"] == 1).to_numpy()
            of_won = [country for country, w in zip(countries, won.tolist(), strict=True) if w]
            taken = played["turns"].to_numpy().astype(float)
            pace = _Fit(linear(taken[won], {LOG: logs[won]}, of_won))
            rows.append({"type": group["type"], "predictor": name, "setting": group["setting"]})
            out = _left_out(played, column)
            if chance.reason == NO_FIGURE and out["zero"]:
                chance.reason = pace.reason = ALL_ZERO
            rows[-1] |= _odds(chance) | _pace(pace) | out | {"undefined": _why(chance, pace)}
    names = ("odds_ratio", "odds_ratio_doubling", "turns_per_doubling")
    numbers = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    schema: dict[str, Any] = dict.fromkeys(("type", "predictor", "setting"), pl.String)
    schema |= dict.fromkeys(numbers[:6], pl.Float64) | {"success_p": pl.Float64}
    schema |= {"games": pl.Int64, "countries": pl.Int64}
    schema |= dict.fromkeys((*numbers[6:], "r_squared", "r_squared_signed"), pl.Float64)
    schema |= {"turns_p": pl.Float64, "won": pl.Int64}
    schema |= dict.fromkeys(("zero", "zero_won", "no_figure"), pl.Int64) | {"undefined": pl.String}
    return pl.DataFrame(rows, schema=schema)


def _left_out(played: pl.DataFrame, column: str) -> dict[str, int]:
    """Games that came to an end and are not in the regression."""
    zero = played.filter(played[column] <= 0)
    none = played.height - played.filter(played[column].is_finite()).height
    return {"zero": zero.height, "zero_won": int(zero["won"].sum()), "no_figure": none}


def _odds(fit: _Fit) -> dict[str, Any]:
    row: dict[str, Any] = {"success_p": fit.p, "games": fit.rows, "countries": fit.clusters}
    for name, rise in (("odds_ratio", 0.01), ("odds_ratio_doubling", math.log(2))):
        row |= {end: _exp(rise, slope) for end, slope in fit.slope.columns(name).items()}
    return row


def _exp(rise: float, slope: float | None) -> float | None:
    return None if slope is None else math.exp(rise * slope)


def _pace(fit: _Fit) -> dict[str, Any]:
    slope, r = fit.slope, fit.r_squared
    row: dict[str, Any] = {"turns_p": fit.p, "won": fit.rows, "r_squared": r}
    for end, turns in slope.columns("turns_per_doubling").items():
        row[end] = None if turns is None else turns * math.log(2)
    signed = None if r is None or slope.value is None else math.copysign(r, slope.value)
    return row | {"r_squared_signed": signed}


def _why(chance: _Fit, pace: _Fit) -> str | None:
    if chance.reason and chance.reason == pace.reason:
        return chance.reason
    said = [
        f"{what}: {fit.reason}"
        for what, fit in (("success", chance), ("turns", pace))
        if fit.reason
    ]
    return "; ".join(said) or None


def held_constant(frame: pl.DataFrame) -> pl.DataFrame:
    """Does fame explain the gap? The South's odds of success, as they are and at equal page views.

    Logistic regressions of success on being of the Global South (of the Global East), alone and
    with log page views beside it, over the same games: those with a figure. An odds ratio of 1 is
    no gap; one that stays below 1 at equal views is a gap that fame does not explain.
    """
    import numpy as np
    import polars as pl

    rows = []
    for group, part in grouped(by_setting(frame), "all"):
        played = part.filter(pl.col("won").is_not_null() & (pl.col("views").fill_null(0) > 0))
        for half, (_, second) in HALVES.items():
            games = played.filter(pl.col(half).is_not_null())
            there = (games[half] == second).cast(float).to_numpy()
            logs = np.log(games["views"].to_numpy().astype(float))
            won, countries = games["won"].to_numpy().astype(float), games["country"].to_list()
            row: dict[str, Any] = {"type": group["type"], "setting": group["setting"]}
            row |= {"half": second}
            alone = _Fit(logistic(won, {HALF: there}, countries), HALF)
            beside = _Fit(logistic(won, {HALF: there, LOG: logs}, countries), HALF)
            for name, fit in (("odds_ratio", alone), ("odds_ratio_equal_views", beside)):
                row |= {end: _exp(1, slope) for end, slope in fit.slope.columns(name).items()}
            rows.append(
                row
                | {"p": alone.p, "equal_views_p": beside.p, "games": beside.rows}
                | {"countries": beside.clusters, "undefined": alone.reason or beside.reason or None}
            )
    names = [
        f"{name}{end}"
        for name in ("odds_ratio", "odds_ratio_equal_views")
        for end in ("", "_low", "_high")
    ]
    schema: dict[str, Any] = dict.fromkeys(("type", "setting", "half"), pl.String)
    schema |= dict.fromkeys((*names, "p", "equal_views_p"), pl.Float64)
    schema |= {"games": pl.Int64, "countries": pl.Int64, "undefined": pl.String}
    return pl.DataFrame(rows, schema=schema)
