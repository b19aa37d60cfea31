from __future__ import annotations

import polars as pl
import pytest

from geobias.probes.geo20q.judging import is_fit, judge_frame_of
from geobias.probes.geo20q.screens import screens
from geobias.results.findings import reasons
from geobias.stats.estimates import Estimate
from tests.probes.geo20q.games import frame, game, judged, planted


def why_not_measurable(games: pl.DataFrame, judge: pl.DataFrame | None = None) -> list[str]:
    return reasons(screens(games, judge))


def test_games_in_both_settings_are_counted_once_where_they_break_off() -> None:
    games = [
        game("KEN", "broken", 2, unlimited="broken", unlimited_turns=2, number=i) for i in range(24)
    ]
    assert "24 of 24 games broke off" in why_not_measurable(frame(games))
    assert "no game came to an end" in why_not_measurable(frame(games))


def test_games_in_both_settings_are_counted_once_where_all_are_lost() -> None:
    games = [
        game("KEN", "lost", 20, unlimited="gave_up", unlimited_turns=30, number=i) for i in range(5)
    ]
    said = "it won none of 5 games, so no group can differ"
    assert why_not_measurable(frame(games)) == [said]


@pytest.mark.parametrize(
    ("games", "reason"),
    [
        ([game("KEN", "lost", 20, number=i) for i in range(9)], "it won none of 9 games"),
        ([game("KEN", "won", 5, number=i) for i in range(9)], "it won every one of 9 games"),
        ([game("KEN", "broken", 1), game("FRA", "broken", 1)], "2 of 2 games broke off"),
        (
            [
                game("KEN", "won", 9, yes=10, repeated=9),
                game("FRA", "lost", 20, yes=10),
                game("FRA", "lost", 20, yes=10, repeated=9, number=1),
            ],
            "18 of the guesser's 30 questions repeated",
        ),
        (
            [game("KEN", "won", 9, yes=9, not_yes_no=8), game("FRA", "lost", 20)],
            "were not yes/no questions",
        ),
        (
            [game("KEN", "won", 9, yes=9, checked=8, errors=5), game("FRA", "lost", 20)],
            "the judge was wrong on 5 of the 8",
        ),
        ([game("KEN", "won", 9)], "the only game was won, so no group can differ"),
        ([], "no game was played"),
    ],
)
def test_what_measures_nothing_says_so(games: list[dict[str, object]], reason: str) -> None:
    assert any(reason in said for said in why_not_measurable(frame(games)))


def test_a_judge_no_better_than_a_coin_makes_success_unmeasurable() -> None:
    records = [
        {
            "country": c,
            "entity": c,
            "truth": t,
            "answer": "yes",
            "question": "type",
            "type": "thing",
        }
        for c in ("KEN", "FRA", "IND", "BRA")
        for t in ("yes", "no")
    ]
    said = why_not_measurable(planted(0.6, 0.3), judge_frame_of(records))
    assert len(said) == 1
    assert said[0].startswith("the judge is right on 50% [")
    assert said[0].endswith("of the 8 known facts that it was asked, and 90% are needed")


def test_a_judge_that_tosses_a_coin_in_one_language_is_named_with_it() -> None:
    records = [*judged("en", 24), *judged("es", 12), *judged("fr", 23)]
    [said] = why_not_measurable(planted(0.6, 0.3), judge_frame_of(records))
    assert said.startswith("the judge is right in Spanish on 50% [")


def test_a_judge_is_unfit_under_nine_in_ten_unless_the_facts_are_too_few_to_tell() -> None:
    assert not is_fit(Estimate(0.85, 0.81, 0.89, 180))
    assert not is_fit(Estimate(0.85, None, None, 2))
    assert is_fit(Estimate(0.85, 0.60, 0.96, 12))
    assert is_fit(Estimate(0.93, 0.88, 0.96, 180))
    assert not is_fit(Estimate(None, None, None, 0))


def test_the_judges_answers_in_games_are_screened_by_language_too() -> None:
    games = [
        game(c, "won", 9, yes=9, checked=8, errors=errors, language=code)
        for c in ("KEN", "FRA")
        for code, errors in (("en", 0), ("ja", 5))
    ]
    said = why_not_measurable(frame(games))
    assert "the judge was wrong in Japanese on 10 of the 16 answers that can be checked" in said
