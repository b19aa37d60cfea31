from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from geobias.probes.namebbq.names import TABLES
from tests.cli.running import geobias
from tests.probes.namebbq.made import line, write

HEADER = "nationality,iso3,gender,name,source,exclusive,note\n"


def test_the_check_speaks_json() -> None:
    done = geobias("names", "check", "--json").json()
    assert (done["names"], done["nationalities"], done["faults"]) == (680, 68, [])


def test_a_faulty_list_is_exit_code_1(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(HEADER + "Irish,IRL,F,Hope,own knowledge,high,\n", encoding="utf-8")
    done = geobias("names", "check", "--file", path)
    assert done.code == 1
    assert "Irish: Hope" in done.out
    assert geobias("names", "check", "--file", path, "--json").code == 1


def test_the_names_of_one_nationality_are_listed() -> None:
    rows = geobias("names", "list", "--nationality", "nigerian", "--json").json()
    assert {row["nationality"] for row in rows} == {"Nigerian"}
    assert len(rows) == 10
    assert "Chidinma" in geobias("names", "list", "--nationality", "Nigerian").out


def test_all_names_are_listed_in_order() -> None:
    rows = geobias("names", "list", "--json").json()
    assert len(rows) == 680
    assert (rows[0]["nationality"], rows[-1]["nationality"]) == ("Afghan", "Yemeni")


def test_the_page_about_names_shows_commands_that_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(TABLES / "names.csv", "mine.csv")
    write(Path("mine.jsonl"), [line()])
    page = (Path(__file__).parents[2] / "docs" / "namebbq.md").read_text(encoding="utf-8")
    own_names = page.partition("## Names of your own")[2].partition("\n## ")[0]
    lines = re.findall(r"^geobias (.+)$", own_names, re.M)
    assert lines
    for words in lines:
        assert geobias(*words.replace("MODEL", "sim/fair").split()).code == 0, words
