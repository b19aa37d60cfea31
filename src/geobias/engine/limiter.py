"""An adaptive limit of the calls in flight.

Additive increase, multiplicative decrease, as in TCP. An overloaded server (429, 503) cuts the
limit. A full window of good answers raises the limit by one. If answers have become slower, the
limit stays or falls, since more calls would only wait in the server's queue.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque

GROW_BELOW, SHRINK_ABOVE = 2.0, 4.0
"""The limit grows below, and shrinks above, these multiples of the best window's mean latency."""
SHRINK_FACTOR, OVERLOAD_FACTOR = 0.9, 0.7
BEST_LATENCY_DRIFT = 1.02
"""Growth of the best latency per window: answers become slower as a game's history grows."""


class Limiter:
    """Counts the calls in flight to one model and holds back those over the limit."""

    def __init__(self, ceiling: int, start: int = 8) -> None:
        self.ceiling = ceiling
        self.limit = float(min(start, ceiling))
        self.in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._closed_until = 0.0
        self._window_calls = 0
        self._window_seconds = 0.0
        self._best_latency = float("inf")
        self._last_cut = 0.0

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, *_: object) -> None:
        self.release()

    async def acquire(self) -> None:
        try:
            while True:
                if (pause := self._closed_until - time.monotonic()) > 0:
                    await asyncio.sleep(pause)
                elif self.in_flight < int(self.limit):
                    self.in_flight += 1
                    return
                else:
                    turn = asyncio.get_running_loop().create_future()
                    self._waiting.append(turn)
                    await turn
        except asyncio.CancelledError:
            self._wake()  # it may have been woken already, so pass its turn on
            raise

    def release(self) -> None:
        self.in_flight -= 1
        self._wake()

    def _wake(self) -> None:
        """Wake as many waiting calls as the limit allows."""
        room = int(self.limit) - self.in_flight
        while room > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                room -= 1

    def answered(self, seconds: float) -> None:
        """Record the time of a good answer. Adapts the limit once per window of `limit` calls."""
        self._window_calls += 1
        self._window_seconds += seconds
        if self._window_calls < self.limit:
            return
        mean = self._window_seconds / self._window_calls
        self._window_calls, self._window_seconds = 0, 0.0
        self._best_latency = min(self._best_latency * BEST_LATENCY_DRIFT, mean)
        if mean > SHRINK_ABOVE * self._best_latency:
            self.limit = max(1.0, self.limit * SHRINK_FACTOR)
        elif mean <= GROW_BELOW * self._best_latency:
            self.limit = min(float(self.ceiling), self.limit + 1)

    def overloaded(self, retry_after: float | None) -> None:
        """Record that the server is overloaded and asks for a pause of `retry_after` seconds.

        Calls that were in flight together fail together; only the first failure cuts the limit.
        """
        now = time.monotonic()
        if now - self._last_cut > 1.0:
            self._last_cut = now
            self.limit = max(1.0, self.limit * OVERLOAD_FACTOR)
            self._window_calls, self._window_seconds = 0, 0.0
        if retry_after:
            self._closed_until = max(self._closed_until, now + retry_after)
