"""Fame and success, and the gap at equal fame."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

from geobias.measures.comparing import comparison_of
from geobias.measures.estimates import contrasted
from geobias.measures.measure import Contrasted
from geobias.probes.geo20q.analyses import NO_FIGURE, regression
from geobias.probes.geo20q.fame import TOO_FEW_FIGURES, equal_fame, known_gap
from geobias.probes.geo20q.measured import MEASURES
from geobias.probes.geo20q.scores import by_setting
from geobias.results.changes import Change
from tests.defined import defined
from tests.probes.geo20q.games import entity, famous, frame, game, members

COUNTRIES = members("Global South")[:10]
PRIMARY = "geo20q.north_south_gap_known_people_canonical"


def gap(games: pl.DataFrame) -> Contrasted:
    """North minus South among people that the model knows."""
    estimate = defined(known_gap("north_south", "people", "canonical").estimate)
    return estimate(games, "won", 1.0)


def table(wins: dict[float, int], of: int = 10) -> Any:
    """`of` games at each number of views, one for each country, of which so many were won."""
    games, people = [], []
    for number, (views, won) in enumerate(wins.items()):
        for i, country in enumerate(COUNTRIES[:of]):
            people.append(entity(country, number, views))
            games.append(game(country, "won" if i < won else "lost", 10 + number, number=number))
    return frame(games, people)


def test_the_odds_ratio_of_a_two_by_two_table_is_worked_by_hand() -> None:
    """Odds 2/8 at 100 views and 5/5 at 200: twice the views, four times the odds."""
    row = regression(table({100: 2, 200: 5})).row(0, named=True)
    assert row["odds_ratio_doubling"] == pytest.approx(4, rel=1e-6)
    assert row["odds_ratio"] == pytest.approx(4 ** (0.01 / math.log(2)), rel=1e-6)
    assert (row["games"], row["countries"], row["won"]) == (20, 10, 7)


def test_turns_have_the_slope_of_a_line_through_them() -> None:
    """10 turns at 100 views and 9 at 200, without scatter: a turn less per doubling, R² 1."""
    games, people = [], []
    for number, views in enumerate((100.0, 200.0)):
        for country in COUNTRIES:
            people.append(entity(country, number, views))
            games.append(game(country, "won", 10 - number, number=number))
    games[0] |= {"canonical": "lost"}
    row = regression(frame(games, people)).row(0, named=True)
    assert row["turns_per_doubling"] == pytest.approx(-1)
    assert row["r_squared"] == pytest.approx(1)


def test_what_cannot_be_fitted_says_why() -> None:
    no_views = regression(frame([game("KEN", "won", 9)])).row(0, named=True)
    assert (no_views["odds_ratio"], no_views["r_squared"]) == (None, None)
    assert no_views["undefined"] == NO_FIGURE
    few = regression(table({100: 1, 200: 2}, of=4)).row(0, named=True)
    assert "4 clusters" in few["undefined"]
    assert (few["odds_ratio_low"], few["success_p"]) == (None, None)


def test_games_about_what_a_corpus_never_names_are_counted_and_not_in_the_slope() -> None:
    with_zeros = regression(table({0: 3, 100: 2, 200: 5})).row(0, named=True)
    assert with_zeros["left_out"] == 10
    without = regression(table({100: 2, 200: 5})).row(0, named=True)
    assert with_zeros["odds_ratio_doubling"] == pytest.approx(without["odds_ratio_doubling"])
    assert (without["left_out"], without["games"]) == (0, with_zeros["games"])


def gap_at(games: pl.DataFrame, at: str = "page views") -> dict[str, Any]:
    return equal_fame(games).filter(halves="north_south", compared_at=at).row(0, named=True)


def test_a_gap_that_fame_explains_is_not_clear_and_a_planted_one_is() -> None:
    found = gap_at(famous(0.0))
    assert found["difference_low"] < 0 < found["difference_high"]
    assert found["p"] > 0.05
    found = gap_at(famous(0.3))
    assert 0 < found["difference_low"] < 0.3 < found["difference_high"]
    assert found["p"] < 0.05


def known(gap: float, **more: int) -> pl.DataFrame:
    """Games about people that the model knows, but for one of ten of each country."""
    games = by_setting(famous(gap, **more))
    return games.with_columns(knows=~pl.col("entity").str.ends_with("-9"))


def changed(before: float, after: float) -> Change:
    """The change of the gap between two runs of the same games, with these gaps."""
    first, second = (known(gap) for gap in (before, after))
    both = first.with_columns(won_2=second["won"], knows_2=second["knows"])
    changes = comparison_of("geo20q", MEASURES).changes(both)
    return next(one for one in changes if one.metric == PRIMARY)


def test_the_change_of_a_gap_is_that_of_the_two_and_its_p_belongs_to_its_interval() -> None:
    for before, after, clear in ((0.0, 0.35, True), (0.2, 0.21, False)):
        change = changed(before, after)
        assert change.first == gap(known(before)).found.value
        assert change.difference == pytest.approx(defined(change.second) - defined(change.first))
        held = defined(change.difference_low) <= 0 <= defined(change.difference_high)
        assert (defined(change.p) < 0.05) == (not held) == clear


def test_games_that_all_ended_alike_have_no_change() -> None:
    change = changed(0.3, 0.3)
    assert (change.difference, change.p, change.first) == (0, 1, change.second)


def test_halves_that_hardly_overlap_in_fame_have_a_caution() -> None:
    games = famous(0.3)
    assert "both halves" not in (gap_at(games)["note"] or "")
    apart = games.with_columns(
        views=pl.col("views")
        * pl.when(pl.col("north_south") == "Global North").then(30).otherwise(1)
    )
    assert "both halves" in gap_at(apart)["note"]


def test_games_without_a_figure_are_left_out_and_counted() -> None:
    row = gap_at(famous(0.3, unknown=7))
    assert (row["games"], row["left_out"]) == (2 * 213, 14)
    assert 0 <= row["left_out_won"] <= 1
    row = gap_at(famous(0.3, unknown=999))
    assert (row["difference"], row["p"]) == (None, None)
    assert row["note"]


def test_games_about_people_that_it_does_not_know_are_left_out_and_counted() -> None:
    found = gap(known(0.3))
    assert found.rows == 2 * 22 * 9
    assert found.note.count("22 games of the Global") == 2


def test_broken_games_are_taken_as_all_lost_and_as_all_won() -> None:
    games = known(0.3, broken=8)
    people = next(one for one in MEASURES if one.name == "success_people_canonical")
    contrast = known_gap("north_south", "people", "canonical")
    ends = contrasted(games, people, contrast).ends
    both = [gap(games.with_columns(pl.col("won").fill_null(end))).found for end in (False, True)]
    values = [one.value for one in both if one.value is not None]
    assert (ends.lowest, ends.highest) == pytest.approx((min(values), max(values)))
    assert ends.p == pytest.approx(max(one.p or 0 for one in both))


def test_a_gap_that_frequency_in_a_corpus_explains_is_gone_at_equal_frequency() -> None:
    games = famous(0.0).with_columns(frequency=pl.col("views"), views=pl.lit(None, pl.Float64))
    row = gap_at(games, "frequency")
    assert row["difference_low"] < 0 < row["difference_high"]
    assert row["left_out"] == games["frequency"].null_count()
    assert gap_at(famous(0.0), "frequency")["difference"] is None


def test_people_whose_views_most_of_a_half_lack_have_no_gap_at_equal_fame() -> None:
    north = pl.col("north_south") == "Global North"
    assert gap_at(famous(0.3).with_columns(views=pl.when(north).then("views")))["note"] == (
        TOO_FEW_FIGURES
    )
