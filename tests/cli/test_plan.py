from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from geobias.probes.namebbq.probe import NameBBQ
from geobias.probes.registry import all_probes
from tests.cli.running import Done, geobias
from tests.servers import RawStart, thinker


def test_a_plan_says_what_it_costs_what_it_detects_and_what_it_assumes() -> None:
    words = ("--size", "standard", "--gap", "0.3", "--model", "openai/gpt-4o-mini")
    out = geobias("plan", "worldbench", *words).out
    assert max(map(len, out.splitlines())) <= 80
    for part in ("534 trials", "1,068 calls", "0.03", "minute", "51 countries", "(an assumption)"):
        assert part in " ".join(out.split()), part


def test_a_gap_that_no_number_of_questions_shows_is_said() -> None:
    words = ("plan", "worldbench", "--size", "standard", "--gap", "0.02")
    plan = geobias(*words, "--json").json()
    needed = plan["sizes"]["standard"]["needed"]
    assert needed["items"] is None
    assert needed["best"] < plan["power"]
    assert f"{needed['best']:.0%}" in geobias(*words).out


def test_a_plan_costs_the_judges_questions_that_there_are_and_not_those_wanted() -> None:
    words = ("--entities", "Taj Mahal,Eiffel Tower", "--judge-questions", "5000")
    found = geobias("plan", "geo20q", *words, "--json").json()
    [part] = found["models"][0]["probes"]
    assert part["trials"] < 100
    assert 0 < part["calls"] <= part["between"][1]


def test_games_are_planned_for_the_test_of_people_that_are_known() -> None:
    words = ("plan", "geo20q", "--size", "standard", "--gap", "0.2")
    assert "it knows" in " ".join(geobias(*words).out.split())
    assert "geo20q      no test: " in geobias(*words, "--type", "things").out


def test_a_plan_has_its_cost_in_json_without_a_model_too() -> None:
    found = geobias("plan", "worldbench", "--json").json()
    [part] = found["models"][0]["probes"]
    assert part["calls"] == part["between"][0]  # few replies are asked about again
    assert part["usd"] is None
    assert "--model NAME" in geobias("plan", "worldbench").out


def test_a_probe_without_a_test_says_so_in_its_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    untested = tuple(replace(one, primary="") for one in NameBBQ.measures)
    monkeypatch.setattr(NameBBQ, "measures", untested)
    assert "no test" in geobias("plan", "namebbq").out


def test_a_plan_answers_which_size_shows_a_gap() -> None:
    seen = geobias("plan", "geo20q", "--gap", "0.2", "--json").json()["sizes"]
    assert "try --size standard" in seen["quick"]["no_test"], "quick has too few people"
    assert 0 < seen["standard"]["power_of_plan"] < 1
    gap = ("plan", "worldbench", "--gap", "0.1")
    seen = geobias(*gap, "--json").json()["sizes"]
    assert seen["standard"]["power_of_plan"] < 0.8 < seen["paper"]["power_of_plan"]
    assert f"paper {seen['paper']['power_of_plan']:.0%} of the time" in geobias(*gap).out
    smallest = geobias("plan", "worldbench", "--json").json()["sizes"]
    gaps = [smallest[size]["smallest_gap"] for size in ("quick", "standard", "paper")]
    assert gaps == sorted(gaps, reverse=True)


def test_a_comparison_of_two_models_is_planned_for_a_change() -> None:
    words = ("plan", "compare", "worldbench", "--size", "standard", "--change")
    gap, mean = geobias(*words, "0.05", "--json").json()
    assert gap["power_of_plan"] < mean["power_of_plan"] < 1, "a mean is known better than a gap"
    need = geobias(*words, "0.2", "--json").json()[1]["needed"]
    assert need["items"] * need["units"] < 534
    out = geobias(*words, "0.05").out
    assert "err independently" in out
    assert max(map(len, out.splitlines())) <= 80


def test_repeats_of_an_entity_are_no_new_games_to_a_plan() -> None:
    words = ("plan", "geo20q", "--size", "standard", "--gap", "0.15", "--json")
    once, often = (geobias(*words, *more).json() for more in ((), ("--repeats", "5")))
    assert often["sizes"]["standard"] == once["sizes"]["standard"]


def test_an_audit_is_planned_in_one_table_that_fits_a_terminal() -> None:
    out = geobias("plan", "audit", "--size", "standard", "--model", "openai/gpt-4o-mini").out
    assert max(map(len, out.splitlines())) <= 80
    for probe in ("worldbench", "namebbq", "geo20q", "ratings"):
        assert len(re.findall(rf"^ *{probe} ", out, re.M)) == 2
    assert "among 4 primary" in out


def test_what_an_audit_will_test_is_written_down_beforehand(tmp_path: Path) -> None:
    out = tmp_path / "plan.md"
    assert (
        geobias("plan", "audit", "sim/fair", "--size", "standard", "--preregister", out).code == 0
    )
    text = out.read_text("utf-8")
    for name, probe in all_probes().items():
        assert f"### {probe.title}" in text
        assert f"- Number: `{name}." in text
    assert text.count("interest: 0.05") == 3
    assert "interest: 0.50" in text, "ratings: a twentieth of 9.9"
    assert "models: sim/fair" in text
    assert "which decide nothing: `worldbench.error`, `worldbench.error_median`" in text
    assert text.count("- Settings: Size: standard; Repeats: 1; Temperature: 0.0; Seed: 0") == 4


def test_an_audit_in_json_adds_up_and_says_where_there_is_no_test() -> None:
    found = geobias("plan", "audit", "--probes", "geo20q,namebbq", "--json").json()["models"][0]
    calls = [row["calls"] for row in found["probes"]]
    assert (sum(calls), found["total"]["usd"]) == (found["total"]["calls"], None)
    second, first = found["probes"]
    assert first["sight"]["smallest_gap"] is None
    assert first["sight"]["no_test"]
    assert 0 < second["sight"]["smallest_gap"] < 1


RUN = ("--probes", "worldbench", "--size", "standard", "--out", "runs")


def test_a_plan_counts_the_reasoning_that_is_known_of_a_model() -> None:
    usual, told, reasons = (
        geobias("plan", "worldbench", "--model", model, *more, "--json").json()["all"]
        for model, more in (
            ("openai/gpt-4o", ()),
            ("openai/gpt-4o", ("--thinking", "1000")),
            ("openai/o3", ()),
        )
    )
    assert told["tokens_out"] == usual["tokens_out"] + 1000 * usual["calls"]
    assert told["seconds"] > 10 * usual["seconds"]
    assert reasons["tokens_out"] == usual["tokens_out"] + 4096 * usual["calls"]


def thinks_and_rambles(request: dict[str, Any]) -> bytes:
    """Half of its replies cannot be read, and are asked about again."""
    rambles = crc32(json.dumps(request["messages"]).encode()) % 2
    return thinker(3000, 9000, "Well, who can say" if rambles else "42")(request)


@pytest.mark.parametrize(
    "model", [thinker(3000, 9000), thinks_and_rambles], ids=["thinks", "thinks and rambles"]
)
def test_after_fifty_answers_the_price_is_known_within_a_quarter_and_in_the_end_none_is_left(
    raw_server: RawStart, tmp_path: Path, model: Callable[[dict[str, Any]], bytes]
) -> None:
    server = raw_server(model)
    priced = f'{{ label = "ours", name = "{server.url}", price = [1, 10] }}'
    begun = geobias("audit", priced, *RUN, "--max-calls", "60", cwd=tmp_path)
    assert begun.code == 3, begun.err
    planned = geobias("audit", priced, *RUN, "--dry-run", "--json", cwd=tmp_path).json()
    said = geobias("audit", priced, *RUN, "--dry-run", cwd=tmp_path).out
    assert "60 calls" in said, "those cut off too"
    assert "no price is known" not in said
    done = geobias("audit", priced, *RUN, cwd=tmp_path)
    assert done.code == 0, done.err
    [run] = (tmp_path / "runs").glob("*.geobias")
    paid = float(re.findall(r"out, \$([\d.]+)", geobias("show", run).out)[-1])
    spent = planned["models"][0]["spent"]["usd"]
    assert 0 < spent < paid
    assert planned["all"]["usd"] == pytest.approx(paid - spent, rel=0.25)
    ended = geobias("audit", priced, *RUN, "--dry-run", "--json", cwd=tmp_path).json()
    assert (ended["all"]["calls"], ended["all"]["usd"]) == (0, 0.0)
    assert ended["models"][0]["spent"]["usd"] == pytest.approx(paid, abs=0.01)


@pytest.mark.parametrize(
    "model", ["openai/gpt-4o-mini", '{ label = "ours", name = "openai/gpt-4o-mini" }']
)
def test_a_plan_in_batches_costs_half_whatever_the_model_is_called(model: str) -> None:
    words = ("plan", "audit", model, "--probes", "namebbq")
    single, batch = (geobias(*words, *more, "--json").json() for more in ((), ("--batch",)))
    assert batch["all"]["usd"] == pytest.approx(single["all"]["usd"] / 2)
    one_probe = ("plan", "namebbq", "--model", model)
    for command in (words, one_probe):
        assert ", in batches" in geobias(*command, "--batch").out


def test_a_dry_run_counts_what_games_have_cost_and_have_yet_to_cost(tmp_path: Path) -> None:
    (tmp_path / "audit.toml").write_text(
        'models = ["sim/?play=0.9"]\nprobes = ["geo20q"]\n[geo20q]\njudge_questions = 0\n'
        'entities = "Toyota,Mariah Carey,Taj Mahal,Eiffel Tower"\n'
    )

    def audit(*words: str, code: int = 0) -> Done:
        done = geobias("audit", "--config", "audit.toml", *words, cwd=tmp_path)
        assert done.code == code, done.err
        return done

    before = audit("--dry-run", "--json").json()
    audit("--max-calls", "75", code=3)
    begun = audit("--dry-run", "--json").json()
    [model] = begun["models"]
    assert model["probes"][0]["taken"] < 4 + 4
    planned = begun["all"]["calls"] + model["spent"]["calls"]
    assert planned == pytest.approx(before["all"]["calls"], rel=0.25)
    audit()
    ended = audit("--dry-run", "--json").json()
    [run] = (tmp_path / "geobias-runs").glob("*.geobias")
    made = geobias("show", run, "--json").json()["spent"]
    assert ended["all"]["calls"] == 0
    assert ended["models"][0]["spent"]["calls"] == sum(one["calls"] for one in made.values())


def test_the_judges_calls_have_the_judges_price(tmp_path: Path) -> None:
    cheap, judge = (
        f'{{ label = "m{price}", name = "vllm/m", price = [{price}, {price}] }}'
        for price in (1, 1000)
    )

    def priced(model: str, *words: str) -> dict[str, Any]:
        done = geobias("plan", "geo20q", "--model", model, *words, "--json", cwd=tmp_path)
        found: dict[str, Any] = done.json()["all"]
        return found

    own, judged, dear = priced(cheap), priced(cheap, "--judge", judge), priced(judge)
    assert own["usd"] < judged["usd"] < dear["usd"]
    audit = ("plan", "audit", cheap, "--probes", "geo20q", "--judge")
    other = "http://127.0.0.1:1/v1/m"
    assert f"no price is known for {other}" in geobias(*audit, other, cwd=tmp_path).out


def test_a_model_with_an_effort_is_planned_to_think() -> None:
    table = '{ name = "http://127.0.0.1:1/v1/m", effort = "medium", price = [1.0, 4.0] }'
    plain = '{ name = "http://127.0.0.1:1/v1/m", price = [1.0, 4.0] }'
    words = ("plan", "worldbench", "--json", "--model")
    usual, by_table, by_option = (
        geobias(*words, *more).json()["all"]
        for more in ((plain,), (table,), (plain, "--effort", "low"))
    )
    thought = 4096 * usual["calls"]
    assert by_table["tokens_out"] == by_option["tokens_out"] == usual["tokens_out"] + thought
    assert "assumed: 4,096 tokens" in geobias("plan", "audit", table).out


def test_the_time_of_an_audit_follows_the_number_of_calls_at_once(tmp_path: Path) -> None:
    words = ("audit", "sim/fair", "--out", tmp_path, "--dry-run")
    usual = geobias(*words, "--json").json()["all"]["seconds"]
    few = geobias(*words, "--concurrency", "4", "--json").json()["all"]["seconds"]
    assert few == pytest.approx(4 * usual)


def test_a_plan_names_the_income_groups_that_it_tests() -> None:
    out = " ".join(geobias("plan", "worldbench", "--size", "quick").out.split())
    assert out.count("between lower-middle-income and rich countries") == 2
