"""What figures show, hide and say of themselves."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from geobias.report import page
from geobias.report.page.drawing import colours, draw, same_decimals, whole_svg
from geobias.results.charts import MapLegend, Spot, WorldMap
from geobias.results.figures import Figure, Panel
from geobias.results.findings import Findings
from geobias.results.formatting import interval, number
from tests.report.page.test_drawing import contrast


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
def figures(mixed: Findings) -> dict[str, Figure]:
    return {one.name: one for made in page.figures(mixed).values() for one in made}


WORDS: dict[str, Any] = {"name": "n", "title": "t", "note": "How to read it.", "alt": "a"}


def test_no_figure_shows_a_model_that_cannot_be_measured(
    figures: dict[str, Figure], mixed: Findings
) -> None:
    for one in figures.values():
        assert "constant" not in {str(value) for row in one.data for value in row.values()}
        assert one.note.endswith(": constant.")
    silent = [msgspec.structs.replace(one, measurable=False) for one in mixed.sections]
    assert not page.figures(msgspec.structs.replace(mixed, sections=silent))


def test_a_figure_takes_its_origin_along(figures: dict[str, Figure], mixed: Findings) -> None:
    day = mixed.runs[0].created[:10]
    world = figures["worldbench-error-map"]
    plain = world.source.replace("\N{NO-BREAK SPACE}", " ")
    models = mixed.models[1]
    assert plain == (
        f"{models} · WorldBench · "
        f"World Bank (CC BY 4.0), outlines Natural Earth · geobias {mixed.geobias}, {day}"
    )
    groups = figures["namebbq-bias-ambiguous-region"]
    assert "items of geobias" in groups.source
    in_one_line = re.sub(r"</text>\s*<text[^>]*>", " ", whole_svg(groups))
    assert f"geobias {mixed.geobias}, {day}" in in_one_line


def test_a_group_has_its_numbers_beside_its_dot(figures: dict[str, Figure]) -> None:
    regions = figures["worldbench-error-region"]
    [row] = [row for row in regions.data if row["group"] == "North America"]
    drawn = draw(regions.panels[0].chart, "")
    assert ">North America<" in drawn
    numbers: dict[str, Any] = dict(row)
    value, low, high = (numbers[f"mean{end}"] for end in ("", "_low", "_high"))
    for shown in (number(value), interval(low, high), str(row["countries"])):
        assert shown in drawn


def test_no_value_is_hatched_and_what_was_not_asked_is_dotted() -> None:
    spots = {"FRA": Spot(0.05, "France: 0.05"), "DEU": Spot(None, "Germany: no value")}
    svg = draw(WorldMap(spots=spots, limits=[0.1]), "")
    fills = dict(re.findall(r'data-iso="(\w+)" fill="([^"]+)"', svg))
    assert fills["FRA"] == "var(--scale-0)"
    assert fills["DEU"] == "url(#hatch)"
    assert fills["ESP"] == "url(#unasked)"
    legend = MapLegend(limits=[0.1], ramp="amount", words="error", without_value=True)
    assert "no value" in draw(legend, "")
    assert "no value" not in draw(msgspec.structs.replace(legend, without_value=False), "")


def test_the_lowest_shade_stands_off_what_was_not_asked() -> None:
    for low, blank in zip(colours()["scale-0"], colours()["blank"], strict=True):
        assert contrast(low, blank) > 1.3


def test_a_saved_map_defines_its_hatching_once() -> None:
    two = Figure(
        **WORDS,
        panels=[Panel(WorldMap(spots={}, limits=[0.1]))] * 2,
        data=[],
        legend=MapLegend(limits=[0.1], ramp="amount", words="error"),
    )
    assert whole_svg(two).count('id="hatch"') == 1


def test_numbers_of_a_legend_have_the_same_decimals() -> None:
    assert same_decimals([0.08, 0.2]) == ["0.08", "0.20"]
    assert same_decimals([-0.5, 0, 0.5]) == ["−0.5", "0.0", "0.5"]
