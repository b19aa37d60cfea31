"""Asking again: what a trial asks, and what its record then says."""

from __future__ import annotations

from typing import Any

import pytest

from geobias.probes import namebbq, worldbench
from geobias.trials import Ask, Trial
from tests.probes import answering as answers

LONG = "Kenya had 47.6 million at the census of 2019; others say 53.8 million."


def drive(trial: Trial, replies: list[str]) -> tuple[Any, list[Ask]]:
    asks: list[Ask] = []
    record = answers.drive(trial, lambda ask: asks.append(ask) or replies[len(asks) - 1])  # type: ignore[func-returns-value]
    return record, asks


def population(**settings: Any) -> Trial:
    plan = worldbench.plan(indicators=["population"], countries=["Kenya"], **settings)
    [trial] = plan.trials()
    return trial


def test_the_same_model_is_asked_for_the_number_alone_in_the_same_conversation() -> None:
    record, (first, second) = drive(population(), [LONG, "53.8 million"])
    assert (record.value, record.read_by, record.contradicts) == (53.8e6, "restated", False)
    assert second.role == first.role == "model"
    said = [message.content for message in second.dialogue.messages()]
    assert said[:-1] == [message.content for message in first.dialogue.messages()] + [LONG]
    assert "number alone" in said[-1]
    assert second.digest("m") != first.digest("m")


@pytest.mark.parametrize(
    ("unread", "replies", "outcome", "read_by", "value"),
    [
        ("restate", ["53.8 million"], "parsed", "rules", 53.8e6),
        ("restate", [LONG, "61 million"], "parsed", "restated", 61e6),
        ("restate", [LONG, "none"], "abstained", "restated", None),
        ("restate", [LONG, "It depends."], "unparsed", "rules", None),
        ("restate", ["I do not know."], "abstained", "rules", None),
        ("leave", [LONG], "unparsed", "rules", None),
    ],
)
def test_only_what_is_unread_is_asked_about_again(
    unread: str, replies: list[str], outcome: str, read_by: str, value: float | None
) -> None:
    record, asks = drive(population(unread=unread), replies)
    assert len(asks) == len(replies)
    assert (record.outcome, record.read_by, record.value) == (outcome, read_by, value)
    assert record.contradicts == (value == 61e6)


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


@pytest.mark.parametrize(
    ("unread", "said", "read_by", "asked"),
    [
        ("restate", "(b)", "restated", "letter of your answer alone"),
        ("openai/gpt-4o-mini", "B", "reader", "(N) none, or several"),
    ],
)
def test_an_option_is_named_by_its_letter(unread: str, said: str, read_by: str, asked: str) -> None:
    trial = next(iter(namebbq.plan(size="quick", names=0, unread=unread).trials()))
    record, (_, second) = drive(trial, ["Both of them, in a way.", said])
    assert (record.outcome, record.read_by, record.answer) == ("read", read_by, 1)
    assert asked in second.dialogue.content


def test_asking_again_is_in_the_most_calls() -> None:
    asked = {"indicators": ["population"], "countries": ["Kenya"]}
    assert worldbench.plan(**asked).calls == (1, 2)
    assert worldbench.plan(**asked, unread="leave").calls == (1, 1)
