"""The static site of many runs."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.api.running import run
from geobias.errors import BadRunFile
from geobias.probes.registry import find_probe, plan_of
from geobias.report.findings import collect
from geobias.report.site import page_name, write_site
from geobias.runfile import RunReader

MODELS = ("biased", "fair")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two models, asked a little."""
    folder = tmp_path_factory.mktemp("runs")
    plan = plan_of(find_probe("worldbench"), {"indicators": ["population"], "countries": ["KEN"]})
    return [run([plan], f"sim/{name}", folder / f"{name}.geobias").path for name in MODELS]


@pytest.fixture(scope="module")
def site(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write_site(runs, folder)
    return folder


def test_every_link_of_the_site_leads_to_a_file(site: Path) -> None:
    for page in ("index.html", "compare.html"):
        links = re.findall(r'(?:href|src)="([^"]+)"', (site / page).read_text("utf-8"))
        assert links
        for link in links:
            assert (site / link).is_file(), link


def test_the_table_has_a_row_for_each_model_with_the_numbers_of_its_findings(
    site: Path, runs: list[Path]
) -> None:
    text = (site / "index.html").read_text("utf-8")
    assert text.count('<th scope="row">') == 2
    with RunReader(runs[0]) as reader:
        metrics = {one.name: one for one in collect([reader]).sections[0].metrics}
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


def test_several_processes_write_the_same_site(
    runs: list[Path], site: Path, tmp_path: Path
) -> None:
    written = write_site(runs, tmp_path, workers=2)
    assert len(written) == sum(file.is_file() for file in site.rglob("*"))
    for file in written:
        assert file.read_bytes() == (site / file.relative_to(tmp_path)).read_bytes(), file


def test_two_probes_of_one_model_are_one_row_with_one_page(
    runs: list[Path], tmp_path: Path
) -> None:
    plan = plan_of(find_probe("ratings"), {"topics": ["morality", "population"]})
    ratings = run([plan], "sim/biased", tmp_path / "r.geobias").path
    written = write_site([runs[0], ratings], tmp_path / "site")
    assert [path.name for path in written if path.suffix == ".html"] == [
        "1-sim-biased.html",
        "index.html",
        "compare.html",
    ]
    [row] = csv.DictReader((tmp_path / "site" / "summary.csv").read_text("utf-8").splitlines())
    assert not {"not run"} & set(row.values())


def test_what_cannot_be_shown_is_refused_before_any_page_is_made(
    runs: list[Path], tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.geobias"
    damaged.write_bytes(b"no run")
    with pytest.raises(BadRunFile):
        write_site([runs[0], damaged], tmp_path / "site")
    assert not (tmp_path / "site").exists()


@given(st.lists(st.text(max_size=200), max_size=5))
def test_pages_have_names_that_any_server_takes_and_no_two_share(labels: list[str]) -> None:
    names = [page_name(label, number) for number, label in enumerate([*labels, *labels])]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]{1,70}", name) for name in names)
