"""A run ends well whatever its model does at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from geobias import api
from geobias.probes import pilot

pytest.importorskip("inspect_ai", reason="the extra [inspect] is not installed")


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

    for done in (36, 0):
        result = api.run([pilot.plan()], "inspect:unwilling/sim/fair", tmp_path / "run.geobias")
        assert result.counts["pilot"].done == done
    with api.open_run(tmp_path / "run.geobias") as run:
        assert len(list(run.records())) == 36
        assert all(session.ended is not None for session in run.sessions())
