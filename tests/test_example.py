"""The recorded run that comes with geobias."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from geobias import example
from geobias.cli.opening import opened, run_files
from geobias.errors import CannotWrite, MissingPart
from geobias.probes.registry import all_probes
from tests.cli.running import geobias

MOST_BYTES = 1_500_000


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GEOBIAS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_it_is_small_enough_for_every_wheel() -> None:
    packed = list(example.HERE.glob(f"*{example.PACKED}"))
    assert {path.name for path in packed} == {
        one.name + example.PACKED for one in example.example().files
    }
    assert sum(path.stat().st_size for path in packed) < MOST_BYTES


def test_it_is_a_complete_run_of_one_real_model(cache: Path) -> None:
    with opened([example.example_run()]) as runs:
        manifests = [run.manifest() for run in runs]
        for run, manifest in zip(runs, manifests, strict=True):
            assert manifest.done(run.done()) == manifest.done(run.done()) | manifest.planned
            assert manifest.command == "", "which may name somebody's folders"
    [model] = {manifest.models["model"] for manifest in manifests}
    assert example.example().simulated == model.startswith("sim/")
    assert not example.example().simulated
    assert {name for manifest in manifests for name in manifest.probes} == set(all_probes())


def test_it_is_unpacked_once(cache: Path) -> None:
    first = run_files([example.example_run()])
    before = [path.stat().st_mtime_ns for path in first]
    assert run_files([example.example_run()]) == first
    assert [path.stat().st_mtime_ns for path in first] == before


def test_the_word_stands_for_it_unless_there_is_such_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert example.run_named(Path("example")) == example.example_run()
    assert example.run_named(Path("other")) == Path("other")
    Path("example").touch()
    assert example.run_named(Path("example")) == Path("example")


@pytest.mark.parametrize("content", [b"no archive", lzma.compress(b"another run")])
def test_a_damaged_recording_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, cache: Path
) -> None:
    known = example.example()
    (tmp_path / "example.json").write_bytes((example.HERE / "example.json").read_bytes())
    for one in known.files:
        (tmp_path / (one.name + example.PACKED)).write_bytes(content)
    monkeypatch.setattr(example, "HERE", tmp_path)
    with pytest.raises(MissingPart, match="damaged"):
        example.example_run()
    assert not cache.exists()


def test_where_the_cache_cannot_be_written_it_is_said_how_to_choose_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GEOBIAS_CACHE", str(tmp_path / "file"))
    with pytest.raises(CannotWrite, match="GEOBIAS_CACHE=FOLDER"):
        example.example_run()


def test_the_command_says_what_it_is_and_writes_its_report(tmp_path: Path) -> None:
    done = geobias("example", "--out", tmp_path / "page.html", "--no-browser")
    assert done.code == 0
    assert done.err.startswith("A recorded run of a real model: ")
    assert str(tmp_path / "page.html") in done.out
    assert "<h1" in (tmp_path / "page.html").read_text("utf-8")


def test_its_replies_can_be_read_by_its_name() -> None:
    done = geobias("replies", "example", "--country", "KEN", "--probe", "worldbench")
    assert done.code == 0
    assert "Kenya" in done.out
