"""What a run may spend: calls, tokens, money. Counted over all sessions of the run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from geobias.errors import BudgetReached
from geobias.runfile.manifest import Price, cost
from geobias.trials import Ask, Reply

BYTES_PER_TOKEN = 3.0
"""Low on purpose: an estimate that is too high only makes the last calls wait for each other."""


class Paid(NamedTuple):
    """US$ for a reply, None where they are not known; and what it can have cost at most."""

    cost: float | None
    most: float | None


class Purse:
    """What is spent and set aside, of limits that one run has or several share.

    calls, tokens, cost   used so far, with attempts that failed and may be billed
    unknown_tokens        replies of unknown tokens among them: then tokens and cost are at most
    failed                such attempts since this program was started, by what went wrong
    settled               set whenever a call is over
    """

    def __init__(self) -> None:
        self.calls = 0
        self.tokens = 0
        self.cost = 0.0
        self.unknown_tokens = 0
        self.failed: Counter[str] = Counter()
        self.reserved_calls = 0
        self.reserved_tokens = 0
        self.reserved_cost = 0.0
        self.settled = asyncio.Event()


class Budget:
    """Leave to spend is taken before a call and settled after it.

    Before a call its tokens are not known, so the most it can take is set aside, see
    `most_tokens`. Where the server does not say afterwards what it took, that is what counts.
    `None` means no limit. `prices` are by role, None where a role's price is not known; see
    `geobias.runfile.manifest.cost`. `discounts` are by role too: what a call costs, times the usual
    price. Budgets with one `purse` keep their limits together.

    resumed               whether this run had answers when it was opened
    """

    def __init__(
        self,
        *,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        prices: Mapping[str, Price | None] | None = None,
        discounts: Mapping[str, float] | None = None,
        purse: Purse | None = None,
    ) -> None:
        self.max_calls = max_calls
        self.max_tokens = max_tokens
        self.max_cost = max_cost
        self.purse = purse or Purse()
        self._prices = prices or {}
        self._discounts = discounts or {}
        self.resumed = False
        self.unlimited = max_calls is None and max_tokens is None and max_cost is None

    @property
    def calls(self) -> int:
        return self.purse.calls

    @property
    def tokens(self) -> int:
        return self.purse.tokens

    @property
    def cost(self) -> float:
        return self.purse.cost

    @property
    def unknown_tokens(self) -> int:
        return self.purse.unknown_tokens

    def already_spent(
        self,
        role: str,
        calls: int,
        tokens_in: int,
        tokens_out: int,
        unknown_tokens: int = 0,
        discount: float = 1.0,
    ) -> None:
        """Count what earlier sessions of the run used for answers."""
        self.resumed = True
        self.failed_before(role, calls, tokens_in, tokens_out, unknown_tokens, discount)

    def failed_before(
        self,
        role: str,
        calls: int,
        tokens_in: int,
        tokens_out: int,
        unknown_tokens: int = 0,
        discount: float = 1.0,
    ) -> None:
        """Count attempts of earlier sessions that failed and may be billed."""
        money = (cost(self._prices, role, tokens_in, tokens_out) or 0.0) * discount
        self._count(calls, tokens_in + tokens_out, money, unknown_tokens)

    def spent_by_others(self, other: Budget) -> None:
        """Count what another run used that is to stay within the same limits."""
        self._count(other.calls, other.tokens, other.cost, other.unknown_tokens)

    def _count(self, calls: int, tokens: int, money: float | None, unknown_tokens: int) -> None:
        purse = self.purse
        purse.calls += calls
        purse.tokens += tokens
        purse.cost += money or 0.0
        purse.unknown_tokens += unknown_tokens

    def _cost(self, role: str, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """US$ for a call, at the price that its role is asked at now."""
        money = cost(self._prices, role, tokens_in, tokens_out)
        return None if money is None else money * self._discounts.get(role, 1.0)

    def reserve(self, ask: Ask, thinking: int = 0) -> tuple[int, float] | None:
        """Tokens and US$ kept for this call; None if it must wait for others to settle.

        `thinking` is what the model may spend on reasoning, on top of the ask's `max_tokens`.
        Raises BudgetReached when nothing is under way that could give something back.
        """
        if self.unlimited:
            return 0, 0.0
        prompt, answer = most_tokens(ask, thinking)
        tokens = prompt + answer
        money = self._cost(ask.role, prompt, answer) or 0.0
        reached = self._reached(tokens, money)
        if reached is None:
            self.purse.reserved_calls += 1
            self.purse.reserved_tokens += tokens
            self.purse.reserved_cost += money
            return tokens, money
        if self.purse.reserved_calls:
            return None
        raise BudgetReached(reached)

    def _reached(self, tokens: int, money: float) -> str | None:
        at_most = "at most " if self.unknown_tokens else ""
        calls = self.calls + self.purse.reserved_calls + 1
        if self.max_calls is not None and not calls <= self.max_calls:
            return f"--max-calls {self.max_calls:,} is reached{self._failed()}; raise it to go on"
        if self.max_tokens is not None and not (
            self.tokens + self.purse.reserved_tokens + tokens <= self.max_tokens
        ):
            return (
                f"--max-tokens {self.max_tokens:,} leaves no room for the next call "
                f"({at_most}{self.tokens:,} used); raise it to go on"
            )
        # Written so that a limit which is no number lets nothing through.
        spent = self.cost + self.purse.reserved_cost + money
        if self.max_cost is not None and not spent <= self.max_cost:
            return (
                f"--max-cost {self.max_cost:g} leaves no room for the next call "
                f"({at_most}${self.cost:.4f} spent); raise it to go on"
            )
        return None

    def _failed(self) -> str:
        """How many of the calls were attempts that failed, and of which kind."""
        failed = self.purse.failed
        if not failed:
            return ""
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in failed.most_common())
        return f" (with {failed.total():,} attempts that failed and may be billed: {kinds})"

    def release(self, reserved: tuple[int, float]) -> None:
        """The call is over: what it really used, if anything, is counted by `settle`."""
        if not self.unlimited:
            self.purse.reserved_calls -= 1
            self.purse.reserved_tokens -= reserved[0]
            self.purse.reserved_cost -= reserved[1]
            self.purse.settled.set()

    async def settling(self) -> None:
        """Wait until a call is over."""
        self.purse.settled.clear()
        await self.purse.settled.wait()

    def settle_failed(self, role: str, kind: str, most: tuple[int, int]) -> None:
        """Count an attempt that failed and may be billed, for at most so many tokens."""
        self.purse.failed[kind] += 1
        self._count(1, sum(most), self._cost(role, *most), 1 if any(most) else 0)

    def settle(self, role: str, reply: Reply, most: tuple[int, int] = (0, 0)) -> Paid:
        """Count a reply that was paid for; `most` tokens in and out where they are not told."""
        tokens_in = most[0] if reply.tokens_in is None else reply.tokens_in
        tokens_out = most[1] if reply.tokens_out is None else reply.tokens_out
        at_most = self._cost(role, tokens_in, tokens_out)
        unknown_tokens = None in (reply.tokens_in, reply.tokens_out)
        self._count(1, tokens_in + tokens_out, at_most, unknown_tokens)
        return Paid(self._cost(role, reply.tokens_in, reply.tokens_out), at_most)


def most_tokens(ask: Ask, thinking: int = 0) -> tuple[int, int]:
    """The most a call can take: the prompt, estimated by its length, and all that is allowed out.

    `thinking` is what the model may spend on reasoning, on top of the ask's `max_tokens`.
    """
    length = ask.dialogue.size + 12 * ask.dialogue.length
    return int(length / BYTES_PER_TOKEN) + 8, ask.max_tokens + thinking
