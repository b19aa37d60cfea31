"""Statements are searched, and stand before the question."""

from __future__ import annotations

import importlib.util

import pytest

from geobias.atlas.economies import economies
from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicators
from geobias.errors import MissingPart
from geobias.probes.worldbench import plan, retrieval
from geobias.probes.worldbench.retrieval import Statements, statements

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("bm25s") is None, reason="the extra [retrieval] is not installed"
)


@pytest.fixture(scope="module")
def found() -> Statements:
    return Statements(statements(figures(), indicators()))


def test_a_statement_gives_the_figures_with_their_years() -> None:
    assert statements(figures(), {"gdp": indicators()["population"]})[1] == (
        "Afghanistan, total population: 38,972,230 in 2020, 40,099,462 in 2021, 41,128,771 in 2022."
    )


def test_statements_of_a_named_year_give_that_year_only() -> None:
    texts = statements(figures(), indicators(), 2016)
    assert "Kenya, total population: 47,894,670 in 2016." in texts


def test_the_nearest_statements_come_first(found: Statements) -> None:
    best = found.nearest("renewable energy consumption Kenya", 3)
    assert len(best) == 3
    assert best[0].startswith("Kenya, renewable energy")


def test_the_right_statement_is_among_three_for_99_in_100_questions(found: Statements) -> None:
    hits = [
        any(
            text.startswith(f"{economies()[iso3].name}, {one.phrase}:")
            for text in found.nearest(f"{one.phrase} {economies()[iso3].name}", 3)
        )
        for one in indicators().values()
        for iso3 in figures().truths(one.id)
    ]
    assert sum(hits) / len(hits) > 0.99


def test_words_that_stand_nowhere_find_nothing(found: Statements) -> None:
    assert found.nearest("qwertz", 3) == []


def test_statements_stand_before_the_question() -> None:
    made = plan(indicators=["gdp"], countries=["Kenya"], retrieve=2)
    lines = next(next(made.trials()).start()).dialogue.content.splitlines()
    assert lines[0] == "Statements that may help:"
    assert lines[1].startswith("- Kenya, GDP")
    assert lines[-1].startswith("What is the GDP measured in US dollars for the country Kenya?")


def test_the_version_of_the_search_is_part_of_the_run() -> None:
    assert "bm25s" in plan(retrieve=1).editions
    assert "bm25s" not in plan().editions


def test_without_the_library_the_command_to_install_it_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retrieval, "find_spec", lambda _: None)
    assert importlib.util.find_spec("bm25s") is not None
    with pytest.raises(MissingPart, match=r"pip install 'geobias\[retrieval\]'"):
        plan(retrieve=3)
