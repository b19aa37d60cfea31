from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import CannotWrite
from geobias.sources.cache import Cache, cache_folder

SOURCE = "https://example.org/a"


def test_the_folder_is_the_users_own_before_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GEOBIAS_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == tmp_path / ".cache/geobias"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    assert cache_folder() == tmp_path / ".cache/geobias"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg/geobias"
    monkeypatch.setenv("GEOBIAS_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"


def test_what_is_kept_comes_back_with_where_it_came_from(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    kept = cache.keep("a", b"content", source=SOURCE, edition="2026-01-28")
    assert Cache(tmp_path / "cache").find("a", source=SOURCE) == kept
    assert cache.path(kept).read_bytes() == b"content"
    assert (kept.edition, kept.bytes, len(kept.sha256)) == ("2026-01-28", 7, 64)
    assert kept.fetched_at.endswith("+00:00")


def test_the_same_thing_from_another_address_is_another_thing(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.keep("a", b"content", source=SOURCE, edition="")
    assert cache.find("a", source="https://example.org/b") is None


def test_a_new_content_replaces_the_old_and_leaves_no_litter(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.keep("a", b"old", source=SOURCE, edition="1")
    new = cache.keep("a", b"new", source=SOURCE, edition="2")
    assert {path.name for path in tmp_path.iterdir()} == {"a.entry.json", new.file}


def test_a_cache_that_cannot_be_written_says_so_and_keeps_what_it_had(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.keep("a", b"old", source=SOURCE, edition="1")
    (tmp_path / "b").write_text("not a folder", encoding="utf-8")
    with pytest.raises(CannotWrite, match="set GEOBIAS_CACHE"):
        cache.keep("b/c", b"new", source=SOURCE, edition="2")
    assert cache.find("a", source=SOURCE) is not None


def test_a_file_that_was_changed_or_removed_is_found_out(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for name in ("changed", "missing", "ok"):
        cache.keep(name, b"content", source=SOURCE, edition="")
    (tmp_path / cache.entries()["changed"].file).write_bytes(b"c0ntent")
    (tmp_path / cache.entries()["missing"].file).unlink()
    for name, entry in cache.entries().items():
        assert cache.state(entry) == name
    assert cache.find("changed", source=SOURCE) is None
    assert cache.find("missing", source=SOURCE) is None


@given(st.binary())
def test_an_entry_that_cannot_be_read_is_none(
    tmp_path_factory: pytest.TempPathFactory, garbage: bytes
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    (folder / "a.entry.json").write_bytes(garbage)
    assert Cache(folder).entries() == {}


def test_an_entry_leads_to_no_file_outside_the_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    entry = cache.keep("a", b"content", source=SOURCE)
    led = msgspec.structs.replace(entry, file="../a.json")
    (tmp_path / "cache/a.entry.json").write_bytes(msgspec.json.encode(led))
    assert cache.entries() == {}
