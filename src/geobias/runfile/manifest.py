"""The description of a run, with which a run can be repeated and compared."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, cast

import msgspec

from geobias.errors import BadRunFile
from geobias.trials import StoredSettings
from geobias.untrusted import Json

Price = tuple[float, float]
"""US$ per million tokens in and out."""
Number = TypeVar("Number", int, float)


def cost(
    prices: Mapping[str, Price | None], role: str, tokens_in: float, tokens_out: float
) -> float | None:
    """Return US$ for these tokens; None if the price is unknown.

    A role without an entry uses the price of the role "model". If a role's own price is None, no
    other price is used.
    """
    price = prices.get(role if role in prices else "model")
    return None if price is None else (tokens_in * price[0] + tokens_out * price[1]) / 1e6


def sum_known(numbers: Iterable[Number | None]) -> Number | None:
    total: Any = 0
    for number in numbers:
        if number is None:
            return None
        total += number
    return cast(Number, total)


def belongs_to(name: str, among: Container[str]) -> str | None:
    """Return the probe of records with this name, or None.

    Records named `geo20q_judge` belong to the probe geo20q, unless `among` contains `geo20q_judge`.
    """
    while name and name not in among:
        name = name.rpartition("_")[0]
    return name or None


class Elsewhere(msgspec.Struct, frozen=True, kw_only=True):
    """The file of replies that geobias did not collect. `used` of its `lines` are in this run."""

    file: str
    sha256: str = ""
    lines: int = 0
    used: int = 0
    left_out: int = 0

    def in_words(self) -> str:
        rest = f", {self.left_out:,} could not be used" if self.left_out else ""
        return (
            f"The replies were made elsewhere and read from {self.file}: {self.used:,} of "
            f"{self.lines:,} lines are used here{rest}."
        )


class AskedWith(TypedDict, total=False):
    """The parameters of a model's calls besides the settings of probes.

    extra  further members of every request
    model  the name under which it is served, if the run has a label for it
    """

    effort: Literal["low", "medium", "high"]
    extra: Json
    answer_format: Literal["auto", "json", "grammar"]
    model: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides a run's results, without secrets.

    To resume a run, `models`, `asked`, `probes`, `editions`, `prompts` and `reading` must be
    unchanged. `planned` maps names of records to numbers. `asked` maps each role to the other
    parameters of its model's calls, and `by_text` lists roles whose model is a base model.
    `editions` and `prompts` are content hashes. `notes` say what is not asked. `given` are settings
    as the user gave them, without defaults. `reading` is the version of the rules that read the
    replies (`geobias.reading.VERSION`).
    """

    geobias: str
    created: str
    probes: dict[str, StoredSettings]
    models: dict[str, str]
    editions: dict[str, str] = {}
    prompts: dict[str, str] = {}
    planned: dict[str, int] = {}
    prices: dict[str, Price] = {}
    command: str = ""
    notes: dict[str, list[str]] = {}
    given: dict[str, StoredSettings] | None = None
    elsewhere: Elsewhere | None = None
    asked: dict[str, AskedWith] = {}
    by_text: list[str] = []
    reading: str = ""

    def done(self, outcomes: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
        """Return the number of finished trials for each name in `planned`. Side questions, such as
        those to Geo20Q+'s judge, count for their probe unless `planned` has their own name.
        """
        done = dict.fromkeys((*self.probes, *self.planned), 0)
        for name, counted in outcomes.items():
            if (owner := belongs_to(name, done)) is not None:
                done[owner] += sum(counted.values())
        return done

    def cost(self, role: str, tokens_in: float, tokens_out: float) -> float | None:
        prices = {one: self.prices.get(one) for one in self.models}
        return cost(prices, role, tokens_in, tokens_out)

    def includes(self, other: Manifest) -> bool:
        """Whether this run asks the same models all that `other` asks, and has further probes."""
        fields = ("models", "probes", "editions", "prompts")
        return (
            other.probes.keys() < self.probes.keys()
            and all(getattr(other, name).items() <= getattr(self, name).items() for name in fields)
            and all(self.asked.get(role) == other.asked.get(role) for role in other.models)
        )

    def refuse_another(self, other: Manifest, path: Path) -> None:
        """Raise BadRunFile if `other` describes another run than this one, which `path` holds.

        Both are compared as JSON, since tuples and sets become lists in a file.
        """
        for field in ("models", "asked", "probes", "editions", "prompts"):
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


def _difference(field: str, mine: Json, theirs: Json) -> str:
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
