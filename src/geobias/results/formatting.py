"""Numbers, intervals and ids as people read them, and foreign text made safe to show.

This is the only module that turns numbers into text. An undefined number is a dash in a table and
"undefined" in a sentence. Negative numbers have an ASCII minus, which the report's page replaces by
a true minus (`with_true_minus`).

The module also sorts groups as people expect: income from low to high, regions as the World Bank
lists them, continents by name. Other groups keep their order. If groups were sorted by their
numbers, the order would differ between models, and figures could not be compared line by line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from geobias.atlas.economies import INCOMES, REGION_CODES

MOST_SHOWN = 20_000
_TURNS_TEXT_AROUND = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    """Return text without escape sequences, control characters or marks that reorder a line.

    Line breaks and tabs stay, as do the spaces and joiners of other scripts.
    """
    shown = text[:MOST_SHOWN]
    if shown.replace("\n", "").replace("\t", "").isprintable():
        return shown
    return "".join(c if _harmless(c) else "\ufffd" for c in shown)


def one_line(text: str) -> str:
    """Return text made safe by `printable`, on one line, for names, roles and outcomes."""
    return " ".join(printable(text).split())


def _harmless(character: str) -> bool:
    if character in "\n\t":
        return True
    kind = unicodedata.category(character)
    return kind not in ("Cc", "Cs", "Cn") and character not in _TURNS_TEXT_AROUND


NOTHING = "–"
"""The sign for an undefined number."""
YEARS = ("year", "asked_year", "cited_year", "best_year")
"""Columns whose whole numbers are years, which have no thousands separator."""
_HYPHEN_FOR_MINUS = re.compile(r"(?<![\w.)\]-])-(?=\.?\d)")
_IDS = {
    "co2_emissions": "CO₂ emissions",
    "gdp": "GDP",
    "gdp_ppp_per_person_employed": "GDP per person employed (PPP)",
}
"""Words for ids that are unclear on their own or need capitals."""
# -- numbers ---------------------------------------------------------------------------------------


def number(value: float | None, digits: int = 2) -> str:
    """Return a number with `digits` decimals, one decimal from 100 on, none from 1,000 on.

    Never returns "-0.00".
    """
    if value is None:
        return NOTHING
    text = f"{value:,.{_decimals(digits, value)}f}"
    return text[1:] if float(text) == 0 and text.startswith("-") else text


def _decimals(digits: int, *values: float) -> int:
    most = max(map(abs, values))
    return 0 if most >= 1000 else min(digits, 1 if most >= 100 else digits)


def interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return the bounds in brackets, or "" if there are none."""
    if low is None or high is None:
        return ""
    same = _decimals(digits, low, high)
    return f"[{number(low, same)}, {number(high, same)}]"


def estimate(value: float | None, low: float | None, high: float | None, digits: int = 2) -> str:
    """Return a value with its interval: "0.25 [0.21, 0.29]"."""
    if value is None:
        return "undefined"
    return f"{number(value, digits)} {interval(low, high, digits)}".strip()


def percents(
    value: float | None, low: float | None, high: float | None, digits: int = 0, sign: str = "%"
) -> str:
    """Return a share with its interval: "40% [33%, 48%]"; the bounds end in `sign`."""
    if value is None:
        return "undefined"
    share = f"{100 * value:.{digits}f}%"
    if low is None or high is None:
        return share
    return f"{share} [{100 * low:.{digits}f}{sign}, {100 * high:.{digits}f}{sign}]"


def figure(value: float | None) -> str:
    """Return a figure with as many digits as a reader needs.

    People and dollars are whole numbers, and shares have four digits.
    """
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def p_value(p: float | None) -> str:
    """Return a p-value with three digits, the precision of a permutation test."""
    if p is None:
        return NOTHING
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def p_phrase(p: float) -> str:
    """A p-value in a sentence: "p = 0.031", "p < 0.001"."""
    text = p_value(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def p_with_adjusted(p: float | None, adjusted: float | None) -> str:
    """Return a p-value in words, followed by the adjusted p-value if that reads differently."""
    if p is None:
        return "no test"
    if adjusted is None or p_value(adjusted) == p_value(p):
        return p_phrase(p)
    return f"{p_phrase(p)}; {p_value(adjusted)} adjusted for the tests beside it"


def counted(n: int, unit: str) -> str:
    """Return a number with its unit: "1 template", "2 templates", "1 game won"."""
    return f"{n:,} {unit if n != 1 else singular(unit)}"


def singular(unit: str) -> str:
    """The singular of a unit: "country" for "countries"."""
    first, space, rest = unit.partition(" ")
    one = f"{first[:-3]}y" if first.endswith("ies") else first.removesuffix("s")
    return f"{one}{space}{rest}"


def with_true_minus(text: str) -> str:
    return _HYPHEN_FOR_MINUS.sub("−", text) if "-" in text else text


# -- cells of tables -------------------------------------------------------------------------------


def is_bound(name: str, columns: Collection[str]) -> bool:
    """Return whether a column is a bound of another column, to be shown in its cell.

    An interval has two bounds, so `baseline_high` without `baseline_low` is not a bound.
    """
    stem, _, end = name.rpartition("_")
    return end in ("low", "high") and {stem, f"{stem}_low", f"{stem}_high"} <= set(columns)


def is_p_value(name: str) -> bool:
    return name == "p" or name.endswith(("_p", "p_holm", "p_adjusted", "p_items"))


# -- ids as words ----------------------------------------------------------------------------------


def setting_text(value: object) -> str:
    """A setting as text. A table (a user's own indicator) becomes a list of the entries that are
    set.

    >>> setting_text({"id": "life", "low": None})
    'id life'
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {one}" for name, one in value.items() if one not in (None, ""))
    return str(value)


def settings_text(settings: Mapping[str, object]) -> str:
    return "; ".join(
        f"{words(name)}: "
        + (", ".join(map(setting_text, value)) if isinstance(value, list | tuple) else str(value))
        for name, value in settings.items()
    )


def words(identifier: str) -> str:
    if identifier in _IDS:
        return _IDS[identifier]
    plain = identifier.replace("_", " ").strip().capitalize() or NOTHING
    for small, right in (("Gdp ppp", "GDP PPP"), ("Gdp", "GDP"), ("Co2", "CO₂")):
        plain = plain.replace(small, right)
    return plain


def with_capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_ORDERS: tuple[tuple[str, ...], ...] = (
    INCOMES,
    tuple(REGION_CODES),
    ("Global North", "Global South"),
    ("Global West", "Global East"),
    ("Africa", "Asia", "Europe", "North America", "Oceania", "South America"),
)
T = TypeVar("T")


def in_natural_order(items: Sequence[T], name: Callable[[T], object]) -> list[T]:
    """Return items in the natural order of their names, or unchanged if there is none."""
    names = {name(one) for one in items}
    order = next((one for one in _ORDERS if names <= set(one)), None)
    if order is None or len(names) < 2:
        return list(items)
    return sorted(items, key=lambda one: order.index(str(name(one))))


UNIT_WORDS = {
    "country": "countries",
    "indicator": "indicators",
    "template": "templates",
    "nationality": "nationalities",
    "other_nationality": "others’ nationalities",
    "entity": "entities",
}
"""Column → its units in words. Other columns get an s."""


def unit_words(column: str) -> str:
    return UNIT_WORDS.get(column, f"{column}s")
