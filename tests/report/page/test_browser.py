"""The page in a real browser, opened from disk as its readers do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import geobias
from geobias.files import write_whole
from geobias.probes import worldbench
from geobias.report import page as report_page
from geobias.report.findings import collect
from geobias.results.findings import Findings, Section
from geobias.runfile import RunReader
from tests import chromium
from tests.report.made import REAL, of_real_model
from tests.report.made import findings as findings_that_say
from tests.report.page.hostile import MARKUP, hostile_run
from tests.waiting import PATIENCE

pytestmark = chromium.NEEDED

Open = Callable[..., Any]
SCREEN = {"width": 1280, "height": 800}
FOLD = """folded => {
    document.querySelectorAll('dialog[open]').forEach(one => one.close());
    document.activeElement.blur();
    document.querySelectorAll('details').forEach(one => {
        one.dataset.first ??= one.open;
        one.open = !folded || one.dataset.first === 'true';
    });
    const search = document.querySelector('#search');
    if (search?.value) {
        search.value = '';
        search.dispatchEvent(new Event('input'));
    }
    for (const box of [document.scrollingElement, ...document.querySelectorAll('.scroll')])
        box.scrollTo(0, 0);
}"""
"""What a reader did is undone; what is folded at first is so again, or all is unfolded."""
SLOW = 5
"""Times that a slow machine may take longer than a fast one; bench/page.py measures seconds."""


def with_few_tables(findings: Findings) -> Findings:
    """The same first screen and chapters with few figures: drawing all of them takes long."""
    kept = {"error_by_region", "error_by_income", "error_by_country", "all_error_by_region"}

    def few(sections: list[Section]) -> list[Section]:
        return [
            msgspec.structs.replace(
                section, tables={name: one for name, one in section.tables.items() if name in kept}
            )
            for section in sections
        ]

    return msgspec.structs.replace(
        findings, sections=few(findings.sections), over_models=few(findings.over_models)
    )


def many_models(findings: Findings) -> Findings:
    """Twenty models that found the same in the first chapter."""
    section = with_few_tables(findings).sections[0]
    metrics = [one for one in section.metrics if one.name.endswith(("error", "_trend"))]
    few = [msgspec.structs.replace(section, metrics=metrics)]
    findings = msgspec.structs.replace(findings, sections=few)
    names = [f"model {i}" for i in range(20)]

    def renamed(parts: Any) -> list[Any]:
        return [msgspec.structs.replace(one, model=name) for name in names for one in parts]

    runs = [msgspec.structs.replace(findings.runs[0], model=name, id=name) for name in names]
    sections = [
        msgspec.structs.replace(one, model=name, run=name)
        for name in names
        for one in findings.sections
    ]
    countries = [
        msgspec.structs.replace(country, measures=renamed(country.measures))
        for country in findings.countries
    ]
    more = {"models": names, "runs": runs, "sections": sections, "countries": countries}
    return msgspec.structs.replace(findings, sentences=renamed(findings.sentences), **more)


def written(out: Path, *runs: Path, findings: Findings | None = None) -> Path:
    readers = [RunReader(run) for run in runs]
    try:
        made = findings or with_few_tables(collect(readers))
        write_whole(out, report_page.rendered(made, readers).encode(errors="replace"))
    finally:
        for reader in readers:
            reader.close()
    return out


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory, biased: Path, findings: Findings
) -> dict[str, Path]:
    """One model, two models, and a model that answers with markup; each page made once."""
    folder = tmp_path_factory.mktemp("pages")
    hostile = hostile_run(folder / "hostile.geobias")
    quick = [worldbench.plan(size="quick")]
    fair = geobias.run(quick, "sim/fair", folder / "fair.geobias").path
    names = folder / "names.html"
    (folder / "empty.html").write_text("<!doctype html><title>Empty</title>")
    with RunReader(hostile) as run:
        text = "".join(MARKUP).replace("\ud800", "\ufffd")  # as a model's name is shown
        names.write_text(
            report_page.rendered(findings_that_say(text=text), [run]),
            encoding="utf-8",
            errors="replace",
        )
    with RunReader(biased) as run:
        many = report_page.rendered(many_models(findings), [run] * 20)
        (folder / "many.html").write_text(many, encoding="utf-8")
    with RunReader(fair) as run:
        for name in REAL:
            # Their run files are not here: replies in the chapters are another model's.
            real = with_few_tables(of_real_model(name))
            text = report_page.rendered(real, [run] * len(real.runs))
            (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {
        **{name: folder / f"{name}.html" for name in ("many", "empty", *REAL)},
        "one": written(folder / "one.html", biased, findings=findings),
        "small": written(folder / "small.html", biased, findings=with_few_tables(findings)),
        "two": written(folder / "two.html", fair, hostile),
        "hostile": written(folder / "hostile.html", hostile),
        "names": names,
    }


@pytest.fixture(scope="module")
def browser(pages: dict[str, Path]) -> Iterator[Any]:
    """One browser for the module. It is started after the runs: its loop would be in their way."""
    with chromium.browser() as running:
        yield running


class Browsing:
    """Pages in the browser, and what they complained about or asked of the network."""

    def __init__(self, browser: Any, pages: dict[str, Path]) -> None:
        self._browser, self._pages = browser, pages
        self._kept: dict[str, Any] = {}
        self._trouble: list[str] = []

    def _opened(self, name: str) -> Any:
        """In a context of its own."""
        page = self._browser.new_context(viewport=SCREEN, accept_downloads=True).new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("console", lambda message: self._trouble.append(f"{message.type} {message.text}"))
        page.on("pageerror", lambda error: self._trouble.append(str(error)))
        page.on("dialog", lambda dialog: self._trouble.append(f"dialog {dialog.message}"))
        page.on("request", self._asked)
        self.go(page, name)
        return page

    def go(self, page: Any, name: str) -> None:
        page.goto(self._pages[name].as_uri())
        page.wait_for_selector("html:not(.no-script)")

    def kept(
        self,
        name: str = "small",
        *,
        width: int = SCREEN["width"],
        folded: bool = False,
        color_scheme: str = "light",
    ) -> Any:
        """A page that is opened once, as its reader first sees it; rows may be in any order."""
        if name not in self._kept:
            self._kept[name] = self._opened(name)
        page = self._kept[name]
        if page.viewport_size["width"] != width:
            page.set_viewport_size(SCREEN | {"width": width})
        page.emulate_media(media="screen", color_scheme=color_scheme)
        page.mouse.move(0, 0)
        page.evaluate(FOLD, folded)
        return page

    def trouble(self) -> list[str]:
        found, self._trouble = self._trouble, []
        return found

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("file:", "blob:")):
            self._trouble.append(f"request {request.url[:100]}")


@pytest.fixture(scope="module")
def browsing(browser: Any, pages: dict[str, Path]) -> Browsing:
    return Browsing(browser, pages)


@pytest.fixture
def _quiet(browsing: Browsing) -> Iterator[None]:
    """At the end nothing may have been complained about or asked of the network."""
    yield
    assert not browsing.trouble()


@pytest.fixture
def kept(browsing: Browsing, _quiet: None) -> Open:
    """Show a page that tests share. Opening one takes a second of the processor."""
    return browsing.kept


def test_every_page_opens_from_disk_without_a_complaint_or_a_request(kept: Open) -> None:
    for name in ("one", "small", "two", "hostile", "names"):
        page = kept(name)
        assert page.title()
        assert not page.locator("html.no-script").count(), "the script did not run"


def test_the_policy_allows_the_page_s_own_style_and_script_and_nothing_else(kept: Open) -> None:
    page = kept("one")
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    inline = """() => [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(
        a => a.name.startsWith('on') || a.name === 'style')).map(e => e.id || e.tagName)"""
    assert set(page.evaluate(inline)) <= {"tip"}, "the script places the tip, nothing else"


def test_the_map_draws_all_economies_and_small_ones_as_dots_that_can_be_hit(kept: Open) -> None:
    widths = kept().evaluate(
        """() => Object.fromEntries([...document.querySelectorAll(
            '#worldbench-error-map .economy')].filter(e => e.getBoundingClientRect().height > 0)
            .map(e => [e.dataset.iso, e.getBoundingClientRect().width]))"""
    )
    assert len(widths) == 218
    assert min(widths.values()) > 0
    assert min(widths[iso] for iso in ("TUV", "MCO", "NRU", "SGP")) > 5


def test_hovering_tells_value_interval_and_count(kept: Open) -> None:
    page = kept()
    page.hover("#worldbench-error-map [data-iso=BRA]")
    said = page.locator("#tip").inner_text()
    assert re.fullmatch(
        r"Brazil: \d\.\d\d( \[\d\.\d\d, \d\.\d\d\])?, (1 indicator|\d indicators)", said
    )


def test_a_figure_can_be_read_by_keyboard(kept: Open) -> None:
    page = kept()
    page.focus("#worldbench-error-income .panel svg")
    page.keyboard.press("ArrowRight")
    first = page.locator("#tip").inner_text()
    page.keyboard.press("ArrowRight")
    second = page.locator("#tip").inner_text()
    assert "countries" in first
    assert first != second
    page.keyboard.press("Escape")
    assert not page.locator("#tip").is_visible()


def test_an_economy_on_the_map_opens_its_profile_by_keyboard(kept: Open) -> None:
    page = kept()
    page.focus("#worldbench-error-map .panel svg")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator("#profile h2").inner_text() == "Afghanistan"
    page.keyboard.press("Escape")
    assert not page.locator("#profile").is_visible()


def test_a_profile_shows_replies_and_says_how_to_see_all(kept: Open) -> None:
    page = kept()
    page.click("button[data-iso=KEN]")
    profile = page.locator("#profile")
    assert "2 of 2" in profile.inner_text()
    assert "country Kenya?" in profile.inner_text()
    assert "--country KEN" in profile.inner_text()
    assert profile.locator("th[scope=row]").first.inner_text() == "Mean error"


def shown(page: Any) -> list[str]:
    rows: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('#countries tbody tr')]"
        ".filter(row => !row.hidden).map(row => row.cells[0].innerText)"
    )
    return rows


def test_searching_finds_names_without_accents_codes_and_groups(kept: Open) -> None:
    page = kept()
    for words, found in (("cote d'iv", ["Côte d'Ivoire"]), ("XKX", ["Kosovo"]), ("qq", [])):
        page.fill("#search", words)
        assert shown(page) == found
    for words, name in (
        ("turkey", "Türkiye"),
        ("Ivory Coast", "Côte d'Ivoire"),
        ("uk", "United Kingdom"),
    ):
        page.fill("#search", words)
        assert name in shown(page), "names that people use are found, too"
    page.fill("#search", "south asia")
    assert len(shown(page)) == 8
    assert page.locator("#count").inner_text() == "8 of 218"


def test_sorting_goes_both_ways_and_leaves_what_has_no_value_last(kept: Open) -> None:
    page = kept(folded=True)
    head = page.locator("#countries th", has_text="Mean error")
    orders = []
    for direction in ("ascending", "descending"):
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == direction
        column = int(head.get_attribute("data-column"))
        cells = page.evaluate(
            "column => [...document.querySelectorAll('#countries tbody tr')]"
            ".map(row => row.cells[column].dataset.value)",
            column,
        )
        numbers = [float(cell) for cell in cells if cell]
        assert numbers == sorted(numbers, reverse=direction == "descending")
        assert cells[len(numbers) :] == [""] * (len(cells) - len(numbers))
        orders.append(numbers)
    assert orders[0] == orders[1][::-1]
    seen = page.locator("#countries tbody tr").first.locator(".pooled.sorted").inner_text()
    assert seen == f"pooled {orders[1][0]:.2f}", "what rows are sorted by can be seen"


def test_names_are_sorted_as_in_a_dictionary(kept: Open) -> None:
    def in_order(page: Any) -> bool:
        rows = shown(page)
        return rows.index("Côte d'Ivoire") < rows.index("Czechia")

    assert in_order(kept("one")), "so they are at first"
    page = kept(folded=True)
    head = page.locator("#countries th", has_text="Country")
    seen = {}
    for _ in range(2):
        head.locator("button").click()
        seen[head.get_attribute("aria-sort")] = in_order(page)
    assert seen == {"ascending": True, "descending": False}


def test_what_cannot_be_measured_is_marked_in_the_table_and_in_profiles(kept: Open) -> None:
    page = kept("hostile")
    head = page.locator("#countries thead th.number").first
    assert "not measurable" in head.inner_text()
    assert not head.locator("button").count(), "it is not to be sorted by"
    assert page.locator("#countries td.number:not(.grey)").count() == 0
    page.locator("#countries tbody tr", has_not_text="not asked").first.locator("button").click()
    assert page.locator("#profile tbody tr").first.inner_text().count("not measurable") == 1


def test_the_table_of_several_models_has_measures_over_models(kept: Open) -> None:
    page = kept("two")
    assert page.locator("#countries thead tr").count() == 2
    assert page.locator("#countries thead th.measure[colspan='2']").count() == 1
    assert "not asked" in page.locator("#countries tbody").inner_text()
    wide = page.evaluate(
        "(e => e.scrollWidth - e.clientWidth)(document.querySelector('#countries .scroll'))"
    )
    assert wide <= 0


def test_paper_shows_what_closed_folds_hide(kept: Open) -> None:
    page = kept(folded=True)
    page.emulate_media(media="print")
    hidden = page.locator("#worldbench-numbers table")
    assert hidden.bounding_box()["height"] > 50
    assert (
        page.evaluate("getComputedStyle(document.querySelector('#countries .scroll')).overflowX")
        == "visible"
    ), "a box that scrolls is cut at the edge of the paper"


def test_letters_in_charts_can_be_read_on_a_phone(kept: Open) -> None:
    sizes = kept("one", width=390).evaluate(
        """() => [...document.querySelectorAll('figure svg text')].map(text => {
        const svg = text.closest('svg');
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return parseFloat(getComputedStyle(text).fontSize) * scale })"""
    )
    assert min(sizes) > 10.5


def test_dark_readers_get_a_dark_page_and_figures_that_follow(kept: Open) -> None:
    look = """() => [getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector('#worldbench-error-income svg text')).fill]"""
    light = kept(color_scheme="light").evaluate(look)
    dark = kept(color_scheme="dark").evaluate(look)
    assert light[0] == "rgb(255, 255, 255)"
    assert all(a != b for a, b in zip(light, dark, strict=True))


def test_paper_is_white_and_has_no_buttons(kept: Open) -> None:
    page = kept("hostile", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    ink = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')")
    assert ink == "#ffffff"
    assert not page.locator(".top").is_visible()
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert len(printed) < 3_000_000, "patterns are painted no further than their shapes"


@pytest.mark.parametrize("name", ["one", "two", "names"])
def test_a_phone_needs_no_sideways_scrolling(kept: Open, name: str) -> None:
    wide = kept(name, width=390).evaluate("document.documentElement.scrollWidth")
    assert wide <= 390


def test_several_models_stand_side_by_side(kept: Open) -> None:
    page = kept("two")
    assert page.locator("header table.models tbody tr").count() == 2
    assert page.locator("#worldbench-error-income .panel").count() == 1, (
        "the other could not be measured"
    )
    assert page.locator("#worldbench-numbers table").count() == 2


def test_a_model_that_cannot_be_measured_is_told_so_first_and_has_no_figure(kept: Open) -> None:
    page = kept("hostile")
    for place in ("h1", ".lead"):
        assert "not be tested" in page.locator(place).inner_text()
    assert page.locator("figure").count() == 0
    assert page.locator("header svg").count() == 0
    assert page.locator("#worldbench table.grey").count()


def test_markup_in_replies_is_text(kept: Open, pages: dict[str, Path]) -> None:
    page = kept("hostile")
    read = ""
    with RunReader(pages["hostile"].with_suffix(".geobias")) as run:
        asked = [iso3 for (iso3,) in run.query("SELECT DISTINCT country FROM records")]
    for iso3 in asked:
        page.evaluate(f"document.querySelector('button[data-iso={iso3}]').click()")
        read += page.locator("#profile").inner_text()
    assert "<script>window.pwned = 1</script>" in read
    assert re.search(r"… \([\d,]+ characters\)", read)
    assert "\x1b" not in read
    assert "\u202e" not in read
    assert page.evaluate("window.pwned") is None
    assert page.locator("script").count() == 2
    assert not page.locator("img").count()


def test_markup_in_names_is_text(kept: Open) -> None:
    page = kept("names")
    assert page.evaluate("window.pwned") is None
    assert page.locator("script").count() == 2
    assert page.locator("style").count() == 1
    assert not page.locator("img").count()
    assert "<script>" in page.locator("#found").inner_text()


def test_readers_without_sight_get_words_and_landmarks(kept: Open) -> None:
    page = kept("one")
    assert page.locator("main").count() == 1
    assert page.locator("nav[aria-label]").count() == 1
    unnamed = "() => [...document.querySelectorAll('figure svg')].filter(s => !s.ariaLabel).length"
    assert page.evaluate(unnamed) == 0
    heads = "() => [...document.querySelectorAll('th')].filter(th => !th.scope).length"
    assert page.evaluate(heads) == 0
    levels = page.evaluate(
        "() => [...document.querySelectorAll('h1, h2, h3, h4')].map(h => +h.tagName[1])"
    )
    assert levels.count(1) == 1


SEEN = (Path(__file__).parents[3] / "bench" / "seen.js").read_text("utf-8")


@pytest.mark.parametrize("name", ["one", "two", "hostile", *REAL])
def test_the_first_screen_has_few_words(kept: Open, name: str) -> None:
    page = kept(name, folded=True)
    below = "document.querySelectorAll('main > :not(header), footer')"
    page.evaluate(f"{below}.forEach(one => {{ one.hidden = true }})")
    seen = page.evaluate(f"({SEEN})(true)")
    page.evaluate(f"{below}.forEach(one => {{ one.hidden = false }})")
    assert seen["words"] <= 120


def test_the_first_screen_has_numbers_with_intervals_and_a_picture(kept: Open) -> None:
    page = kept("one", folded=True)
    rows = page.locator("header .glance text", has_text="[").all_text_contents()
    numbers = r"−?\d\.\d\d \[−?\d\.\d\d, −?\d\.\d\d\]"
    intervals = [row for row in rows if re.fullmatch(numbers, row)]
    assert len(intervals) >= 2
    assert page.locator("header svg").first.bounding_box()["y"] < 800


def test_the_address_keeps_country_order_and_fold(kept: Open) -> None:
    page = kept("one", folded=True)
    page.locator("#worldbench-numbers").evaluate("fold => { fold.open = false }")
    page.click("#worldbench-numbers > summary")
    page.locator("#countries th", has_text="Mean error").locator("button").click()
    page.evaluate("document.querySelector('button[data-iso=KEN]').click()")
    kept_in = page.evaluate("location.hash")
    assert kept_in.startswith("#worldbench-numbers")
    assert "country=KEN" in kept_in
    again = page.context.new_page()
    again.goto(page.url)
    again.locator("#profile h2", has_text="Kenya").wait_for()
    assert again.locator("#worldbench-numbers[open]").count() == 1
    assert again.locator("#countries th[aria-sort]").inner_text().startswith("Mean error")
    again.close()


@pytest.fixture(scope="module")
def many_opened(browsing: Browsing, pages: dict[str, Path]) -> tuple[Any, float]:
    """The page of twenty models, and the seconds in which its thread had a core until it was open:
    they do not depend on what else runs here."""
    page = browsing.kept("empty")
    measuring = page.context.new_cdp_session(page)
    measuring.send("Performance.enable")
    browsing.go(page, "many")
    metrics = measuring.send("Performance.getMetrics")["metrics"]
    return page, next(one["value"] for one in metrics if one["name"] == "ThreadTime")


@pytest.mark.usefixtures("_quiet")
def test_from_three_models_on_a_page_is_a_comparison_with_a_choice_of_details(
    many_opened: tuple[Any, float],
) -> None:
    page, _ = many_opened
    assert page.locator("table.models tbody tr").count() == 20
    assert page.locator("table.models .drawn svg").count() >= 20
    assert page.locator("#worldbench").count() == 1, "no chapter is repeated for each model"
    page.locator("table.models thead button", has_text="Error, poor minus rich").click()
    keys = page.evaluate(
        "() => [...document.querySelectorAll('table.models tbody tr')]"
        ".map(row => row.cells[1].dataset.value).filter(Boolean).map(Number)"
    )
    assert keys == sorted(keys)
    page.select_option("#choose", "7")
    page.locator("#chosen strong", has_text="model 7").wait_for()
    page.hover("#worldbench-error-map [data-iso=BRA]")
    assert page.locator("#tip").inner_text().startswith("Brazil")


@pytest.mark.usefixtures("_quiet")
def test_a_page_of_twenty_models_is_under_three_megabytes_and_opens_soon(
    many_opened: tuple[Any, float], pages: dict[str, Path]
) -> None:
    assert pages["many"].stat().st_size < 3_000_000
    assert 0 < many_opened[1] < 2 * SLOW
