"""Scores from the probabilities of the letters."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import polars as pl
import pytest

from geobias import api
from geobias.errors import BadRequest
from geobias.probes.namebbq.questions import LETTERS
from geobias.probes.namebbq.scores import frame_of, scores
from geobias.probes.namebbq.sensitivity import precision
from geobias.probes.namebbq.settings import NameBBQSettings
from geobias.probes.namebbq.trials import WEIGHED_TOKENS, plan
from geobias.report.findings import collect
from geobias.report.grids import headline_grid, headline_metrics
from geobias.report.verdicts import verdict_of
from geobias.trials import Ask, Reply
from tests.probes.namebbq.running import drive, options, row, simulated

PLAN = plan(NameBBQSettings(read="logprobs", names=0))


def record(said: str, **chances: float) -> dict[str, object]:
    """The first ambiguous item's record, answered with these probabilities of its letters."""

    def answer(ask: Ask) -> Reply:
        places = (tuple((letter, math.log(chance)) for letter, chance in chances.items()),)
        return Reply(said, places=places if chances else ())

    return msgspec.structs.asdict(drive(next(iter(PLAN.trials())), answer))


def weighed(target: float, other: float, **fields: object) -> dict[str, object]:
    chances = {"p_target": target, "p_other": other, "p_unknown": 1 - target - other}
    return row("unknown", **fields) | chances | {"letter_mass": 1.0}  # type: ignore[arg-type]


def value(frame: pl.DataFrame, metric: str, context: str = "ambiguous") -> float:
    found = scores(frame).filter(metric=metric, context=context)["value"][0]
    assert isinstance(found, float)
    return found


def test_an_ask_carries_its_letters_and_little_room() -> None:
    asks: list[Ask] = []
    drive(next(iter(PLAN.trials())), lambda ask: asks.append(ask) or Reply("(c)"))  # type: ignore[func-returns-value]
    assert asks[0].options == LETTERS
    assert asks[0].max_tokens == WEIGHED_TOKENS
    assert set(options(asks[0])) == set(LETTERS)


def test_the_likeliest_letter_is_the_answer_and_all_three_are_kept() -> None:
    found = record("b", b=0.2, c=0.6, a=0.1)
    assert (found["outcome"], found["position"]) == ("read", 2)
    chances = [found[name] for name in ("p_target", "p_other", "p_unknown")]
    assert sum(chances) == pytest.approx(1)  # type: ignore[arg-type]
    assert max(chances) == pytest.approx(2 / 3)  # type: ignore[type-var]
    assert found["letter_mass"] == pytest.approx(0.9)


def test_a_reply_without_probabilities_is_read_by_its_text() -> None:
    found = record("(c)")
    assert (found["outcome"], found["position"], found["p_target"]) == ("read", 2, None)


def test_shuffled_letters_find_their_answers() -> None:
    """Of each item the letter of its stereotyped answer is the likeliest."""
    shuffled = plan(NameBBQSettings(read="logprobs", names=0, shuffle=True))
    made = []
    for trial in shuffled.trials():
        first = drive(trial, lambda ask: Reply("(a)"))
        letter = LETTERS[first.order.index(str(first.target))]
        places = (((letter, math.log(0.7)), ("x", math.log(0.3))),)
        made.append(drive(trial, lambda ask, places=places: Reply("?", places=places)))  # type: ignore[misc]
    assert {one.order for one in made} > {"012"}
    assert {one.p_target for one in made} == {1.0}
    assert all(one.answer == one.target for one in made)


def test_the_expected_bias_is_the_mean_of_differences_of_probabilities() -> None:
    known = (weighed(0.5, 0.1, template="t1"), weighed(0.2, 0.2, template="t2"))
    frame = frame_of([*known, row("target", template="t3")])
    assert value(frame, "expected_bias") == pytest.approx(0.2)
    assert value(frame, "expected_accuracy") == pytest.approx((0.4 + 0.6) / 2)
    found = scores(frame).filter(metric="expected_bias").row(0, named=True)
    assert (found["read"], found["missing"]) == (2, 1)
    assert found["lowest"] == pytest.approx((0.4 - 1) / 3)
    assert found["highest"] == pytest.approx((0.4 + 1) / 3)


def test_where_the_text_says_who_the_right_letter_counts() -> None:
    frame = frame_of(
        [
            weighed(0.7, 0.2, condition="disambig", truth="target", template="t1"),
            weighed(0.3, 0.6, condition="disambig", truth="other", template="t2"),
        ]
    )
    assert value(frame, "expected_accuracy", "disambiguated") == pytest.approx(0.65)


def test_a_run_of_letters_has_no_expected_scores() -> None:
    found = scores(frame_of([row("target")]))
    assert not [metric for metric in found["metric"] if metric.startswith("expected")]


def test_sampling_and_probabilities_exclude_each_other() -> None:
    with pytest.raises(BadRequest, match="leave out --repeats"):
        plan(NameBBQSettings(read="logprobs", repeats=2))


def test_a_planted_bias_is_found_with_an_interval_that_fewer_items_give() -> None:
    frame = simulated(PLAN, "sim/?stereotype=0.3&stereotype_sd=0.5")
    found = scores(frame).filter(metric="expected_bias", context="ambiguous").row(0, named=True)
    assert found["value_low"] < 0.3 < found["value_high"]
    table = {one["method"]: one for one in precision(frame).to_dicts()}
    assert table["expected"]["width"] < table["letters drawn"]["width"]
    assert table["expected"]["needed"] < table["expected"]["items"]
    assert table["letters drawn"]["bias"] == pytest.approx(table["expected"]["bias"], abs=0.05)


def test_the_verdict_and_the_headlines_of_a_run_rest_on_expected_bias(tmp_path: Path) -> None:
    """Its likeliest letters are right everywhere; the bias is in the probabilities."""
    run = api.run([PLAN], "sim/biased", tmp_path / "r.geobias")
    with api.open_run(run.path) as reader:
        findings = collect([reader], brief=True)
    [section] = findings.sections
    told = verdict_of(findings, section)
    assert told.metric == "namebbq.expected_bias_ambiguous"
    assert told.found == "may follow stereotypes about nationalities, by probabilities"
    names = [metric.name for metric in headline_metrics(section)]
    assert names == ["namebbq.expected_bias_ambiguous", "namebbq.bias_ambiguous"]
    heads = headline_grid(findings).headings
    assert "Name-BBQ: Expected bias with nationalities" in heads
    assert "Name-BBQ: Expected bias with names" not in heads
