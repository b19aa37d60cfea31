"""One file for an audit: what it may say, and how mistakes are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from geobias.api.config import AuditConfig, config_from, read_document
from geobias.errors import BadRequest
from tests.cli.running import geobias
from tests.wording import reads_as

COUNTRIES = 'countries = ["FRA", "ITA", "KEN", "UGA"]'
WHOLE = f"""
models = ["sim/fair", {{ name = "sim/biased" }}]
probes = ["worldbench"]
size = "quick"
out = "audits"
gate = "limits.toml"
undecided = "fail"

[limits]
max_calls = 500

[worldbench]
indicators = ["gdp"]
{COUNTRIES}

"""
LIMITS = '[max]\n"worldbench.error" = 0.01\n'


def test_a_file_runs_the_models_writes_the_outputs_and_holds_the_gate(tmp_path: Path) -> None:
    (tmp_path / "audit.toml").write_text(WHOLE, "utf-8")
    (tmp_path / "limits.toml").write_text(LIMITS, "utf-8")
    done = geobias("audit", "--config", "audit.toml", cwd=tmp_path)
    assert done.code == 1
    assert "2 fail" in done.out
    made = {path.name for path in (tmp_path / "audits").iterdir()}
    assert {"report.html", "report.json"} <= made
    assert sum(name.endswith(".geobias") for name in made) == 2
    for name in ("audits/report.html", "audits/report.json"):
        assert name in done.out


def test_options_go_before_the_file(tmp_path: Path) -> None:
    (tmp_path / "audit.toml").write_text(WHOLE.replace(COUNTRIES, ""), "utf-8")
    (tmp_path / "limits.toml").write_text(LIMITS, "utf-8")
    words = ("--config", "audit.toml", "--size", "standard", "--dry-run", "--json")
    found = geobias("audit", "sim/fair", *words, cwd=tmp_path).json()
    assert [one["model"] for one in found["models"]] == ["sim/fair"]
    assert found["models"][0]["probes"][0]["calls"] > 30


MISTAKES = (
    "modles = []",
    'models = "sim/fair"',
    'models = [{ nam = "x" }]',
    'models = [{ name = "x", answer_format = "jsn" }]',
    'models = [{ name = "x", effort = "meduim" }]',
    'models = [{ name = "x", url = "10.0.0.7:8000" }]',
    "models = [{}]",
    "worldbench = 3",
    "judge = 3",
    "models = [1]",
    'models = ["http://u:pw@127.0.0.1/v1/m"]',
    'models = [{ name = "https://h/v1/m?key=x" }]',
    'probes = ["worldbank"]',
    'size = "huge"',
    "repeats = 0",
    "repeats = [1]",
    "batch = 1",
    "seed = 99999999999999999999",
    'out = "a\\u0000b"',
    "[limits]\nmax_cots = 1",
    "[limits]\nmax_calls = 1.5",
    "[limits]\nmax_cost = nan",
    "[limits]\nmax_cost = 0.0",
    "[limits]\nconcurrency = 0",
    "[worldbench]\nindicator = 1",
    "[worldbench]\ncountries = 5",
    "[worldbench]\nfigures = 5",
    "[worldbench]\nseed = 1979-05-27",
    '[geo20q]\nturns = "many"',
    "gate = 3",
    'gate = "nothing.toml"',
    'undecided = "maybe"',
)


def test_a_mistake_is_one_sentence_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "audit.toml"
    said: dict[str, str] = {}
    for text in MISTAKES:
        file.write_text(text, "utf-8")
        with pytest.raises(BadRequest) as caught:
            read_document(file)
        assert str(caught.value).startswith(str(file))
        said[text.replace("\n", " ")] = str(caught.value).removeprefix(f"{file}: ")
    reads_as("Refused in an audit's file", said)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
NESTED = SCALARS | st.lists(SCALARS, max_size=2)
WORDS = "models probes out size repeats seed system judge limits gate worldbench batch"
KEYS = st.sampled_from([*WORDS.split(), "geo20q", "temperature"])


@given(table=st.dictionaries(KEYS, NESTED | st.dictionaries(st.text(max_size=6), NESTED)))
@example(table={"out": None})
def test_any_table_is_an_audit_or_a_plain_sentence(table: dict[str, Any]) -> None:
    said = ""
    try:
        assert isinstance(config_from(table), AuditConfig)
    except BadRequest as why:
        said = str(why).strip()
    assert "\n" not in said or "\n" in str(table)


def test_a_dry_run_asks_nothing_and_ends_with_the_command_that_asks(tmp_path: Path) -> None:
    words = ("--probes", "namebbq", "--batch", "--max-cost", "0.001", "--out", tmp_path)
    done = geobias("audit", "openai/gpt-4o-mini", "openai/gpt-4o", *words, "--dry-run")
    assert done.code == 0
    assert done.out.count("in batches") == 3
    typed = f"--probes namebbq --batch --max-cost 0.001 --out {tmp_path}"
    assert done.out.endswith(f"\n  geobias audit openai/gpt-4o-mini openai/gpt-4o {typed}\n")
    assert not [*tmp_path.iterdir()]


def test_probabilities_are_read_by_the_probes_that_can(tmp_path: Path) -> None:
    words = ("sim/fair", "--read", "logprobs", "--probes", "worldbench,ratings")
    out = tmp_path / "plan.md"
    assert geobias("plan", "audit", *words, "--preregister", out).code == 0
    worldbench, ratings = out.read_text("utf-8").split("### Ratings")
    assert "Read: logprobs" not in worldbench
    assert "Read: logprobs" in ratings
