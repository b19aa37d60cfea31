"""Run files that another program has changed: every page answers, in a sentence where it cannot."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import geobias
from geobias.probes import worldbench
from tests.view.conftest import Site

TRIAL = "worldbench/population/KEN/0"
PAGES = (
    "/run/bad/trials",
    "/run/bad/trials?q=million",
    f"/run/bad/trial/{TRIAL}",
    "/run/bad/check",
    "/run/bad/check/worldbench.parsed",
    "/side-by-side?first=good&second=bad",
    f"/side-by-side/{TRIAL}?first=good&second=bad",
)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("good") / "good.geobias"
    plan = worldbench.plan(indicators=("population",), countries="KEN,FRA,IND")
    geobias.run([plan], "sim/fair", path)
    return path


Serve = Callable[..., Site]


def with_a_hostile_run(good: Path, folder: Path, serve: Serve, sql: str) -> Site:
    shutil.copy(good, folder / "good.geobias")
    shutil.copy(good, folder / "bad.geobias")
    with closing(sqlite3.connect(folder / "bad.geobias")) as db:
        db.execute(sql)
        db.commit()
    return serve(folder)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE replies SET parent = digest",
        "UPDATE replies SET said = '[]'",
        "UPDATE replies SET text = x'ff00'",
        "UPDATE replies SET tokens_in = 'many'",
        "UPDATE records SET record = '{}'",
        "UPDATE records SET record = '{\"repeat\": 9223372036854775808}'",
        "UPDATE records SET record = replace(record, '\"KEN\"', '1')",
        "UPDATE records SET replies = 'text'",
        "UPDATE records SET outcome = 5",
        "UPDATE sessions SET started = 1e300",
        'UPDATE sessions SET counts = \'{"a": "b"}\'',
        "UPDATE manifest SET value = '{'",
        "DELETE FROM openings",
    ],
)
def test_every_page_of_a_hostile_run_answers(
    good: Path, tmp_path: Path, serve: Serve, sql: str
) -> None:
    site = with_a_hostile_run(good, tmp_path, serve, sql)
    for page in PAGES:
        answer = site.ask(page, headers={"Cookie": "geobias_reviewer=Ann"})
        assert answer.status in (200, 404, 409), page
    assert site.ask("/run/good/trials").status == 200


def test_a_page_that_fails_says_what_is_wrong_with_the_run(
    good: Path, tmp_path: Path, serve: Serve
) -> None:
    site = with_a_hostile_run(good, tmp_path, serve, "UPDATE replies SET tokens_in = 'many'")
    answer = site.ask(f"/run/bad/trial/{TRIAL}")
    assert answer.status == 409
    assert (
        "is damaged, or not made by geobias: replies.tokens_in is not a sensible number"
        in answer.text
    )
