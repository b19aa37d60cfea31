"""Colours, figures as files, and text that goes into a page."""

from __future__ import annotations

import base64
import gzip
import json
import re
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
from geobias.report.formats import csv_of
from geobias.report.page import rendered
from geobias.report.page.drawing import RAMPS, colours, draw, size
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
    scale = [map(brightness, colours()[name]) for name in RAMPS["amount"]]
    on_white, on_black = map(list, zip(*scale, strict=True))
    assert on_white == sorted(on_white, reverse=True)
    assert on_black == sorted(on_black)


@pytest.mark.parametrize("name", ["ink", "muted", "accent", "second"])
def test_text_stands_out_from_the_paper(name: str) -> None:
    for text, paper in zip(colours()[name], colours()["paper"], strict=True):
        assert contrast(text, paper) >= 4.0


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
    table = pl.DataFrame({"name": words})
    said = ["'=1+1", "plain", "'@x", "'|calc", "'%0A", "'  =1+1", '"\n-1"', ""]
    assert csv_of(table) == "\n".join(["name", *said, ""])


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
            assert "aria-label=" in draw(figure.panels[0].chart, ""), figure.name


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


def test_every_model_between_axes_has_a_colour_and_a_number_beside_its_name() -> None:
    many = {f"model {i} <b>\x1b": [(0.5, 0.5), (0.5, i / 24)] for i in range(24)}
    chart = Plane(points=many, x_title="x", y_title="y", ends=(0, 1))
    drawn = draw(chart, "")
    svg = ElementTree.fromstring(drawn)
    texts = [str(one.text) for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    names = [text for text in texts if "model" in text]
    from_the_top = enumerate(reversed(range(24)), start=1)
    assert names == [f"{number}  model {i} <b>\ufffd" for number, i in from_the_top]
    assert {str(number) for number in range(1, 25)} <= set(texts)
    dots = re.findall(r'aria-label="model[^>]*fill="(#[^"]*)"', drawn)
    assert (len(dots), len(set(dots))) == (48, 24)
    assert size(chart)[1] >= 24 * 19
