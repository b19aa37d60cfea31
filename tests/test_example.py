"""The recorded run that comes with geobias."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from geobias.api import example
from geobias.errors import CannotWrite, MissingPart
from geobias.report.findings import collect
from geobias.report.page import rendered
from geobias.runfile import RunReader
from tests.cli.running import geobias
from tests.studies import THOROUGH

MOST_BYTES = 1_500_000


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GEOBIAS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_it_is_small_enough_for_every_wheel() -> None:
    packed = {path.name: path.stat().st_size for path in example.HERE.glob(f"*{example.PACKED}")}
    names = (example.example().file, example.PAGE)
    assert packed.keys() == {name + example.PACKED for name in names}
    assert sum(packed.values()) < MOST_BYTES


def test_it_is_a_complete_run_of_a_real_model_by_every_probe() -> None:
    with RunReader(example.example_run()) as run:
        manifest = run.manifest()
        done = manifest.done(run.done())
    assert all(done[name] == planned for name, planned in manifest.planned.items())
    assert not manifest.models["model"].startswith("sim/")
    assert manifest.command == "", "which may name somebody's folders"
    assert set(manifest.probes) >= {"worldbench", "namebbq", "geo20q", "ratings"}


def test_its_readme_counts_its_replies() -> None:
    readme = (example.HERE / "README.md").read_text("utf-8")
    assert f"| replies | {example.example().replies:,} |" in readme


def test_it_is_unpacked_once() -> None:
    before = example.example_run().stat().st_mtime_ns
    assert example.example_run().stat().st_mtime_ns == before


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
    (tmp_path / "example.json").write_bytes((example.HERE / "example.json").read_bytes())
    (tmp_path / (example.example().file + example.PACKED)).write_bytes(content)
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


@pytest.mark.skipif(not THOROUGH, reason="the nightly job makes the report anew")
def test_its_packed_report_is_the_one_that_todays_code_makes() -> None:
    with RunReader(example.example_run()) as run:
        made = rendered(collect([run]), [run])
    assert example.packed_page() == made.encode(errors="replace"), "run tools/pack_example.py"


def test_the_command_says_what_it_is_and_writes_its_report(tmp_path: Path) -> None:
    done = geobias("example", "--out", tmp_path / "page.html", "--no-browser")
    assert done.code == 0
    assert example.example().in_words in done.err
    assert str(tmp_path / "page.html") in done.out
    assert (tmp_path / "page.html").read_bytes() == example.packed_page()
