"""Options of `geobias count` that an engine has no use for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import geobias


@pytest.mark.parametrize(
    "option",
    [
        ("--field", "text"),
        ("--language", "fr"),
        ("--workers", "2"),
        ("--engine", "native"),
        ("--address", "auto"),
    ],
)
def test_what_an_index_cannot_heed_is_refused(option: tuple[str, str]) -> None:
    done = geobias("count", "--infinigram", "v4_known", *option)
    assert done.code == 2
    assert f"{option[0]} is for" in done.err


def test_a_cluster_has_as_many_workers_as_it_has(tmp_path: Path) -> None:
    done = geobias("count", tmp_path, "--engine", "ray", "--workers", "2")
    assert done.code == 2
    assert "--workers is for --engine native" in done.err


def test_an_address_is_for_a_cluster(tmp_path: Path) -> None:
    done = geobias("count", tmp_path, "--address", "auto")
    assert done.code == 2
    assert "--address is for --engine ray" in done.err
