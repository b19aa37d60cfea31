from __future__ import annotations

import pytest

from geobias.cli import COMMANDS, GROUPS
from tests.cli.running import geobias


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("reprot",), "No such command 'reprot'. Did you mean report"),
        (("worldbnech",), "Did you mean worldbench"),
        (("zzzzzzzz",), "No such command 'zzzzzzzz'."),
        (("run", "namebq", "sim/fair"), "Did you mean namebbq"),
        (("run", "worldbench", "opnai/gpt-4o-mini"), "Did you mean openai/gpt-4o-mini"),
        (("run", "worldbench", "embeded"), "Did you mean embedded?"),
        (("run", "worldbench", "sim/fiar"), "Did you mean sim/fair?"),
        (("run", "worldbench", "sim/?gpa=1"), "Did you mean gap?"),
        (("run", "worldbench", "gpt-4o"), "Did you mean openai/gpt-4o?"),
        (("audit", "claude-opus-5", "--dry-run"), "Did you mean anthropic/claude-opus-5?"),
        (("plan", "audit", "opnai/gpt-4o"), "Did you mean openai/gpt-4o?"),
        (("audit", "sim/fair", "--judge", "sim/fiar", "--dry-run"), "Did you mean sim/fair?"),
        (("audit", "sim/fair", "--size", "standrd"), "Did you mean standard?"),
        (("audit", "sim/fair", "--probes", "worldbank"), "Did you mean worldbench?"),
        (("run", "worldbench", "sim/fair", "--indicators", "gpd"), "Did you mean gdp?"),
        (("run", "worldbench", "sim/fair", "--regions", "South Aisa"), "Did you mean South Asia"),
        (("run", "ratings", "sim/fair", "--topics", "inteligence"), "Did you mean intelligence?"),
        (("report", "example", "--format", "jsn"), "Did you mean json?"),
    ],
)
def test_a_mistyped_name_is_answered_with_what_was_meant(words: tuple[str, ...], says: str) -> None:
    done = geobias(*words)
    assert done.code == 2
    assert says in done.err


def test_an_option_that_is_none_is_not_taken_for_a_command() -> None:
    assert "No such option" in geobias("--verison").err


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
