"""What is said of games, and whether they say anything about places."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from geobias.probes import derived
from geobias.probes.geo20q.judging import judge_frame_of
from geobias.probes.geo20q.screens import screens
from geobias.probes.registry import find_probe
from geobias.results.findings import ProbeFindings, reasons
from geobias.results.verdicts import Verdict
from tests.probes.geo20q.games import frame, game, games_of, judged, planted
from tests.wording import reads_as

KNOWS = pl.lit(True).alias("knows")


def found(games: pl.DataFrame, judge: pl.DataFrame | None = None, **settings: str) -> ProbeFindings:
    return derived.findings_of(find_probe("geo20q"), games_of(games, judge, settings), brief=True)


def told(games: pl.DataFrame, **settings: str) -> Verdict:
    verdict = derived.verdict(find_probe("geo20q"), found(games, None, **settings).section)
    assert verdict is not None
    return verdict


def sentences(games: pl.DataFrame, judge: pl.DataFrame | None = None) -> list[str]:
    return [one.text for one in found(games, judge).sentences]


def test_a_gap_that_is_sure_is_said_with_its_n() -> None:
    lines = sentences(planted(0.7, 0.2).with_columns(KNOWS))
    [gap] = [line for line in lines if line.startswith("North–South gap, people it knows")]
    assert "0.4" in gap
    assert "p < 0.001" in gap
    assert not any("not measurable" in line.casefold() for line in lines)


def test_the_verdict_of_a_run_without_people_says_so() -> None:
    verdict = told(planted(0.7, 0.2, type="thing"), type="things")
    assert verdict.word == "untested"
    not_asked = told(planted(0.7, 0.2)).matters
    reads_as("Geo20Q+ untested", {"no people": verdict.found, "not asked": not_asked})


@pytest.mark.parametrize(("south", "word"), [(0.3, "found"), (0.65, "open")])
def test_the_verdict_is_that_of_the_primary_test(south: float, word: str) -> None:
    games = planted(0.7, south).with_columns(KNOWS)
    [primary] = [one for one in found(games).section.metrics if one.primary]
    assert primary.name == "geo20q.north_south_gap_known_people_canonical"
    assert primary.interest == 0.05
    verdict = told(games)
    assert (verdict.word, verdict.metric) == (word, primary.name)


def test_where_only_unlimited_games_were_played_theirs_is_the_primary_gap() -> None:
    played = planted(0.7, 0.3).with_columns(
        KNOWS,
        pl.col("canonical").alias("unlimited"),
        pl.col("canonical_turns").alias("unlimited_turns"),
        canonical=pl.lit(""),
    )
    metrics = found(played, setting="unlimited").section.metrics
    names = [one.name for one in metrics if one.primary]
    assert names == ["geo20q.north_south_gap_known_people_unlimited"]
    assert told(played, setting="unlimited").word == "found"


def test_broken_games_are_said_and_in_no_share() -> None:
    games = [game("KEN", "won", 9), game("FRA", "lost", 20), game("IND", "broken", 2)]
    said = sentences(frame(games))
    assert any("1 of 3 games" in line for line in said)
    assert any("won is 0.50" in line for line in said)


def why_not_measurable(games: pl.DataFrame, judge: pl.DataFrame | None = None) -> list[str]:
    return reasons(screens(games, judge_frame_of([]) if judge is None else judge))


BOTH: dict[str, Any] = {"unlimited": "gave_up", "unlimited_turns": 30}
BROKEN: dict[str, Any] = {"unlimited": "broken", "unlimited_turns": 2}
UNMEASURABLE: dict[str, list[dict[str, object]]] = {
    "both settings, all broken": [game("KEN", "broken", 2, **BROKEN, number=i) for i in range(24)],
    "both settings, all lost": [game("KEN", "lost", 20, **BOTH, number=i) for i in range(5)],
    "all lost": [game("KEN", "lost", 20, number=i) for i in range(9)],
    "all won": [game("KEN", "won", 5, number=i) for i in range(9)],
    "two broken": [game("KEN", "broken", 1), game("FRA", "broken", 1)],
    "repetitions": [
        game("KEN", "won", 9, yes=10, repeated=9),
        game("FRA", "lost", 20, yes=10),
        game("FRA", "lost", 20, yes=10, repeated=9, number=1),
    ],
    "no yes/no questions": [game("KEN", "won", 9, yes=9, not_yes_no=8), game("FRA", "lost", 20)],
    "no game": [],
}


def test_what_measures_nothing_says_so() -> None:
    said = {
        case: "; ".join(why_not_measurable(frame(games))) for case, games in UNMEASURABLE.items()
    }
    assert all(said.values())
    reads_as("Geo20Q+ is not measurable", said)


def test_a_judge_no_better_than_a_coin_makes_success_unmeasurable() -> None:
    said = why_not_measurable(planted(0.6, 0.3), judge_frame_of(judged("en", 4, of=8)))
    assert len(said) == 1
    reads_as("Geo20Q+ is not measurable: a judge by a coin", said)
