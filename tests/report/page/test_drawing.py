"""Colours, figures as files, and text that goes into a page."""

from __future__ import annotations

import base64
import gzip
import json
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import BadRequest
from geobias.probes.registry import all_probes
from geobias.report import page
from geobias.report.page import rendered
from geobias.report.page.drawing import csv_of, draw_chart, draw_figure
from geobias.report.page.svg import COLOURS, SCALE, size, with_colour_names
from geobias.report.page.text import packed, readable
from geobias.results.charts import Plane
from geobias.results.findings import Findings
from geobias.runfile import RunReader


def brightness(colour: str) -> float:
    """Relative luminance (WCAG 2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    low, high = sorted((brightness(one), brightness(two)))
    return (high + 0.05) / (low + 0.05)


def test_a_scale_can_be_read_without_colour_vision() -> None:
    on_white = [brightness(COLOURS[name].light) for name in SCALE]
    on_black = [brightness(COLOURS[name].dark) for name in SCALE]
    assert on_white == sorted(on_white, reverse=True)
    assert on_black == sorted(on_black)


@pytest.mark.parametrize("name", ["ink", "muted", "accent", "second"])
def test_text_stands_out_from_the_paper(name: str) -> None:
    for value in ("light", "dark"):
        assert contrast(getattr(COLOURS[name], value), getattr(COLOURS["paper"], value)) >= 4.0


def test_colours_of_a_drawing_get_names_and_other_hex_stays() -> None:
    assert with_colour_names('fill="#1c2126" href="#abcdef"') == 'fill="var(--ink)" href="#abcdef"'


def test_no_two_colours_have_the_same_value_in_a_drawing() -> None:
    assert len({colour.light for colour in COLOURS.values()}) == len(COLOURS)


@given(st.text())
def test_packed_data_cannot_end_the_element_they_are_in(text: str) -> None:
    inside = packed([text])
    assert not set("<>&'\"") & set(inside)
    assert json.loads(gzip.decompress(base64.b64decode(inside))) == [text]


def test_long_text_is_cut_and_says_how_long_it_was() -> None:
    assert readable("ab" * 100, 4) == "abab … (200 characters)"
    assert readable("a\x1b[31mb\u202e", 50) == "a\ufffd[31mb\ufffd"


def test_a_spreadsheet_does_not_take_a_reply_for_a_formula() -> None:
    words = ["=1+1", "plain", "@x", "|calc", "%0A", "  =1+1", "\n-1", None]
    table = [{"name": word, "value": float(i)} for i, word in enumerate(words)]
    said = ["'=1+1", "plain", "'@x", "'|calc", "'%0A", "'=1+1", "-1", ""]
    lines = [f"{word},{i}.0" for i, word in enumerate(said)]
    assert csv_of(table).splitlines() == ["name,value", *lines]


def only(findings: Findings, probe: str) -> Findings:
    sections = [section for section in findings.sections if section.probe == probe]
    return msgspec.structs.replace(findings, sections=sections)


def test_figures_are_written_as_svg_pdf_png_and_csv(findings: Findings, tmp_path: Path) -> None:
    wanted = ("worldbench-error-map", "worldbench-error-income")
    files = page.write_figures(only(findings, "worldbench"), tmp_path / "figures")
    endings = ("svg", "pdf", "png", "csv")
    assert {f"{name}.{end}" for name in wanted for end in endings} <= {file.name for file in files}
    for file in files:
        if file.suffix == ".svg":
            assert ElementTree.parse(file).getroot().tag.endswith("svg")
        elif file.suffix == ".png":
            assert file.read_bytes().startswith(b"\x89PNG")
        elif file.suffix == ".pdf":
            assert file.read_bytes().startswith(b"%PDF")
        else:
            assert pl.read_csv(file).height


def test_every_mark_tells_its_value_in_words(findings: Findings) -> None:
    for made in page.figures(only(findings, "worldbench")).values():
        for figure in made:
            assert "aria-label=" in draw_figure(figure).panels[0].svg, figure.name


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(
    findings: Findings, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(BadRequest, match=r"cannot write .*taken"):
        page.write_figures(only(findings, "worldbench"), tmp_path / "taken")


@pytest.fixture(scope="module")
def whole(findings: Findings, biased: Path) -> str:
    """The page of the biased model."""
    with RunReader(biased) as run:
        return rendered(findings, [run])


def test_papers_to_cite_are_those_of_the_probes_that_were_run(
    findings: Findings, whole: str
) -> None:
    (cited,) = re.findall(r'<ul class="details cite">(.*?)</ul>', whole)
    own, *papers = cited.split("</li><li>")
    assert f"Version {findings.geobias}." in own
    run = {section.probe for section in findings.sections}
    assert len(papers) == sum(len(all_probes()[name].papers) for name in run)
    assert "WorldBench" in papers[0]


def test_names_of_models_between_axes_neither_cover_each_other_nor_leave_the_chart() -> None:
    """Points that are all alike at the top, at the bottom or in between."""
    for height in (0.0, 0.5, 1.0):
        alike = {f"model {i}": [(0.5, height)] for i in range(30)}
        svg = draw_chart(Plane(points=alike, x_title="x", y_title="y", ends=(0, 1)))
        texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
        names = [one for one in texts if str(one.text).startswith("model")]
        heights = sorted(float(one.attrib["y"]) for one in names)
        assert all(below - above >= 13 for above, below in pairwise(heights))
        assert 0 < heights[0] < heights[-1] < size(svg)[1]
        assert len({one.attrib["fill"] for one in names}) == 30, "a colour for each model"
