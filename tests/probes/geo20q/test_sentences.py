"""What is said of games, and whether they say anything about places."""

from __future__ import annotations

import polars as pl
import pytest

from geobias.atlas.economies import economies
from geobias.probes.geo20q.judging import is_fit, judge_frame_of
from geobias.probes.geo20q.probe import Geo20Q
from geobias.probes.geo20q.screens import screens
from geobias.results.findings import reasons
from geobias.stats.estimates import Estimate
from tests.probes.geo20q.games import famous, frame, game, games_of, judged, members, planted

LOST = frame([game("KEN", "lost", 20)])
"""Games that measure nothing."""


def sentences(games: pl.DataFrame, judge: pl.DataFrame | None = None) -> list[str]:
    return [one.text for one in Geo20Q().in_brief(games_of(games, judge)).sentences]


@pytest.fixture(scope="module")
def of_a_gap() -> list[str]:
    return sentences(planted(0.7, 0.2))


def test_the_gap_is_said_in_words_with_its_n(of_a_gap: list[str]) -> None:
    lines = of_a_gap
    [gap] = [line for line in lines if line.startswith("People, canonical")]
    assert "North 70% (n = 23 countries), South 23%" in gap
    assert "The difference is 0.4" in gap
    assert "(p < 0.001" in gap
    assert not any("not measurable" in line.casefold() for line in lines)


def test_the_primary_gap_is_said_with_its_n_and_p_and_left_to_the_verdict() -> None:
    [gap] = [one for one in sentences(famous(0.4)) if one.startswith("North minus South")]
    assert gap.endswith(" economies; p < 0.001).")


def test_an_unknown_fame_is_said(of_a_gap: list[str]) -> None:
    said = "The gap between North and South at equal fame is unknown: no game has a figure of fame."
    assert said in of_a_gap


def test_the_verdict_of_a_run_without_people_says_why() -> None:
    games = games_of(planted(0.7, 0.2, type="thing"), settings={"type": "things"})
    told = Geo20Q().verdict(Geo20Q().in_brief(games).section)
    assert (told.word, told.found) == ("untested", "played too few games about people to tell")
    assert told.matters == "No people were played, and the fame of things is not known."


@pytest.mark.parametrize(("gap", "word"), [(0.4, "found"), (0.0, "open")])
def test_the_verdict_is_that_of_the_primary_test(gap: float, word: str) -> None:
    section = Geo20Q().in_brief(games_of(famous(gap))).section
    [primary] = [one for one in section.metrics if one.primary]
    assert primary.name == "geo20q.north_south_gap_equal_fame_people_canonical"
    assert primary.interest == 0.05
    told = Geo20Q().verdict(section)
    assert (told.word, told.metric) == (word, primary.name)


def test_regions_are_named_where_their_own_test_shows_it() -> None:
    def regions(lines: list[str]) -> str:
        return next(line for line in lines if line.startswith("Regions"))

    assert "More are won about" not in regions(sentences(planted(0.4, 0.4)))
    apart = [
        game(
            one.iso3, "won" if n < (8 if one.region == "South Asia" else 2) else "lost", 9, number=n
        )
        for one in economies().values()
        if one.region in ("South Asia", "Sub-Saharan Africa")
        for n in range(10)
    ]
    said = regions(sentences(frame(apart)))
    assert "Regions differ" in said
    assert "More are won about South Asia (80%) than about Sub-Saharan Africa (20%): 0.60" in said


def test_broken_games_are_said_and_in_no_share() -> None:
    games = [game("KEN", "won", 9), game("FRA", "lost", 20), game("IND", "broken", 2)]
    assert any("1 of 3 games broke off" in line for line in sentences(frame(games)))


def test_a_gap_is_said_to_be_of_means_over_countries() -> None:
    games = [game("FRA", "won" if n < 9 else "lost", 9, number=n) for n in range(10)]
    games += [game("DEU", "lost", 20), game("KEN", "lost", 20), game("KEN", "won", 9, number=1)]
    for half, ending in (("Global North", "won"), ("Global South", "lost")):  # the surest gap
        games += [game(country, ending, 20, type="thing") for country in members(half)[:9]]
    said = next(line for line in sentences(frame(games)) if line.startswith("People"))
    assert "as they are, means over countries: North 45% (n = 2 countries)" in said
    assert "South 50% (n = 1 country)" in said


def test_a_judges_share_in_each_language_is_said_where_nothing_else_can_be_measured() -> None:
    records = [*judged("en", 24), *judged("es", 21)]
    said = sentences(LOST, judge_frame_of(records))
    assert any("Asked 24 known facts in Spanish, the judge was right on 88%" in s for s in said)


def test_a_judges_share_without_an_interval_says_why() -> None:
    two = [one for one in judged("en", 24) if one["country"] in ("FRA", "KEN")]
    said = sentences(LOST, judge_frame_of(two))[-1]
    assert said.endswith("the judge was right on 100% (no interval: 2 countries).")


def test_answers_that_cannot_be_read_are_in_no_share_of_right_ones() -> None:
    records = judged("en", 24)
    for record in records[:4]:
        record["answer"] = ""
    said = sentences(LOST, judge_frame_of(records))[-1]
    assert said.startswith("Asked 24 known facts, the judge was right on 100%")
    assert said.endswith("of the 20 answers that can be read.")


def test_a_small_run_says_what_it_can_see_and_a_large_one_need_not() -> None:
    def seen(countries: int, each: int) -> list[str]:
        games = [
            game(country, "won" if (number + place) % 3 else "lost", 9, number=number)
            for half in ("Global North", "Global South")
            for place, country in enumerate(members(half)[:countries])
            for number in range(each)
        ]
        return [
            one
            for one in sentences(frame(games))
            if " gap between North and South. " in one or "or more between North and South" in one
        ]

    [nothing] = seen(2, 2)
    assert nothing.startswith(
        "8 games about people are too few to show any gap between North and South"
    )
    [little] = seen(5, 1)
    assert little.startswith("10 games about people can show a gap of 0.")
    assert "or more between North and South" in little
    assert seen(25, 6) == []


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
