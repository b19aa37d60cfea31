"""Two runs side by side: which trials differ, and one of them in full."""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import geobias
from geobias.atlas.economies import economy_name
from geobias.probes import worldbench
from geobias.probes.registry import find_probe, plan_of
from geobias.runfile import Manifest, RunReader, RunWriter
from geobias.trials import Ask, Dialogue, Record, Reply
from geobias.view.index import described
from geobias.view.trial import load
from tests.view.conftest import ENTITIES, Site, serving
from tests.view.test_pages import HOSTILE, hostile_run

PAIRED = ("before", "since")
PAIR = "first=before&second=since"
LIST = f"/side-by-side?{PAIR}"


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A model with poor recall, and one with good recall, on the same questions of three probes."""
    folder = tmp_path_factory.mktemp("two")
    table = folder / "few.csv"
    table.write_text(ENTITIES, "utf-8")
    plans = [
        worldbench.plan(size="quick", indicators=("population",)),
        plan_of(
            find_probe("geo20q"),
            {"entities": str(table), "setting": "canonical", "judge_questions": 0},
        ),
        plan_of(find_probe("ratings"), {"size": "quick"}),
    ]
    poor = f"sim/?recall_sd=2&abstain=0.2&play=0&entities={table}"
    good = f"sim/?recall_sd=0.05&play=1&entities={table}"
    geobias.run(plans, poor, folder / "before.geobias")
    geobias.run(plans, good, folder / "since.geobias")
    with serving(folder / "cache") as start:
        site = start(folder)
        site.settled("before")
        site.settled("since")
        yield site


def records(site: Site, run: str) -> dict[str, dict[str, Any]]:
    with RunReader(site.runs / f"{run}.geobias") as reader:
        return {one["trial"]: dict(one) for one in reader.records()}


def expected(site: Site) -> dict[str, set[str]]:
    """The trials of each difference, counted from the records themselves."""
    first, second = ({k: described(v) for k, v in records(site, r).items()} for r in PAIRED)
    outcomes = [{k: v["outcome"] for k, v in records(site, r).items()} for r in PAIRED]
    shared = first.keys() & second.keys()

    def those(a: bool, b: bool) -> set[str]:
        return {k for k in shared if first[k].correct is a and second[k].correct is b}

    changed = {
        k for k in shared if first[k].read != second[k].read or outcomes[0][k] != outcomes[1][k]
    }
    return {
        "": shared,
        "only-first": those(True, False),
        "only-second": those(False, True),
        "one-right": those(True, False) | those(False, True),
        "both-right": those(True, True),
        "both-wrong": those(False, False),
        "changed": changed,
        "unchanged": shared - changed,
    }


def listed(site: Site, address: str) -> list[str]:
    """The trials of a list, over all its pages."""
    found: list[str] = []
    while address:
        page = site.ask(address).text
        found += re.findall(r'href="/side-by-side/([^?"]+)\?', page)
        after = re.search(r'href="([^"]*)" data-next', page)
        address = f"/side-by-side{html.unescape(after[1])}" if after else ""
    return found


@pytest.mark.parametrize("difference", ["", "one-right", "only-second", "changed", "unchanged"])
def test_a_filter_lists_the_pairs_that_differ_so_and_no_others(two: Site, difference: str) -> None:
    found = listed(two, f"{LIST}&difference={difference}")
    assert len(found) == len(set(found))
    assert set(found) == expected(two)[difference]
    assert found


def test_the_counts_are_those_of_the_records(two: Site) -> None:
    page = two.ask(LIST).text
    told = dict(re.findall(r'difference=([\w-]+)"[^>]*>[^<]*<b>([\d,]+)</b>', page))
    assert told == {name: f"{len(expected(two)[name]):,}" for name in told}
    assert {"one-right", "changed"} <= told.keys()


def test_swapping_the_runs_swaps_who_is_right(two: Site) -> None:
    swapped = listed(two, "/side-by-side?first=since&second=before&difference=only-first")
    assert set(swapped) == expected(two)["only-second"]


def test_a_pair_shows_the_question_once_and_both_replies_and_readings(two: Site) -> None:
    first, second = (records(two, run) for run in PAIRED)
    trial = next(k for k in expected(two)["one-right"] if k.startswith("worldbench"))
    page = html.unescape(two.ask(f"/side-by-side/{trial}?{PAIR}").text)
    name = economy_name(first[trial]["country"])
    assert page.count(f"for the country {name}?") == 1
    for record in (first[trial], second[trial]):
        assert described(record).read in page
        assert f"error {record['error']:.2f}" in page
    assert ">right</span>" in page
    assert ">wrong</span>" in page


def test_a_game_is_shown_in_turns_on_both_sides_as_won_and_lost(two: Site) -> None:
    trial = next(k for k in expected(two)["one-right"] if k.startswith("geo20q"))
    page = two.ask(f"/side-by-side/{trial}?{PAIR}").text
    turns = sum(records(two, run)[trial]["canonical_turns"] for run in PAIRED)
    assert page.count('<li class="turn') == turns
    assert ">won after " in page
    assert ">lost after " in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_a_probe_without_right_and_wrong_still_shows_what_changed(two: Site) -> None:
    assert listed(two, f"{LIST}&probe=ratings&difference=one-right") == []
    changed = listed(two, f"{LIST}&probe=ratings&difference=changed")
    assert set(changed) == {k for k in expected(two)["changed"] if k.startswith("ratings")}


def test_next_and_previous_stay_within_the_filter(two: Site) -> None:
    kept = f"{PAIR}&difference=one-right"
    one, other, *_ = listed(two, f"/side-by-side?{kept}")
    page = two.ask(f"/side-by-side/{one}?{kept}").text
    [after] = re.findall(r'href="/side-by-side/([^?"]+)\?[^"]*" data-next', page)
    assert after == other
    page = two.ask(f"/side-by-side/{other}?{kept}").text
    [before] = re.findall(r'href="/side-by-side/([^?"]+)\?[^"]*" data-previous', page)
    assert before == one


def test_a_search_finds_words_of_either_reply(two: Site) -> None:
    with RunReader(two.runs / "since.geobias") as reader:
        trial = next(reader.records("worldbench"))["trial"]
        found = load(reader, trial)
    assert found is not None
    word = max(re.findall(r"\w+", found[1][-1].text), key=len)
    trials = listed(two, f"{LIST}&{urlencode({'q': word})}")
    assert trial in trials
    assert len(trials) < len(expected(two)[""])


def test_without_a_choice_two_runs_with_a_probe_in_common_are_set_side_by_side(two: Site) -> None:
    assert "/side-by-side" in two.ask("/").text
    page = two.ask("/side-by-side").text
    assert '<option value="before" selected>' in page
    assert '<option value="since" selected>' in page


def test_a_trial_leads_to_the_same_one_side_by_side(two: Site) -> None:
    trial = next(iter(expected(two)[""]))
    page = two.ask(f"/run/before/trial/{trial}").text
    assert f'href="/side-by-side/{trial}?first=before&amp;second=since"' in page


@pytest.mark.parametrize("path", [LIST, f"/side-by-side/worldbench/population/KEN/0?{PAIR}"])
def test_the_pages_need_the_secret(two: Site, path: str) -> None:
    assert two.ask(path, knows_secret=False).status == 401


@pytest.mark.parametrize(
    "path",
    [
        "/side-by-side?first=before&second=nothing",
        f"/side-by-side/no/such/trial?{PAIR}",
        "/side-by-side?first=../../etc/passwd&second=since",
    ],
)
def test_what_is_not_there_is_a_sentence(two: Site, path: str) -> None:
    answer = two.ask(path)
    assert answer.status == 404
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "query",
    [
        "difference=%27%3B+DROP+TABLE+trials",
        "q=%22%27%29+OR+1%3D1",
        "after=x&before=%00",
        "probe=%27",
    ],
)
def test_no_filter_of_an_address_is_a_command(two: Site, query: str) -> None:
    assert two.ask(f"{LIST}&{query}").status == 200


def test_hostile_replies_are_text_on_both_sides(tmp_path: Path, serve: Callable[..., Site]) -> None:
    hostile_run(tmp_path / "runs" / "one.geobias", HOSTILE)
    shutil.copy(tmp_path / "runs" / "one.geobias", tmp_path / "runs" / "two.geobias")
    site = serve(tmp_path / "runs")
    site.settled("one")
    site.settled("two")
    pair = "first=one&second=two"
    trial = f"/side-by-side/worldbench/population/KEN/0?{pair}"
    for path in (f"/side-by-side?{pair}", trial):
        page = site.ask(path).text
        assert "8,703,771" in page
        assert "<script>document" not in page
        assert "<img" not in page
        assert "<b>model" not in page
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page)


def test_one_name_for_two_questions_is_no_pair(tmp_path: Path, serve: Callable[..., Site]) -> None:
    """Users' tables may number other items alike: the title tells them apart."""
    for name, country in (("one", "KEN"), ("two", "FRA")):
        other_questions(tmp_path / f"{name}.geobias", country)
    site = serve(tmp_path)
    site.settled("one")
    site.settled("two")
    page = site.ask("/side-by-side?first=one&second=two").text
    assert "The two runs share no such trial." in page


def other_questions(path: Path, country: str) -> None:
    manifest = Manifest(geobias="0", created="", probes={"rivers": {}}, models={"model": "m"})
    writer = RunWriter.open(path, manifest)
    ask = Ask(dialogue=Dialogue().user(f"Which river is the longest in {country}?"))
    writer.save_reply(ask, Reply("The Tana.", digest=ask.digest("m"), model="m"))
    record = Record(trial="rivers/1/0", probe="rivers", country=country, outcome="read")
    writer.save_record(record, [ask.digest("m")])
    writer.close()


def test_runs_that_share_no_probe_are_told_so_in_a_sentence(
    made_runs: Path, tmp_path: Path, serve: Callable[..., Site]
) -> None:
    for name in ("knows", "plays"):
        shutil.copy(made_runs / f"{name}.geobias", tmp_path)
    answer = serve(tmp_path).ask("/side-by-side")
    assert answer.status == 404
    assert "No two runs here have a probe in common" in answer.text


def test_a_declined_question_is_called_declined_by_every_page(two: Site) -> None:
    trial = next(k for k, v in records(two, "before").items() if v["outcome"] == "abstained")
    pages = ("/", "/run/before/trials", f"/run/before/trial/{trial}")
    for path in (*pages, f"/side-by-side/{trial}?{PAIR}", f"{LIST}&q=population"):
        page = re.sub(r"<pre>.*?</pre>", "", two.ask(path).text, flags=re.S)
        visible = re.sub(r"<[^>]*>", " ", page)
        assert "declined" in visible, path
        assert "abstained" not in visible, path
