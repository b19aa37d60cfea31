"""What figures show, hide and say of themselves."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from geobias.report import page
from geobias.report.findings import Findings, Section
from geobias.report.page import charts
from geobias.report.page.colours import COLOURS, light
from geobias.report.page.drawing import HATCH, Figure, Panel, composed, csv_of
from geobias.report.page.panels import Rows, beside, figure
from geobias.report.page.worldmap import Spot, legend, said_alike, world_map
from tests.report.made import findings as made_findings

EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"></svg>'


@pytest.fixture(scope="module")
def mixed(findings: Findings) -> Findings:
    """The biased model after a copy of it that cannot be measured."""
    copies = []
    for section in findings.sections:
        tables = {
            name: msgspec.structs.replace(
                table,
                rows=[
                    row | ({"model": "constant"} if row.get("here") else {}) for row in table.rows
                ],
            )
            for name, table in section.tables.items()
        }
        copies.append(
            msgspec.structs.replace(section, model="constant", measurable=False, tables=tables)
        )
    sections = [one for pair in zip(copies, findings.sections, strict=True) for one in pair]
    return msgspec.structs.replace(
        findings, models=["constant", *findings.models], sections=sections
    )


@pytest.fixture(scope="module")
def drawn(mixed: Findings) -> dict[str, Figure]:
    return {one.name: one for made in page.figures(mixed).values() for one in made}


def section(model: str, *, measurable: bool = True) -> Section:
    one = made_findings().sections[0]
    return msgspec.structs.replace(one, model=model, measurable=measurable)


class Drawing:
    """Remembers what was to be drawn."""

    def __init__(self) -> None:
        self.frames: list[Any] = []

    def __call__(self, frame: Any, everything: Any) -> str:
        self.frames.append(frame)
        return EMPTY


WORDS: dict[str, Any] = {"name": "n", "title": "t", "note": "How to read it.", "alt": "a"}


def test_what_is_saved_says_that_it_is_not_measurable(drawn: dict[str, Figure]) -> None:
    svg = composed(drawn["worldbench-regions"])
    assert "not measurable</tspan>" in svg
    assert svg.count('<g class="mark" opacity="0.5"') == 2, "dots and intervals of one panel"


def test_marks_that_mean_nothing_are_pale_and_text_is_not(drawn: dict[str, Figure]) -> None:
    constant, biased = drawn["worldbench-indicators-by-region"].panels
    assert 'opacity="0.4"' in constant.shown
    assert "opacity" not in biased.shown
    assert not re.search(r'<text [^>]*(opacity|fill="#ffffff")', constant.shown)
    assert re.search(r'<text [^>]*fill="#ffffff"', biased.shown), "light on dark cells"


def test_every_csv_tells_whether_the_model_can_be_measured(drawn: dict[str, Figure]) -> None:
    for one in drawn.values():
        assert "measurable" in one.data.columns, one.name
    regions = drawn["worldbench-regions"].data
    assert dict(regions.select("model", "measurable").unique().iter_rows()) == {
        "constant": False,
        regions["model"][-1]: True,
    }


@pytest.mark.parametrize("name", ["worldbench-published", "namebbq-published"])
def test_a_model_that_cannot_be_measured_has_no_place_among_the_published(
    drawn: dict[str, Figure], mixed: Findings, name: str
) -> None:
    one = drawn[name]
    own = one.data.filter(one.data["here"])
    assert set(own["row"]) == {mixed.models[1]}
    assert one.note.endswith("Not shown, because not measurable: constant.")
    assert all(panel.measurable for panel in one.panels)


def test_models_asked_different_things_stand_beside_different_published_numbers() -> None:
    def rows(one: Section) -> Rows:
        published = 0.1 if one.model == "c" else 0.2
        return [
            {"row": "paper's", "value": published, "here": False},
            {"row": one.model, "value": 0.3, "here": True},
        ]

    drawing = Drawing()
    made = beside(
        [section("a"), section("b"), section("c")],
        rows,
        drawing,
        order=lambda row: row["value"],
        **WORDS,
    )
    assert made is not None
    assert [panel.label for panel in made.panels] == ["a, b", "c"]
    assert [list(frame["row"]) for frame in drawing.frames] == [
        ["paper's", "a", "b"],
        ["paper's", "c"],
    ]


def test_the_smallest_groups_are_cut_in_all_panels_alike_and_the_data_have_all() -> None:
    values = {"a": {"x": 0.9, "y": 0.1, "z": 0.5}, "b": {"x": 0.1, "y": 0.9, "z": 0.5}}
    played = {"x": 10, "y": 5, "z": 1}

    def rows(one: Section) -> Rows:
        best_first = sorted(values[one.model].items(), key=lambda each: -each[1])
        return [{"row": g, "value": v, "played": played[g]} for g, v in best_first]

    drawing = Drawing()
    made = figure([section("a"), section("b")], rows, drawing, counted="played", most=2, **WORDS)
    assert made is not None
    assert [set(frame["row"]) for frame in drawing.frames] == [{"x (10)", "y (5)"}] * 2
    assert "1 smallest group not drawn" in made.note
    assert set(made.data["row"]) == {"x", "y", "z"}


def test_counts_stand_behind_a_group_s_name_in_the_order_of_the_legend() -> None:
    def rows(_: Section) -> Rows:
        return [
            {"row": "Asia", "series": "things", "played": 7},
            {"row": "Asia", "series": "people", "played": 1200},
            {"row": "Europe", "series": "things", "played": 3},
            {"row": "Europe", "series": "people", "played": 3},
            {"row": "Oceania", "series": "things", "played": 2},
        ]

    drawing = Drawing()
    figure([section("a")], rows, drawing, counted="played", series=("people", "things"), **WORDS)
    assert list(dict.fromkeys(drawing.frames[0]["row"])) == [
        "Asia (1,200, 7)",
        "Europe (3)",
        "Oceania (–, 2)",
    ]


@pytest.mark.parametrize("order", [("North", "South"), ("South", "North"), ("South",)])
def test_a_series_keeps_its_colour_whichever_comes_first(order: tuple[str, ...]) -> None:
    import polars as pl

    shade = {"North": light("accent"), "South": light("second")}
    rows = [
        {"x": x, "value": 0.5, "series": one, "said": one} for one in order for x in range(1, 4)
    ]
    svg = charts.curves(
        pl.DataFrame(rows), x_title="turns", y_title="share", series=["North", "South"]
    )
    for one in order:
        assert re.search(rf'aria-label="{one}"[^>]*fill="{shade[one]}"', svg)
    assert ("North<" in svg) == ("North" in order), "the legend has what is drawn"


def test_the_gap_is_held_against_what_five_in_a_hundred_deals_reach(
    drawn: dict[str, Figure], mixed: Findings
) -> None:
    one = drawn["worldbench-chance-regions"]
    limit = mixed.sections[0].tables["disparity_regions"].rows[0]["baseline_high"]
    held = one.data.filter(one.data["kind"] == "5% of random deals reach")
    assert set(held["from"]) == {limit}
    assert "stroke-dasharray" in one.panels[0].svg
    assert "Right of the dashed line: 5% of deals." in one.note
    assert "needs no explanation" not in one.note
    assert re.search(
        r"p [<\d. ]+, adjusted for the tests of the section \(Holm\)",
        one.panels[0].svg.replace("&lt;", "<"),
    )


def test_a_year_says_how_sure_it_is_and_noise_is_no_trend(drawn: dict[str, Figure]) -> None:
    one = drawn["worldbench-years"]
    best = one.data.filter(one.data["best"]).row(0, named=True)
    said = f"{best['x']} ({best['share_best']:.0%} sure, {best['questions']:,} questions)"
    assert f">{said}<" in one.panels[0].svg
    assert set(one.data["sure"]) <= {False, best["share_best"] > 0.9}


@pytest.mark.parametrize("values", [[0.53, 0.539], [0.001], [0.999, 1.0], [0.2, 0.7]])
def test_a_scale_over_years_spans_a_tenth_at_least(values: list[float]) -> None:
    from geobias.report.page.worldbench import room_for

    low, high = room_for(values)
    assert 0 <= low <= min(values)
    assert max(values) <= high <= 1
    assert high - low > 0.1 - 1e-9


def test_a_figure_takes_its_origin_along(drawn: dict[str, Figure], mixed: Findings) -> None:
    day = mixed.runs[0].created[:10]
    plain = drawn["worldbench-map"].source.replace("\N{NO-BREAK SPACE}", " ")
    models = f"constant, {mixed.models[1]}"
    answered = drawn["worldbench-map"].data.drop_nulls("value")["country"].n_unique()
    assert plain == (
        f"{models} · WorldBench, {answered} economies · "
        f"World Bank (CC BY 4.0), outlines Natural Earth · geobias {mixed.geobias}, {day}"
    )
    assert "items of geobias" in drawn["namebbq-bias"].source
    assert f"geobias {mixed.geobias}, {day}" in composed(drawn["namebbq-bias"]).replace(
        "</text>", " "
    )


def test_a_csv_keeps_the_plain_name_of_a_group(drawn: dict[str, Figure]) -> None:
    assert "North America (" in drawn["worldbench-regions"].panels[1].svg
    assert "North America," in csv_of(drawn["worldbench-regions"].data)


def test_no_value_is_hatched_and_what_was_not_asked_is_blank() -> None:
    spots = {"FRA": Spot(0.05, "France: 0.05"), "DEU": Spot(None, "Germany: no value")}
    svg = world_map(spots, [0.1], ["scale-0", "scale-1"])
    fills = dict(re.findall(r'data-iso="(\w+)" fill="([^"]+)"', svg))
    assert fills["FRA"] == light("scale-0")
    assert fills["DEU"] == "url(#hatch)"
    assert fills["ESP"] == light("blank")
    assert "no value" in legend([0.1], ["scale-0", "scale-1"], "error", without_value=True)
    assert "no value" not in legend([0.1], ["scale-0", "scale-1"], "error")


def test_the_lowest_shade_stands_off_what_was_not_asked() -> None:
    from tests.report.page.test_drawing import contrast

    for value in ("light", "dark"):
        low, blank = (getattr(COLOURS[name], value) for name in ("scale-0", "blank"))
        assert contrast(low, blank) > 1.3


def test_a_saved_map_defines_its_hatching_once() -> None:
    two = Figure(**WORDS, panels=[Panel(world_map({}, [0.1], ["scale-0", "scale-1"]))] * 2, data=[])
    assert composed(two).count(HATCH) == 1


def test_numbers_of_a_legend_have_the_same_decimals() -> None:
    assert said_alike([0.08, 0.2]) == ["0.08", "0.20"]
    assert said_alike([-0.5, 0, 0.5]) == ["−0.5", "0.0", "0.5"]
    assert said_alike([0.01, 0.025], percent=True) == ["1.0%", "2.5%"]
    assert said_alike([0.1, 0.2], percent=True) == ["10%", "20%"]


def test_regions_are_heads_in_words(drawn: dict[str, Figure]) -> None:
    svg = drawn["worldbench-indicators-by-region"].panels[1].svg
    assert ">Pacific<" in svg
    assert ">EAS<" not in svg
