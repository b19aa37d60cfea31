"""Which replies a page shows."""

from __future__ import annotations

from pathlib import Path

from geobias.report.page.countries import country_excerpts
from geobias.runfile import RunReader


def test_a_profile_counts_all_trials_and_shows_some(biased: Path) -> None:
    with RunReader(biased) as run:
        told = country_excerpts([(run, 0)], 6)
        asked = dict(run.query("SELECT country, count(*) FROM records GROUP BY country"))
    for iso3, one in told.items():
        assert sum(n for _, _, n in one.counts) == asked[iso3]
        assert 0 < len(one.shown) <= asked[iso3]


def test_replies_of_different_kinds_come_first(biased: Path) -> None:
    with RunReader(biased) as run:
        shown = country_excerpts([(run, 0)], 6)["KEN"].shown
    assert [one.title for one in shown if one.probe == "worldbench"] == [
        "Population, Kenya",
        "GDP, Kenya",
    ]


def test_no_model_crowds_out_the_replies_of_another(biased: Path) -> None:
    with RunReader(biased) as run:
        told = country_excerpts([(run, 0), (run, 1)], 1)
    assert [one.model for one in told["KEN"].shown if one.probe == "worldbench"] == [0, 1]
