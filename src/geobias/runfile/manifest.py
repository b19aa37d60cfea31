"""What a run is: enough to repeat it, and to tell whether two runs may be compared."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from geobias.errors import BadRunFile

Price = tuple[float, float]
"""US$ per million tokens in and out."""
Number = TypeVar("Number", int, float)


def cost(
    prices: Mapping[str, Price | None],
    role: str,
    tokens_in: float | None,
    tokens_out: float | None,
) -> float | None:
    """US$ for these tokens; None where no price is known, or where the tokens are not.

    What is free costs nothing however many tokens it took.

    The role "model" serves roles that are not named. A role that is named has a model of its own:
    where that one's price is None, nobody else's stands in for it.
    """
    price = prices.get(role if role in prices else "model")
    if price is None or not any(price):
        return None if price is None else 0.0
    if tokens_in is None or tokens_out is None:
        return None
    return (tokens_in * price[0] + tokens_out * price[1]) / 1e6


def sum_known(numbers: Iterable[Number | None]) -> Number | None:
    """The sum, unknown (None) where one of the numbers is."""
    every = list(numbers)
    known = [number for number in every if number is not None]
    return cast(Number, sum(known)) if len(known) == len(every) else None


def belongs_to(name: str, among: Container[str]) -> str | None:
    """Whose records have this name: those of `geo20q_judge` are geo20q's, unless it is there too.

    None where they are nobody's.
    """
    while name and name not in among:
        name = name.rpartition("_")[0]
    return name or None


class Elsewhere(msgspec.Struct, frozen=True, kw_only=True):
    """Where the replies of a run come from that geobias did not ask for.

    file, sha256   the file's name and the digest of its bytes
    lines          of the file; `used` of them are in this run, `left_out` could not be used
    """

    file: str
    sha256: str = ""
    lines: int = 0
    used: int = 0
    left_out: int = 0

    def in_words(self) -> str:
        """A sentence for people."""
        rest = f", {self.left_out:,} could not be used" if self.left_out else ""
        return (
            f"The replies were made elsewhere and read from {self.file}: {self.used:,} of "
            f"{self.lines:,} lines are used here{rest}."
        )


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides a run's results, and nothing secret.

    `probes` maps each probe to its settings, `planned` the names of records to how many there will
    be. `models` maps each role to the model as asked.
    `editions` and `prompts` hold content hashes of the data tables and prompt texts used.
    Resuming requires `probes`, `models`, `asked`, `editions`, `prompts` and `layouts` to be what
    they were; version and prices may move on. `notes` are each probe's sentences about what is not
    asked. `given` are each probe's settings as they were asked for, without the usual ones.
    `elsewhere` says where replies were made that geobias did not ask for (`geobias score --to`).
    `reading` is the version of the rules that read its replies (`geobias.reading.VERSION`).
    `layouts` say how dialogues were laid out as text, by role, for models without a chat template.
    `asked` says what else decides a model's replies (effort, extra parameters), by role.
    """

    geobias: str
    created: str
    probes: dict[str, dict[str, Any]]
    models: dict[str, str]
    editions: dict[str, str] = {}
    prompts: dict[str, str] = {}
    planned: dict[str, int] = {}
    prices: dict[str, Price] = {}
    command: str = ""
    notes: dict[str, list[str]] = {}
    given: dict[str, dict[str, Any]] | None = None
    elsewhere: Elsewhere | None = None
    layouts: dict[str, dict[str, Any]] = {}
    asked: dict[str, dict[str, Any]] = {}
    reading: str = ""

    def done(self, outcomes: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
        """Trials done under each name of `planned`, from the outcomes by name.

        Side questions of a probe (those to Geo20Q+'s judge) that are not planned under a name of
        their own count to their probe.
        """
        done = dict.fromkeys((*self.probes, *self.planned), 0)
        for name, counted in outcomes.items():
            if (owner := belongs_to(name, done)) is not None:
                done[owner] += sum(counted.values())
        return done

    def cost(self, role: str, tokens_in: float | None, tokens_out: float | None) -> float | None:
        return cost(self.price_by_role(), role, tokens_in, tokens_out)

    def price_by_role(self) -> dict[str, Price | None]:
        """The price of each role that has a model; None where it is not known."""
        return {role: self.prices.get(role) for role in self.models}

    def refuse_another(self, other: Manifest, path: Path) -> None:
        """Raise BadRunFile if `other` is not this run, which the file at `path` holds.

        `planned` follows from the rest and is not compared. Both sides are compared as JSON,
        since one of them was read from a file, where tuples and sets have become lists.
        """
        for field in ("models", "asked", "probes", "editions", "prompts", "layouts"):
            mine = msgspec.to_builtins(getattr(self, field))
            theirs = msgspec.to_builtins(getattr(other, field))
            if mine != theirs:
                raise BadRunFile(
                    f"{path} holds another run ({_difference(field, mine, theirs)}); choose "
                    "another --out to keep both"
                )
        if self.reading != other.reading:
            raise BadRunFile(
                f"{path} was read by other rules (reading version {self.reading or 'unknown'}, now "
                f"{other.reading}): read its replies anew with `geobias reread {path}`"
            )


def _difference(field: str, mine: dict[str, Any], theirs: dict[str, Any]) -> str:
    for key in sorted(mine.keys() | theirs.keys()):
        a, b = mine.get(key), theirs.get(key)
        if a == b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            return _difference(key, a, b)
        return f"{field} {key}: {_short(a)} there, {_short(b)} asked for"
    return field


def _short(value: object) -> str:
    words = "nothing" if value is None else str(value)
    return words if len(words) <= 60 else words[:57] + "…"
