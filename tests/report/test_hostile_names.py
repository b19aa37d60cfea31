"""A model may be called anything: no file that is made of its run obeys the name."""

from __future__ import annotations

import csv
import json
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from geobias.report.findings import collect
from geobias.report.formats import FORMATS
from geobias.runfile import RunReader
from tests.cli.running import geobias

NAMES = (
    "</script><script>window.pwned=1</script>",
    '"><img src=x onerror=window.pwned=2>',
    "=cmd|' /C calc'!A0",
    "../../outside",
    "]]>&<!--{{ 7*7 }}",
    "[x](javascript:alert(1)) | a\n---\nmodel-index: 1",
    "\x1b[31m\u202ered",
)
OUTSIDE = ("img", "iframe", "object", "embed", "base")


class Markup(HTMLParser):
    """Collects what would act: handlers, addresses that are code, foreign content, scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.acting: list[str] = []
        self.in_script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.in_script = tag == "script"
        self.acting += [tag] if tag in OUTSIDE else []
        self.acting += [name for name, _ in attrs if name.startswith("on")]
        self.acting += [value for _, value in attrs if value and value.startswith("javascript:")]

    def handle_data(self, data: str) -> None:
        if self.in_script and "window.pwned" in data:
            self.acting.append("script")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of such models, made of a file that somebody sent, and a site of them."""
    folder = tmp_path_factory.mktemp("names") / "in" / "side"
    folder.mkdir(parents=True)
    lines = [
        {"indicator": "population", "country": "KEN", "reply": f"7 {name}", "model": name}
        | {"prompt": f"<b>{name}</b>"}
        for name in NAMES
    ]
    predictions = folder / "p.jsonl"
    predictions.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    done = geobias(
        "score", "worldbench", "--predictions", predictions, "--to", folder / "r.geobias"
    )
    assert done.code == 0, done.err
    return folder


def runs(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.geobias"))


def test_each_model_has_a_run_file_in_the_folder_that_was_named(folder: Path) -> None:
    assert len(runs(folder)) == len(NAMES)
    assert [path.name for path in folder.parent.parent.iterdir()] == ["in"]


def test_a_site_of_them_has_no_markup_of_theirs(folder: Path) -> None:
    site = folder / "site"
    done = geobias("site", *runs(folder)[:4], "--out", site)
    assert done.code == 0, done.err
    pages = [*site.glob("*.html"), *site.glob("models/*.html")]
    assert len(pages) == 6
    assert [Markup(page.read_text("utf-8")).acting for page in pages] == [[]] * 6
    models = site.joinpath("data.js").read_text("utf-8").removeprefix("const MODELS = ")
    assert len(json.loads(models.rstrip(";\n"))) == 4
    with site.joinpath("summary.csv").open(encoding="utf-8", newline="") as file:
        assert not [cell for row in csv.reader(file) for cell in row if cell.startswith("=")]


def test_build_servers_and_hubs_get_whole_documents(folder: Path) -> None:
    for run in runs(folder):
        with RunReader(run) as reader:
            found = collect([reader])
        [suite] = ElementTree.fromstring(FORMATS["junit"](found))
        assert suite.findall("testcase")
        card = FORMATS["model-card"](found)
        if card.startswith("---"):
            head = card.splitlines()[1]
            assert json.loads(head.removeprefix("model-index: "))
        assert card.count("\n---\n") <= 1


def test_the_terminal_obeys_no_name(folder: Path) -> None:
    for words in (["show"], ["show", "--config"], ["compare"]):
        chosen = runs(folder) if words == ["compare"] else runs(folder)[:1]
        done = geobias(*words, *chosen)
        assert not [sign for sign in "\x1b\u202e" if sign in done.out + done.err]
