from __future__ import annotations

import pytest

from geobias.cli import COMMANDS, GROUPS
from tests.cli.running import geobias


def test_the_help_has_every_command_in_one_group() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)


def test_a_run_is_cited_with_the_papers_of_its_probes_alone(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    import geobias as api
    from geobias.probes import worldbench

    path = tmp_path_factory.mktemp("runs") / "r.geobias"
    api.run([worldbench.plan(indicators=("population",))], "sim/fair", path)
    text = geobias("cite", path).out
    assert "moayeri2024" in text
    assert "pelosio2025" not in text
    everything = geobias("cite").out
    assert "pelosio2025" in everything
    assert "parrish2022" in everything
