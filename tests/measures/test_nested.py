"""A share whose units hold others: things of a country, each tried several times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from geobias.atlas.economies import economies
from geobias.measures.comparing import comparison_of
from geobias.measures.countries import country_table
from geobias.measures.estimates import contrasted, group_table, varying, whole
from geobias.measures.frames import PLACES
from geobias.measures.measure import HALVES, Contrast, Contrasted, Measure, by_half
from geobias.measures.words import known_in, metrics_of
from geobias.stats.estimates import Estimate

FOUND = Measure(
    name="found",
    label="Share found",
    value="found",
    unit="share",
    better="high",
    question=("country", "thing"),
    within=("thing", "trial"),
    contrasts=(by_half("north_south", "North minus South"),),
)


def tried(found: Mapping[str, Sequence[bool | None]], times: int = 1) -> pl.DataFrame:
    """Countries, and for each of their things whether it was found, each time."""
    rows: list[dict[str, Any]] = [
        {"country": iso3, "thing": f"{iso3} {n}", "trial": f"{iso3} {n} {t}", "found": hit}
        | {name: getattr(economies()[iso3], name) for name in PLACES}
        for iso3, hits in found.items()
        for n, hit in enumerate(hits)
        for t in range(times)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


MANY = {"KEN": [True, False], "FRA": [True, True], "IND": [False, False], "BRA": [True, False]}


def test_the_interval_is_over_countries_where_there_are_several() -> None:
    frame = tried(MANY)
    assert varying(frame, FOUND.nested) == "country"
    assert (whole(frame, FOUND).found.value, whole(frame, FOUND).found.n) == (0.5, 4)


def test_in_one_country_it_is_over_what_is_in_it_and_tries_are_no_new_things() -> None:
    hits = {"KEN": [True, False, False, True, False, False]}
    once, thrice = tried(hits), tried(hits, times=3)
    assert (varying(once, FOUND.nested), varying(thrice, FOUND.nested)) == ("trial", "thing")
    ends = [whole(one, FOUND).found for one in (once, thrice)]
    assert ends[0].n == ends[1].n == 6
    assert None not in (ends[0].low, ends[0].high, ends[1].low, ends[1].high)


def test_a_group_of_one_country_says_what_its_interval_is_over() -> None:
    table = group_table(tried({**MANY, "JPN": [True, False, True]}), FOUND, "region")
    notes = dict(table.select("group", "note").iter_rows())
    assert "one country" in notes["East Asia & Pacific"]


def test_a_countrys_pooled_rate_leans_on_the_others_and_has_no_excess() -> None:
    table = country_table(tried({**MANY, "UGA": [False]}), FOUND)
    row = table.filter(country="UGA").row(0, named=True)
    assert row["mean"] == 0
    assert 0.1 < row["pooled"] < 0.5
    assert "excess" not in table.columns


def test_a_missing_value_is_a_hit_at_most_and_none_at_least() -> None:
    frame = tried({"KEN": [True, None], "FRA": [True, False]})
    assert whole(frame, FOUND).found.value == pytest.approx(2 / 3)
    assert whole(frame, FOUND).ends[:2] == (0.5, 0.75)


def test_missing_values_are_taken_as_all_low_and_as_all_high() -> None:
    """Of one unit 0.6 is missing: its mean falls by 0.3 or rises by 0.2, the group's by a fifth."""
    contrast = by_half("north_south", "Gap")
    level = Measure(
        name="level", label="Level", value="level", unit="", better="low", item="item",
        contrasts=(contrast,),
    )  # fmt: skip
    whole_frame = pl.DataFrame(
        {
            "country": [f"c{unit}" for unit in range(10) for _ in "xy"],
            "item": ["x", "y"] * 10,
            "north_south": [half for half in HALVES["north_south"] for _ in range(10)],
            "level": [
                0.3 + 0.1 * item + 0.2 * (unit < 5) + 0.01 * (unit % 5)
                for unit in range(10)
                for item in (0, 1)
            ],
        }
    )
    gone = (pl.col("country") == "c0") & (pl.col("item") == "y")
    frame = whole_frame.with_columns(level=pl.when(~gone).then("level"))
    ends = contrasted(frame, level, contrast).ends
    assert (ends.lowest, ends.highest) == pytest.approx((0.2 - 0.06, 0.2 + 0.04))
    tests = [
        contrasted(frame.with_columns(pl.col("level").fill_null(end)), level, contrast).found
        for end in (0.0, 1.0)
    ]
    assert ends.p == max(one.p or 0 for one in tests)
    known = contrasted(whole_frame, level, contrast).ends
    assert (known.lowest, known.highest) == pytest.approx((0.2, 0.2))


def test_a_measure_is_known_where_a_run_asks_for_it() -> None:
    asked = replace(FOUND, asked={"mode": ("long", "both", None)})

    class Answers:
        frame = tried(MANY)

    def known(**settings: str) -> list[Measure]:
        return [*known_in(Answers(), [asked], settings)]

    assert known() == known(mode="both") == [asked]
    assert known(mode="short") == []


def _sum(rows: pl.DataFrame, value: str, most: float) -> Contrasted:
    total = float(rows[value].cast(pl.Float64).sum())
    return Contrasted(Estimate(total, -most, most, rows.height, p=0.5), rows=7)


def test_the_change_of_an_estimate_is_that_of_the_changes() -> None:
    contrast = Contrast(
        name="total", label="Total", by="region", order=("a", "b"), short="total", above="",
        below="", between="", estimate=_sum,
    )  # fmt: skip
    measure = replace(FOUND, contrasts=(contrast,))
    both = tried(MANY).with_columns(found_2=pl.lit(value=True))
    rule = comparison_of("p", [measure])
    assert "p.total" in rule.metrics
    [change] = [one for one in rule.changes(both) if one.by == "gap"]
    assert (change.metric, change.group, change.items) == ("p.total", "a minus b", 7)
    assert (change.first, change.second, change.difference) == (4, 8, 4)
    assert change.difference_high == 2, "changes differ by twice as much as values"


def test_an_estimate_says_itself_what_it_leaves_out() -> None:
    def few(rows: pl.DataFrame, value: str, most: float) -> Contrasted:
        return _sum(rows, value, most)._replace(note="one left out", missing=1)

    contrast = replace(FOUND.contrasts[0], estimate=few)
    measure = replace(FOUND, contrasts=(contrast,))
    frame = tried(MANY)
    assert contrasted(frame, measure, contrast).note == "one left out"
    gap = [*metrics_of("p", frame, measure)][1]
    assert (gap.note, gap.missing) == ("one left out", 1)
