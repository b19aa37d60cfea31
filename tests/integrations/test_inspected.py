"""A run goes on and ends well whatever its model's client does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from geobias import api
from geobias.models.catalogue import find_model
from geobias.models.model import Transient
from geobias.models.serving import ChatServer
from geobias.probes import worldbench
from geobias.trials import Ask, Dialogue
from tests.servers import HeldModel

pytestmark = pytest.mark.skipif(
    find_spec("inspect_ai") is None, reason="the extra [inspect] is not installed"
)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # tenacity, as Inspect calls it
def test_a_model_that_fails_as_it_is_closed_takes_no_record_with_it(tmp_path: Path) -> None:
    from inspect_ai.model import modelapi

    from geobias.integrations.inspect_tasks import OwnModels

    class Unwilling(OwnModels):
        async def aclose(self) -> None:
            raise OSError("the connection was closed already")

    @modelapi(name="unwilling")
    def unwilling() -> type[OwnModels]:
        return Unwilling

    plan = worldbench.plan(indicators=["gdp"])
    for done in (plan.count, 0):
        result = api.run([plan], "inspect:unwilling/sim/fair", tmp_path / "run.geobias")
        assert result.counts["worldbench"].done == done
    with api.open_run(tmp_path / "run.geobias") as run:
        assert len(list(run.records())) == plan.count
        assert all(session.ended is not None for session in run.sessions())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # tenacity, as Inspect calls it
def test_a_call_by_inspect_that_takes_too_long_is_given_up(
    chat_server: Callable[..., tuple[str, ChatServer]],
    held_model: Callable[..., HeldModel],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, _ = chat_server(held_model("sim/fair", answers=0))
    monkeypatch.setenv("LOCAL_BASE_URL", url.removesuffix("/sim"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")

    async def ask() -> None:
        model = find_model("inspect:openai-api/local/sim", timeout_seconds=0.3)
        try:
            await model.answer(Ask(dialogue=Dialogue().user("Are you there?")))
        finally:
            await model.close()

    with pytest.raises(Transient, match=r"no answer within 0.3 s") as trouble:
        asyncio.run(ask())
    assert trouble.value.kind == "timeout"
