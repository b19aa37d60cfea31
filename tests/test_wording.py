"""The file of what users read has nothing that no test makes."""

from __future__ import annotations

from pathlib import Path

from tests.wording import sections

TESTS = Path(__file__).parent


def test_every_heading_of_the_wording_is_that_of_a_test() -> None:
    tests = "".join(path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
    assert [heading for heading in sections() if f'reads_as("{heading}"' not in tests] == []
