"""The indicators that a model is asked about: eleven of the World Bank's, and those a user adds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec

from geobias.atlas.table import TableError, read_rows, shipped_table
from geobias.errors import AtlasError, meant
from geobias.untrusted import Undecodable, in_words, text_of, toml_value

_COLUMNS = (
    "id", "code", "label", "phrase", "unit", "low", "high", "decimals", "series", "edition",
)  # fmt: skip
KINDS = ("count", "share", "rate", "money", "measure", "index", "number")
"""The kinds of figures: whole things, parts of 100, rates per 1,000 and the like, money, an amount
in a unit of measure (years, mm, km², tonnes), a score on a scale, or another number.
"""
# Ids appear in comma-separated options and as column names, so they are plain words.
_ID = re.compile(r"[a-z][a-z0-9_]*")


class Indicator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    code: str
    """The World Bank's series code, e.g. SP.POP.TOTL."""
    phrase: str
    """The words in the question: "What is the {phrase} for the country {name}?"."""
    unit: str
    label: str = ""
    """The heading of a table, as in the paper's Table 1; by default the phrase."""
    low: float | None = None
    high: float | None = None
    """Upper end of the plausible range; numbers outside it are not read. None if unknown."""
    decimals: int = 2
    """Decimal places of a written figure."""
    series: str = ""
    """The World Bank's name for the series."""
    kind: str = ""
    """One of `KINDS`, which the reader of replies uses; if empty, it follows from the unit's name.
    """
    edition: str | None = None
    """The "Last Updated Date" of the shipped figures; None for an indicator a user adds."""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ValueError("an id is lower-case letters, digits and underscores")
        for field in ("code", "phrase", "unit"):
            if not getattr(self, field).strip():
                raise ValueError(f"{field} is empty")
        if self.kind and self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}")
        if self.decimals < 0:
            raise ValueError("decimals is negative")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError("low is above high")

    def write(self, value: float) -> str:
        """The value as text, with thousands separators and this indicator's decimals.

        The paper's example answer for Switzerland's population is "8,703,771".
        """
        return f"{value:,.{self.decimals}f}"


class UnknownIndicatorError(AtlasError):
    """No indicator has this name; the message lists the known ones."""

    def __init__(self, text: str, known: Mapping[str, object]) -> None:
        like = meant(text, known)
        super().__init__(f"No indicator is called {text!r}: choose from {', '.join(known)}.{like}")


@cache
def indicators() -> Mapping[str, Indicator]:
    """The eleven shipped indicators by id, in the order of the paper's Table 1."""
    path = shipped_table("indicators.csv")
    found: dict[str, Indicator] = {}
    for line, row in read_rows(path, _COLUMNS):
        try:
            found[row["id"]] = msgspec.convert(row, Indicator, strict=False)
        except msgspec.ValidationError as error:
            raise TableError(path, line, in_words(error)) from error
    return MappingProxyType(found)


def indicator(text: str, among: Mapping[str, Indicator] | None = None) -> Indicator:
    """The indicator with this id or World Bank code, in any case."""
    known = indicators() if among is None else among
    wanted = text.strip().casefold()
    for one in known.values():
        if wanted in (one.id.casefold(), one.code.casefold()):
            return one
    raise UnknownIndicatorError(text, known)


def read_indicators(path: Path) -> Mapping[str, Indicator]:
    """A user's indicators from a TOML file, by id, in the file's order.

    Each is an `[id]` table with `code`, `phrase` and `unit`; `label`, `low`, `high`, `kind` and
    `decimals` are optional:

        [life_expectancy]
        code = "SP.DYN.LE00.IN"
        phrase = "life expectancy at birth in years"
        unit = "years"

    Raises for an id or code of a shipped indicator or one used twice, since one name must not have
    two meanings in a run.
    """
    try:
        tables = toml_value(text_of(path), dict[str, object])
    except Undecodable as error:
        raise TableError(path, None, str(error)) from error
    if not tables:
        raise TableError(path, None, "defines no indicator")

    found: dict[str, Indicator] = {}
    codes = {one.code: one.id for one in indicators().values()}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise TableError(path, None, f"{name} should be a table: [id] and then code = …")
        try:
            given = {"label": table.get("phrase", ""), **table, "id": name}
            one = msgspec.convert(given, Indicator)
        except msgspec.ValidationError as error:
            raise TableError(path, None, f"[{name}]: {in_words(error)}") from error
        if name in indicators():
            raise TableError(path, None, f"[{name}] is the id of a shipped indicator")
        if one.code in codes:
            raise TableError(path, None, f"[{name}] has the code of {codes[one.code]}, {one.code}")
        codes[one.code] = name
        found[name] = one
    return MappingProxyType(found)
