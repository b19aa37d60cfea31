"""Checking by hand: samples and verdicts, over HTTP."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from geobias.probes.registry import find_probe
from geobias.report.records import corrected
from geobias.runfile import RunReader, Verdict
from geobias.view import checking
from geobias.view.index import Index
from tests.view.conftest import Answer, Site

PARSED = "/run/knows/check/worldbench.parsed"


def item(answer: Answer) -> str:
    return html.unescape(re.findall(r'name="item" value="([^"]*)"', answer.text)[0])


def shown(site: Site, path: str, who: str = "Ada") -> Answer:
    site.viewer.reviewer = who
    return site.ask(path)


def verdicts(site: Site, run: str = "knows") -> list[Verdict]:
    with RunReader(site.runs / f"{run}.geobias") as reader:
        return reader.verdicts()


@pytest.fixture
def ready(site: Site) -> Site:
    site.settled("knows")
    return site


def test_a_verdict_is_kept_and_the_next_item_comes(ready: Site) -> None:
    first = item(shown(ready, PARSED))
    answer = ready.send(PARSED, "Ada", item=first, verdict="right", n="100")
    assert answer.status == 303
    second = item(shown(ready, answer.headers["location"]))
    assert second != first
    [kept] = verdicts(ready)
    assert (kept.reviewer, kept.item, kept.verdict) == ("Ada", first, "right")
    assert kept.reading
    assert item(shown(ready, PARSED)) == second
    assert item(shown(ready, PARSED, "Ben")) == first


def test_a_wrong_reading_needs_the_right_value(ready: Site) -> None:
    first = item(shown(ready, PARSED))
    refused = ready.send(PARSED, "Ada", item=first, verdict="wrong", value="many")
    assert refused.status == 422
    assert "Type the right answer" in refused.text
    assert verdicts(ready) == []
    ready.send(PARSED, "Ada", item=first, verdict="wrong", value=" 8.7 million ")
    assert [(one.verdict, one.value) for one in verdicts(ready)] == [("wrong", "8.7 million")]


def test_the_last_verdict_can_be_given_anew(ready: Site) -> None:
    first = item(shown(ready, PARSED))
    answer = ready.send(PARSED, "Ada", item=first, verdict="right")
    page = shown(ready, answer.headers["location"])
    [back] = re.findall(r'<a href="([^"]*)" id="last">', page.text)
    again = shown(ready, html.unescape(back))
    assert item(again) == first
    assert re.search(r'value="right"[^>]*aria-pressed="true"', again.text)
    ready.send(PARSED, "Ada", item=first, verdict="none")
    assert [one.verdict for one in verdicts(ready)] == ["none"]


CHOICES = "/run/assumes/check/namebbq.read"


def test_the_right_letter_of_a_choice_can_be_typed(site: Site) -> None:
    site.settled("assumes")
    first = item(page := shown(site, CHOICES))
    assert re.search(r"Read as</span> <strong>\([abc]\)<", page.text)
    for typed in ("d", "17", ""):
        refused = site.send(CHOICES, "Ada", item=first, verdict="wrong", value=typed)
        assert refused.status == 422, typed
        assert verdicts(site, "assumes") == []
    assert site.send(CHOICES, "Ada", item=first, verdict="wrong", value="(B)").status == 303
    with RunReader(site.runs / "assumes.geobias") as reader:
        [kept] = reader.verdicts()
        rows, _ = corrected(reader, find_probe("namebbq"))
        [mended] = [one for one in rows("namebbq") if one["trial"] == first]
    assert (kept.verdict, kept.value) == ("wrong", "(B)")
    assert mended["answer"] == 1


def test_only_items_and_words_of_the_sample_are_taken(ready: Site) -> None:
    first = item(shown(ready, PARSED))
    for wrong in (
        {"item": "nothing", "verdict": "right"},
        {"item": first, "verdict": "splendid"},
        {"item": first + "#1", "verdict": "right"},
    ):
        assert ready.send(PARSED, "Ada", **wrong).status == 404
    assert verdicts(ready) == []


def test_the_figure_is_not_shown_to_a_reviewer(ready: Site) -> None:
    page = shown(ready, PARSED)
    with RunReader(ready.runs / "knows.geobias") as reader:
        [record] = [one for one in reader.records() if one["trial"] == item(page)]
    assert f"{record['truth']:,.0f}" not in page.text


def test_the_results_have_shares_and_what_reviewers_differ_on(ready: Site) -> None:
    for who in ("Ada", "Ben"):
        for number in range(6):
            page = shown(ready, f"{PARSED}?n=6", who)
            words = {"item": item(page), "n": "6"}
            wrong = number == 5 or (number == 4 and who == "Ben")
            given = {"verdict": "wrong", "value": "1"} if wrong else {"verdict": "right"}
            ready.send(PARSED, who, **words, **given)
    results = ready.ask("/run/knows/check").text
    assert "66.7% [30.0, 90.3]" in results
    assert "differ on 1" in results
    assert "All 6" in shown(ready, f"{PARSED}?n=6").text


def test_a_sample_is_the_same_for_everybody_and_grows_by_going_on(
    runs: Path,
) -> None:
    index = Index(runs / "knows.geobias")
    index.refresh()
    for name in ("worldbench.parsed", "worldbench.unparsed", "worldbench.large_error"):
        sample = checking.samples()[name]
        ten, twenty = (checking.items(index, sample, n) for n in (10, 20))
        assert twenty[:10] == ten
        assert len(set(twenty)) == min(20, checking.population(index, sample))
        assert all(checking.is_item(index, sample, one) for one in twenty)
