"""Means over units of several kinds that are crossed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import BadRequest
from geobias.measures.crossed import kinds_within, on_items
from geobias.measures.estimates import group_table, whole
from geobias.measures.measure import Measure
from geobias.measures.over_models import group_table_over_models, whole_over_models
from geobias.measures.planning import aim_of
from geobias.measures.words import metrics_of
from tests.defined import defined

UNITS = ("story", "people", "neighbours")
LEAN = Measure(
    name="lean",
    label="Lean",
    value="lean",
    unit="lean, −1 to 1",
    better="zero",
    bounds=(-1.0, 1.0),
    units=UNITS,
    question=("id",),
    groups=("region",),
    primary="lean",
    spread=(0.1, 0.4, 0.05),
)
PEOPLE = ("Danes", "Thais", "Kenyans", "Poles")


def rows(values: Sequence[int | None], stories: int = 6, **columns: Any) -> pl.DataFrame:
    """Answers that go through the stories, the people and their neighbours in turn."""
    made = pl.DataFrame(
        {
            "id": range(len(values)),
            "lean": values,
            "story": [f"s{n % stories}" for n in range(len(values))],
            "people": [PEOPLE[n % 4] for n in range(len(values))],
            "neighbours": [PEOPLE[(n // 2 + 1) % 4] for n in range(len(values))],
            "country": [("DNK", "THA", "KEN", "POL")[n % 4] for n in range(len(values))],
            "region": ["north" if n % 2 else "south" for n in range(len(values))],
        },
        schema_overrides={"lean": pl.Int64},
    )
    return made.with_columns(**{name: pl.lit(value) for name, value in columns.items()})


def test_a_group_that_no_answer_counts_for_has_no_pooled_mean() -> None:
    frame = rows([1, -1, 1, 0] * 6).with_columns(named=pl.col("region") == "north")
    table = group_table(frame, replace(LEAN, per="named", units=UNITS[:2]), "people")
    unknown = table.filter(pl.col("group").is_in(["Danes", "Kenyans"]))
    assert unknown["mean"].to_list() == unknown["pooled"].to_list() == [None, None]
    assert table["group"].to_list()[2:] == unknown["group"].to_list(), "last"


@pytest.mark.parametrize(
    ("by", "kinds"),
    [
        ("all", UNITS),
        ("region", UNITS),
        ("story", ("pair",)),
        ("people", ("story",)),
        ("country", ("story",)),
    ],
)
def test_what_varies_in_a_group_depends_on_the_group(by: str, kinds: tuple[str, ...]) -> None:
    assert kinds_within(UNITS, by) == kinds


def test_n_counts_the_kind_of_unit_that_is_fewest() -> None:
    found = whole(rows([1, -1, 0] * 8, stories=12), LEAN)
    assert (found.found.n, found.counted) == (4, "peoples")
    fewer = whole(rows([1, -1, 0] * 8, stories=3), LEAN)
    assert (fewer.found.n, fewer.counted) == (3, "storys")


@given(st.lists(st.sampled_from([1, 0, -1, None]), min_size=1, max_size=40))
def test_missing_answers_bound_the_mean(values: list[int | None]) -> None:
    [metric] = metrics_of("p", rows(values), LEAN, 0.05)
    known = [one for one in values if one is not None]
    assert metric.missing == len(values) - len(known)
    assert metric.lowest == pytest.approx((sum(known) - metric.missing) / len(values))
    assert metric.highest == pytest.approx((sum(known) + metric.missing) / len(values))


@given(st.lists(st.sampled_from([1, 0, -1]), min_size=12, max_size=40))
def test_the_p_value_belongs_to_the_interval(values: list[int]) -> None:
    found = whole(rows(list(values)), LEAN).found
    low, high = found.low, found.high
    if found.p is None or low is None or high is None:
        low, high, p = -1.0, 1.0, 1.0  # no test, and no interval
    else:
        p = found.p
    assert (p < 0.05) == (not low <= 0 <= high)


def test_these_very_items_are_tested_by_the_signs_of_the_first_kind() -> None:
    found = defined(on_items(rows([1, 1, 1, 1, 1, 1, 0, 0, None, -1, 0, 0]), LEAN))
    assert (found.above, found.below) == (6, 1)
    assert found.p_items == 2 / 2**5, "one of the six stories is even"
    assert on_items(rows([1, 0]), replace(LEAN, per="lean")) is None


def test_a_mean_of_answers_of_one_kind_is_over_their_number() -> None:
    frame = rows([1, 1, -1, 0, 0, 0]).with_columns(named=pl.col("lean").abs())
    [metric] = metrics_of("p", frame, replace(LEAN, name="unscaled", per="named", primary=""))
    assert metric.value == pytest.approx(1 / 3)
    [none] = metrics_of("p", rows([0, 0], named=0), replace(LEAN, per="named"))
    assert (none.value, none.undefined_because) == (None, "no answer named")


def test_groups_are_ranked_by_what_leans_on_all_of_them() -> None:
    table = group_table(rows([1, 0, -1, 0] * 6 + [1]), LEAN, "country")
    assert table["group"].to_list() == ["DNK", "POL", "THA", "KEN"]
    assert table["pooled"].is_sorted(descending=True)
    assert (table["p_adjusted"] >= table["p"]).all()
    untested = group_table(rows([1, 0]), replace(LEAN, tested=False), "region")
    assert "p" not in untested.columns


def test_a_plan_takes_its_units_from_what_it_asks() -> None:
    asked = [(f"s{n}", PEOPLE[n % 4], "x") for n in range(12)]
    aim = aim_of(LEAN, asked)
    assert (aim.design.groups, len(aim.design.columns), aim.most_gap) == ((12,), 4, 1.0)
    assert aim.design.inflation > 1
    with pytest.raises(BadRequest, match="planning needs questions about lean"):
        aim_of(LEAN, [])


def test_models_are_one_more_kind_of_crossed_unit_and_each_weighs_alike() -> None:
    leans: dict[str, list[int | None]] = {
        "x": [1, 1, 0, -1] * 6,
        "y": [0, 0, 1, 0] * 6,
        "z": [1, 0, 0, None] * 6,
    }
    frame = pl.concat(rows(own, model=name) for name, own in leans.items())
    found = whole_over_models(frame, LEAN)
    assert found.over == "models, storys, peoples, neighbourss"
    assert found.found.value == pytest.approx((1 / 4 + 1 / 4 + 1 / 3) / 3)
    by_region = group_table_over_models(frame, LEAN, "region").row(0, named=True)
    assert (by_region["models"], by_region["over"]) == (3, "models, storys, neighbourss")
    two = whole_over_models(frame.filter(pl.col("model") != "z"), LEAN)
    assert two.over == "storys, peoples, neighbourss"
