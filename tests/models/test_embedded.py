"""The embedded model is a real model: these tests load it and ask it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from geobias.errors import BadRequest
from geobias.models.catalogue import find_model
from geobias.models.embedded import EmbeddedModel, fingerprint, shipped_weights
from geobias.runfile import RunReader
from geobias.trials import Ask, Dialogue
from tests.engine.runs import game, outcomes, question, run
from tests.servers import RawStart


def embedded() -> EmbeddedModel:
    found = find_model("embedded?slots=2&context=512")
    assert isinstance(found, EmbeddedModel)
    return found


@pytest.fixture(scope="module", autouse=True)
def one_core() -> Iterator[None]:
    """A model's threads wait for each other: on cores that other tests fill, this takes long."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    yield
    os.sched_setaffinity(0, cores)


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a question, one that does not fit, and two games: loading the weights takes longer
    than all of them."""
    path = tmp_path_factory.mktemp("embedded") / "r.geobias"
    words = "What is the capital of France? Answer with one word."
    questions = [question("fits", words, max_tokens=12), question("long", "word " * 2000)]
    games = [game(f"game {n}", 2, f"Name an animal. {n}", max_tokens=2) for n in range(2)]
    run([*questions, *games], embedded(), path)
    return path


def test_it_answers_in_words_and_counts_its_tokens(answered: Path) -> None:
    with RunReader(answered) as reader:
        reply = dict(reader.replies())["fits"]
    assert "Paris" in reply.text
    assert (reply.tokens_in or 0) > 10
    assert 0 < (reply.tokens_out or 0) <= 12
    assert reply.model == "embedded/smollm2-135m-instruct"


def test_a_dialogue_that_does_not_fit_is_an_outcome(answered: Path) -> None:
    assert outcomes(answered)["long"] == "too_long"


def test_it_plays_games_in_the_engine(answered: Path) -> None:
    assert [outcomes(answered)[f"game {n}"] for n in range(2)] == ["read"] * 2


def test_its_name_does_not_depend_on_where_the_weights_lie(tmp_path: Path) -> None:
    weights = shipped_weights()
    link = tmp_path / weights.name
    link.symlink_to(weights)
    assert find_model(f"embedded:{link}").name == f"embedded:{weights.name}#{fingerprint(weights)}"


def test_weights_that_do_not_load_are_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(1000))
    found = find_model(f"embedded:{broken}")
    assert isinstance(found, EmbeddedModel)
    with pytest.raises(BadRequest, match=r"cannot load broken\.gguf"):
        asyncio.run(found.answer(Ask(dialogue=Dialogue().user("hello"))))


def test_a_machine_too_slow_to_try_slots_uses_one(
    raw_server: RawStart, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("geobias.models.embedded.TRIAL_SECONDS", 0.02)
    never = raw_server(lambda _: time.sleep(0.3), threaded=True)
    assert asyncio.run(embedded()._fastest(never.url.removesuffix("/raw"))) == 1
