"""Numbers in the words of the page."""

from __future__ import annotations

import re
from typing import Any

from geobias.atlas.economies import REGION_CODES
from geobias.report.findings import Measure, Section
from geobias.report.text import NOTHING, p_value

_MINUS = str.maketrans("-", "−")
_HYPHEN_FOR_MINUS = re.compile(r"(?<![\w.)\]-])-(?=\.?\d)")
REGIONS = REGION_CODES
HEADS = {
    "EAS": "East\nAsia &\nPacific",
    "ECS": "Europe\n& C.\nAsia",
    "LCN": "Latin\nAm. &\nCarib.",
    "MEA": "Middle\nEast &\nN. Afr.",
    "NAC": "North\nAm.",
    "SAS": "South\nAsia",
    "SSF": "Sub-\nSah.\nAfrica",
}
"""Regions in the width of a narrow column."""
INDICATORS = {
    "co2_emissions": "CO₂ emissions",
    "gdp": "GDP",
    "gdp_ppp_per_person_employed": "GDP per person employed (PPP)",
    "women_in_parliament": "Women in parliament",
}
"""Indicators whose ids say too little, or say it in capitals."""
COLUMNS = {
    "p": "p",
    "p_holm": "p, adjusted (Holm)",
    "p_adjusted": "p, adjusted",
    "pearson_p": "Pearson p",
    "pearson_p_adjusted": "Pearson p, adjusted",
    "spearman_p": "Spearman p",
    "spearman_p_adjusted": "Spearman p, adjusted",
    "success_p": "p (success)",
    "success_p_adjusted": "p (success), adjusted",
    "turns_p": "p (turns)",
    "turns_p_adjusted": "p (turns), adjusted",
    "equal_views_p": "p at equal views",
    "equal_views_p_adjusted": "p at equal views, adjusted",
    "sd": "SD",
    "u": "U",
    "r_squared": "R²",
    "r_squared_signed": "R², with its sign",
    "r_squared_sig": "R², significance",
    "odds_ratio_sig": "Odds ratio, significance",
    "north_south_sig": "North–South, significance",
    "west_east_sig": "West–East, significance",
    "bias_ambiguous": "Bias, ambiguous",
    "bias_unscaled": "Bias, ambiguous, unscaled",
    "accuracy_ambiguous": "Accuracy, ambiguous",
    "accuracy_disambiguated": "Accuracy, disambiguated",
    "social_value": "About",
    "dataset": "Told by",
    "parsed": "Answered",
    "abstained": "Declined",
    "unparsed": "No number read",
    "baseline": "Chance",
    "baseline_high": "Chance, 95% of deals",
    "paper_baseline": "Chance, as in the paper",
    "corrected": "Freed of noise",
    "error_same": "Error, same questions",
    "questions_same": "Same questions",
    "share_best": "Share of draws in which it is best",
    "here": "This run",
    "not_yes_no": "No yes/no question",
    "first_countries": "Countries, first half",
    "first_games": "Games, first half",
    "first_few": "Few answers, first half",
    "second_countries": "Countries, second half",
    "second_games": "Games, second half",
    "second_few": "Few answers, second half",
    "first": "First half",
    "second": "Second half",
}
"""Columns of tables in words, where their names alone are not English."""


def number(value: float | None, digits: int = 2) -> str:
    """A number to so many decimals; undefined is a dash."""
    if value is None:
        return NOTHING
    text = f"{value:.{digits}f}"
    return (text[1:] if float(text) == 0 and text.startswith("-") else text).translate(_MINUS)


def figure(value: float | None) -> str:
    """A figure in as many digits as a reader wants: people and dollars whole, shares with four."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def bounds(low: float | None, high: float | None, digits: int = 2) -> str:
    """An interval in brackets, or nothing where there is none."""
    return (
        f"[{number(low, digits)}, {number(high, digits)}]"
        if low is not None and high is not None
        else ""
    )


def estimate(value: float | None, low: float | None, high: float | None, digits: int = 2) -> str:
    """A value with its interval: "0.25 [0.21, 0.29]"."""
    if value is None:
        return "undefined"
    return f"{number(value, digits)} {bounds(low, high, digits)}".strip()


def measure(one: Measure) -> str:
    """What a country's mark says."""
    if one.value is None:
        return f"no value ({one.asked:,} asked)"
    return f"{estimate(one.value, one.low, one.high)}, {counted(one.n, one.counted)}"


def counted(n: int, unit: str) -> str:
    """So many of something: "1 template", "2 templates", "1 game won"."""
    return f"{n:,} {unit if n != 1 else singular(unit)}"


def singular(unit: str) -> str:
    """One of them: "economy" of "economies"."""
    first, space, rest = unit.partition(" ")
    one = f"{first[:-3]}y" if first.endswith("ies") else first.removesuffix("s")
    return f"{one}{space}{rest}"


def signed(text: str) -> str:
    """Text in which the hyphen before a number is a minus, as in the numbers of the page."""
    return _HYPHEN_FOR_MINUS.sub("−", text)


def duration(seconds: float) -> str:
    """A time in the two units that matter: "45 s", "2 min 5 s", "2 h 29 min", "3 d 4 h"."""
    whole = round(seconds)
    for unit, size, below, part in (("d", 86400, "h", 3600), ("h", 3600, "min", 60)):
        if whole >= size:
            rest = f" {whole % size // part} {below}" if whole % size >= part else ""
            return f"{whole // size} {unit}{rest}"
    if whole >= 60:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole} s" if seconds >= 1 or not seconds else "under 1 s"


def chance(p: float | None) -> str:
    """A p-value as papers write it."""
    return p_value(p).replace("<", "< ")


def table(section: Section, name: str, *columns: str) -> list[dict[str, Any]]:
    """The rows of a section's table; none where the section lacks it, or it lacks the columns."""
    found = section.tables.get(name)
    if found is None or not set(columns) <= {column.name for column in found.columns}:
        return []
    return [dict(row) for row in found.rows]


def metric(section: Section, name: str) -> Any:
    """A section's metric by name, or None."""
    return next((one for one in section.metrics if one.name == name), None)


def words(identifier: str) -> str:
    """An indicator's or a category's id as words."""
    plain = (
        INDICATORS.get(identifier) or identifier.replace("_", " ").strip().capitalize() or NOTHING
    )
    for small, right in (("Gdp ppp", "GDP PPP"), ("Gdp", "GDP"), ("Co2", "CO₂")):
        plain = plain.replace(small, right)
    return plain


def head(name: str) -> str:
    """The heading of a table's column; names that are already words, or codes, stay."""
    if name in COLUMNS:
        return COLUMNS[name]
    return words(name) if name.islower() else name.replace("_", " ")


def note(text: str) -> str:
    """A table's note: columns that it names stand as in the heads, in quotation marks."""
    return re.sub(r"`([^`]+)`", lambda found: f"“{head(found[1])}”", text)
