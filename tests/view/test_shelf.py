"""How far runs are, as the list of runs tells it."""

from __future__ import annotations

from pathlib import Path

import geobias
from geobias.probes import geo20q
from geobias.view.shelf import progress


def test_questions_beside_games_are_counted_apart_from_them(tmp_path: Path) -> None:
    plan = geo20q.plan(size="quick", entities="Mount Kenya, Eiffel Tower")
    path = geobias.run([plan], "sim/fair", tmp_path / "run.geobias").path
    games, judge, known = progress("run", path)["probes"]
    assert (games["probe"], games["done"], games["planned"]) == ("geo20q", 2, 2)
    assert judge["probe"] == "geo20q_judge"
    assert judge["done"] == judge["planned"] > 2
    assert (known["probe"], known["done"], known["planned"]) == ("geo20q_knowledge", 2, 2)
