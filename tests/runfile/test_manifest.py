"""What a run cost, by whose price; and whose its records are."""

from __future__ import annotations

import pytest

from geobias.runfile import Manifest
from geobias.runfile.manifest import belongs_to


def manifest(**prices: tuple[float, float]) -> Manifest:
    models = {"model": "openai/gpt-4o", "judge": "somewhere/else"}
    return Manifest(geobias="0", created="", probes={}, models=models, prices=prices)


def test_a_role_costs_what_its_own_model_costs_or_else_what_the_model_does() -> None:
    plain, judged = manifest(model=(1.0, 2.0)), manifest(model=(1.0, 2.0), judge=(5.0, 6.0))
    assert plain.cost("guesser", 1_000_000, 1_000_000) == pytest.approx(3.0)
    assert judged.cost("judge", 1_000_000, 0) == 5.0
    assert plain.cost("judge", 1_000_000, 0) is None, "a model of its own, of unknown price"


@pytest.mark.parametrize(
    ("name", "among", "whose"),
    [
        ("geo20q_judge", ["geo20q"], "geo20q"),
        ("geo20q_judge", ["geo20q", "geo20q_judge"], "geo20q_judge"),
        ("my_own_probe_side", ["my_own_probe"], "my_own_probe"),
        ("geo20q", ["worldbench"], None),
        ("_", ["worldbench"], None),
        ("", ["worldbench"], None),
    ],
)
def test_records_belong_to_the_longest_name_they_begin_with(
    name: str, among: list[str], whose: str | None
) -> None:
    assert belongs_to(name, among) == whose
