from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from geobias.errors import Unreachable
from geobias.http import Transient
from geobias.models.catalogue import find_model
from geobias.models.model import answered
from geobias.trials import Ask, Dialogue
from tests.servers import RawStart, completion, error
from tests.sources.standin import at_once


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stumbles is asked again at once."""
    monkeypatch.setattr("geobias.http.sleep", at_once)


def reply_of(server: Any) -> str:
    async def once() -> str:
        model = find_model(server.url)
        try:
            ask = Ask(dialogue=Dialogue().user("Is it?"))
            return (await answered(model, ask)).text
        finally:
            await model.close()

    return asyncio.run(once())


def test_a_model_that_stumbles_is_asked_again(raw_server: RawStart) -> None:
    said = iter([error(503, "busy"), error(503, "busy"), completion("Yes.")])
    assert reply_of(raw_server(lambda request: next(said))) == "Yes."


def test_a_model_that_never_answers_is_said_to_be_out_of_reach(raw_server: RawStart) -> None:
    asked: list[object] = []

    def busy(request: object) -> bytes:
        asked.append(request)
        return error(503, "busy", "Retry-After: 0")

    with pytest.raises(Unreachable, match="busy"):
        reply_of(raw_server(busy))
    assert len(asked) == 4


def test_a_call_that_never_reached_the_server_is_not_billed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("geobias.http.CONNECT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port: int = full.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):  # it takes no other

            async def once() -> None:
                model = find_model(f"http://127.0.0.1:{port}/v1/m", timeout_seconds=77)
                try:
                    await model.answer(Ask(dialogue=Dialogue().user("Is it?")))
                finally:
                    await model.close()

            with pytest.raises(Transient, match=r"cannot reach .* within 0.2 s") as trouble:
                asyncio.run(once())
    assert (trouble.value.kind, trouble.value.may_be_billed) == ("no connection", False)
