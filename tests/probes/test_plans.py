"""What holds for the plan of every probe: its draws, its wordings, replies without an answer."""

from __future__ import annotations

from typing import Any

import pytest

from geobias.probes.items import Item, ItemProbe
from geobias.probes.namebbq.questions import LETTERS
from geobias.probes.plan import Plan
from geobias.probes.questions import ReadRecord
from geobias.probes.registry import find_probe, plan_of
from geobias.probes.settings import Settings, fields_of
from geobias.trials import Ask, Outcome, Reply
from geobias.trials.probabilities import DIGITS
from tests.probes.answering import answered, drive

SMALL: dict[str, dict[str, object]] = {
    "worldbench": {"indicators": "gdp", "countries": "Kenya,Egypt"},
    "namebbq": {"names": 1},
    "ratings": {"topics": "morality"},
    "geo20q": {"entities": "Taj Mahal", "judge_questions": 0},
}
ANSWERS = {"worldbench": "value", "namebbq": "answer", "ratings": "rating"}
"""Probe of one question a trial → the field of what was answered."""


def planned(name: str, **settings: object) -> Plan:
    return plan_of(find_probe(name), SMALL[name] | settings)


def asks(plan: Plan) -> dict[str, Ask]:
    """Trial → its first ask."""
    return {trial.name: next(trial.start()) for trial in plan.trials()}


@pytest.mark.parametrize("name", SMALL)
def test_a_plan_that_is_started_again_asks_the_same(name: str) -> None:
    made = planned(name)
    once, again = ({n: a.digest("m") for n, a in asks(made).items()} for _ in range(2))
    assert once == again
    assert len(once) == made.count


@pytest.mark.parametrize("name", SMALL)
def test_the_manifest_has_every_setting_that_makes_another_run(name: str) -> None:
    """But for the files and wordings that are left out where none is given."""
    declared = {field.name for field in fields_of(find_probe(name).Settings)}
    omitted = {"prompts", "paraphrases", "names_file", "places"}
    assert declared - omitted <= planned(name).settings.keys()
    assert planned(name, seed=7).settings != planned(name).settings


@pytest.mark.parametrize("name", SMALL)
def test_repeats_and_other_seeds_are_draws_of_their_own(name: str) -> None:
    plans = [planned(name, repeats=3, temperature=0.8, seed=seed) for seed in (1, 2)]
    drawn = {ask.digest("m") for plan in plans for ask in asks(plan).values()}
    assert len(drawn) == 2 * plans[0].count


@pytest.mark.parametrize("name", ANSWERS)
def test_paraphrases_are_asked_beside_the_usual_wording_and_named_in_the_trial(name: str) -> None:
    plan = planned(name, paraphrases=3)
    usual, made = asks(planned(name)), asks(plan)
    assert usual.keys() == {trial for trial in made if not {"w1", "w2"} & {*trial.split("/")}}
    assert len({ask.dialogue.content for ask in made.values()}) == len(made) == 3 * len(usual)
    records = answered(plan, lambda _: Reply("", "filtered"))
    assert {record.wording for record in records} == {0, 1, 2}


@pytest.mark.parametrize(("name", "signs"), [("namebbq", LETTERS), ("ratings", DIGITS)])
def test_an_ask_carries_its_letters_or_digits_where_their_probabilities_are_wanted(
    name: str, signs: tuple[str, ...]
) -> None:
    for read, options in (("text", ()), ("logprobs", signs)):
        made = asks(planned(name, read=read))
        assert {ask.options for ask in made.values()} == {options}


@pytest.mark.parametrize("outcome", ["filtered", "rejected"])
@pytest.mark.parametrize("name", ANSWERS)
def test_what_a_refused_call_says_is_not_read_as_an_answer(name: str, outcome: Outcome) -> None:
    trial = next(iter(planned(name).trials()))
    record = drive(trial, lambda _: Reply("not available within 30 days", outcome))
    assert (record.outcome, getattr(record, ANSWERS[name])) == (outcome, None)


class Rivers(ItemProbe[Any]):
    name, title, Settings, Record = "rivers", "Rivers", Settings, ReadRecord

    def items(self, settings: Any) -> list[Item]:
        return [Item("NLD", "Which river?")]

    def read(self, item: Item, reply: Reply) -> dict[str, Any]:
        known = {"": "unread", "Rhine": "read"}
        return {"outcome": known[reply.text]}


def test_a_reply_on_which_the_reader_fails_is_unread_and_a_warning_says_so() -> None:
    [trial] = Rivers().plan(Settings()).trials()
    assert drive(trial, lambda _: "Rhine").outcome == "read"
    with pytest.warns(RuntimeWarning, match=r"rivers/NLD/0: a reply is unread.*KeyError"):
        assert drive(trial, lambda _: "Maas").outcome == "unread"
