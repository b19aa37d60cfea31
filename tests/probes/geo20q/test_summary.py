from __future__ import annotations

import polars as pl
import pytest

from geobias.probes.geo20q.judge_scores import judge_frame_of
from geobias.probes.geo20q.published import (
    CONTINENTS_TABLE,
    HALVES_TABLE,
    LANGUAGES_TABLE,
    REGRESSION_TABLE,
    beside,
    left_out,
    published,
    stars,
)
from geobias.probes.geo20q.summary import (
    _direction,
    saving,
    score_table,
    sentences,
    why_not_measurable,
)
from geobias.probes.geo20q.tables import TABLES, tables
from tests.probes.geo20q.games import frame, game, planted


def test_the_gap_is_said_in_words_with_its_n() -> None:
    lines = sentences(planted(0.7, 0.2))
    assert any("the North is found more often (p < 0.001)" in line for line in lines)
    assert any("n = 23 countries" in line for line in lines)
    assert not any("not measurable" in line for line in lines)


def test_the_direction_is_that_of_the_means_beside_it() -> None:
    row = {"p_holm": 0.01, "difference": -0.2, "effect": -0.4}
    assert _direction(row) == "the South is found more often"
    assert "different directions" in _direction(row | {"effect": 0.1})


def test_games_in_both_settings_are_counted_once_where_they_break_off() -> None:
    games = [
        game("KEN", "broken", 2, unlimited="broken", unlimited_turns=2, number=i) for i in range(24)
    ]
    assert sentences(frame(games))[0].startswith("24 of 24 games broke off")
    assert "24 of 24 games broke off" in why_not_measurable(frame(games))
    assert "no game came to an end" in why_not_measurable(frame(games))


def test_games_in_both_settings_are_counted_once_where_all_are_lost() -> None:
    games = [
        game("KEN", "lost", 20, unlimited="gave_up", unlimited_turns=30, number=i) for i in range(5)
    ]
    said = "of 5 games none was won, so that no group can differ"
    assert why_not_measurable(frame(games)) == [said]


def test_no_gap_is_said_in_words_too() -> None:
    lines = sentences(planted(0.4, 0.4))
    assert any("no difference beyond chance" in line for line in lines)


def test_scores_stand_for_all_and_for_each_half() -> None:
    table = score_table(planted(0.7, 0.2, each=4))
    assert table["games"].to_list() == [
        "people canonical all", "people canonical North", "people canonical South",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("games", "reason"),
    [
        ([game("KEN", "lost", 20, number=i) for i in range(9)], "none was won"),
        ([game("KEN", "won", 5, number=i) for i in range(9)], "every one was won"),
        ([game("KEN", "broken", 1), game("FRA", "broken", 1)], "2 of 2 games broke off"),
        (
            [
                game("KEN", "won", 9, yes=10, repeated=9),
                game("FRA", "lost", 20, yes=10),
                game("FRA", "lost", 20, yes=10, repeated=9, number=1),
            ],
            "60% of the guesser's 30 questions repeat",
        ),
        (
            [game("KEN", "won", 9, yes=9, not_yes_no=8), game("FRA", "lost", 20)],
            "no yes/no questions",
        ),
        (
            [game("KEN", "won", 9, yes=9, checked=8, errors=5), game("FRA", "lost", 20)],
            "the judge was wrong on 5 of the 8",
        ),
        ([game("KEN", "won", 9)], "the only game was won, so that no group can differ"),
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
    assert said == [
        "on facts that are known the judge is right 50% of the time (n = 8), not clearly more than "
        "a coin"
    ]


def test_broken_games_are_said_and_in_no_share() -> None:
    games = [game("KEN", "won", 9), game("FRA", "lost", 20), game("IND", "broken", 2)]
    assert any("1 of 3 games broke off" in line for line in sentences(frame(games)))


def test_calls_are_held_against_the_naive_protocol() -> None:
    both = game("KEN", "won", 10, unlimited="won", unlimited_turns=10)
    assert "60 calls" in saving([both], 20)[0]
    assert saving([], 0) == []


def test_published_numbers_are_as_printed_with_their_oddities_noted() -> None:
    asia = published(CONTINENTS_TABLE).filter(
        max_turns=150, entity_type="people", model="Gemini-2.0-Flash", continent="Asia"
    )
    assert (asia["turns_to_success"].item(), asia["note"].item()) == (
        25.5,
        "Table 8 prints 28.5 turns",
    )
    odd = published(HALVES_TABLE).filter(pl.col("note").is_not_null())
    assert odd.select("model", "north", "south", "west", "east").rows() == [
        ("Llama-3.3-70B", 8.5, 2.9, 35.0, 17.7),
        ("Gemini-2.0-Flash", 71.6, 83.9, 77.8, 70.2),
    ]
    assert published(LANGUAGES_TABLE).height == 504
    assert published(REGRESSION_TABLE).height == 24


def test_a_run_stands_beside_the_papers_models_in_each_table() -> None:
    found = beside(planted(0.6, 0.3))
    continents = found["success by continent"].filter(type="people", setting="canonical")
    assert continents["here"].to_list() == [False] * 4 + [True]
    halves = found["halves of the world"].filter(pl.col("here"))
    assert halves["north"].item() == pytest.approx(0.6, abs=0.12)
    assert halves["north_south_sig"].item() == "***"
    assert found["fame"].filter(pl.col("here"))["odds_ratio_sig"].unique().to_list() == [
        "undefined"
    ]
    assert "repeats" not in found


def test_repeats_and_languages_stand_beside_the_papers_where_a_run_has_them() -> None:
    games = [
        game(c, "won" if (r + i) % 2 else "lost", 9, repeat=r, language=code)
        for i, c in enumerate(("KEN", "FRA", "IND"))
        for r in range(2)
        for code in ("en", "fr")
    ]
    found = beside(frame(games, canonical=20))
    assert found["repeats"].filter(pl.col("here")).height == 3
    french = found["success by language"].filter(pl.col("here"))
    assert french["French"].null_count() == 0
    assert french["Hindi"].null_count() == 3


def test_marks_of_significance_are_the_papers() -> None:
    assert [stars(p) for p in (0.0001, 0.005, 0.03, 0.07, 0.5, None)] == [
        "***", "**", "*", "△", "", "undefined",
    ]  # fmt: skip


@pytest.mark.parametrize("name", list(TABLES))
def test_every_table_is_made_of_any_frame(name: str) -> None:
    small = frame([game("KEN", "won", 9)])
    for games in (frame([]), small, planted(0.5, 0.5, each=2, countries=5)):
        for table in tables(name, games).values():
            assert isinstance(table, pl.DataFrame)


def test_games_of_two_models_are_told_apart() -> None:
    two = pl.concat(
        [planted(0.6, 0.3, each=2), planted(0.3, 0.6, each=2).with_columns(model=pl.lit("b"))]
    )
    assert set(tables("success", two)["success"]["model"]) == {"made", "b"}
    assert set(tables("published", two)["halves of the world"].filter(pl.col("here"))["model"]) == {
        "made", "b",
    }  # fmt: skip


def judged(language: str, right: int, of: int = 24) -> list[dict[str, object]]:
    """Questions to a judge in one language, so many of which it answers rightly."""
    codes = ("KEN", "FRA", "IND", "BRA", "JPN", "MEX")
    return [
        {
            "country": codes[i % 6],
            "entity": f"{codes[i % 6]}-{i}",
            "truth": "yes",
            "answer": "yes" if i < right else "no",
            "question": "type",
            "type": "thing",
            "language": language,
        }
        for i in range(of)
    ]


def test_a_judge_that_tosses_a_coin_in_one_language_is_named_with_it() -> None:
    records = [*judged("en", 24), *judged("es", 12), *judged("fr", 23)]
    assert why_not_measurable(planted(0.6, 0.3), judge_frame_of(records)) == [
        "on facts that are known the judge is right in Spanish 50% of the time (n = 24), not "
        "clearly more than a coin"
    ]
    said = sentences(planted(0.6, 0.3), judge_frame_of(records))
    assert any("Asked 24 known facts in Spanish, the judge was right on 50%" in s for s in said)


def test_the_judges_answers_in_games_are_screened_by_language_too() -> None:
    games = [
        game(c, "won", 9, yes=9, checked=8, errors=errors, language=code)
        for c in ("KEN", "FRA")
        for code, errors in (("en", 0), ("ja", 5))
    ]
    said = why_not_measurable(frame(games))
    assert "the judge was wrong in Japanese on 10 of the 16 answers that can be checked" in said


def test_only_english_games_stand_beside_the_papers_english_rows() -> None:
    games = [
        game("KEN", "won" if code == "en" else "lost", 9 if code == "en" else 20, language=code)
        for code in ("en", "fr")
    ]
    found = beside(frame(games))
    own = found["success by continent"].filter(pl.col("here")).row(0, named=True)
    assert own["Africa"] == 1
    by_language = found["success by language"].filter(pl.col("here")).row(0, named=True)
    assert (by_language["English"], by_language["French"]) == (1, 0)
    assert left_out(frame(games)) == [
        "The paper's rows are of English games: those in French are left out."
    ]
    assert left_out(frame(games), "success by language") == []


def test_games_with_limits_of_their_own_do_not_stand_beside_the_paper() -> None:
    both = game("KEN", "won", 4, unlimited="won", unlimited_turns=4)
    found = beside(frame([both], canonical=5, unlimited=150))
    own = found["success by continent"].filter(pl.col("here"))
    assert own["setting"].to_list() == ["unlimited"]
    assert left_out(frame([both], canonical=5, unlimited=150)) == [
        "This run's canonical games may take 5 turns, the paper's 20: they are left out."
    ]


def test_a_gap_is_said_to_be_of_means_over_countries() -> None:
    games = [game("FRA", "won" if n < 9 else "lost", 9, number=n) for n in range(10)]
    games += [game("DEU", "lost", 20), game("KEN", "lost", 20), game("KEN", "won", 9, number=1)]
    said = next(line for line in sentences(frame(games)) if line.startswith("People"))
    assert "People, canonical, means over countries: North 45% (n = 2 countries)" in said
    assert "South 50% (n = 1 country)" in said


def test_a_judges_share_without_an_interval_says_why() -> None:
    two = [one for one in judged("en", 24) if one["country"] in ("FRA", "KEN")]
    said = sentences(planted(0.6, 0.3), judge_frame_of(two))[-1]
    assert said.endswith("the judge was right on 100% (no interval: 2 countries).")


def test_answers_that_cannot_be_read_are_in_no_share_of_right_ones() -> None:
    records = judged("en", 24)
    for record in records[:4]:
        record["answer"] = ""
    said = sentences(planted(0.6, 0.3), judge_frame_of(records))[-1]
    assert said.startswith("Asked 24 known facts, the judge was right on 100%")
    assert said.endswith("of the 20 answers that can be read.")
