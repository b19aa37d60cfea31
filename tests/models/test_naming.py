"""A model is a name, and not an address: what it is called, reached by and asked with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from geobias import Options, api
from geobias.api.config import config_from, model_entry
from geobias.errors import BadRunFile, BudgetReached, MissingPart
from geobias.models.catalogue import find_model
from geobias.models.naming import ModelEntry
from geobias.probes import namebbq, worldbench
from geobias.untrusted import Json, toml_value
from tests.cli.running import geobias
from tests.servers import ChatStart, RawStart, completion

COUNTRIES = ["BRA", "CHN", "FRA", "KEN"]
PLAN = worldbench.plan(indicators=["gdp"], countries=COUNTRIES)
FEW = ("--indicators", "gdp", "--countries", ",".join(COUNTRIES))


def run(entry: ModelEntry, path: Path, **options: Any) -> api.Result:
    chosen = Options(entries={entry.shown: entry}, **options)
    return api.run([PLAN], entry.shown, path, options=chosen)


def test_a_run_is_resumed_where_its_server_has_moved(chat_server: ChatStart, path: Path) -> None:
    for limit in (2, None):  # another port each time
        url, _ = chat_server("sim/fair")
        entry = ModelEntry(url, label="ours")
        if limit:
            with pytest.raises(BudgetReached):
                run(entry, path, max_calls=limit)
        else:
            assert run(entry, path).counts["worldbench"].calls == len(COUNTRIES) - 2
    assert b"127.0.0.1" not in path.read_bytes()


def test_what_an_entry_says_is_sent(
    raw_server: RawStart, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("OUR_TEAM", "team-secret-0123456789")
    server = raw_server(completion("1 sk-secret-0123456789 team-secret-0123456789"))
    entry = ModelEntry(
        server.url,
        label="ours",
        key_env="OUR_KEY",
        headers={"X-Team": "$OUR_TEAM", "X-Plain": "1"},
        extra={"chat_template_kwargs": {"thinking": True}},
        effort="high",
        thinking=1000,
    )
    run(entry, path)
    asked, head = server.requests[0], server.headers[0]
    assert asked["chat_template_kwargs"] == {"thinking": True}
    assert (asked["reasoning_effort"], asked["max_tokens"]) == ("high", 1048)
    assert "Bearer sk-secret-0123456789" in head
    assert "team-secret-0123456789" in head
    assert b"secret" not in (path).read_bytes()


def test_a_model_that_is_asked_otherwise_is_another_run(
    chat_server: ChatStart, tmp_path: Path
) -> None:
    url, server = chat_server("sim/fair")
    run(ModelEntry(url, label="ours"), tmp_path / "r.geobias")
    other = ModelEntry(url, label="ours", extra={"top_p": 0.5})
    with pytest.raises(BadRunFile, match="holds another run"):
        run(other, tmp_path / "r.geobias")
    before = server.calls
    run(other, tmp_path / "s.geobias")  # nor are its replies those of the first
    assert server.calls - before == len(COUNTRIES)


def test_its_own_price_goes_before_the_tables_and_each_probe_has_its_own_cost(
    chat_server: ChatStart, path: Path
) -> None:
    url, _ = chat_server("sim/fair")
    entry = ModelEntry(url, label="ours", price=(1.0, 2.0))
    options = Options(entries={"ours": entry})
    made = api.run([namebbq.plan(names=0), PLAN], "ours", path, options=options)
    assert made.counts.keys() == {"namebbq", "worldbench"}
    for counts in made.counts.values():
        tokens = (counts.tokens_in or 0) + 2 * (counts.tokens_out or 0)
        assert counts.cost == pytest.approx(tokens / 1e6)


def test_an_entry_on_the_command_line_names_the_run_and_its_price_by_its_label(
    chat_server: ChatStart, tmp_path: Path
) -> None:
    url, _ = chat_server("sim/fair")
    ours = f'{{ label = "ours", url = "{url}", price = [1, 2] }}'
    words = (ours, *FEW, "--max-cost", 1)
    done = geobias("run", "worldbench", *words, cwd=tmp_path)
    assert done.code == 0, done.err
    assert ", $0.0" in done.out
    [path] = (tmp_path / "geobias-runs").iterdir()
    assert path.name.startswith("worldbench-ours")
    with api.open_run(path) as reader:
        assert reader.manifest().models == {"model": "ours"}


ENTRY = '{ label = "ours", url = "http://127.0.0.1:1/v1", name = "m", headers = { X-Team = "$A" } }'


def test_an_entry_is_the_same_in_a_file_as_on_the_command_line() -> None:
    entry = model_entry(ENTRY)
    assert (entry.name, entry.shown) == ("http://127.0.0.1:1/v1/m", "ours")
    config = config_from({"models": [toml_value(f"one = {ENTRY}", Json)["one"]]})
    assert config.models == (entry,)


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(MissingPart, match="NOBODYS_KEY is not set"):
        find_model(ModelEntry("http://127.0.0.1:1/v1/m", key_env="NOBODYS_KEY"))
