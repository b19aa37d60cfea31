"""Pictures of a report, section by section, as docs/ shows them.

    geobias report RUN --out report.html
    python bench/screenshots.py report.html pictures/

Writes SECTION-SCHEME-WIDTH.png for each section in light and dark, on a screen (1,280 pixels) and
on a phone (390), and report.pdf. Needs Playwright's Python package and Chromium (on the PATH, or
named by GEOBIAS_CHROMIUM).
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Literal

SECTIONS = {
    "title": "header.title",
    "knows": "#worldbench",
    "assumes": "#namebbq",
    "works-out": "#geo20q",
    "countries": "#countries",
    "methods": "#methods",
}
WIDTHS = (1280, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def chromium() -> str:
    names = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
    found = os.environ.get("GEOBIAS_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    return found or sys.exit("no Chromium on the PATH; name one by GEOBIAS_CHROMIUM")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--scale", type=float, default=1.0, help="Pixels of a picture per CSS pixel."
    )
    chosen = parser.parse_args()
    from playwright.sync_api import sync_playwright

    chosen.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for scheme in SCHEMES:
            for width in WIDTHS:
                page = browser.new_page(
                    viewport={"width": width, "height": 900},
                    color_scheme=scheme,
                    device_scale_factor=chosen.scale,
                )
                page.goto(chosen.page.resolve().as_uri())
                page.wait_for_selector("html:not(.no-script)")
                page.evaluate("document.querySelector('.top').style.position = 'static'")
                for name, selector in SECTIONS.items():
                    section = page.locator(selector)
                    if section.count():
                        out = chosen.folder / f"{name}-{scheme}-{width}.png"
                        section.screenshot(path=out)
                        print(out)
                if (scheme, width) == ("light", WIDTHS[0]):
                    page.pdf(path=chosen.folder / "report.pdf", format="A4")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
