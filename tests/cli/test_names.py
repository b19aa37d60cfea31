from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from geobias.probes.namebbq.names import TABLES
from tests.cli.running import geobias
from tests.probes.namebbq.made import line, write


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
