"""Requests that cannot be met: one sentence each, exit code 2, nothing printed, nothing made."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from geobias import run as made
from geobias.cli import COMMANDS
from geobias.probes import worldbench
from geobias.probes.registry import find_probe, plan_of
from geobias.runfile import Manifest, RunWriter
from tests.cli.running import Done, geobias
from tests.wording import reads_as

LINES = Path(__file__).parents[1] / "data" / "refused.txt"
"""What is typed. `x.geobias` is a run of worldbench, `names.geobias` one of namebbq, and
`rivers.geobias` one of a probe that is not installed."""

TEXTS = {
    "text.txt": "mine\n",
    "one.jsonl": '{"indicator": "population", "country": "Kenya", "reply": "53 million"}\n',
    "other.csv": "indicator,iso3,edition,2022\npopulation,KEN,1,5\n",
    "negative.csv": "indicator,iso3,edition,2021,2022\npopulation,UGA,2024,-2,2\n",
    "own.toml": 'question = "{phrase} {country}"\n',
    "misspelt.toml": "[max]\nworldbench.eror = 0.01\n",
    "worse.toml": "[worse]\nworldbench.error = 0.01\n",
    "other.toml": "[max]\nnamebbq.accuracy = 0.4\n",
    "widest.toml": "[worse]\nworldbench.region_disparity = 1\n",
    "gate.toml": """
        models = ["sim/fair"]
        probes = ["worldbench"]
        gate = "worse.toml"
        baseline = "x.geobias"
        [worldbench]
        ground_truth = "latest"
        """,
    "life.toml": '[life]\ncode = "SP.DYN.LE00.IN"\nphrase = "life expectancy"\nunit = "years"\n',
    "life.csv": """"Data Source","World Development Indicators",

"Last Updated Date","2026-01-28",

"Country Name","Country Code","Indicator Name","Indicator Code","2021","2022",
"Kenya","KEN","Life expectancy","SP.DYN.LE00.IN","61.4","62.1",
""",
}


def typed() -> dict[str, list[str]]:
    """Command → the lines with it; words that are no command stand under the empty one."""
    found: dict[str, list[str]] = {}
    for line in LINES.read_text("utf-8").splitlines():
        command = line.partition(" ")[0]
        known = command in COMMANDS or " " in line
        found.setdefault(command if known else "", []).append(line)
    return found


def contents(folder: Path) -> dict[Path, bytes]:
    """What stands in each file; run files note that a command opened them."""
    return {
        path: b"" if path.suffix == ".geobias" else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the lines name."""
    folder = tmp_path_factory.mktemp("refused")
    few = worldbench.plan(indicators=["gdp", "population"], countries="KEN;NGA;GHA;FRA;DEU;ITA")
    made([few], "sim/biased", folder / "x.geobias")
    made([plan_of(find_probe("namebbq"), {"names": 0})], "sim/fair", folder / "names.geobias")
    rivers = Manifest(geobias="0", created="now", probes={"rivers": {}}, models={"model": "m"})
    RunWriter.open(folder / "rivers.geobias", rivers).close()
    (folder / "empty").mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "bytes.zip").write_bytes(b"PK\x03\x04\xff\xfe")
    scored = ("score", "worldbench", "--predictions", "one.jsonl", "--to", "scored.geobias")
    assert geobias(*scored, cwd=folder).code == 0
    return folder


@pytest.mark.parametrize("command", typed())
def test_what_is_refused_gets_a_sentence_and_makes_nothing(command: str, folder: Path) -> None:
    before = contents(folder)
    said: dict[str, str] = {}
    odd: list[tuple[str, Done]] = []
    for line in typed()[command]:
        done = geobias(*shlex.split(line), cwd=folder)
        said[line] = done.err.splitlines()[-1].removeprefix("Error: ").removeprefix("geobias: ")
        if (done.code, done.out) != (2, "") or "Traceback" in done.err:
            odd.append((line, done))
    reads_as(f"Refused by geobias {command}".strip(), said)
    assert odd == []
    assert contents(folder) == before


def test_an_option_that_is_none_is_not_taken_for_a_command() -> None:
    assert "No such option" in geobias("--verison").err
