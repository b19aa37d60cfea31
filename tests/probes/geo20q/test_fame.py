from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from geobias.atlas.entities import Entity
from geobias.probes.geo20q.fame import gap_at_equal_views, regression
from tests.probes.geo20q.games import frame, game, members

COUNTRIES = members("Global South")[:10]


def entity(country: str, number: int, views: float | None) -> Entity:
    return Entity(
        id=f"{country.lower()}-person-{number}",
        name="x",
        type="person",
        category="sport",
        country=country,
        views=views,
    )


def table(wins: dict[float, int], of: int = 10) -> Any:
    """`of` games at each number of views, one for each country, of which so many were won."""
    games, known = [], []
    for number, (views, won) in enumerate(wins.items()):
        for i, country in enumerate(COUNTRIES[:of]):
            known.append(entity(country, number, views))
            games.append(game(country, "won" if i < won else "lost", 10 + number, number=number))
    return frame(games, known)


def test_the_odds_ratio_of_a_two_by_two_table_is_worked_by_hand() -> None:
    """Odds 2/8 at 100 views and 5/5 at 200: twice the views, four times the odds."""
    row = regression(table({100: 2, 200: 5})).row(0, named=True)
    assert row["odds_ratio_doubling"] == pytest.approx(4, rel=1e-6)
    assert row["odds_ratio"] == pytest.approx(4 ** (0.01 / math.log(2)), rel=1e-6)
    assert (row["games"], row["countries"], row["won"]) == (20, 10, 7)


def test_turns_have_the_slope_of_a_line_through_them() -> None:
    """10 turns at 100 views and 9 at 200, without scatter: a turn less per doubling, R² 1."""
    games, known = [], []
    for number, views in enumerate((100.0, 200.0)):
        for country in COUNTRIES:
            known.append(entity(country, number, views))
            games.append(game(country, "won", 10 - number, number=number))
    games[0] |= {"canonical": "lost"}
    row = regression(frame(games, known)).row(0, named=True)
    assert row["turns_per_doubling"] == pytest.approx(-1)
    assert (row["r_squared"], row["r_squared_signed"]) == pytest.approx((1, -1))


def test_what_cannot_be_fitted_says_why() -> None:
    no_views = regression(frame([game("KEN", "won", 9)])).row(0, named=True)
    assert (no_views["odds_ratio"], no_views["r_squared"]) == (None, None)
    assert no_views["undefined"] == "no game has a figure"
    apart = regression(table({100: 0, 200: 10})).row(0, named=True)
    assert apart["odds_ratio"] is None
    assert "without fail" in apart["undefined"]
    few = regression(table({100: 1, 200: 2}, of=4)).row(0, named=True)
    assert "4 clusters: no interval" in few["undefined"]
    assert (few["odds_ratio_low"], few["success_p"]) == (None, None)
    alike = regression(table({100: 3})).row(0, named=True)
    assert "predictor does not vary" in alike["undefined"]
    won = regression(table({100: 10, 200: 10})).row(0, named=True)
    assert "outcome does not vary" in won["undefined"]


def test_zero_views_have_no_logarithm_and_are_left_out() -> None:
    row = regression(table({0: 5, 100: 2, 200: 5})).row(0, named=True)
    assert row["games"] == 20


def test_fits_are_those_of_statsmodels_and_their_intervals_a_little_wider() -> None:
    """Clustered errors are jackknifed, for they run short where clusters are few."""
    from statsmodels.discrete.discrete_model import Logit
    from statsmodels.regression.linear_model import OLS
    from statsmodels.tools import add_constant

    dice = random.Random(1)
    games, known, x, y, taken, units = [], [], [], [], [], []
    for unit, country in enumerate(members("Global South")[:12]):
        for number in range(8):
            log = dice.gauss(7, 1)
            won = dice.random() < 1 / (1 + math.exp(7 - log))
            turn = round(14 - log + dice.gauss(0, 2)) if won else 20
            known.append(entity(country, number, math.exp(log)))
            games.append(game(country, "won" if won else "lost", turn, number=number))
            x.append(log)
            y.append(float(won))
            taken.append(float(turn))
            units.append(unit)
    row = regression(frame(games, known)).row(0, named=True)
    options: dict[str, Any] = {"cov_type": "cluster", "use_t": True}
    clusters, logs, wins = np.array(units), np.array(x), np.array(y)
    odds = Logit(wins, add_constant(logs)).fit(disp=0, cov_kwds={"groups": clusters}, **options)
    assert row["odds_ratio"] == pytest.approx(math.exp(0.01 * odds.params[1]))
    low, high = odds.conf_int()[1]
    ends = [math.log(row[f"odds_ratio{end}"]) / 0.01 for end in ("_low", "_high")]
    assert 1 <= (ends[1] - ends[0]) / (high - low) < 1.25
    assert row["success_p"] == pytest.approx(odds.pvalues[1], abs=0.01)
    won_ = wins == 1
    line = OLS(np.array(taken)[won_], add_constant(logs[won_])).fit(
        cov_kwds={"groups": clusters[won_]}, **options
    )
    assert row["r_squared"] == pytest.approx(line.rsquared)
    assert row["turns_p"] == pytest.approx(line.pvalues[1], abs=0.02)
    assert row["turns_per_doubling"] == pytest.approx(line.params[1] * math.log(2))


def test_a_gap_that_fame_explains_is_gone_at_equal_fame() -> None:
    dice = random.Random(3)
    games, known = [], []
    for half, typical in (("Global North", 9.0), ("Global South", 7.0)):
        for country in members(half)[:23]:
            for number in range(12):
                log = dice.gauss(typical, 1.5)
                known.append(entity(country, number, math.exp(log)))
                won = dice.random() < 1 / (1 + math.exp(8 - log))
                games.append(game(country, "won" if won else "lost", 9, number=number))
    row = gap_at_equal_views(frame(games, known)).filter(half="Global South").row(0, named=True)
    assert row["odds_ratio_high"] < 0.5
    assert row["odds_ratio_equal_views_low"] < 1 < row["odds_ratio_equal_views_high"]
    assert row["games"] == 552


def test_games_about_what_a_corpus_never_names_are_counted_and_not_in_the_slope() -> None:
    with_zeros = regression(table({0: 3, 100: 2, 200: 5})).row(0, named=True)
    assert (with_zeros["zero"], with_zeros["zero_won"], with_zeros["no_figure"]) == (10, 3, 0)
    without = regression(table({100: 2, 200: 5})).row(0, named=True)
    assert with_zeros["odds_ratio_doubling"] == pytest.approx(without["odds_ratio_doubling"])
    assert (without["zero"], without["games"]) == (0, with_zeros["games"])


def test_figures_that_are_all_0_are_not_called_missing() -> None:
    popularity, frequency = regression(table({0: 3})).iter_rows(named=True)
    assert popularity["undefined"] == "every figure is 0, which has no log"
    assert frequency["undefined"] == "no game has a figure"
    assert (frequency["zero"], frequency["no_figure"]) == (0, 10)
