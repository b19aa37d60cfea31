"""The words of a question are the user's to choose; a wording is never a further question.

The right statement may stand before it, among others.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias import run
from geobias.atlas.economies import economies
from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicators
from geobias.errors import BadRequest
from geobias.measures.wordings import wording_metrics, wording_spread, wording_tables
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.relations import consistency
from geobias.probes.worldbench.retrieval import shown, statements
from geobias.probes.worldbench.scores import ERROR
from geobias.probes.worldbench.wording import (
    IN_LANGUAGES,
    _check,
    find_wording,
    paraphrases,
    wordings_of,
)
from geobias.trials import Ask, Message
from geobias.untrusted import Undecodable
from tests.probes.worldbench.answering import simulated
from tests.report.made import found_in

# WorldBench, Figure 4, with the metric of Table 1.
FIGURE_4 = [
    Message(
        "user",
        "I will ask you factual questions about countries. Specifically, I will ask you for the "
        "total population. You will answer as concisely as possible - only answer with the "
        "number! First I will give an example with the answer. Then I will ask you my question, "
        "and you will provide the answer in the same way.",
    ),
    Message("assistant", "Sounds good, will do."),
    Message(
        "user",
        "What is the total population for the country Switzerland? Do not answer in a complete "
        "sentence - only provide the number!",
    ),
    Message("assistant", "8,703,771"),
    Message(
        "user",
        "What is the total population for the country Kenya? Do not answer in a complete "
        "sentence - only provide the number!",
    ),
]


def first_ask(**settings: object) -> Ask:
    asked = {"indicators": ["population"], "countries": ["Kenya"]} | settings
    return next(next(plan(**asked).trials()).start())


def test_the_dialogue_is_that_of_the_papers_figure_4() -> None:
    assert first_ask().dialogue.messages() == FIGURE_4


def test_a_year_stands_in_question_and_example_with_that_years_figure() -> None:
    messages = first_ask(year=2016).dialogue.messages()
    assert messages[2].content.startswith(
        "What is the total population for the country Switzerland in 2016?"
    )
    assert messages[3].content == "8,373,338"
    assert "for the country Kenya in 2016?" in messages[4].content


def messages(**settings: object) -> list[Message]:
    return first_ask(**({"countries": ["Egypt"]} | settings)).dialogue.messages()


def own(tmp_path: Path, text: str) -> str:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_papers_wording_is_figure_4_word_for_word() -> None:
    said = messages(prompts="paper")
    assert "I will ask you for the population. You will answer" in said[0].content
    assert said[2].content.startswith("What is the population for the country Switzerland? Do not")
    assert said[3].content == "8,703,771"
    assert "for the country Egypt, Arab Rep.?" in said[4].content


def test_zero_shot_asks_at_once() -> None:
    said = messages(prompts="zero-shot")
    assert [one.role for one in said] == ["user"]
    assert "total population for the country Egypt?" in said[0].content


def test_an_example_may_be_answered_in_a_sentence() -> None:
    said = messages(prompts="sentence")
    assert said[3].content == "For Switzerland, the total population is 8,703,771."


def test_a_wording_is_part_of_what_a_run_is() -> None:
    made = plan(prompts="paper")
    assert made.settings["prompts"] == "paper"
    assert made.prompts.keys() == {"worldbench", "worldbench.paper"}
    assert made.prompts["worldbench"] == plan().prompts["worldbench"]


def test_templates_of_ones_own_are_asked_and_recorded(tmp_path: Path) -> None:
    path = own(tmp_path, 'question = "{country} ({phrase})?"\ncountry = "{iso3}"\n')
    asked = {"indicators": ["gdp"], "countries": ["Egypt"], "prompts": path}
    made = plan(**asked)
    assert first_ask(**asked).dialogue.content == "EGY (GDP measured in US dollars)?"
    assert made.settings["prompts"] == "own.toml"
    assert made.prompts.keys() == {"worldbench", "worldbench.own"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('question = "{phrase}"', r"question lacks \{country\}"),
        (
            'question = "{phrase} {country} {capital}"',
            r"question has \{capital\}, but can only have",
        ),
        ('question = "{phrase} {country.__class__}"', r"has \{country\.__class__\}"),
        ('question = "{phrase:>999999999} {country}"', "can only have {country}, {phrase}"),
        ('question = "{phrase!r} {country}"', "can only have {country}, {phrase}"),
        ('question = "{phrase} {country"', "write a literal brace twice"),
        ('question = "{phrase} {country}"\ncountry = "it"', "country must contain one of"),
        ('question = "{phrase} {country}"\nexample_answer = "so"', r"lacks \{figure\}"),
        ('question = "{phrase} {country}"\nquestions = ""', "questions is not known"),
        ("question = 3", "question is a whole number, not text"),
        ("question =", "is not a wording"),
        ("", "question is missing"),
        ('question = "{phrase} {country}"\nlanguage = "de"', "no names of countries in 'de'"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_a_sentence(
    tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(BadRequest, match=says):
        find_wording(own(tmp_path, text))


@given(st.text(max_size=60))
def test_a_template_that_passes_can_be_filled_in(template: str) -> None:
    try:
        _check("question", template)
    except Undecodable:
        return
    assert len(template.format(phrase="p", country="c")) <= len(template)


def test_there_are_paraphrases_enough_and_all_differ() -> None:
    asked = [one.question for one in wordings_of(find_wording("standard"), 1 + len(paraphrases()))]
    assert len(set(asked)) == len(asked) >= 9
    for one in paraphrases():
        for name, template in one.items():
            _check(name, template)


def test_a_paraphrase_keeps_what_the_chosen_wording_leaves_out() -> None:
    base = find_wording("zero-shot")
    again = wordings_of(base, 2)[1]
    assert (again.instruction, again.example_answer) == ("", "")
    assert wordings_of(find_wording("paper"), 2)[1].phrases == {"population": "population"}


WORDINGS = plan(indicators=["population", "gdp"], paraphrases=3)
MINDING = "sim/?recall_sd=0.5"


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """The answers of a model whose errors depend on the wording alone."""
    return simulated(WORDINGS, MINDING)


def test_the_rows_say_where_the_spread_comes_from(frame: pl.DataFrame) -> None:
    table = wording_spread(frame, ERROR)
    assert table["source"].to_list() == [
        *("country", "wording", "wording × country"),
        "all of wording",
    ]
    assert table["share"][0] + table["share"][3] == pytest.approx(1)
    assert set(table["wordings"]) == {3}


def test_a_run_in_one_wording_has_none_of_it(frame: pl.DataFrame) -> None:
    one = frame.filter(pl.col("wording") == 0)
    assert [*wording_metrics("worldbench", one, ERROR), *wording_tables(one, ERROR)] == []


def test_what_wordings_change_is_no_inconsistency_of_draws(frame: pl.DataFrame) -> None:
    assert consistency(frame)["spread"].to_list() == [None, None]


@pytest.mark.parametrize("language", IN_LANGUAGES)
def test_every_language_has_its_phrases_and_names_of_countries(language: str) -> None:
    wording = find_wording(language)
    assert wording.phrases.keys() == indicators().keys()
    named = [wording.country_name(one) for one in economies().values()]
    assert len(set(named)) == len(named)
    english = [one.name for one in economies().values() if wording.country_name(one) == one.name]
    assert "CHI" in {one.iso3 for one in economies().values() if one.name in english}
    with pytest.raises(BadRequest, match="paraphrases are in English"):
        wordings_of(wording, 2)


def test_the_report_has_the_share_and_its_sentence(tmp_path: Path) -> None:
    path = run([WORDINGS], MINDING, tmp_path / "r.geobias").path
    found = found_in(path)
    metrics = {one.name: one for one in found.sections[0].metrics}
    assert metrics["worldbench.wording_share"].low is not None
    assert {"wording_spread", "wordings"} <= found.sections[0].tables.keys()
    assert any("in 3 wordings" in one.text for one in found.sentences)


@pytest.mark.parametrize(("example", "count"), [("{figure}", 3), ("", 1)])
def test_an_instruction_that_nobody_agrees_to_stands_in_the_first_question(
    tmp_path: Path, example: str, count: int
) -> None:
    """Some servers refuse two messages of a role in a row."""
    text = (
        'instruction = "Answer with a number."\n'
        f'question = "{{country}}: what is the {{phrase}}?"\nexample_answer = "{example}"\n'
    )
    said = first_ask(prompts=own(tmp_path, text)).dialogue.messages()
    assert len(said) == count
    assert said[0].role == "user"
    assert said[0].content.startswith("Answer with a number.\n\n")


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
