"""Probes are found by entry point, ours like anyone's."""

from __future__ import annotations

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from geobias.cli import TRACEBACK
from geobias.measures.measure import Measure, by_half, by_income, check_names
from geobias.probes.items import ItemProbe, SimulatedAnswers, package_digest
from geobias.probes.probe import Probe
from geobias.probes.registry import all_probes, find_probe, record_owner, record_titles
from geobias.trials import Record
from tests.cli.commands import geobias


def test_probes_stand_in_the_order_in_which_they_are_read_about() -> None:
    assert list(all_probes())[:3] == ["worldbench", "namebbq", "geo20q"]


def test_a_probe_has_no_more_than_twenty_members() -> None:
    members = {*Probe.__annotations__, *vars(Probe)}
    assert len({one for one in members if not one.startswith("_")}) <= 20


def test_a_record_of_another_name_belongs_to_the_probe_whose_trials_leave_it() -> None:
    assert record_owner("geo20q_judge") is find_probe("geo20q")
    assert record_owner("somebody_elses") is None
    assert record_titles()["geo20q_judge"] == "Geo20Q+ judge"


def _geobias(folder: Path, *words: str) -> tuple[int, str, str]:
    """A command with the packages of a folder installed beside."""
    paths = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return geobias(*words, cwd=folder, PYTHONPATH=paths)


def _installed(folder: Path, source: str, name: str = "broken") -> Path:
    """A package with a probe of its name."""
    (folder / f"{name}.py").write_text(source)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[geobias.probes]\n{name} = {name}:Broken\n")
    return folder


SILENT = """
from geobias.probes.probe import Probe

class Broken(Probe):
    name = "silent"
    title = "Broken"
    def plan(self, settings): ...
"""


BROKEN = {
    "silent": (SILENT, "lacks verb, about, Settings, records, showing"),
    "absent": (
        "import nowhere",
        "cannot be loaded: ModuleNotFoundError: No module named 'nowhere'",
    ),
    "stranger": ("class Broken: name = 'stranger'", "is not a probe called 'stranger'"),
    "falling": (
        "class Broken:\n    def __init__(self): 1 / 0",
        "loaded: ZeroDivisionError: division by zero",
    ),
}
"""Package → its source, and what is said of it."""


def test_broken_packages_are_named_and_keep_nobody_from_the_others(tmp_path: Path) -> None:
    for name, (source, _) in BROKEN.items():
        _installed(tmp_path, source, name)
    words = ("audit", "sim/fair", "--dry-run", "--out", str(tmp_path / "runs"))
    code, out, err = _geobias(tmp_path, *words)
    assert code == 0
    assert [name for name, (_, said) in BROKEN.items() if said not in err] == []
    assert "worldbench" in out


def test_a_broken_probe_that_is_asked_for_ends_in_a_sentence(tmp_path: Path) -> None:
    code, _, err = _geobias(_installed(tmp_path, "import nowhere"), "run", "broken", "sim/fair")
    assert code == 2
    assert "broken:Broken" in err


BARE = """
from geobias.probes.probe import Probe, Showing
from geobias.probes.settings import Settings
from geobias.results.descriptions import Description
from geobias.trials import Record

class Broken(Probe):
    name, title, verb, about = "broken", "Bare", "does", "It asks nothing."
    Settings, records = Settings, {"broken": Record}
    showing = Showing(describe=lambda record: Description(title=""))

    def plan(self, settings):
        raise ZeroDivisionError("a slip")
"""


def test_a_probe_without_commands_says_where_its_tables_are(tmp_path: Path) -> None:
    code, out, err = _geobias(_installed(tmp_path, BARE, "broken"), "broken", "--help")
    assert code == 0, err
    assert "geobias table RUN" in out


ITEMS = """
from geobias.probes.items import Item, ItemProbe
from geobias.probes.settings import Settings
from geobias.trials import Record

class Length(Record, frozen=True, kw_only=True):
    length: float | None = None

class Broken(ItemProbe):
    name, title, verb, about = "broken", "Items", "does", "It asks a little."
    Settings, Record = Settings, Length

    def items(self, settings):
        yield ITEM

    def read(self, item, reply):
        return READ
"""


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (BARE, "mistake in broken, which adds broken"),
        (ITEMS.replace("ITEM", "'KEN'").replace("READ", "{}"), "mistake in broken"),
        (ITEMS.replace("ITEM", "Item('KEN', 'How?')").replace("READ", "None"), "mistake in broken"),
        (
            ITEMS.replace("ITEM", "Item('KEN', 'How?')").replace("READ", "{'length': 'long'}"),
            "broken: in its record, length is text, not a number",
        ),
        (
            ITEMS.replace("ITEM", "from [Item('KEN', 'How?'), Item('KEN', 'Why?')]"),
            "broken has 2 items with the id 'KEN': give each its own",
        ),
        (
            ITEMS.replace("ITEM", "Item('1', 'How?', country='ZZZ')"),
            "broken: 'ZZZ' is not the ISO-3 code of a country",
        ),
    ],
    ids=["plan", "items", "read", "record", "ids", "country"],
)
def test_a_mistake_in_somebodys_probe_is_said_to_be_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, says: str
) -> None:
    monkeypatch.delenv(TRACEBACK, raising=False)
    folder = _installed(tmp_path, source, "broken")
    words = ("run", "broken", "sim/fair", "--out", str(tmp_path / "x.geobias"))
    code, _, err = _geobias(folder, *words)
    assert code == 2
    assert says in err


def _measure(name: str, **more: Any) -> Measure:
    return Measure(
        **{"name": name, "label": name, "value": "repeat", "unit": "times", "better": "low"} | more
    )


@pytest.mark.parametrize(
    ("measures", "says"),
    [
        (
            (
                _measure("a", contrasts=(by_income("A"),)),
                _measure("b", contrasts=(by_income("B"),)),
            ),
            "a and b both have a number called 'income_trend': give one another name",
        ),
        ((_measure("a"), _measure("a")), "a and a both have"),
        ((_measure("declined"),), "geobias itself and declined"),
        ((_measure("a", primary="a"), _measure("b", primary="b")), "several measures are primary"),
    ],
)
def test_two_numbers_of_a_probe_share_no_name(measures: tuple[Measure, ...], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        check_names(measures)
    named = by_income("B", name="b_trend")
    check_names((_measure("a", contrasts=(by_income("A"),)), _measure("b", contrasts=(named,))))


def test_what_a_measure_names_must_be_there() -> None:
    with pytest.raises(ValueError, match="by_half compares north_south or west_east, not 'east'"):
        by_half("east", "East")
    for more in ({"units": ("city",)}, {"item": "city"}, {"of": {"city": True}}):
        with pytest.raises(TypeError, match="Record has no field 'city'"):
            type("Other", (First,), {"name": "o", "measures": (_measure("a", **more),)})


def test_a_file_of_the_package_changes_its_edition(tmp_path: Path) -> None:
    package = tmp_path / "asked"
    package.mkdir()
    (package / "__init__.py").write_text(ITEMS)
    (package / "truth.csv").write_text("iso3,length")
    digests = []
    for _ in range(2):
        spec = spec_from_file_location("asked", package / "__init__.py")
        assert spec
        assert spec.loader
        sys.modules["asked"] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
        digests.append(package_digest(module.Broken))
        (package / "truth.csv").write_text("iso3,height")
    del sys.modules["asked"]
    assert digests[0] != digests[1]


def test_answers_to_another_second_question_are_not_read_anew(tmp_path: Path) -> None:
    doubt = Path(__file__).parents[2] / "examples/doubt/src/geobias_doubt/__init__.py"
    source = doubt.read_text("utf-8").replace("class Doubt(", "class Broken(")
    folder = _installed(tmp_path, source, "doubt")
    assert _geobias(folder, "run", "doubt", "sim/fair", "--out", "run.geobias")[0] == 0
    (folder / "doubt.py").write_text(source.replace("I do not think", "I doubt"), "utf-8")
    assert "read 0 of 27 records anew" in _geobias(folder, "reread", "run.geobias")[1]


class Guesses(SimulatedAnswers, frozen=True, kw_only=True):
    """A simulated model of no probe yet."""


class First(ItemProbe[Any]):
    name, Record, Simulated = "first", Record, Guesses


def test_two_probes_do_not_share_a_simulated_model() -> None:
    with pytest.raises(TypeError, match="derive a class of it for second"):
        type("Second", (First,), {"name": "second"})
