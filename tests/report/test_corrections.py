"""Scores with readings as people corrected them, where somebody asks for these."""

from __future__ import annotations

from pathlib import Path

import pytest

import geobias
from geobias.probes import ratings
from geobias.probes.registry import find_probe
from geobias.report.findings import collect
from geobias.runfile import Verdict, save_verdict
from tests.defined import defined


@pytest.fixture
def run(tmp_path: Path) -> Path:
    plan = ratings.plan(size="quick", topics=("morality", "population"))
    return geobias.run([plan], "sim/fair", tmp_path / "run.geobias").path


def judged(run: Path, verdict: str, value: str = "", reviewer: str = "Ada") -> None:
    said = Verdict(reviewer, "ratings.read", "ratings/morality/NGA/0", verdict, value)
    save_verdict(run, said)


def nigeria(run: Path, *, corrected: bool) -> tuple[float | None, list[str]]:
    """Nigeria's favour, and the notes of the section."""
    with geobias.open_run(run) as reader:
        found = collect([reader], given={"with_corrections": corrected})
    [number] = next(one for one in found.countries if one.iso3 == "NGA").measures
    return number.value, found.sections[0].notes


def test_a_corrected_rating_counts_where_it_is_asked_for(run: Path) -> None:
    before, _ = nigeria(run, corrected=False)
    judged(run, "wrong", "9.9")
    assert nigeria(run, corrected=False)[0] == before
    after, notes = nigeria(run, corrected=True)
    assert defined(after) > defined(before) + 2
    assert "1 reading" in notes[-1]


def test_a_rating_that_is_none_counts_as_unread(run: Path) -> None:
    judged(run, "none")
    assert nigeria(run, corrected=True)[0] is None


def test_what_reviewers_differ_on_stands_as_read(run: Path) -> None:
    before, _ = nigeria(run, corrected=False)
    judged(run, "wrong", "9.9")
    judged(run, "none", reviewer="Ben")
    after, notes = nigeria(run, corrected=True)
    assert after == before
    assert "1 on which reviewers differ" in notes[-1]


@pytest.mark.parametrize("typed", ["12", "many", ""])
def test_what_is_no_answer_changes_nothing(run: Path, typed: str) -> None:
    before, _ = nigeria(run, corrected=False)
    judged(run, "wrong", typed)
    assert nigeria(run, corrected=True)[0] == before


def corrected(probe: str, verdict: str, record: dict[str, object], typed: str = "") -> object:
    """The fields that a verdict changes, of the one sample that has it."""
    keys = [key for sample in find_probe(probe).showing.samples for key in sample.keys]
    [correct] = {key.corrects for key in keys if key.verdict == verdict and key.corrects}
    return correct(record, typed)


CHOICE: dict[str, object] = {"label": 0, "unknown": 1, "target": 2}


@pytest.mark.parametrize(
    ("typed", "answer", "correct", "stereotyped"),
    [("(c)", 2, False, True), ("A", 0, True, False), ("b", 1, False, None)],
)
def test_a_corrected_choice_is_counted_as_the_item_has_it(
    typed: str, answer: int, correct: bool, stereotyped: bool | None
) -> None:
    found = corrected("namebbq", "wrong", CHOICE, typed)
    assert isinstance(found, dict)
    assert (found["answer"], found["correct"], found["stereotyped"]) == (
        answer,
        correct,
        stereotyped,
    )


def test_a_win_that_is_none_is_no_evidence_and_a_miss_that_wins_is_won() -> None:
    assert corrected("geo20q", "wrong", {"canonical": "won", "unlimited": ""}) == {
        "canonical": "broken"
    }
    assert corrected("geo20q", "wrong", {"canonical": "lost"}) == {"canonical": "won"}
