"""What a question says about the number that answers it."""

from __future__ import annotations

import msgspec


class Expected(msgspec.Struct, frozen=True, gc=False):
    """See `reply.read_reply`; `country` is in lower case, up to its first comma."""

    unit: str
    low: float | None = None
    high: float | None = None
    year: int | None = None
    country: str = ""

    def fits(self, value: float) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    @property
    def whole_things(self) -> bool:
        """Whether figures count people or money, of which nobody writes three decimals."""
        return self.unit == "people" or "$" in self.unit
