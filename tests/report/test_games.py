"""Geo20Q+ in the findings, the comparison and the gate."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import geobias
from geobias.errors import Stopped
from geobias.probes import derived, geo20q
from geobias.probes.registry import find_probe
from geobias.report.documents import in_markdown, markdown
from geobias.report.formats import as_json
from geobias.results.findings import Findings
from tests.defined import defined
from tests.probes.geo20q.made import write_table
from tests.report.made import changed, found_in
from tests.wording import reads_as


def played(folder: Path, countries: int, how: str, **settings: Any) -> Path:
    """A run of games about the entities of so many countries: few turns are enough for few."""
    table = write_table(folder / "made.csv", 1, countries=countries)
    plan = geo20q.plan(entities=str(table), **{"setting": "canonical", "turns": 10} | settings)
    return geobias.run([plan], f"sim/?{how}&entities={table}", folder / f"{how}.geobias").path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A guesser without and one with a gap between the halves of the world."""
    folder = tmp_path_factory.mktemp("games")
    return played(folder, 40, "play=0.9"), played(folder, 40, "play=0.9&play_gap=0.8")


@pytest.fixture(scope="module")
def findings(runs: tuple[Path, Path]) -> Findings:
    return found_in(runs[1])


def test_a_planted_gap_is_found(findings: Findings) -> None:
    metrics = {one.name: one for one in findings.sections[0].metrics}
    gap = metrics["geo20q.north_south_gap_known_things_canonical"]
    assert defined(gap.low) > 0.2
    assert defined(gap.p_adjusted) < 0.05


def test_games_not_played_yet_are_told_from_questions_not_asked_yet(tmp_path: Path) -> None:
    table = write_table(tmp_path / "made.csv", 1, countries=10)
    plan = geo20q.plan(entities=str(table), setting="canonical", judge_questions=30)
    path = tmp_path / "r.geobias"
    spec = f"sim/?play=0.9&entities={table}"
    with pytest.raises(Stopped):
        geobias.run([plan], spec, path, options=geobias.Options(max_calls=10, concurrency=1))
    findings = found_in(path, brief=True)
    replies = findings.sections[0].replies
    assert (replies.planned, replies.missing) == (20, 20 - replies.asked)
    planned = findings.runs[0].planned
    assert planned["geo20q_judge"] + planned["geo20q_knowledge"] == plan.count - 20


def test_every_country_that_was_played_has_its_success(findings: Findings) -> None:
    having = [one for one in findings.countries if one.measures]
    assert len(having) == 40
    assert {m.metric for one in having for m in one.measures} == {"geo20q.success_canonical"}


def test_games_that_all_broke_off_leave_every_metric_undefined_with_its_reason(
    findings: Findings, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    end = "record = json_set(record, '$.canonical', 'broken') WHERE probe = 'geo20q'"
    broken = changed(runs[0], tmp_path / "broken.geobias", f"UPDATE records SET {end}")
    metrics = found_in(broken, brief=True).sections[0].metrics
    assert [one.name for one in metrics] == [one.name for one in findings.sections[0].metrics]
    games = [one for one in metrics if one.name != "geo20q.judge_accuracy"]
    assert {one.value for one in games} == {None}
    assert all(one.undefined_because for one in games)


def test_the_names_of_metrics_are_those_of_games_in_both_settings(tmp_path: Path) -> None:
    path = played(tmp_path, 12, "play=0.9", setting="both", turns=5, most_turns=8)
    metrics = found_in(path, brief=True).sections[0].metrics
    assert {one.name for one in metrics} == set(derived.metric_names(find_probe("geo20q")))


def test_entities_that_share_nothing_but_their_id_are_not_compared(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    other = changed(
        runs[1],
        tmp_path / "other.geobias",
        "UPDATE records SET record = json_set(record, '$.name', 'Someone Else') "
        "WHERE probe = 'geo20q' AND country IN ('AFG', 'ARG')",
    )
    pair = geobias.compare(runs[0], other).pairs[0]
    assert (pair.shared, pair.only_first, pair.only_second) == (76, 4, 4)


def test_a_comparison_screens_the_judge_as_the_report_does(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    wrong = changed(
        runs[1],
        tmp_path / "wrong.geobias",
        "UPDATE records SET record = json_set(record, '$.answer', "
        "iif(json_extract(record, '$.truth') = 'yes', 'no', 'yes')) WHERE probe = 'geo20q_judge'",
    )
    why = found_in(wrong, brief=True).sections[0].why_not
    assert len(why) == 1
    assert geobias.compare(runs[0], wrong).pairs[0].why_not_second == why


def test_the_opening_has_its_findings_and_the_section_has_the_rest(findings: Findings) -> None:
    found = [one for one in findings.sentences if one.kind == "finding"]
    opening = [one.text for one in found if one.opening]
    details = findings.details(findings.sections[0])
    reads_as("Opening of Geo20Q+", [re.split(r" is |(?<=: )", text)[0] for text in opening])
    assert details == [one.text for one in found if not one.opening]
    text = markdown(findings)
    before, _, after = text.partition("## Runs")
    for one in opening:
        assert in_markdown(one) in before
    for one in details:
        assert in_markdown(one) not in before
        assert in_markdown(one) in after
    assert all(sentence.text in as_json(findings) for sentence in findings.sentences)


def test_a_game_in_both_settings_that_broke_off_is_counted_once(tmp_path: Path) -> None:
    broken = changed(
        played(tmp_path, 3, "play=0.5", setting="both", turns=4, most_turns=6),
        tmp_path / "broken.geobias",
        "UPDATE records SET record = json_set(record, '$.canonical', 'broken', '$.unlimited', "
        "'broken') WHERE probe = 'geo20q' AND country = 'AFG'",
    )
    texts = [one.text for one in found_in(broken, brief=True).sentences]
    assert sum("2 of 6 games" in text for text in texts) == 1


def test_nothing_is_said_twice(findings: Findings) -> None:
    texts = [one.text for one in findings.sentences]
    assert sum("known facts" in text for text in texts) == 1
    assert len(texts) == len(set(texts))


def test_repeats_are_of_the_same_entities_and_in_one_language(path: Path) -> None:
    plan = geo20q.plan(
        entities="Taj Mahal,Eiffel Tower", language="ja", repeats=2, setting="canonical"
    )
    geobias.run([plan], "sim/?play=0.5", path)
    [section] = found_in(path).sections
    [overall] = [row for row in section.tables["repeats"].rows if row["group"] == "Asia"]
    assert (overall["success_repeats"], overall["entities"]) == (2, 1)
    judged = section.tables["judge_accuracy_by_question"].rows
    assert [row["group"] for row in judged] == ["continent", "country", "type"]


def test_where_no_game_was_played_a_metric_says_so(tmp_path: Path) -> None:
    two = geo20q.plan(entities="Taj Mahal,Eiffel Tower", setting="canonical", judge_questions=0)
    path = tmp_path / "stopped.geobias"
    with pytest.raises(Stopped):
        geobias.run([two], "sim/fair", path, options=geobias.Options(max_calls=1, concurrency=1))
    metrics = found_in(path, brief=True).sections[0].metrics
    why = {one.name: one.undefined_because for one in metrics}
    assert why["geo20q.success_canonical"]
    assert "geo20q.judge_accuracy" not in why
