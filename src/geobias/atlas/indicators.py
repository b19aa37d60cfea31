"""The indicators that a model is asked about: eleven of the World Bank's, and those a user adds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import msgspec

from geobias.atlas.table import TableError, read_structs, shipped_table
from geobias.errors import AtlasError, meant
from geobias.untrusted import Undecodable, in_words, text_of, toml_value

# Ids appear in comma-separated options and as column names, so they are plain words.
_ID = re.compile(r"[a-z][a-z0-9_]*")
_Text = Annotated[str, msgspec.Meta(min_length=1)]


class Indicator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    code: _Text
    """The World Bank's series code, e.g. SP.POP.TOTL."""
    label: str
    """The heading of a table, as in the paper's Table 1."""
    phrase: _Text
    """The words in the question: "What is the {phrase} for the country {name}?"."""
    unit: _Text
    low: float | None = None
    high: float | None = None
    """Upper end of the plausible range; numbers outside it are not read. None if unknown."""
    decimals: Annotated[int, msgspec.Meta(ge=0)] = 2

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ValueError("an id is lower-case letters, digits and underscores")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError("low is above high")

    def write(self, value: float) -> str:
        """The value as the paper writes it: "8,703,771" is Switzerland's population."""
        return f"{value:,.{self.decimals}f}"


class UnknownIndicatorError(AtlasError):
    """No indicator has this name; the message lists the known ones."""

    def __init__(self, text: str, known: Mapping[str, object]) -> None:
        like = meant(text, known)
        super().__init__(f"No indicator is called {text!r}: choose from {', '.join(known)}.{like}")


@cache
def indicators() -> Mapping[str, Indicator]:
    """The eleven shipped indicators by id, in the order of the paper's Table 1."""
    rows = read_structs(shipped_table("indicators.csv"), Indicator)
    return MappingProxyType({one.id: one for _, one in rows})


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

    Each is an `[id]` table with `code`, `phrase` and `unit`; `label` (by default the phrase),
    `low`, `high` and `decimals` are optional:

        [life_expectancy]
        code = "SP.DYN.LE00.IN"
        phrase = "life expectancy at birth in years"
        unit = "years"

    No id or code may occur twice, since one name must not have two meanings in a run.
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
