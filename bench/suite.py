"""What the tests cost, file by file: seconds of the processor, which a busy machine leaves alone.

    python bench/suite.py [--least 1] [FOLDER_OR_FILE …]

In one process, file after file. What a test's own processes took counts once they have ended; a
browser counts with the file whose last test closes it. Whoever makes the suite faster begins at the
top of the table.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest


def used() -> float:
    """Seconds of the processor so far, by this process and by those it has waited for."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


class Meter:
    """What every test takes, with what it sets up and clears away."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.tests: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        before = used()
        try:
            return (yield)
        finally:
            file = item.nodeid.partition("::")[0]
            self.seconds[file] += used() - before
            self.tests[file] += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", default=["tests"])
    parser.add_argument("--least", type=float, default=1.0, help="seconds from which a file counts")
    given = parser.parse_args()
    meter = Meter()
    code = pytest.main(["-q", "-p", "no:xdist", *given.paths], plugins=[meter])
    print(f"\n{'seconds':>8} {'tests':>6}  file")
    for file, seconds in sorted(meter.seconds.items(), key=lambda one: -one[1]):
        if seconds >= given.least:
            print(f"{seconds:8.1f} {meter.tests[file]:6}  {file}")
    print(f"{sum(meter.seconds.values()):8.1f} {meter.tests.total():6}  all")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
