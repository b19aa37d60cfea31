"""The pages in headless Chromium, as a reader and a reviewer use them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from geobias.report.checks import check_questions, run_checks
from geobias.runfile import RunReader
from tests import chromium
from tests.cli.commands import start
from tests.servers import ChatStart, HeldStart
from tests.view.conftest import COUNTRIES, Serve, Site
from tests.view.test_pages import HOSTILE, hostile_run
from tests.waiting import PATIENCE, until

pytestmark = chromium.NEEDED


@pytest.fixture(scope="module")
def context() -> Iterator[Any]:
    """One for all tests, each with a site of its own: a context takes processes of its own."""
    with chromium.browser() as browser:
        # What moves is drawn sixty times a second, whoever looks at it.
        screen = {"width": 1280, "height": 860}
        yield browser.new_context(viewport=screen, reduced_motion="reduce")


@pytest.fixture
def page(context: Any) -> Iterator[Any]:
    """A page that must not complain: no script error, nothing that the policy refuses."""
    complaints: list[str] = []
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE * 1000)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on(
        "console",
        lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None,
    )
    yield opened
    for one in context.pages:
        one.close()
    context.clear_cookies()
    assert complaints == []


def enter(site: Site, page: Any) -> None:
    """By the address that is printed; the browser goes on to the plain one."""
    page.goto(site.address)
    page.wait_for_url(f"{site.url}/")


def let_in(site: Site, page: Any) -> None:
    """With the cookie that the address sets, for a test that begins at another page."""
    name, _, value = site.cookie.partition("=")
    page.context.add_cookies([{"name": name, "value": value, "url": site.url}])


def press(page: Any, key: str) -> None:
    """A key on a page that has come whole: its keys work once its script has run."""
    page.wait_for_load_state()
    page.keyboard.press(key)


def test_the_file_that_the_browser_is_opened_with_leads_in(
    site: Site, page: Any, tmp_path: Path
) -> None:
    opened = tmp_path / "opened.txt"
    command = tmp_path / "browser"
    command.write_text(f'#!/bin/sh\necho "$1" > {opened}.part && mv {opened}.part {opened}\n')
    command.chmod(0o755)
    script = (
        "import sys, time; from pathlib import Path; from geobias.view.app import *\n"
        "with opened_in_browser(sys.argv[1]): sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, site.address],
        env=os.environ | {"BROWSER": f"{command} %s"},
        stdin=subprocess.PIPE,
    )
    until(opened.exists, process)
    given = opened.read_text().strip()
    assert site.secret not in given
    file = Path(given.removeprefix("file://"))
    assert file.parent.stat().st_mode & 0o077 == 0
    page.goto(given)
    page.wait_for_url(f"{site.url}/")
    page.wait_for_selector("#run-knows")
    process.communicate(timeout=PATIENCE)
    assert not file.exists()


def test_browse_search_and_open_by_keyboard(site: Site, page: Any) -> None:
    site.settled("knows")
    enter(site, page)
    page.click("#run-knows h2 a")
    page.wait_for_url("**/run/knows/trials")  # It is loaded, so that the filters answer.
    page.select_option("select[name=region]", "South Asia")
    page.wait_for_selector(".chip")
    assert "region=South+Asia" in page.url
    press(page, "/")
    page.keyboard.type("Nepal")
    press(page, "Enter")
    page.wait_for_selector("#matches:has-text('2 trials')")
    page.locator("#q").blur()
    press(page, "j")
    press(page, "j")
    press(page, "Enter")
    page.wait_for_selector(".trial")
    assert "Nepal" in page.inner_text("h1")
    permalink = page.url
    page.reload()
    assert page.url == permalink
    assert "Nepal" in page.inner_text("h1")


def test_replies_are_checked_by_keyboard(site: Site, page: Any) -> None:
    site.settled("knows")
    let_in(site, page)
    page.goto(f"{site.url}/run/knows/check/worldbench.parsed?n=5")

    def wait_for(done: int) -> None:
        page.wait_for_selector(f'#done:text-matches("^{done} of")')

    for done in range(5):
        wait_for(done)
        page.wait_for_selector(".card[data-item]")
        if done == 1:
            here = page.get_attribute(".card", "data-item")
            page.reload()  # in the middle: the same item, nothing lost
            assert page.get_attribute(".card", "data-item") == here
        if done == 2:
            given = page.get_attribute(".card", "data-item")
            press(page, "1")
            wait_for(3)
            press(page, "z")  # the last one, to be judged anew
            page.wait_for_selector(f'.card[data-item="{given}"]')
            press(page, "1")
            page.wait_for_selector(f'.card:not([data-item="{given}"])')
            continue
        if done == 3:
            press(page, "2")  # wrong: the right value is asked for
            page.keyboard.type("12,345")
            press(page, "Enter")
        else:
            press(page, "3" if done == 4 else "1")
    page.wait_for_selector("text=All 5 are done")
    with RunReader(site.runs / "knows.geobias") as reader:
        verdicts = reader.verdicts()
        [check] = run_checks(reader, check_questions())
    words = [one.verdict for one in verdicts]
    assert (words.count("right"), words.count("wrong"), words.count("none")) == (3, 1, 1)
    assert {one.value for one in verdicts} == {"", "12,345"}
    assert "60.0% [23.1, 88.2]" in check.text


def test_hostile_replies_do_nothing(tmp_path: Path, serve: Serve, page: Any) -> None:
    site = serve(hostile_run(tmp_path / "bad.geobias", HOSTILE))
    site.settled("bad")
    let_in(site, page)
    for path in ("/", "/run/bad/trials?q=evil", "/run/bad/trial/worldbench/population/KEN/0"):
        page.goto(site.url + path)
        assert "owned" not in page.title()
        assert page.locator("main img, main script, main b").count() == 0
    assert page.inner_text("mark") == "8,703,771"


def done_so_far(page: Any) -> int:
    return int(page.inner_text(".count").split()[0].replace(",", ""))


def test_a_run_that_another_process_writes_grows_on_the_page(
    tmp_path: Path,
    serve: Serve,
    page: Any,
    chat_server: ChatStart,
    held_model: HeldStart,
) -> None:
    model = held_model("sim/fair", answers=10)
    url, server = chat_server(model)
    out = tmp_path / "going.geobias"
    asked = ["--indicators", "population", "--countries", COUNTRIES]
    command = ["run", "worldbench", url, *asked, "--out", str(out), "--concurrency", "2"]
    process = start(*command, cwd=tmp_path, OPENAI_API_KEY="x")
    try:
        until(lambda: server.calls > 0, process)
        site = serve(tmp_path)
        until(lambda: "state running" in site.ask("/").text, process)
        enter(site, page)  # a page without a run that is going looks again after a long time
        page.wait_for_selector(".state.running")
        first = done_so_far(page)
        model.allow(20)
        until(lambda: done_so_far(page) > first + 5, process)  # the page asks by itself
        site.settled("going")
        page.goto(f"{site.url}/run/going/check/worldbench.parsed")
        page.wait_for_selector(".card[data-item]")
        press(page, "1")  # a verdict while the other process writes
        page.wait_for_selector('#done:text-matches("^1 of")')
        model.allow()
        until(lambda: "state complete" in site.ask("/").text)
        enter(site, page)
        page.wait_for_selector(".state.complete")
    finally:
        model.allow()
        printed, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    with RunReader(out) as reader:
        planned = reader.manifest().planned["worldbench"]
        assert sum(reader.done()["worldbench"].values()) == planned
        assert len(reader.verdicts()) == 1
    assert not re.search("locked|damaged", printed + err)
