"""The yardstick of unchanged results finds a digit, a word, a row that is gone or moved."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def yardstick() -> ModuleType:
    path = Path(__file__).parent.parent / "bench" / "same_results.py"
    spec = importlib.util.spec_from_file_location("same_results", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["same_results"] = module
    spec.loader.exec_module(module)
    return module


ROWS = [{"region": "North", "error": 0.25}, {"region": "South", "error": 0.5}, {"region": "East"}]
OUTPUTS = {
    "plans/table.json": json.dumps(ROWS),
    "plans/table.csv": "region,error\nNorth,0.25\nSouth,0.5\n",
    "plans/page.txt": "It knows less about the South.\nRun file FOLDER/run.geobias\n",
    "plans/trials.html": '<tr>\n<td><a href="/run/few/trial/0">Kenya</a></td><td>53</td>\n</tr>\n',
}


def written(yardstick: ModuleType, folder: Path, outputs: dict[str, str]) -> Path:
    made = yardstick.Outputs(folder, folder / "scratch")
    for name, text in outputs.items():
        made.keep(name, text)
    return folder


def replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


@pytest.mark.parametrize(
    ("output", "change"),
    [
        ("plans/table.json", replaced("0.25", "0.2500001")),
        ("plans/table.csv", replaced("0.25", "0.26")),
        ("plans/page.txt", replaced("less", "more")),
        ("plans/page.txt", replaced("run.geobias", "other.geobias")),
        ("plans/table.json", lambda text: json.dumps(json.loads(text)[:2])),
        ("plans/table.json", lambda text: json.dumps(json.loads(text)[::-1])),
        ("plans/table.csv", replaced("South,0.5\n", "")),
        ("plans/table.csv", replaced("North,0.25\nSouth,0.5", "South,0.5\nNorth,0.25")),
        ("plans/trials.html", replaced("53", "54")),
        ("plans/trials.html", replaced("Kenya", "Kenia")),
        ("plans/trials.html", replaced("/trial/", "/trials/")),
    ],
)
def test_a_change_of_one_output_is_found_and_named(
    yardstick: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    output: str,
    change: Callable[[str], str],
) -> None:
    before = written(yardstick, tmp_path / "before", OUTPUTS)
    after = written(yardstick, tmp_path / "after", OUTPUTS | {output: change(OUTPUTS[output])})
    assert yardstick.compare(before, after) == 1
    assert capsys.readouterr().out.startswith(f"{output}: ")
    assert yardstick.differences(yardstick.hashes(after), yardstick.hashes(before)) == [output]


def test_times_folders_versions_and_the_eleventh_digit_are_no_change(
    yardstick: ModuleType, tmp_path: Path
) -> None:
    def outputs(folder: Path, time: str, version: str, digits: str) -> dict[str, str]:
        return {
            "show.txt": f"made by geobias {version}, {time}\n{folder}/scratch/run.geobias",
            "show.json": json.dumps({"created": time, "error": float(f"0.1234567891{digits}")}),
        }

    made = [
        written(yardstick, folder, outputs(folder, time, version, digits))
        for folder, time, version, digits in (
            (tmp_path / "before", "2026-01-02T03:04:05+00:00", "0.1.0", "21"),
            (tmp_path / "after", "2027-11-12T13:14:15+00:00", "0.2.0.dev1", "22"),
        )
    ]
    assert yardstick.compare(*made) == 0


def test_outputs_that_are_gone_or_new_are_named(
    yardstick: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = written(yardstick, tmp_path / "before", {"a.txt": "a", "b.txt": "b"})
    after = written(yardstick, tmp_path / "after", {"b.txt": "b", "c.txt": "c"})
    assert yardstick.compare(before, after) == 2
    assert capsys.readouterr().out.splitlines()[:2] == ["a.txt: only before", "c.txt: only after"]


def test_a_change_is_accepted_only_with_a_reason_which_is_kept(
    yardstick: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yardstick, "GOLDEN", tmp_path / "golden.json")
    monkeypatch.setattr(yardstick, "CHANGED_ON_PURPOSE", tmp_path / "changed.toml")
    yardstick.accept(written(yardstick, tmp_path / "before", OUTPUTS), ["plans"], "")
    changed = OUTPUTS | {"plans/page.txt": "It knows more about the South."}
    after = written(yardstick, tmp_path / "after", changed)
    with pytest.raises(SystemExit, match=r"plans/page\.txt first: say --because"):
        yardstick.accept(after, ["plans"], "")
    yardstick.accept(after, ["plans"], "the model learned")
    assert yardstick.golden() == yardstick.hashes(after)
    kept = (tmp_path / "changed.toml").read_text("utf-8")
    assert "the model learned" in kept
    assert "plans/page.txt" in kept
    assert "plans/table.json" not in kept


def test_every_part_has_golden_outputs(yardstick: ModuleType) -> None:
    assert {name.partition("/")[0] for name in yardstick.golden()} == set(yardstick.PARTS)


def test_shipped_real_replies_are_read_as_before(yardstick: ModuleType, tmp_path: Path) -> None:
    """After a change of a reader on purpose: bench/same_results.py golden --only readings."""
    replies = yardstick.json_lines(yardstick.SHIPPED_REPLIES)
    assert len(replies) > 300
    readings = yardstick.as_lines(map(yardstick.read_real, replies))
    made = written(yardstick, tmp_path, {yardstick.SHIPPED: readings})
    assert yardstick.hashes(made)[yardstick.SHIPPED] == yardstick.golden()[yardstick.SHIPPED]
