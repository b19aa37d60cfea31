"""What lists of runs and of trials say."""

from __future__ import annotations

from pathlib import Path

import geobias
from geobias.probes import geo20q
from geobias.view.browsing import facets
from geobias.view.run_list import progress


def test_questions_beside_games_are_counted_apart_from_them(tmp_path: Path) -> None:
    plan = geo20q.plan(size="quick", entities="Mount Kenya, Eiffel Tower")
    path = geobias.run([plan], "sim/fair", tmp_path / "run.geobias").path
    games, judge, known = progress("run", path).parts
    assert games == ("geo20q", 2, 2)
    name, done, planned = judge
    assert name == "geo20q_judge"
    assert done == planned > 2
    assert known == ("geo20q_knowledge", 2, 2)


def test_groups_stand_in_their_natural_order_and_countries_by_name() -> None:
    counted = {
        "income": [("High income", 9), ("Lower middle income", 5), ("Low income", 3)],
        "country": [("Cyprus", 7), ("Côte d'Ivoire", 2)],
    }
    shown = {name: [value for value, _ in values] for name, values in facets(counted, {}).items()}
    assert shown["income"] == ["Low income", "Lower middle income", "High income"]
    assert shown["country"] == ["Côte d'Ivoire", "Cyprus"]
