"""What a run may spend: calls, tokens, money. Counted over all sessions of the run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from geobias.errors import BudgetReached
from geobias.models.model import Model
from geobias.runfile.manifest import Price, cost
from geobias.trials import Ask, Reply

BYTES_PER_TOKEN = 3.0
"""Low on purpose: an estimate that is too high only makes the last calls wait for each other."""


Tokens = tuple[int | None, int | None]
"""In and out, each None where nobody told."""
UNTOLD: Tokens = (None, None)


class Paid(NamedTuple):
    """US$ for a reply, None where they are not known; and what it can have cost at most."""

    cost: float | None
    most: float | None


class Totals:
    """What one run, or several with the same limits, have spent and reserved.

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
    """Reserves the maximum cost before a call and settles the actual cost after it (`call`).

    Where the server does not say afterwards what a call took, its maximum counts.
    `None` means no limit. `prices` are by role, None where a role's price is not known; see
    `geobias.runfile.manifest.cost`. `discounts` are by role too: what a call costs, times the usual
    price. Budgets with the same `totals` share their limits.
    """

    def __init__(
        self,
        *,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        prices: Mapping[str, Price | None] | None = None,
        discounts: Mapping[str, float] | None = None,
        totals: Totals | None = None,
    ) -> None:
        self.max_calls = max_calls
        self.max_tokens = max_tokens
        self.max_cost = max_cost
        self.totals = totals or Totals()
        self._prices = prices or {}
        self._discounts = discounts or {}
        self.unlimited = max_calls is None and max_tokens is None and max_cost is None

    @property
    def calls(self) -> int:
        return self.totals.calls

    @property
    def tokens(self) -> int:
        return self.totals.tokens

    @property
    def cost(self) -> float:
        return self.totals.cost

    @property
    def unknown_tokens(self) -> int:
        return self.totals.unknown_tokens

    def spent_before(
        self,
        role: str,
        calls: int,
        tokens_in: int,
        tokens_out: int,
        unknown_tokens: int = 0,
        discount: float = 1.0,
    ) -> None:
        """Count what earlier sessions of the run used: a row of `RunWriter.spent`, or of attempts
        that failed and may be billed."""
        money = (cost(self._prices, role, tokens_in, tokens_out) or 0.0) * discount
        self._count(calls, tokens_in + tokens_out, money, unknown_tokens)

    def spent_by_others(self, other: Budget) -> None:
        """Count what another run used that is to stay within the same limits."""
        self._count(other.calls, other.tokens, other.cost, other.unknown_tokens)

    def _count(self, calls: int, tokens: int, money: float | None, unknown_tokens: int) -> None:
        totals = self.totals
        totals.calls += calls
        totals.tokens += tokens
        totals.cost += money or 0.0
        totals.unknown_tokens += unknown_tokens

    def _cost(
        self,
        role: str,
        tokens_in: int | None,
        tokens_out: int | None,
        times: float | None = None,
    ) -> float | None:
        """US$ for a call, `times` the usual price, or at the price that its role is asked at."""
        money = cost(self._prices, role, tokens_in, tokens_out)
        usual = self._discounts.get(role, 1.0) if times is None else times
        return None if money is None else money * usual

    def call(self, ask: Ask, model: Model) -> Call:
        """A call within this budget: `async with budget.call(ask, model) as call`."""
        return Call(self, ask, model)

    def _reserve(self, tokens: int, money: float) -> bool:
        """Whether so much is reserved now; if not, the call must wait for others to settle.

        Raises BudgetReached when nothing is under way that could give something back.
        """
        reached = self._reached(tokens, money)
        if reached is None:
            self.totals.reserved_calls += 1
            self.totals.reserved_tokens += tokens
            self.totals.reserved_cost += money
        elif not self.totals.reserved_calls:
            raise BudgetReached(reached)
        return reached is None

    def _reached(self, tokens: int, money: float) -> str | None:
        at_most = "at most " if self.unknown_tokens else ""
        calls = self.calls + self.totals.reserved_calls + 1
        if self.max_calls is not None and not calls <= self.max_calls:
            return f"--max-calls {self.max_calls:,} is reached{self._failed()}; raise it to go on"
        if self.max_tokens is not None and not (
            self.tokens + self.totals.reserved_tokens + tokens <= self.max_tokens
        ):
            return (
                f"--max-tokens {self.max_tokens:,} leaves no room for the next call "
                f"({at_most}{self.tokens:,} used); raise it to go on"
            )
        # A NaN limit must block every call.
        spent = self.cost + self.totals.reserved_cost + money
        if self.max_cost is not None and not spent <= self.max_cost:
            return (
                f"--max-cost {self.max_cost:g} leaves no room for the next call "
                f"({at_most}${self.cost:.4f} spent); raise it to go on"
            )
        return None

    def _failed(self) -> str:
        """How many of the calls were attempts that failed, and of which kind."""
        failed = self.totals.failed
        if not failed:
            return ""
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in failed.most_common())
        return f" (with {failed.total():,} attempts that failed and may be billed: {kinds})"

    def _release(self, tokens: int, money: float) -> None:
        self.totals.reserved_calls -= 1
        self.totals.reserved_tokens -= tokens
        self.totals.reserved_cost -= money
        self.totals.settled.set()

    def settle_failed(self, role: str, kind: str, used: Tokens, most: tuple[int, int]) -> None:
        """Count an attempt that failed and may be billed, for at most so many tokens."""
        self.totals.failed[kind] += 1
        self._settle(used, most, self.paid(role, used, most))

    def settle(
        self,
        role: str,
        reply: Reply,
        most: tuple[int, int] = (0, 0),
        times: float | None = None,
    ) -> Paid:
        """Count a reply that was paid for; `most` tokens in and out where they are not told."""
        used = reply.tokens_in, reply.tokens_out
        paid = self.paid(role, used, most, times)
        self._settle(used, most, paid)
        return paid

    def paid(
        self, role: str, used: Tokens, most: tuple[int, int], times: float | None = None
    ) -> Paid:
        """US$ for so many tokens, or at most as many."""
        at_most = self._cost(role, *_at_most(used, most), times)
        return Paid(self._cost(role, *used, times), at_most)

    def _settle(self, used: Tokens, most: tuple[int, int], paid: Paid) -> None:
        self._count(1, sum(_at_most(used, most)), paid.most, None in used and any(most))


def _at_most(used: Tokens, most: tuple[int, int]) -> tuple[int, int]:
    """What is told, and the most there can have been where it is not."""
    tokens_in, tokens_out = used
    tokens_in = most[0] if tokens_in is None else tokens_in
    return tokens_in, most[1] if tokens_out is None else tokens_out


class Call:
    """Reserves the most that a call can cost while it lasts; `answered` or `failed` settles it."""

    def __init__(self, budget: Budget, ask: Ask, model: Model) -> None:
        self._budget = budget
        self._ask = ask
        self._model = model
        self._reserved = (0, 0.0)

    async def __aenter__(self) -> Call:
        budget = self._budget
        if not budget.unlimited:
            most = self.most
            self._reserved = sum(most), budget._cost(self._ask.role, *most) or 0.0
            while not budget._reserve(*self._reserved):
                budget.totals.settled.clear()
                await budget.totals.settled.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        if not self._budget.unlimited:
            self._budget._release(*self._reserved)

    @property
    def most(self) -> tuple[int, int]:
        """Tokens in and out that it can take; a model may learn meanwhile that it must think."""
        return most_tokens(self._ask, self._model.thinking)

    def answered(self, reply: Reply, times: float | None = None) -> Paid:
        return self._budget.settle(self._ask.role, reply, self.most, times)

    def failed(self, kind: str, used: Tokens) -> None:
        """It brought no reply and may be billed all the same."""
        self._budget.settle_failed(self._ask.role, kind, used, self.most)


def most_tokens(ask: Ask, thinking: int = 0) -> tuple[int, int]:
    """The most a call can take: the prompt, estimated by its length, and all that is allowed out.

    `thinking` is what the model may spend on reasoning, on top of the ask's `max_tokens`.
    """
    length = ask.dialogue.size + 12 * ask.dialogue.length
    return int(length / BYTES_PER_TOKEN) + 8, ask.max_tokens + thinking
