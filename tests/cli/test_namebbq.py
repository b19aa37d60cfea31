from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from geobias import run as made
from geobias.probes.namebbq.names import TABLES as NAMES
from geobias.probes.namebbq.tables import TABLES
from geobias.probes.registry import find_probe, plan_of
from tests.cli.running import geobias
from tests.probes.namebbq.made import line, write


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "biased.geobias"
    plan = plan_of(find_probe("namebbq"), {"names": 2, "recognition": True})
    return made([plan], "sim/?stereotype=0.5", out).path


@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_printed_for_people_and_programs(run: Path, table: str) -> None:
    for_people = geobias("table", f"namebbq.{table}", run, "--wide")
    beside = "3,080" if table == "published" else ""
    assert for_people.code == 0
    assert beside in for_people.err
    assert bool(for_people.err) == bool(beside)
    assert geobias("table", f"namebbq.{table}", run, "--json").json()


@pytest.mark.parametrize("by", ["polarity", "gender", "template", "name", "country"])
def test_the_bias_is_tabled_by_any_column(run: Path, by: str) -> None:
    rows = geobias("table", run, "bias_ambiguous_names", "--by", by, "--json").json()
    assert all(-1 <= row["mean"] <= 1 for row in rows)
    assert {"p", "p_adjusted", "pooled"} <= rows[0].keys()


def test_runs_are_set_side_by_side(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "fair.geobias"
    made([plan_of(find_probe("namebbq"), {})], "sim/fair", other)
    rows = geobias("table", "namebbq.scores", run, other, "--json").json()
    assert {row["model"] for row in rows} == {"sim/?stereotype=0.5", "sim/fair"}
    rows = geobias("table", "namebbq.published", run, other, "--json").json()
    assert len({(row["model"], row["here"]) for row in rows}) == 6 + 2 + 2


def test_the_page_about_names_shows_commands_that_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(NAMES / "names.csv", "mine.csv")
    write(Path("mine.jsonl"), [line()])
    page = (Path(__file__).parents[2] / "docs" / "namebbq.md").read_text(encoding="utf-8")
    own_names = page.partition("## Names of your own")[2].partition("\n## ")[0]
    lines = re.findall(r"^geobias (.+)$", own_names, re.M)
    assert lines
    for words in lines:
        assert geobias(*words.replace("MODEL", "sim/fair").split()).code == 0, words
