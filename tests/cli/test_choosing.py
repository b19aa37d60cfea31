"""Which replies are meant: the words of reports, and those that a run's records have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import geobias


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of WorldBench in which some replies decline."""
    path = tmp_path_factory.mktemp("choosing") / "r.geobias"
    assert geobias("run", "worldbench", "sim/biased", "--out", path).code == 0
    return path


def test_the_words_of_reports_find_what_the_records_call_otherwise(run: Path) -> None:
    for words in (("declined", "abstained", "refused"), ("read", "parsed", "answered")):
        first, *others = (geobias("replies", run, "--outcome", word, "--json") for word in words)
        assert first.code == 0
        assert first.out
        assert all(one.out == first.out for one in others)


def test_an_outcome_that_no_reply_had_is_no_mistake(run: Path) -> None:
    done = geobias("replies", run, "--outcome", "unread")
    assert (done.code, done.out) == (0, "")
    assert "no such replies" in done.err
