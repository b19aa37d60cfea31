"""Shares of independent trials, with intervals."""

from __future__ import annotations

import math

import msgspec

Z_95 = 1.959963984540054


class Estimate(msgspec.Struct, frozen=True):
    """A number with its 95% interval and the count it rests on. Undefined is None, never 0.

    Where nothing can be said, or nothing about the uncertainty (one unit alone), the value or
    `low` and `high` are None and `reason` says why in a few words. `caution` says why an interval
    that is given may be too narrow.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str = ""
    caution: str = ""

    @property
    def note(self) -> str:
        """Why there is no number or no interval, or why it may be too narrow; "" if nothing is."""
        return self.reason or self.caution

    def columns(self, name: str) -> dict[str, float | None]:
        """The value and its interval as three columns of a table."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}

    def __str__(self) -> str:
        why = f"; {self.note}" if self.note else ""
        if self.value is None:
            return f"undefined (n = {self.n}{why})"
        if self.low is None or self.high is None:
            return f"{self.value:.2f} (n = {self.n}{why})"
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] (n = {self.n}{why})"


def rate(hits: float, n: int) -> Estimate:
    """The share of hits with Wilson's score interval (Wilson 1927), which keeps its coverage
    near 0 and 1 and in small samples. Undefined for n = 0.

    Assumes independent trials; where trials come in clusters (several of one country), the
    interval is too narrow: `rate_over_units` is for those.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} hits of {n}")
    if n == 0:
        return Estimate(None, None, None, 0, "no trials")
    return Estimate(hits / n, *wilson(hits / n, n), n)


def wilson(share: float, n: float, z: float = Z_95) -> tuple[float, float]:
    """Wilson's interval of a share of `n` independent trials."""
    spread = z**2 / n
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    # At 0 and 1 rounding may leave the bound a hair inside the estimate.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def unvaried(
    value: float, n: float, bounds: tuple[float, float]
) -> tuple[float, float] | tuple[None, None]:
    """The interval of a mean whose `n` parts were all alike, which is no proof that all are.

    Allows for the share of unlike parts that Wilson's interval allows after n without one, each
    as unlike as the bounds permit. None without two bounds.
    """
    if not all(map(math.isfinite, bounds)):
        return None, None
    unseen = Z_95**2 / (n + Z_95**2)
    return value + unseen * (bounds[0] - value), value + unseen * (bounds[1] - value)


def unvaried_p(
    value: float, n: float, bounds: tuple[float, float], null: float = 0.0
) -> float | None:
    """The two-sided p-value that belongs to `unvaried`; None without two bounds."""
    if not all(map(math.isfinite, bounds)):
        return None
    if value == null:
        return 1.0
    bound = bounds[0] if value > null else bounds[1]
    # The share of unlike parts that would bring the mean to `null`, and the z that allows it.
    unseen = (value - null) / (value - bound)
    z = math.sqrt(n * unseen / (1 - unseen)) if unseen < 1 else math.inf
    return math.erfc(z / math.sqrt(2))
