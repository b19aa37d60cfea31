"""The static site of many runs."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.report.findings import collect
from geobias.report.site import page_name, write_site
from geobias.runfile import RunReader


@pytest.fixture(scope="module")
def site(biased: Path, fair: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    with RunReader(biased) as first, RunReader(fair) as second:
        write_site([first, second], folder)
    return folder


def test_every_link_of_the_site_leads_to_a_file(site: Path) -> None:
    for page in ("index.html", "compare.html"):
        links = re.findall(r'(?:href|src)="([^"]+)"', (site / page).read_text("utf-8"))
        assert links
        for link in links:
            assert (site / link).is_file(), link


def test_the_table_has_a_row_for_each_model_with_the_numbers_of_its_findings(
    site: Path, biased: Path
) -> None:
    text = (site / "index.html").read_text("utf-8")
    assert text.count('<th scope="row">') == 2
    with RunReader(biased) as run:
        metrics = {one.name: one for one in collect([run]).sections[0].metrics}
    assert f'data-value="{metrics["worldbench.error"].value:.2f}"' in text
    rows = list(csv.DictReader((site / "summary.csv").read_text("utf-8").splitlines()))
    assert [row["simulated"] for row in rows] == ["true", "true"]
    assert rows[0]["WorldBench: Mean error"] == f"{metrics['worldbench.error'].value:.2f}"


def test_the_data_for_comparing_are_json_with_every_metric_of_both(site: Path) -> None:
    text = (site / "data.js").read_text("utf-8")
    models = json.loads(text.removeprefix("const MODELS = ").rstrip(";\n"))
    assert len(models) == 2
    assert models[0]["metrics"].keys() == models[1]["metrics"].keys()
    assert "worldbench.error" in models[0]["metrics"]


@given(st.lists(st.text(max_size=200), max_size=5))
def test_pages_have_names_that_any_server_takes_and_no_two_share(labels: list[str]) -> None:
    names = [page_name(label, number) for number, label in enumerate([*labels, *labels])]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]{1,70}", name) for name in names)
