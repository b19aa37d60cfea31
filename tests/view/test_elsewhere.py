"""A run file made of replies from elsewhere, in the application."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.cli.running import geobias
from tests.view.conftest import Site

LINES = """{"indicator": "population", "country": "KEN", "reply": "It had 53 million people."}
{"indicator": "gdp", "country": "FRA", "reply": "I cannot say."}
"""


def test_replies_from_elsewhere_are_listed_and_shown(
    tmp_path: Path, serve: Callable[..., Site]
) -> None:
    (tmp_path / "replies.jsonl").write_text(LINES, "utf-8")
    out = tmp_path / "theirs.geobias"
    lines = tmp_path / "replies.jsonl"
    assert geobias("score", "worldbench", "--predictions", lines, "--to", out).code == 0
    site = serve(out)
    assert "theirs" in site.ask("/").text
    listed = site.settled("theirs")
    assert "Kenya" in listed
    page = site.ask("/run/theirs/trial/worldbench/population/KEN/0").text
    assert "It had 53 million people." in re.sub("<[^>]*>", "", page)
