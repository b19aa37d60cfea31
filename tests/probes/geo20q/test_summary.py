from __future__ import annotations

from geobias.probes.geo20q.findings import summary
from tests.probes.geo20q.games import found_in, planted


def test_scores_stand_for_all_and_for_each_half() -> None:
    table = summary(found_in(planted(0.7, 0.2, each=4)).section)
    assert [row["games"] for row in table.rows] == [
        "people canonical all", "people canonical North", "people canonical South",
    ]  # fmt: skip
