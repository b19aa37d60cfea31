"""Answers to figures, asked here or elsewhere."""

from __future__ import annotations

import json
import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.figures import figures
from geobias.probes.predictions import Scored
from geobias.probes.replay import answers_of
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.predictions import score_lines
from geobias.probes.worldbench.probe import WorldBench
from geobias.probes.worldbench.scores import frame_of, with_further
from geobias.probes.worldbench.settings import WorldBenchScoring
from geobias.probes.worldbench.trials import absolute_relative_error, figures_digest
from tests.probes.answering import answered
from tests.wording import reads_as

KENYA = plan(indicators=["population"], countries=["Kenya"])


AVERAGE = (51985780 + 53005614 + 54027487) / 3  # of Kenya in 2020, 2021 and 2022
BAHRAIN = {"indicators": ["renewable_energy"], "countries": ["Bahrain"]}


@pytest.mark.parametrize(
    ("settings", "reply", "said"),
    [
        ({}, "53,005,614",
         {"outcome": "parsed", "truth": pytest.approx(AVERAGE),
          "error": pytest.approx(1 - 53005614 / AVERAGE)}),
        ({}, "It is 53 million.", {"value": 53e6, "scale": 1e6, "span_start": 6, "span_end": 8}),
        ({}, "I don't have data on that.", {"outcome": "abstained", "value": None, "error": None}),
        ({}, "Lorem ipsum", {"outcome": "unparsed", "value": None, "error": None}),
        (BAHRAIN, "0%", {"truth": 0.0, "error": 0.0}),
        (BAHRAIN, "0.3", {"truth": 0.0, "error": 1.0}),
        ({"indicators": ["co2_emissions"]}, "About 310 kg per person",
         {"value": 0.31, "converted": "kg → metric tonnes per capita"}),
        ({"indicators": ["unemployment"], "year": 2016}, "In 2016 it was 2.76%", {"value": 2.76}),
        ({"year": 2016}, "1", {"truth": 47894670.0}),
        ({"ground_truth": "latest"}, "1", {"truth": 54027487.0}),
    ],
)  # fmt: skip
def test_a_record_says_what_was_answered_and_how_far_off_it_is(
    settings: dict[str, Any], reply: str, said: dict[str, object]
) -> None:
    asked = {"indicators": ["population"], "countries": ["Kenya"]} | settings
    (record,) = answered(plan(**asked), lambda _: reply)
    assert {name: getattr(record, name) for name in said} == said


def test_dialogues_that_begin_alike_stand_together() -> None:
    order = [trial.name.split("/")[1] for trial in plan(size="standard").trials()]
    assert order == sorted(order, key=list(dict.fromkeys(order)).index)


def test_the_figures_are_identified_by_what_they_say() -> None:
    assert plan().editions["figures"] == figures_digest(figures())


@given(st.text(max_size=200))
def test_any_reply_becomes_a_record(text: str) -> None:
    (record,) = answered(KENYA, lambda _: text)
    assert record.outcome in ("parsed", "abstained", "unparsed")
    assert (record.error is None) == (record.outcome != "parsed")
    assert record.error is None or 0 <= record.error <= 1


numbers = st.floats(allow_nan=False, allow_infinity=False)


def test_a_negative_answer_is_wholly_wrong() -> None:
    assert absolute_relative_error(-5, 5) == absolute_relative_error(-5, 0) == 1


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_no_measurement(bad: float) -> None:
    with pytest.raises(ValueError, match="two finite numbers"):
        absolute_relative_error(bad, 1)
    with pytest.raises(ValueError, match="two finite numbers"):
        absolute_relative_error(1, bad)


@given(numbers, numbers)
def test_an_error_lies_between_zero_and_one(a: float, b: float) -> None:
    assert 0 <= absolute_relative_error(a, b) <= 1


def line(**fields: object) -> bytes:
    usual = {"indicator": "population", "country": "Kenya", "reply": "53 million"}
    return json.dumps(usual | fields).encode() + b"\n"


def score(lines: list[bytes], **options: Any) -> Scored:
    return score_lines(lines, WorldBenchScoring(**options))


def whole(scored: Scored) -> pl.DataFrame:
    """The answers of all models in one frame."""
    frames: list[pl.DataFrame] = [
        with_further(frame_of([])),
        *(one.frame for one in answers_of(WorldBench(), scored, None)),
    ]
    return pl.concat(frames, how="diagonal")


def reasons(scored: Scored) -> dict[int, str]:
    return dict(scored.left_out)


def test_bad_lines_are_named_and_the_rest_is_scored() -> None:
    scored = score(
        [
            b"not json\n",
            b"\n",
            line(country="Kenia"),
            line(indicator="happiness"),
            line(country="Taiwan"),
            b'{"indicator": "population", "country": "Kenya"}\n',
            line(reply=None),
            b'{"indicator": "population", "country": "Kenya", "reply": "\xff"}\n',
            line(),
        ]
    )
    found = reasons(scored)
    assert sorted(found) == [1, 3, 4, 5, 6, 7, 8]
    reads_as("Lines of replies to WorldBench", {f"line {at}": found[at] for at in (3, 4, 5, 6)})
    assert whole(scored).height == 1


def test_the_same_question_twice_needs_a_repeat() -> None:
    scored = score([line(), line(), line(repeat=1)])
    assert list(reasons(scored)) == [2]
    assert "in line 1" in reasons(scored)[2]
    assert whole(scored).height == 2


def test_another_ground_truth_rule_may_be_chosen() -> None:
    scored = score([line(reply="47,894,670")], ground_truth="2016")
    assert whole(scored)["error"].to_list() == [0.0]
