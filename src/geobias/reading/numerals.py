"""Find the numbers in a text that may answer a question.

Left out are numbers of another unit, denominator or currency, dates, and numbers of the question.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import msgspec

from geobias.reading.units import Unit, asked_unit, is_known, per_at, unit_at
from geobias.reading.words import entries, words


class Asked(msgspec.Struct, frozen=True):
    """The figure that a question asks for.

    unit       in the question's words: "% of GDP", "deaths per 100,000 live births", "year"
    phrase     the figure in words; empty if the question may be about anything
    low, high  the bounds of possible figures
    question   its text; a number that occurs in it is an echo
    """

    unit: str
    phrase: str = ""
    low: float | None = None
    high: float | None = None
    country: str = ""
    year: int | None = None
    question: str = ""

    @property
    def wanted(self) -> Unit:
        return asked_unit(self.unit, self.phrase)[0]


class Number(NamedTuple):
    """A number, `sure` if it has the unit asked for. A range has the value None."""

    value: float | None
    written: str
    sure: bool = False
    scale: float | None = None
    converted: str = ""


_SCALES = {float(scale): pattern for scale, pattern in entries("scales").items()}
_LETTERS = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}
"""Directly after a number: 53.8M."""
SCALE_AT = re.compile(
    r"[\s-]?(?:" + "|".join(f"({one})" for one in _SCALES.values())
    + r")(?:(?<=[万萬億亿兆])|(?![^\W\d_])\.?)",
    re.IGNORECASE,
)  # fmt: skip
_NUMBER = re.compile(
    r"(?<![\w#^.,'/:·⁄])(?<!/\d\d )((?<![^\s(])-(?=[\d$€£]))?"
    r"(\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d+)?(?!\d)|\d{1,3}(?:,\d{2})+,\d{3}(?!\d)|\d+(?:[.,]\d+)?)"
    r"(?:(?:e|\s?[x×·]\s?10\^?\{?)([+-]?\d{1,2})\}?)?",
    re.IGNORECASE,
)
_GOES_WITH = re.compile(
    r"\s?(?:%|[^\W\d_]{1,9})?\s?(?:[-~≈+]|to|až|or|and|x|×|by|bis|et|und|(?<=\s)[aye](?=\s\d))\s?[$€£]?\d"
    r"|\s?(?:feet|ft|years?|let|minutes|minut|hours|hodin|m|h),?(?:\s(?:and|a))?\s\d"
    r"|\s?\w*\sand a half|\s?±|:\d|\s?mega(?!w|b|t)\w"
    r"|[.'·⁄]\d|/(?!10)\d|[./]?[a-z]{1,3}\d|-\d+-|s\b|\+|\)\s?[mbt][a-z]+ion|[^\W\d_]*-(?:and|under)"
    r"|\W{1,3}in [mbt]\w+s\b|\s?%?\s?\(?(?:confiden|ci\b)|\s?times\b|\s(?:in|of) \d{1,3}(?!\d)",
    re.IGNORECASE,
)
"""After a part of a range, of two dimensions, of feet and inches, of a time, or of a version,
fraction, decade, age group, confidence level or probability.
"""
_BESIDE = re.compile(
    r"(?:\b(?:per|every)|\d in|\bout of|\d of|\d%?\s?(?:-|to|až|a|et|und)|\d\s?[x×/]"
    r"|confiden\w*\W*(?:is|of|level)?)\W{0,3}$",
    re.IGNORECASE,
)
"""Before a denominator, the end of a range, or a confidence level."""
_MONTHS = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"|ledna|února|března|dubna|května|června|července|srpna|září|října|listopadu|prosince"
)
DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?(?:{_MONTHS})(?![^\W\d_])(?:,?\s(?:1[5-9]|20)\d\d\b)?"
    rf"|\b(?:{_MONTHS})\s\d{{1,2}}(?:st|nd|rd|th)?(?![\d.])(?:,?\s(?:1[5-9]|20)\d\d\b)?"
    r"|\b(?:in|roce|roku|since|year|until|do)\s(?:1[5-9]|20)\d\d\b"
    rf"|\b\d{{4}}-\d\d-\d\d\b|\[\d+\]"
    r"|\((?:1[5-9]|20)\d\d\)|https?:\S+",
    re.IGNORECASE,
)
"""Dates, years in brackets and notes, which are removed unless a year is asked for."""
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_GOES_ON = re.compile(
    r"\W*(?:$|[,.;:!?()\[\]\"'*|]|(?:as|in(?!\s*$|\s+per\b|[.,])|for|by|per|at|according|based|with|and|but|which|is|was"
    r"|were|on|to|from|since|during|total|approximately|v|ve|podle|k|annually|year)\b)",
    re.IGNORECASE,
)
"""What may follow a number without a unit. Before any other word, it counts something else."""


def numbers_of(text: str, asked: Asked) -> list[Number]:
    if not {"date", "and"}.isdisjoint(asked.unit.split()):
        return []  # Several things are asked for.
    wanted, counted = asked_unit(asked.unit, asked.phrase)
    if wanted.quantity != "year":
        text = DATE.sub(" ", text)
    figures = (_number(text, found, asked, wanted, counted) for found in _NUMBER.finditer(text))
    found = [one for one in figures if one is not None]
    in_words = not (found or asked.phrase or wanted.quantity == "year")
    return [*_in_words(text, asked, wanted)] if in_words else found


def _in_words(text: str, asked: Asked, wanted: Unit) -> Iterator[Number]:
    """Yield small numbers in words. Before the unit ("one candidate") they are sure. Before another
    word they count if the unit is unknown and the question lacks the number. "One of six" is None.
    """
    said = re.findall(r"[\w-]+", text.lower())
    given = {"one", *re.findall(r"[\w-]+", asked.question.lower())}
    forms = [one.split() for one in words("small_numbers")]
    for at, (word, after) in enumerate(pairwise([*said, ""])):
        value = next((place for place, one in enumerate(forms, start=1) if word in one), None)
        sure = after.startswith(asked.unit.casefold()[:-1] or " ")
        unsure = word in given or is_known(wanted)
        if value and after not in ("of", "z", "ze") and (sure or not unsure):
            one_of = said[max(0, at - 2) : at] == ["one", "of"]
            yield Number(None if one_of else float(value), word, sure)


def _number(
    text: str, found: re.Match[str], asked: Asked, wanted: Unit, counted: float
) -> Number | None:
    written, digits = found[0].strip(), found[2]
    before, after = text[: found.start()], text[found.end() :]
    if wanted.quantity == "year":
        dated = YEAR.fullmatch(digits) and not found[1] and not after[:1].isalpha()
        return Number(float(digits), written, sure=True) if dated else None
    if (before or after) and _joined(digits) in _given(asked):
        return None
    if after[:2].lower() in ("st", "nd", "rd", "th") and unit_at(after[2:].lstrip()):
        after = after[2:]
    if _GOES_WITH.match(after):
        return Number(None, written)
    if _BESIDE.search(before):
        return None
    scale, after = _scaled(after, joined=wanted.quantity in ("people", "US dollars"))
    if after[:1].isalpha() and scale is None and unit_at(after) is None:
        return None  # 6.81b, 4th
    if _GOES_WITH.match(after) or re.match(r"\s+[$€£]?\d", after):
        return Number(None, written)  # 1 crore 25 lakh
    a_year = scale is None and len(digits) == 4 and digits.isdigit() and digits[:2] in ("19", "20")
    if (unit := _unit_of(before, after, asked, wanted, a_year)) is None:
        return None
    sure, converted, named = unit
    sign = -1.0 if found[1] and not before[-1:].isalnum() else 1.0
    factor = 10.0 ** int(found[3] or 0) * sign * (scale or 1.0) * converted
    factor /= counted if sure or scale else 1.0
    # Twelve digits, without the noise of binary fractions: 310 kg are 0.31 t.
    values = [float(f"{value * factor:.12g}") for value in _values(digits, wanted, scale)]
    if len(values) > 1 and not scale:
        values = [one for one in values if _fits(one, asked)]
    unclear = len(values) > 1 or digits.count(".") > 1  # 10.291, 17.190.747
    if not values or (unclear and not scale and asked.low is None and asked.high is None):
        return Number(None, written)
    how = "" if converted == 1 else f"{named} → {asked.unit}"
    return Number(values[0], written, sure, scale, how)


def _scaled(after: str, *, joined: bool) -> tuple[float | None, str]:
    """Return the scale after a number, if any, and the text after it."""
    if joined and (letter := re.match(r"[kmbt](?![^\W\d_²2])", after, re.IGNORECASE)):
        return _LETTERS[letter[0].lower()], after[1:]
    scale = None
    while worded := SCALE_AT.match(after):  # hundred thousand, thousand billion
        scale = (scale or 1.0) * [*_SCALES][(worded.lastindex or 1) - 1]
        after = after[worded.end() :]
    return scale, after


def _unit_of(
    before: str, after: str, asked: Asked, wanted: Unit, a_year: bool
) -> tuple[bool, float, str] | None:
    """Return whether the number has the unit asked for, the unit's factor, and how it is written.
    None if the number has another unit, denominator or currency, or counts other things.
    """
    gap = len(after) - len(after.lstrip(" -*"))
    unit, end = unit_at(after, gap) or (None, 0)
    sign = before.rstrip()[-1:]
    if sign and unicodedata.category(sign) == "Sc":
        unit = Unit("US dollars" if sign == "$" else sign)
    per = per_at(after, end)
    bases = re.findall(r"\d+", asked.unit.replace(",", ""))
    if per and per not in ("year", wanted.per, *bases):
        return None
    if unit is None:
        if per and per == wanted.per:
            return True, 1.0, ""
        if a_year or (is_known(wanted) and not _GOES_ON.match(after)):
            return None
        things = asked.unit.casefold()[:-1]
        return bool(things) and after.lstrip(" *").casefold().startswith(things), 1.0, ""
    if unit.quantity == "share" and not _is_share_of(after[end:], asked):
        return None
    if a_year and wanted.quantity == "US dollars" and sign != "$":
        return None  # in 2017 dollars
    if unit.quantity == wanted.quantity:
        same = unit.converts_to(wanted)
        return (True, unit.factor / wanted.factor, after[gap:end].strip()) if same else None
    if wanted.quantity == "per" and per == wanted.per and unit.quantity == "people":
        return True, 1.0, ""
    return None if a_year or is_known(wanted) or unit.quantity == "share" else (False, 1.0, "")


def _is_share_of(after: str, asked: Asked) -> bool:
    """Whether a share is of the whole that is asked for, such as GDP."""
    whole = {*asked.unit.casefold().partition(" of ")[2].split()}
    of, *said = after.casefold().split()[:8] or [""]
    return not whole or of != "of" or any(word.strip(".,;:()") in whole for word in said)


def _values(digits: str, wanted: Unit, scale: float | None) -> list[float]:
    """Return the possible values, the likelier first: 45.123 and 45123 for "45.123"."""
    plain = digits.replace(" ", "").replace("'", "")
    parts = plain.replace(",", ".").split(".")
    marks = {one for one in plain if one in ",."}
    joined = float("".join(parts))
    if len(parts) > 2 and len(marks) == 1:  # thousands, also as in India
        return [joined] if len(parts[-1]) == 3 else []
    decimal = float(f"{''.join(parts[:-1]) or 0}.{parts[-1]}") if marks else joined
    if len(parts) != 2 or len(parts[1]) != 3 or parts[0] == "0":
        return [decimal] if marks != {","} or len(parts[-1]) < 3 or parts[0] == "0" else []
    whole = wanted.quantity == "people" and scale is None
    if whole or (marks == {","} and wanted.quantity != "share"):
        return [joined]
    return [decimal, joined]


def _fits(value: float, asked: Asked) -> bool:
    low, high = asked.low, asked.high
    if high is None and low is None and asked.wanted.quantity == "share":
        low, high = 0, 100
    return (low is None or value >= low) and (high is None or value <= high)


@lru_cache(maxsize=4096)
def _given(asked: Asked) -> frozenset[str]:
    """Return the numbers of a question, which a reply may echo."""
    text = f"{asked.question} {asked.phrase} {asked.unit} {asked.year or ''}"
    return frozenset(_joined(one[2]) for one in _NUMBER.finditer(text))


def _joined(digits: str) -> str:
    return digits.replace(" ", "").replace(",", "")
