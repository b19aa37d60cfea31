"""Asking again: what a trial asks, and what its record then says."""

from __future__ import annotations

from typing import Any

import pytest

from geobias.probes import namebbq, worldbench
from geobias.trials import Ask, Reply, Trial

LONG = "Kenya had 47.6 million at the census of 2019; others say 53.8 million."


def drive(trial: Trial, replies: list[str]) -> tuple[Any, list[Ask]]:
    steps, asks = trial.start(), []
    ask = next(steps)
    try:
        for text in replies:
            asks.append(ask)
            ask = steps.send(Reply(text))
    except StopIteration as end:
        return end.value, asks
    raise AssertionError("the trial asks on")


def population(**settings: Any) -> Trial:
    plan = worldbench.plan(indicators=["population"], countries=["Kenya"], **settings)
    [trial] = plan.trials()
    return trial


def test_a_plain_reply_is_not_asked_about_again() -> None:
    record, asks = drive(population(), ["53.8 million"])
    assert (record.outcome, record.read_by, len(asks)) == ("parsed", "rules", 1)


def test_the_same_model_is_asked_for_the_number_alone_in_the_same_conversation() -> None:
    record, (first, second) = drive(population(), [LONG, "53.8 million"])
    assert (record.value, record.read_by, record.contradicts) == (53.8e6, "restated", False)
    assert second.role == first.role == "model"
    said = [message.content for message in second.dialogue.messages()]
    assert said[:-1] == [message.content for message in first.dialogue.messages()] + [LONG]
    assert "number alone" in said[-1]
    assert second.digest("m") != first.digest("m")


def test_a_restated_number_that_the_first_reply_did_not_name_contradicts_it() -> None:
    record, _ = drive(population(), [LONG, "61 million"])
    assert (record.value, record.contradicts) == (61e6, True)


def test_none_is_a_decline() -> None:
    record, _ = drive(population(), [LONG, "none"])
    assert (record.outcome, record.read_by, record.value) == ("abstained", "restated", None)


def test_what_is_unread_again_stays_unread() -> None:
    record, _ = drive(population(), [LONG, "It depends."])
    assert (record.outcome, record.read_by) == ("unparsed", "rules")


def test_a_decline_is_not_asked_about_again() -> None:
    record, asks = drive(population(), ["I do not know."])
    assert (record.outcome, len(asks)) == ("abstained", 1)


def test_nobody_is_asked_where_unread_replies_are_left() -> None:
    record, asks = drive(population(unread="leave"), [LONG])
    assert (record.outcome, len(asks)) == ("unparsed", 1)


@pytest.mark.parametrize(
    ("quote", "outcome"),
    [
        ("53.8 million", "parsed"),
        ('"53.8 million."', "parsed"),
        ("53,800,000", "unparsed"),  # worked out, not quoted
        ("none", "abstained"),
    ],
)
def test_a_reader_points_to_words_of_the_reply(quote: str, outcome: str) -> None:
    record, (_, second) = drive(population(unread="openai/gpt-4o-mini"), [LONG, quote])
    assert record.outcome == outcome
    assert second.role == "reader"
    assert LONG in second.dialogue.content
    assert second.temperature == 0


def test_a_quote_about_another_place_is_not_read() -> None:
    reply = "Estimates for Kenya differ; Uganda has 47 million; so maybe 50 or 60 million."
    record, _ = drive(population(unread="openai/gpt-4o-mini"), [reply, "47 million"])
    assert record.value is None


def test_an_option_is_restated_by_its_letter() -> None:
    plan = namebbq.plan(size="quick", names=0)
    trial = next(iter(plan.trials()))
    record, (_, second) = drive(trial, ["Both of them, in a way.", "(b)"])
    assert (record.outcome, record.read_by, record.position) == ("read", "restated", 1)
    assert "letter of your answer alone" in second.dialogue.content


def test_a_reader_chooses_from_a_closed_list() -> None:
    plan = namebbq.plan(size="quick", names=0, unread="openai/gpt-4o-mini")
    trial = next(iter(plan.trials()))
    record, (_, second) = drive(trial, ["Both of them, in a way.", "B"])
    assert (record.position, record.read_by) == (1, "reader")
    assert "(N) none, or several" in second.dialogue.content


def test_asking_again_is_in_the_most_calls() -> None:
    asked = {"indicators": ["population"], "countries": ["Kenya"]}
    assert worldbench.plan(**asked).calls == (1, 2)
    assert worldbench.plan(**asked, unread="leave").calls == (1, 1)
