"""Probabilities of options, in every shape that servers send, and where they send none."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import ProviderSaysNo
from geobias.models.catalogue import find_model
from geobias.models.completion import places_in
from geobias.runfile import RunReader, RunWriter
from geobias.trials import Ask, Dialogue, Reply
from geobias.trials.probabilities import weigh
from tests.defined import defined
from tests.engine.runs import MANIFEST
from tests.servers import RawStart, chat_with_logprobs, completion, error, reply_of, text_completion

LETTERS = ("a", "b", "c")
B = {"b": math.log(0.75), "a": math.log(0.25)}


def asked(spec: str, **more: Any) -> Reply:
    return reply_of(spec, Dialogue().user("Who?"), **({"options": LETTERS} | more))


@pytest.mark.parametrize(
    ("prefix", "answer"),
    [
        ("", chat_with_logprobs({"(": 0.0, "[": -9.0}, B)),
        ("completions:", text_completion(" (b)", {" (": 0.0, " [": -9.0}, B)),
        ("completions:", text_completion("b", logprobs={"content": [
            {"token": "b", "logprob": B["b"], "top_logprobs": [
                {"token": "a", "logprob": B["a"]}]}]})),
    ],
    ids=["chat", "text", "llama.cpp's text"],
)  # fmt: skip
def test_probabilities_are_found_in_every_shape(
    raw_server: RawStart, prefix: str, answer: bytes
) -> None:
    found = defined(weigh(asked(prefix + raw_server(answer).url).places, LETTERS))
    assert found.probabilities == pytest.approx({"a": 0.25, "b": 0.75, "c": 0})


def test_a_chat_asks_for_them_in_its_own_way_and_a_text_in_its(raw_server: RawStart) -> None:
    chat, text = raw_server(chat_with_logprobs(B)), raw_server(text_completion("b", B))
    asked(chat.url)
    asked(f"completions:{text.url}")
    assert (chat.requests[0]["logprobs"], chat.requests[0]["top_logprobs"]) == (True, 20)
    assert text.requests[0]["logprobs"] == 20
    assert "top_logprobs" not in text.requests[0]


@pytest.mark.parametrize(
    "words",
    [
        "Cannot request more than 5 logprobs.",
        "Invalid 'logprobs': integer above maximum value. Expected a value <= 5, but got 20.",
        "Requested sample logprobs of 20, which is greater than max allowed: 5",
    ],
)
def test_a_server_that_allows_fewer_is_asked_for_five(raw_server: RawStart, words: str) -> None:
    server = raw_server(error(400, words), text_completion("b", B))
    assert asked(f"completions:{server.url}").places
    assert [one["logprobs"] for one in server.requests] == [20, 5]


@pytest.mark.parametrize(
    "answer",
    [
        completion("(b)"),
        chat_with_logprobs({"b": 0.0}),
        error(400, "logprobs is not supported with this model"),
        error(403, "You are not allowed to request logprobs from this model"),
    ],
    ids=["says nothing", "no alternatives", "unsupported", "forbidden"],
)
def test_a_server_without_probabilities_is_told_in_one_sentence(
    raw_server: RawStart, answer: bytes
) -> None:
    with pytest.raises(ProviderSaysNo, match=r"gives no log-probabilities.* leave out --read"):
        asked(raw_server(answer).url)


def test_one_answer_without_probabilities_among_others_is_a_missing_one(
    raw_server: RawStart,
) -> None:
    server = raw_server(chat_with_logprobs(B), completion("(b)"))

    async def work() -> list[Reply]:
        model = find_model(server.url)
        try:
            dialogue = Dialogue().user("Who?")
            ask = Ask(dialogue=dialogue, options=LETTERS)
            return [await model.answer(ask), await model.answer(ask)]
        finally:
            await model.close()

    first, second = asyncio.run(work())
    assert first.places
    assert second.places == ()
    assert second.text == "(b)"


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("content", "tokens", "token_logprobs", "top_logprobs", "token", "logprob")
            ),
            inner,
        )
    ),
    max_leaves=12,
)


@given(_JSON)
def test_what_makes_no_sense_gives_nothing_and_breaks_nothing(logprobs: Any) -> None:
    for place in places_in(logprobs):
        assert place
        assert all(isinstance(text, str) and number <= 1e-3 for text, number in place)


def test_probabilities_are_kept_with_the_reply_and_taken_over_from_a_part(tmp_path: Path) -> None:
    ask = Ask(dialogue=Dialogue().user("Who?"), options=LETTERS)
    reply = Reply("b", digest=ask.digest("m"), places=((("b", -0.25), ("a", -1.5)),))
    part = RunWriter.open(tmp_path / "part.geobias", MANIFEST)
    part.save_reply(ask, reply)
    part.close()
    whole = RunWriter.open(tmp_path / "whole.geobias", MANIFEST)
    whole.absorb(tmp_path / "part.geobias")
    found = whole.find(reply.digest)
    whole.close()
    with RunReader(tmp_path / "whole.geobias") as run:
        saved = run.reply(reply.digest)
    assert defined(found).places == defined(saved).places == reply.places
