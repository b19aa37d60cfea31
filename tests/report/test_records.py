"""A record in which a field is missing is named, whatever reading it led to.

A model may be called anything: no file that is made of its run obeys the name.
"""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

import geobias
from geobias.probes import geo20q, namebbq, ratings, worldbench
from geobias.probes.registry import all_probes, find_probe
from geobias.report.records import fault_in
from geobias.runfile import RunReader
from tests.cli.running import geobias as command
from tests.probes.geo20q.made import write_table
from tests.probes.namebbq.made import line, write
from tests.report.made import changed


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few records of every probe."""
    folder = tmp_path_factory.mktemp("sound")
    table = write_table(folder / "made.csv", 1, 3)
    plans = [
        worldbench.plan(indicators=("population",), countries="KEN,FRA"),
        namebbq.plan(items=str(write(folder / "items.jsonl", [line()])), names=0),
        geo20q.plan(entities=str(table), turns=2, judge_questions=6),
        ratings.plan(size="quick", topics=("intelligence",)),
    ]
    made = geobias.run(plans, f"sim/?entities={table}", folder / "r.geobias")
    return made.path


def with_value(run: Path, probe: str, field: str, value: object, folder: Path) -> Path:
    """The run with another value in that field of every record of the probe."""
    sql = f"UPDATE records SET record = json_set(record, '$.{field}', ?) WHERE probe = ?"
    return changed(run, folder / "changed.geobias", sql, value, probe)


def required(probe: str) -> list[str]:
    declared = msgspec.structs.fields(find_probe(probe).records[probe])
    return [one.name for one in declared if one.required]


def test_a_good_run_has_no_fault(run: Path) -> None:
    with RunReader(run) as reader:
        assert fault_in(reader) == ""
        assert {row["probe"] for row in reader.records()} == {
            *(*all_probes(), "geo20q_judge", "geo20q_knowledge")
        }


@pytest.mark.parametrize("probe", all_probes())
def test_any_field_that_is_missing_is_named(run: Path, probe: str, tmp_path: Path) -> None:
    assert len(required(probe)) > 3  # more than the records of all probes have
    sql = "UPDATE records SET record = replace(record, ?, ?) WHERE probe = ?"
    for field in required(probe):
        renamed = (f'"{field}":', f'"{field}s":', probe)
        with RunReader(changed(run, tmp_path / "changed.geobias", sql, *renamed)) as reader:
            assert f"`{field}`" in fault_in(reader)


@pytest.mark.parametrize(
    ("probe", "field", "value"),
    [
        ("geo20q_judge", "repeat", "\x1b]0;x\x07\x1b[31mX"),
        ("namebbq", "label", "nosuch"),
        ("ratings", "rating", 1e308),
    ],
)
def test_a_value_that_no_record_can_have_is_named(
    run: Path, probe: str, field: str, value: object, tmp_path: Path
) -> None:
    spoiled = with_value(run, probe, field, value, tmp_path)
    with RunReader(spoiled) as reader:
        assert f"$.{field}" in fault_in(reader)
    done = command("report", spoiled, "--format", "json")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "\x1b" not in done.err


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
    done = command(
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
    done = command("site", *runs(folder)[:4], "--out", site)
    assert done.code == 0, done.err
    pages = [*site.glob("*.html"), *site.glob("models/*.html")]
    assert len(pages) == 5
    assert [Markup(page.read_text("utf-8")).acting for page in pages] == [[]] * 5


def test_the_terminal_obeys_no_name(folder: Path) -> None:
    for words in (["show"], ["compare"]):
        chosen = runs(folder) if words == ["compare"] else runs(folder)[:1]
        done = command(*words, *chosen)
        assert not [sign for sign in "\x1b\u202e" if sign in done.out + done.err]
