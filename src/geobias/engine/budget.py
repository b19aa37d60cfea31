"""What a run may spend: calls, tokens, money. Counted over all sessions of the run."""

from __future__ import annotations

from collections.abc import Mapping

from geobias.errors import BudgetReached
from geobias.runfile.manifest import Price, cost
from geobias.trials import Ask, Reply

BYTES_PER_TOKEN = 3.0
"""Low on purpose: an estimate that is too high only makes the last calls wait for each other."""


class Budget:
    """Leave to spend is taken before a call and settled after it.

    Before a call its tokens are not known, so the most it can take is set aside: the prompt,
    estimated by its length, and `max_tokens` of answer. `None` means no limit. `prices` are by
    role, None where a role's price is not known; see `geobias.runfile.manifest.cost`.
    """

    def __init__(
        self,
        *,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        prices: Mapping[str, Price | None] | None = None,
    ) -> None:
        self.max_calls = max_calls
        self.max_tokens = max_tokens
        self.max_cost = max_cost
        self._prices = prices or {}
        self.calls = 0
        self.tokens = 0
        self.cost = 0.0
        self._aside_calls = 0
        self._aside_tokens = 0
        self._aside_cost = 0.0
        self.unlimited = max_calls is None and max_tokens is None and max_cost is None

    def already_spent(self, role: str, calls: int, tokens_in: int, tokens_out: int) -> None:
        """Count what earlier sessions of the run used."""
        self.calls += calls
        self.tokens += tokens_in + tokens_out
        self.cost += cost(self._prices, role, tokens_in, tokens_out) or 0.0

    def set_aside(self, ask: Ask, thinking: int = 0) -> tuple[int, float] | None:
        """Tokens and US$ kept for this call; None if it must wait for others to settle.

        `thinking` is what the model may spend on reasoning, on top of the ask's `max_tokens`.
        Raises BudgetReached when nothing is under way that could give something back.
        """
        if self.unlimited:
            return 0, 0.0
        length = ask.dialogue.size + 12 * ask.dialogue.length
        prompt = int(length / BYTES_PER_TOKEN) + 8
        answer = ask.max_tokens + thinking
        tokens = prompt + answer
        money = cost(self._prices, ask.role, prompt, answer) or 0.0
        reached = self._reached(tokens, money)
        if reached is None:
            self._aside_calls += 1
            self._aside_tokens += tokens
            self._aside_cost += money
            return tokens, money
        if self._aside_calls:
            return None
        raise BudgetReached(reached)

    def _reached(self, tokens: int, money: float) -> str | None:
        if self.max_calls is not None and self.calls + self._aside_calls + 1 > self.max_calls:
            return f"--max-calls {self.max_calls:,} is reached; raise it to go on"
        if self.max_tokens is not None and (
            self.tokens + self._aside_tokens + tokens > self.max_tokens
        ):
            return (
                f"--max-tokens {self.max_tokens:,} leaves no room for the next call "
                f"({self.tokens:,} used); raise it to go on"
            )
        if self.max_cost is not None and self.cost + self._aside_cost + money > self.max_cost:
            return (
                f"--max-cost {self.max_cost:g} leaves no room for the next call "
                f"(${self.cost:.4f} spent); raise it to go on"
            )
        return None

    def give_back(self, aside: tuple[int, float]) -> None:
        """The call is over: what it really used, if anything, is counted by `settle`."""
        if not self.unlimited:
            self._aside_calls -= 1
            self._aside_tokens -= aside[0]
            self._aside_cost -= aside[1]

    def count_wasted_call(self) -> None:
        """Count a call that was answered with nothing usable; its tokens are not known."""
        self.calls += 1

    def settle(self, role: str, reply: Reply) -> float | None:
        """Count a reply that was paid for. US$, or None where no price is known."""
        self.calls += 1
        self.tokens += reply.tokens_in + reply.tokens_out
        paid = cost(self._prices, role, reply.tokens_in, reply.tokens_out)
        self.cost += paid or 0.0
        return paid
