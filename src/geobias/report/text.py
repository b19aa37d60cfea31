"""Text from elsewhere, made safe to show: on a terminal, on a page, in a document."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geobias.report.findings import Cell, Column

MOST_SHOWN = 20_000
_TURNS_TEXT_AROUND = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    """Text without escape sequences, control characters or marks that reorder a line.

    Line breaks and tabs stay, as do the spaces and joiners of other scripts.
    """
    return "".join(c if _harmless(c) else "\ufffd" for c in text[:MOST_SHOWN])


def one_line(text: str) -> str:
    """The same for what belongs on one line: names, roles, outcomes."""
    return " ".join(printable(text).split())


def _harmless(character: str) -> bool:
    if character in "\n\t":
        return True
    kind = unicodedata.category(character)
    return kind not in ("Cc", "Cs", "Cn") and character not in _TURNS_TEXT_AROUND


def is_bound(name: str, columns: Collection[str]) -> bool:
    """Whether the column of this name holds a bound of another one, with which it is shown.

    An interval has both: `baseline_high` beside a `baseline` alone is a number of its own.
    """
    stem, _, end = name.rpartition("_")
    return end in ("low", "high") and {stem, f"{stem}_low", f"{stem}_high"} <= set(columns)


NOTHING = "–"
"""What stands where a number is undefined."""
YEARS = ("year", "asked_year", "cited_year", "best_year")


def number(value: Cell, column: Column) -> str:
    """A cell in the digits a person wants; text as it is, on one line."""
    if value is None or isinstance(value, bool):
        return NOTHING if value is None else ("yes" if value else "")
    if isinstance(value, str) or column.kind == "year":
        return one_line(str(value))
    if isinstance(value, int):
        return f"{value:,}"
    return p_value(value) if column.kind == "p" else decimals(value)


def decimals(value: float) -> str:
    """Three decimals of a small number, six digits of a large one, or all before its point."""
    if abs(value) < 10:
        return f"{value:.3f}"
    return f"{value:,.0f}" if 100_000 <= abs(value) < 1e15 else f"{value:,.6g}"


def p_value(p: float | None) -> str:
    """Three digits are all a permutation test has."""
    if p is None:
        return NOTHING
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def is_p_value(name: str) -> bool:
    """Whether a column of this name holds p-values."""
    return name == "p" or name.endswith(("_p", "p_holm", "p_adjusted"))


def is_year(name: str) -> bool:
    """Whether whole numbers in a column of this name are years, which have no thousands."""
    return name in YEARS
