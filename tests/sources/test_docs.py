from __future__ import annotations

import re
from pathlib import Path

from geobias.atlas.figures import read_figures
from geobias.atlas.indicators import read_indicators

PAGE = Path(__file__).parents[2] / "docs/data.md"


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert found is not None
    return found[1]


def test_the_pages_definition_and_table_are_read_as_they_stand(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(block("toml"), encoding="utf-8")
    assert read_indicators(tmp_path / "mine.toml")["life_expectancy"].high == 100
    (tmp_path / "mine.csv").write_text(block("csv"), encoding="utf-8")
    assert read_figures(tmp_path / "mine.csv").average("rice_yield", "KEN") == 5.0
