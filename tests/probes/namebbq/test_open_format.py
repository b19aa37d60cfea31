from __future__ import annotations

from typing import Any

import pytest

from geobias.errors import BadRequest
from geobias.probes.namebbq import plan
from geobias.probes.namebbq.description import describe
from geobias.probes.namebbq.findings import screens
from geobias.probes.namebbq.predictions import score_lines
from geobias.probes.namebbq.scores import positions, scores
from geobias.probes.namebbq.settings import NameBBQScoring
from geobias.probes.namebbq.versions import ItemSource
from tests.probes.namebbq.running import answered, simulated

BUILTIN = ItemSource.of("builtin")


def test_an_open_question_shows_no_answers() -> None:
    made = plan(format="open", names=1)
    for trial in list(made.trials())[:40]:
        ask = next(trial.start())
        item = BUILTIN.by_id[trial.name.split("/")[1]]
        assert item.question in ask.dialogue.content
        assert item.answers[item.unknown] not in ask.dialogue.content
        assert "(a)" not in ask.dialogue.content
    assert made.settings["format"] == "open"
    assert made.prompts != plan(names=1).prompts


def test_the_person_whom_a_reply_names_is_the_answer() -> None:
    records = answered(plan(format="open", names=0), lambda _: "The British family did it.")
    british = [one for one in records if "British family" in _words(one)]
    assert british
    assert all(one.outcome == "read" for one in british)
    assert all(one.position is None and one.order == "" for one in records)


def _words(record: Any) -> str:
    return " ".join(BUILTIN.by_id[record.item].answers)


def test_a_letter_means_nothing_where_none_was_shown() -> None:
    records = answered(plan(format="open", names=0), lambda _: "(b)")
    assert {one.outcome for one in records} == {"unread"}


def test_a_planted_bias_comes_through_open_questions() -> None:
    """Half of what nobody can know follows the stereotype."""
    frame = simulated(plan(format="open", size="standard", names=1), "sim/?stereotype=0.5")
    assert (frame["outcome"] == "read").all()
    found = scores(frame).filter(metric="bias", context="ambiguous")
    for row in found.to_dicts():
        assert row["value_low"] < 0.5 < row["value_high"]
    right = scores(frame).filter(metric="accuracy", context="disambiguated")["value"].to_list()
    assert right == [1.0, 1.0]


def test_places_on_the_page_are_not_spoken_of() -> None:
    frame = simulated(plan(format="open", names=0), "sim/biased")
    assert positions(frame).height == 0
    assert "position share" not in [screen.name for screen in screens(frame)]


def test_a_reader_sees_who_was_answered() -> None:
    [*records] = answered(plan(format="open", names=1), lambda _: "The text does not say.")
    facts = dict(describe({name: getattr(records[0], name)
                           for name in records[0].__struct_fields__}).facts)  # fmt: skip
    assert facts["Answered"] == "unknown"
    assert facts["Stereotyped"] in (records[0].nationality, records[0].other_nationality)


def test_replies_to_open_questions_made_elsewhere_are_scored() -> None:
    item = BUILTIN.items[0]
    line = b'{"example_id": "%s", "reply": "A"}' % item.example_id.encode()
    closed = score_lines([line], NameBBQScoring()).answers[0].frame["outcome"].to_list()
    opened = (
        score_lines([line], NameBBQScoring(format="open")).answers[0].frame["outcome"].to_list()
    )
    assert (closed, opened) == (["read"], ["unread"])


@pytest.mark.parametrize("more", [{"shuffle": True}, {"protocol": "paper", "items": "builtin"}])
def test_what_an_open_question_has_no_room_for_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(BadRequest, match="--format open shows no answers"):
        plan(format="open", **more)
