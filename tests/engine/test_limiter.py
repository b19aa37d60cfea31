from __future__ import annotations

import asyncio

import pytest

from geobias.engine.limiter import Limiter
from tests.waiting import PATIENCE


def settle(limiter: Limiter, windows: int, seconds: float) -> None:
    for _ in range(windows):
        for _ in range(int(limiter.limit) + 1):
            limiter.answered(seconds)


def test_good_answers_raise_the_limit_up_to_the_ceiling() -> None:
    limiter = Limiter(ceiling=20, start=4)
    settle(limiter, 100, 0.1)
    assert limiter.limit == 20


def test_an_overloaded_server_gets_fewer_calls_once_for_complaints_that_come_together() -> None:
    limiter = Limiter(ceiling=64, start=40)
    limiter.overloaded(None)
    once = limiter.limit
    assert once < 30
    limiter.overloaded(None)
    assert limiter.limit == once


def test_the_limit_never_falls_below_one_call() -> None:
    limiter = Limiter(ceiling=64, start=1)
    for _ in range(10):
        limiter._last_cut = 0
        limiter.overloaded(None)
    assert limiter.limit == 1


def test_answers_that_become_much_slower_stop_the_growth() -> None:
    limiter = Limiter(ceiling=64, start=8)
    settle(limiter, 1, 0.1)
    before = limiter.limit
    settle(limiter, 5, 0.3)
    assert limiter.limit == before


def test_answers_that_become_very_slow_shrink_the_limit() -> None:
    limiter = Limiter(ceiling=64, start=16)
    settle(limiter, 1, 0.1)
    settle(limiter, 3, 1.0)
    assert limiter.limit < 16


@pytest.mark.parametrize("woken_first", [False, True])
def test_a_waiter_that_gave_up_does_not_take_the_turn_with_it(woken_first: bool) -> None:
    async def work() -> None:
        limiter = Limiter(ceiling=1)
        await limiter.acquire()
        first = asyncio.create_task(limiter.acquire())
        second = asyncio.create_task(limiter.acquire())
        await asyncio.sleep(0)
        if woken_first:
            limiter.release()
        first.cancel()
        await asyncio.sleep(0)
        if not woken_first:
            limiter.release()
        await asyncio.wait_for(second, PATIENCE)

    asyncio.run(work())
