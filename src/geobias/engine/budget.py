"""Budgets of calls, tokens and money, over all sessions of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from geobias.errors import BudgetReached
from geobias.models.model import Model
from geobias.runfile.manifest import Price, cost
from geobias.runfile.reading import Spent
from geobias.trials import Ask

Tokens = tuple[int | None, int | None]
"""Tokens in and out, each None if unknown."""
UNTOLD: Tokens = (None, None)


class Paid(NamedTuple):
    """The tokens of a call, and their cost in US$, None if no price is known.

    Unless the server `counted` the tokens, the numbers are upper bounds.
    """

    tokens_in: int
    tokens_out: int
    cost: float | None
    counted: bool


class Totals:
    """Calls, tokens and US$ used or reserved by one run, or by several runs with shared limits.

    calls, tokens, cost   used so far, including failed attempts that may be billed
    counted               whether the servers counted all tokens; if not, `tokens` has upper bounds
    reserved              upper bounds of calls, tokens and US$ of the calls in flight
    settled               an event that is set whenever a call ends
    """

    def __init__(self) -> None:
        self.calls = 0
        self.tokens = 0
        self.cost = 0.0
        self.counted = True
        self.reserved = (0, 0, 0.0)
        self.settled = asyncio.Event()

    def count(self, calls: int, tokens: int, cost: float | None, counted: bool) -> None:
        self.calls += calls
        self.tokens += tokens
        self.cost += cost or 0.0
        self.counted &= counted

    def reserve(self, calls: int, tokens: int, cost: float) -> None:
        """Reserve an amount; negative numbers release it."""
        before = self.reserved
        self.reserved = before[0] + calls, before[1] + tokens, before[2] + cost


class Budget:
    """Reserves the maximum cost before a call and settles the actual cost after it (`Call`).

    If the server does not report the tokens of a call, the maximum counts. A limit of None does not
    apply. `prices` maps each role to its price, None if unknown (see
    `geobias.runfile.manifest.cost`). `discounts` maps each role to the price factor of its calls.
    Budgets with the same `totals` share their limits.
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

    def spent_before(self, spent: Mapping[str, Spent]) -> None:
        for role, one in spent.items():
            money = cost(self._prices, role, one.billed_in, one.billed_out)
            self.totals.count(one.calls, one.tokens_in + one.tokens_out, money, one.counted)

    def price(self, role: str, tokens: tuple[int, int], times: float | None = None) -> float | None:
        """Return the price of a call in US$: the usual one × `times`, or × the role's discount."""
        money = cost(self._prices, role, *tokens)
        usual = self._discounts.get(role, 1.0) if times is None else times
        return None if money is None else money * usual

    def refusal(self, tokens: int, money: float) -> str | None:
        """Return why a call of at most this size would exceed a limit; None if the call fits."""
        used, (calls, reserved, reserved_money) = self.totals, self.totals.reserved
        at_most = "" if used.counted else "at most "
        # A limit of NaN must block every call: hence "not <=".
        if self.max_calls is not None and not used.calls + calls + 1 <= self.max_calls:
            return f"--max-calls {self.max_calls:,} is reached; raise it to go on"
        if self.max_tokens is not None and not used.tokens + reserved + tokens <= self.max_tokens:
            return (
                f"--max-tokens {self.max_tokens:,} leaves no room for the next call "
                f"({at_most}{used.tokens:,} used); raise it to go on"
            )
        if self.max_cost is not None and not used.cost + reserved_money + money <= self.max_cost:
            return (
                f"--max-cost {self.max_cost:g} leaves no room for the next call "
                f"({at_most}${used.cost:.4f} spent); raise it to go on"
            )
        return None


class Call:
    """Reserves the maximum cost of a call while it lasts, until `settle`."""

    def __init__(self, budget: Budget, ask: Ask, model: Model) -> None:
        self._budget = budget
        self._ask = ask
        self._model = model
        self._reserved = (0, 0.0)

    async def __aenter__(self) -> Call:
        """Reserve the maximum cost. If it does not fit, first wait for calls in flight to end.
        Raises BudgetReached.
        """
        budget, totals = self._budget, self._budget.totals
        if not budget.unlimited:
            most = self.most
            tokens, money = sum(most), budget.price(self._ask.role, most) or 0.0
            while (refusal := budget.refusal(tokens, money)) is not None:
                if not totals.reserved[0]:
                    raise BudgetReached(refusal)
                totals.settled.clear()
                await totals.settled.wait()
            self._reserved = tokens, money
            totals.reserve(1, tokens, money)
        return self

    async def __aexit__(self, *_: object) -> None:
        if not self._budget.unlimited:
            tokens, money = self._reserved
            self._budget.totals.reserve(-1, -tokens, -money)
            self._budget.totals.settled.set()

    @property
    def most(self) -> tuple[int, int]:
        """Upper bounds of tokens in and out, with the model's current limit for reasoning."""
        return self._ask.most_tokens(self._model.thinking)

    def settle(self, used: Tokens, times: float | None = None) -> Paid:
        """Count the tokens and cost, also without a reply: the server may charge for it."""
        tokens_in, tokens_out = (
            bound if told is None else told for told, bound in zip(used, self.most, strict=True)
        )
        role = self._ask.role
        paid = Paid(
            tokens_in,
            tokens_out,
            self._budget.price(role, (tokens_in, tokens_out), times),
            None not in used,
        )
        self._budget.totals.count(1, tokens_in + tokens_out, paid.cost, paid.counted)
        return paid
