"""Run files that another program has changed: every page answers, in a sentence where it cannot."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import geobias
from geobias.probes import worldbench
from tests.report.made import changed
from tests.view.conftest import Site, serving

TRIAL = "worldbench/population/KEN/0"
PAGES = (
    "/run/{bad}/trials",
    "/run/{bad}/trials?q=million",
    f"/run/{{bad}}/trial/{TRIAL}",
    "/run/{bad}/check",
    "/run/{bad}/check/worldbench.parsed",
)
OTHER_PROBE = "UPDATE records SET probe = 'geo20q', record = json_set(record, '$.probe', 'geo20q')"
"""Every column is of the right type: nothing tells that the file is hostile."""
CHANGES = (
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
    "UPDATE records SET replies = zeroblob(16000000)",
    OTHER_PROBE,
)


def bad(change: str) -> str:
    return f"bad-{CHANGES.index(change)}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A good run, and one with each of the changes."""
    folder = tmp_path_factory.mktemp("changed")
    plan = worldbench.plan(indicators=("population",), countries="KEN,FRA,IND")
    good = geobias.run([plan], "sim/fair", folder / "good.geobias").path
    for change in CHANGES:
        changed(good, folder / f"{bad(change)}.geobias", change)
    with serving() as start:
        yield start(folder)


@pytest.mark.parametrize("change", CHANGES)
def test_every_page_of_a_hostile_run_answers(site: Site, change: str) -> None:
    for page in PAGES:
        path = page.format(bad=bad(change))
        answer = site.ask(path)
        # Each change spoils other pages: they are shown, are not there, or say why they are not.
        assert answer.status in (200, 404, 409) or "cannot be made" in answer.text, path
    assert site.ask("/run/good/trials").status == 200


def test_a_page_that_fails_says_what_is_wrong_with_the_run(site: Site) -> None:
    run = bad("UPDATE replies SET tokens_in = 'many'")
    answer = site.ask(f"/run/{run}/trial/{TRIAL}")
    assert answer.status == 409
    assert "replies.tokens_in" in answer.text
