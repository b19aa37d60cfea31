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


@pytest.mark.parametrize(
    ("words", "there"),
    [
        (("--outcome", "unraed"), "parsed"),
        (("--probe", "wordbench"), "worldbench"),
        (("--role", "juge"), "model"),
        (("--trial", "none/0"), "worldbench/"),
        (("--country", "Andorra"), "CHN"),
    ],
)
def test_what_the_run_does_not_have_is_refused_with_what_it_has(
    run: Path, words: tuple[str, ...], there: str
) -> None:
    done = geobias("replies", run, *words)
    assert done.code == 2
    assert "has no" in done.err
    assert there in done.err


def test_an_export_of_a_probe_that_the_run_does_not_have_is_refused(
    run: Path, tmp_path: Path
) -> None:
    done = geobias("export", run, "--to", tmp_path / "x.csv", "--probe", "wordbench")
    assert done.code == 2
    assert "there is worldbench" in done.err
    assert not list(tmp_path.iterdir())
