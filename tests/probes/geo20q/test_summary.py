from __future__ import annotations

from geobias.probes.geo20q.findings import summary
from geobias.probes.geo20q.probe import Geo20Q
from tests.probes.geo20q.games import games_of, planted


def test_scores_stand_for_all_and_for_each_half() -> None:
    table = summary(Geo20Q().in_brief(games_of(planted(0.7, 0.2, each=4))).section)
    assert [row["games"] for row in table.rows] == [
        "people canonical all", "people canonical North", "people canonical South",
    ]  # fmt: skip
