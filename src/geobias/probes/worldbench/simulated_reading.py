"""What a simulated model understands of a question: indicator, country, year, and the statements
that stand before it. It reads what it is given, as a real model may.

It understands the wordings that we ship and, where it is told of it, one of the user's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import NamedTuple

from geobias.atlas.economies import Economy, aliases, economies, find_economy
from geobias.atlas.indicators import Indicator
from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading import read_reply
from geobias.probes.worldbench.wording import SHIPPED, Wording, find_wording, paraphrases

_USUAL = regex(
    r"What is the (?P<phrase>.+?) for the country (?P<country>.+?)(?: in (?P<year>\d{4}))?\?"
)
"""The usual question, whatever follows it."""
_USUAL_WORDS = "What is the {phrase} for the country {country}?"
_GROUPS = {"country": "(?P<country>.+?)", "year": r"(?P<year>\d{4})"}
_DATED = regex(r"(?<![\d.,])(\d[\d,]*(?:\.\d+)?) in (\d{4})\b")
_MOST_STATEMENTS = 1_000


class Understood(NamedTuple):
    indicator: Indicator
    economy: Economy
    year: int | None
    before: str
    """What stands before the question in the same message."""


class Reader:
    """Understands questions about these indicators, by id."""

    def __init__(self, indicators: Mapping[str, Indicator], own: Wording | None = None) -> None:
        wordings = [*([own] if own else []), *map(find_wording, SHIPPED)]
        self._phrases = {
            wording.phrase(one).casefold(): one
            for wording in wordings
            for one in indicators.values()
        }
        longest_first = sorted(self._phrases, key=len, reverse=True)
        phrase = f"(?P<phrase>{'|'.join(map(re.escape, longest_first))})"
        # With a year first: without one, "Kenya in 2016" would be a country.
        templates = [(one.question_of_year, one.question) for one in wordings]
        templates += [(one["question_of_year"], one["question"]) for one in paraphrases()]
        self._patterns = [
            (_longest_words(template), pattern)
            for template, pattern in (
                (_USUAL_WORDS, _USUAL),
                *((one, _pattern(one, phrase)) for pair in templates for one in pair if one),
            )
        ]

    def question(self, text: str) -> Understood | None:
        """The question at the end of a message; None where it is none that it understands."""
        folded = text.casefold()
        for words, pattern in self._patterns:
            # Most that a model is asked is no question of ours, and patterns are slow to say so.
            for found in pattern.finditer(text) if words in folded else ():
                asked = found.groupdict()
                indicator = self._phrases.get(asked["phrase"].casefold())
                economy = find_economy(asked["country"]) if indicator else None
                if indicator is not None and economy is not None:
                    year = asked.get("year")
                    before = text[: found.start()]
                    return Understood(indicator, economy, int(year) if year else None, before)
        return None


def stated(asked: Understood) -> float | None:
    """The figure that a statement before the question gives for it; None where there is none.

    A statement is a line that names the country and the indicator. Of figures with their years,
    that of the year asked about counts, else their mean.
    """
    topic = {asked.indicator.phrase.casefold(), asked.indicator.label.casefold()}
    for line in asked.before.splitlines()[:_MOST_STATEMENTS]:
        text = line.casefold()
        if not any(words and words in text for words in topic) or not _names(asked.economy, line):
            continue
        dated = {int(year): float(figure.replace(",", "")) for figure, year in _DATED.findall(line)}
        if asked.year is not None and dated:
            if asked.year in dated:
                return dated[asked.year]
            continue
        if dated:
            return sum(dated.values()) / len(dated)
        one = asked.indicator
        found = read_reply(
            line,
            unit=one.unit,
            kind=one.kind,
            phrase=one.phrase,
            low=one.low,
            high=one.high,
            country=asked.economy.name,
        )
        if found.value is not None:
            return found.value
    return None


def _names(economy: Economy, line: str) -> bool:
    """Whether a line names the country; "Equatorial Guinea" does not name Guinea."""
    return any(find_economy(name) is economy for name in _country_names().findall(line))


@cache
def _country_names() -> re.Pattern[str]:
    """Every name of every economy, the longest first."""
    others = (name for names in aliases().values() for name in names)
    every = sorted({one.name for one in economies().values()} | {*others}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, every))})(?!\w)", re.I)


def _longest_words(template: str) -> str:
    """The longest piece of a wording between its fields."""
    return max((words for words, *_ in Formatter().parse(template)), key=len).casefold()


def _pattern(template: str, phrase: str) -> re.Pattern[str]:
    """What a question in this wording looks like, up to the end of the message or a blank line."""
    groups = _GROUPS | {"phrase": phrase}
    parts, seen = [], set()
    for words, field, _, _ in Formatter().parse(template):
        parts.append(re.escape(words))
        if field:
            parts.append(f"(?P={field})" if field in seen else groups[field])
            seen.add(field)
    return re.compile("".join(parts) + r"(?=\s*\Z|\n\s*\n)", re.I)
