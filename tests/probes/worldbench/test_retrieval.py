"""The right statement stands before the question, among others."""

from __future__ import annotations

from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicators
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.retrieval import shown, statements

POPULATION = indicators()["population"]


def test_a_statement_gives_the_figures_with_their_years() -> None:
    assert statements(figures(), POPULATION)["AFG"] == (
        "Afghanistan, total population: 38,972,230 in 2020, 40,099,462 in 2021, 41,128,771 in 2022."
    )


def test_statements_of_a_named_year_give_that_year_only() -> None:
    texts = statements(figures(), POPULATION, 2016)
    assert texts["KEN"] == "Kenya, total population: 47,894,670 in 2016."


def test_the_right_statement_is_among_those_shown_wherever_chance_puts_it() -> None:
    texts = statements(figures(), POPULATION)
    places = set()
    for iso3, text in texts.items():
        found = shown(texts, iso3, 3, f"worldbench/population/{iso3}")
        assert len(set(found)) == 3
        places.add(found.index(text))
    assert places == {0, 1, 2}
    assert len(shown(texts, "KEN", 1_000, "")) == len(texts)


def test_without_a_statement_on_the_economy_others_are_shown() -> None:
    texts = {"FRA": "France", "UGA": "Uganda"}
    assert sorted(shown(texts, "KEN", 2, "x")) == ["France", "Uganda"]
    assert shown({}, "KEN", 2, "x") == []


def test_statements_stand_before_the_question() -> None:
    made = plan(indicators=["gdp"], countries=["Kenya"], retrieve=2)
    lines = next(next(made.trials()).start()).dialogue.content.splitlines()
    assert lines[0] == "Statements that may help:"
    assert any(line.startswith("- Kenya, GDP") for line in lines[1:3])
    assert lines[-1].startswith("What is the GDP measured in US dollars for the country Kenya?")
