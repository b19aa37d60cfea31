"""Words, numbers and pixels of report pages, how soon they open, and pictures of first screens.

    python bench/page.py report.html many.html
    python bench/page.py report.html --pictures FOLDER --label after

Needs Playwright's Python package and Chromium (on the PATH, or named by GEOBIAS_CHROMIUM).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from screenshots import chromium

SEEN = (Path(__file__).parent / "seen.js").read_text("utf-8")
SCREEN = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
PAPER = {"width": 680, "height": 1010}
"""A4 without its margins, in CSS pixels."""
FIRST_PICTURE = """() => Math.min(...[...document.querySelectorAll('.panel svg, table.models svg')]
    .map(svg => svg.getBoundingClientRect()).filter(box => box.width > 60)
    .map(box => box.top + scrollY))"""


def opened(browser: Any, path: Path, media: str = "screen", **look: Any) -> Any:
    """The page once its script has run. A busy machine takes its time."""
    page = browser.new_page(**look)
    page.set_default_timeout(300_000)
    page.processor = page.context.new_cdp_session(page)
    page.processor.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(path.resolve().as_uri())
    page.wait_for_selector("html:not(.no-script)")
    page.emulate_media(media=media, color_scheme=look.get("color_scheme"))
    return page


def measured(browser: Any, path: Path) -> str:
    page = opened(browser, path, viewport=SCREEN)
    ready = page.evaluate("performance.now()")
    spent = {
        one["name"]: one["value"]
        for one in page.processor.send("Performance.getMetrics")["metrics"]
    }
    first, whole = (page.evaluate(f"({SEEN})({screen})") for screen in ("true", "false"))
    picture = page.evaluate(FIRST_PICTURE)
    page.close()
    return (
        f"{path}: first screen {first['words']:,} words, {first['numbers']:,} numbers; page "
        f"{whole['words']:,} words, {whole['numbers']:,} numbers, {whole['height']:,} pixels; "
        f"first picture at {picture:,.0f}; {path.stat().st_size / 1e6:.2f} MB; "
        f"ready after {ready / 1000:.2f} s, {spent['TaskDuration']:.2f} s of the processor"
    )


def pictures(browser: Any, path: Path, folder: Path, label: str) -> None:
    for viewport, ending in ((SCREEN, ""), (PHONE, "-phone")):
        for scheme in ("light", "dark"):
            page = opened(browser, path, viewport=viewport, color_scheme=scheme)
            dark = "-dark" if scheme == "dark" else ""
            page.screenshot(path=folder / f"page-{label}-{path.stem}{ending}{dark}.png")
            page.close()
    page = opened(browser, path, "print", viewport=PAPER)
    page.screenshot(path=folder / f"page-{label}-{path.stem}-print.png")
    page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    parser.add_argument("--label", default="after")
    chosen = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for path in chosen.pages:
            print(measured(browser, path))
            if chosen.pictures:
                pictures(browser, path, chosen.pictures, chosen.label)
        browser.close()


if __name__ == "__main__":
    main()
