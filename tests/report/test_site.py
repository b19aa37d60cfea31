"""The static site of many runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import BadRunFile
from geobias.probes.registry import find_probe, plan_of
from geobias.report.findings import collect
from geobias.report.site import page_name, write_site
from geobias.runfile import RunReader
from geobias.running import run
from tests.report.made import changed

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
    links = re.findall(r'href="([^"#]+)"', (site / "index.html").read_text("utf-8"))
    assert len(links) == 2
    for link in links:
        assert (site / link).is_file(), link


def test_a_page_of_a_model_leads_back_to_all_of_them(site: Path) -> None:
    for path in site.glob("models/*.html"):
        [home] = re.findall(r'class="home" href="([^"]+)"', path.read_text("utf-8"))
        assert (path.parent / home).resolve() == (site / "index.html").resolve()


def test_the_table_has_a_row_for_each_model_with_the_verdict_of_its_findings(
    site: Path, runs: list[Path]
) -> None:
    index = (site / "index.html").read_text("utf-8")
    with RunReader(runs[0]) as reader:
        [section] = collect([reader]).sections
    assert index.count('<th scope="row"') == 2
    assert f"{section.verdict.partition('.')[0]}</span>" in index
    assert "simulated models" in index


def test_no_address_of_a_server_is_in_a_name(tmp_path: Path, runs: list[Path]) -> None:
    addresses = {
        "worldbench-http-127.0.0.1-8080-v1-qwen3.geobias": "127.0.0.1:8080",
        "worldbench-http-127.0.0.1-8080-v1-qwen3-1f2e3d.geobias": "127.0.0.1:8080",
        "elsewhere.geobias": "127.0.0.2:8080",
    }
    for file, address in addresses.items():
        sql = "UPDATE manifest SET value = replace(value, ?, ?)"
        changed(runs[0], tmp_path / file, sql, '"sim/biased"', f'"http://{address}/v1/qwen3"')
    written = write_site([*map(tmp_path.joinpath, addresses), runs[1]], tmp_path / "site")
    pages = [path.name for path in written if path.suffix == ".html"]
    assert pages[:2] == ["1-qwen3.html", "2-qwen3-run-2.html"]
    shown = [path.read_text("utf-8") for path in written] + pages
    assert not [one for one in shown if re.search(r"127.0.0.\d", one)]


def test_two_probes_of_one_model_are_one_row_with_one_page(
    runs: list[Path], tmp_path: Path
) -> None:
    plan = plan_of(find_probe("ratings"), {"topics": ["morality", "population"]})
    ratings = run([plan], "sim/biased", tmp_path / "r.geobias").path
    written = write_site([runs[0], ratings], tmp_path / "site")
    assert [path.name for path in written if path.suffix == ".html"] == [
        "1-sim-biased.html",
        "index.html",
    ]
    assert ">Not asked<" not in (tmp_path / "site" / "index.html").read_text("utf-8")


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
