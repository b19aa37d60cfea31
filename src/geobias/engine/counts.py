"""What a session has done so far: plain numbers that a progress display may read at any time."""

from __future__ import annotations

from collections import Counter

import msgspec

from geobias.runfile.manifest import sum_known


class Counts(msgspec.Struct):
    """Counters of one session of one probe. The runner adds, others only read.

    done       trials finished since the run was started or resumed
    reused     trials found finished when the session began
    unanswered trials left open because their question got no usable answer; a resume tries again
    calls      replies that were paid for
    tokens_in, tokens_out
               tokens of them; None where a server did not say
    cost       US$ for them; None where the price or the tokens of one are not known
    most_cost  what they can have cost at most; None where the price of one is not known
    shared     asks served from the run file, or by a call that was already under way
    retries    attempts that failed and were repeated
    failures   what went wrong, by kind, repeated or not
    """

    planned: int = 0
    done: int = 0
    reused: int = 0
    unanswered: int = 0
    calls: int = 0
    shared: int = 0
    retries: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    cost: float | None = 0.0
    most_cost: float | None = 0.0
    failures: Counter[str] = msgspec.field(default_factory=Counter)

    def add_call(
        self,
        tokens_in: int | None,
        tokens_out: int | None,
        cost: float | None,
        most_cost: float | None,
    ) -> None:
        self.calls += 1
        self.tokens_in = sum_known((self.tokens_in, tokens_in))
        self.tokens_out = sum_known((self.tokens_out, tokens_out))
        self.cost = sum_known((self.cost, cost))
        self.most_cost = sum_known((self.most_cost, most_cost))

    def as_ints(self) -> dict[str, int]:
        """The counters that are worth keeping with the run."""
        names = ("done", "reused", "unanswered", "calls", "shared", "retries")
        kept = {name: getattr(self, name) for name in names}
        return kept | {f"failed: {kind}": count for kind, count in self.failures.items()}
