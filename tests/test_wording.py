"""The file of what users read has nothing that no test makes."""

from __future__ import annotations

import re
from pathlib import Path

from tests.wording import sections

TESTS = Path(__file__).parent


def test_every_heading_of_the_wording_is_that_of_a_test() -> None:
    tests = "".join(path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
    made = re.findall(r'reads_as\(\s*(f?)"([^"{]*)', tests)
    whole = {heading for with_more, heading in made if not with_more}
    begun = tuple(heading.strip() for with_more, heading in made if with_more)
    assert [one for one in sections() if one not in whole and not one.startswith(begun)] == []
