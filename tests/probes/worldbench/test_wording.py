"""The words of a question are the user's to choose."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.wording import (
    SHIPPED,
    Wording,
    _check,
    find_wording,
    paraphrases,
    wordings_of,
)
from geobias.trials import Message
from geobias.untrusted import Undecodable


def messages(**settings: object) -> list[Message]:
    asked = {"indicators": ["population"], "countries": ["Egypt"]} | settings
    return next(next(plan(**asked).trials()).start()).dialogue.messages()


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


def test_the_papers_names_differ_for_eighteen_economies() -> None:
    paper, ours = find_wording("paper"), find_wording("standard")
    every = economies().values()
    assert sum(paper.country_name(one) != ours.country_name(one) for one in every) == 18


def test_zero_shot_asks_at_once() -> None:
    said = messages(prompts="zero-shot")
    assert [one.role for one in said] == ["user"]
    assert "total population for the country Egypt?" in said[0].content


def test_zero_shot_needs_no_figure_of_the_example_country() -> None:
    assert plan(indicators=["gdp"], example_country="North Korea", prompts="zero-shot").count


def test_an_example_may_be_answered_in_a_sentence() -> None:
    said = messages(prompts="sentence")
    assert said[3].content == "For Switzerland, the total population is 8,703,771."


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_wording_can_name_a_year(name: str) -> None:
    assert "2016" in messages(prompts=name, year=2016)[-1].content


def test_the_usual_wording_leaves_the_manifest_as_it_was() -> None:
    settings = plan().settings
    assert not {"prompts", "own_wording", "paraphrases", "documents"} & settings.keys()


def test_a_wording_is_part_of_what_a_run_is() -> None:
    made = plan(prompts="paper")
    assert made.settings["prompts"] == "paper"
    assert made.prompts.keys() == {"worldbench", "worldbench.paper"}
    assert made.prompts["worldbench"] == plan().prompts["worldbench"]


def test_templates_of_ones_own_are_asked_and_recorded(tmp_path: Path) -> None:
    path = own(tmp_path, 'question = "{country} ({phrase})?"\ncountry = "{iso3}"\n')
    made = plan(indicators=["gdp"], countries=["Egypt"], prompts=path)
    dialogue = next(next(made.trials()).start()).dialogue
    assert dialogue.content == "EGY (GDP measured in US dollars)?"
    assert made.settings["prompts"] == "own.toml"
    assert made.settings["own_wording"]["country"] == "{iso3}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('question = "{phrase}"', r"question lacks \{country\}"),
        ('question = "{phrase} {country} {capital}"', r"question has \{capital\}, and there is"),
        ('question = "{phrase} {country.__class__}"', r"has \{country\.__class__\}"),
        ('question = "{phrase:>999999999} {country}"', "there is {country}, {phrase}"),
        ('question = "{phrase!r} {country}"', "there is {country}, {phrase}"),
        ('question = "{phrase} {country"', "written twice"),
        ('question = "{phrase} {country}"\ncountry = "it"', "names no country"),
        ('question = "{phrase} {country}"\nexample_answer = "so"', r"lacks \{figure\}"),
        ('question = "{phrase} {country}"\nquestions = ""', "unknown field `questions`"),
        ("question = 3", "Expected `str`"),
        ("question =", "is no wording"),
        ("", "missing required field `question`"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_a_sentence(
    tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(BadRequest, match=says):
        find_wording(own(tmp_path, text))


def test_a_wording_that_nobody_has_names_those_there_are() -> None:
    with pytest.raises(BadRequest, match="there is standard, paper, zero-shot"):
        find_wording("papre")


def test_a_wording_without_a_question_of_a_year_refuses_a_year(tmp_path: Path) -> None:
    path = own(tmp_path, 'question = "{phrase} {country}"')
    with pytest.raises(BadRequest, match="give it a question_of_year"):
        plan(indicators=["population"], prompts=path, year=2016)


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


def test_each_question_is_asked_in_every_wording() -> None:
    made = plan(indicators=["gdp"], countries=["Kenya", "Egypt"], paraphrases=3)
    names = [trial.name for trial in made.trials()]
    assert made.count == len(names) == len(set(names)) == 6
    assert names[0] == "worldbench/gdp/EGY/0"
    assert names[2] == "worldbench/gdp/EGY/w1/0"
    assert made.settings["paraphrases"] == 3
    assert len({next(t.start()).dialogue.content for t in made.trials()}) == 6


def test_more_wordings_than_there_are_is_refused() -> None:
    with pytest.raises(BadRequest):
        plan(paraphrases=12)
    with pytest.raises(BadRequest, match="1 to 11"):
        wordings_of(Wording(question="{phrase} {country}"), 0)
