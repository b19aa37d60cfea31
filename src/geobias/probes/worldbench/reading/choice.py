"""Which of the numbers in a reply is its answer.

First, whatever cannot be an answer leaves (labels, denominators, years by their context). The
others carry the weight of their surroundings, to which this module adds what depends on the whole
reply: a stated conclusion, a correction, the country and the year that were asked about; and what
the numbers are to each other: parts and a whole, a rounded figure and the exact one, the same
figure in several years.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import islice, pairwise

import msgspec

from geobias.probes.worldbench.reading.expected import Expected
from geobias.probes.worldbench.reading.number_words import (
    han_numerals,
    share_numerals,
    word_numerals,
)
from geobias.probes.worldbench.reading.numerals import (
    EACH_END,
    Numeral,
    convert,
    digit_numerals,
    lone_vulgar_fractions,
    overlaps,
)
from geobias.probes.worldbench.reading.roles import (
    in_brackets,
    never_an_answer,
    weight,
    with_ranges,
)
from geobias.probes.worldbench.reading.wholes import (
    head_points,
    part_points,
    segments,
    topic_points,
)
from geobias.probes.worldbench.reading.years import NamedYear, dated_years, owner, year_sense

_CONCLUDES = re.compile(
    r"(\\boxed\s?\{|\bfinal answer\b|\banswer\b\W{0,6}(?:is|would be|=|:)"
    r"|\brespuesta\b|\bréponse\b|\bantwort\b|\bresposta\b|答案|答え|उत्तर|\bответ\b"
    r"|\bbest (?:guess|estimate)\b|\bi(?:'d| would) say\b|\blet me say\b|\bgo with\b"
    r"|\bcorrect (?:figure|value)\b)"
    # Words of reasoning weigh less: "5.7%, thus among the 10 lowest".
    r"|\btherefore\b|\bthus\b|\bhence\b|\bin conclusion\b|(?<=[.;!\n] )so\b|(?<=\n)so\b"
)
_CORRECTS = re.compile(
    r"\bwait\b|\bactually\b|\bcorrection\b|\bi meant?\b|\bscratch that\b|\bmake that\b"
    r"|\bsorry, (?:that|it|i)\b|\bmy mistake\b|\bor rather\b|, rather (?=[$~≈0-9])|\boops\b"
    r"|(?<=\? )no\b|\bno, (?:it\b|the\b|that\b|(?=[$~0-9]))|\bcorrect (?:that|this|myself|it)\b"
    r"|\b(?:correct|right|actual|true|real) (?:figure|value|number|answer|rate) (?:is|was|should)\b"
    r"|\breconsider\w*|\bcorrected\b|\brevised?:"
    r"|\b(?:initially|originally|at first|i) (?:thought|said|guess\w*|believed|wrote|gave)\b"
    r"[^.;\n]{0,40}\bbut\b"
    r"|\b(?:first|initial) (?:guess|thought|estimate|instinct|answer)\b[^.;\n]{0,40}\bbut\b"
)
_CLAUSES = re.compile(r"[;\n|]|[.,)] |\bwhile\b|\bbut\b|\bwhereas\b")
_PHONE = re.compile(r"\+[0-9]{1,3}(?:[ -][0-9]{2,4}){2,4}|(?<![0-9-])[0-9]{3}-[0-9]{3,4}-[0-9]{4}")
_MOST_CUES = 20
#: How far behind "the answer is" its number may stand, in characters.
_REACH = 90


class Candidate(msgspec.Struct, gc=False):
    """A number that may be the answer; more points fit better."""

    numeral: Numeral
    points: float
    sense: str = ""
    concluded: bool = False


class Survey(msgspec.Struct, gc=False):
    """The numbers of a reply, sorted into candidates, years, and the rest."""

    candidates: list[Candidate]
    years: list[NamedYear]
    malformed: bool


def survey(low_text: str, expected: Expected) -> Survey:
    """Find and weigh every number in `low_text`, normalised and in lower case."""
    numerals, years = _numerals(low_text, expected)
    brackets = in_brackets(low_text) if "(" in low_text or "[" in low_text else []
    malformed = any(numeral.value is None for numeral in numerals)
    possible = [
        numeral
        for numeral in with_ranges(numerals, low_text)
        if numeral.value is not None
        and (numeral.year_shaped or not never_an_answer(low_text, numeral, brackets, expected))
    ]
    alone = all(numeral.year_shaped for numeral in possible)
    candidates: list[Candidate] = []
    for numeral in possible:
        sense = ""
        if numeral.year_shaped:
            sense = year_sense(low_text, numeral.start, numeral.end, alone=alone)
            echo = expected.year == numeral.value and sense == "open"
            # 2019 is no life expectancy, nor a score from 0 to 100.
            fits = numeral.measure is not None or expected.fits(numeral.value or 0)
            odd = expected.kind not in ("count", "money") and not fits
            if sense == "year" or echo or expected.kind == "share" or odd:
                years.append(NamedYear(*numeral.span, int(numeral.value or 0)))
                continue
            if sense == "base" or never_an_answer(low_text, numeral, brackets, expected):
                continue
        convert(numeral, low_text, expected)
        points, role = weight(low_text, numeral, expected, brackets, alone=len(possible) == 1)
        if sense == "open":
            points -= 6
            role = "open"
        candidates.append(Candidate(numeral, points, role))
    if len(candidates) > 1:
        _mark_country(candidates, low_text, expected.country)
        _mark_asked_year(candidates, years, low_text, expected.year)
        _mark_corrections(candidates, low_text)
    if candidates:
        _mark_conclusions(candidates, low_text)
    return Survey(candidates, sorted(years, key=lambda year: year.start), malformed)


def _numerals(low_text: str, expected: Expected) -> tuple[list[Numeral], list[NamedYear]]:
    words = share_numerals(low_text, expected)
    words += [
        numeral
        for numeral in word_numerals(low_text, expected) + han_numerals(low_text, expected)
        if not overlaps(numeral.start, numeral.end, words)
    ]
    parts = lone_vulgar_fractions(low_text, expected)
    # A share or "2 and a half" holds digits that are not numbers of their own.
    digits = [
        numeral
        for numeral in digit_numerals(low_text, expected)
        if not any(w.start <= numeral.start < w.end for w in words)
    ]
    words = [word for word in words if not overlaps(word.start, word.end, digits)]
    dates = dated_years(low_text)
    taken = [(date.start, date.end) for date in dates]
    taken += [match.span() for match in _PHONE.finditer(low_text)]
    numerals = [
        numeral
        for numeral in digits + words + parts
        if not any(start <= numeral.start < end for start, end in taken)
    ]
    numerals.sort(key=lambda numeral: numeral.start)
    if len(numerals) > 2 * EACH_END:
        numerals = numerals[:EACH_END] + numerals[-EACH_END:]
    return numerals, dates


def choose(candidates: list[Candidate], expected: Expected) -> Candidate | None:
    if not candidates:
        return None
    best = max(candidates, key=lambda candidate: candidate.points)
    index = expected.kind == "index" and expected.high != 1.0
    if index or (expected.kind == "share" and not best.numeral.percent):
        # "0.45 (45%)" says the same thing twice; the second is in the unit asked for.
        hundredfold = 100 * (best.numeral.value or 0.0)
        for candidate in candidates:
            value = candidate.numeral.value or 0.0
            same = hundredfold and abs(value / hundredfold - 1) < 0.02
            if same and (candidate.numeral.percent or index):
                return candidate
    if expected.kind == "index" and not expected.fits(best.numeral.value or 0.0):
        return next((c for c in candidates if expected.fits(c.numeral.value or 0.0)), best)
    if best.numeral.converted or best.numeral.form == "share":
        return _said_twice(best, candidates)
    return best


def undecided(chosen: Candidate, candidates: list[Candidate]) -> bool:
    """Whether several other numbers fit just as well: a list in which nothing marks the answer.

    Of two the first is read, which is what people mean by "15.2 t; transport 3.9 t".
    """
    if any(candidate.points > chosen.points for candidate in candidates):
        return False  # it was chosen for what it says, not for its weight
    value = chosen.numeral.value or 0.0
    others = {
        candidate.numeral.value
        for candidate in candidates
        if candidate.points >= chosen.points
        and not candidate.sense
        and abs((candidate.numeral.value or 0.0) - value) > 0.02 * abs(value)
    }
    return len(others) > 1


def _said_twice(best: Candidate, candidates: list[Candidate]) -> Candidate:
    """*24.8 inches (630 mm)*: the number in the unit asked for, where both say the same."""
    value = best.numeral.value or 0.0
    for candidate in candidates:
        same = candidate.numeral.value
        plain = not candidate.numeral.converted and candidate.numeral.form != "share"
        if plain and same and value and abs(same / value - 1) < 0.03:
            return candidate
    return best


def _mark_country(candidates: list[Candidate], low_text: str, country: str) -> None:
    """Prefer the numbers that stand in a clause with the country asked about, or else after it."""
    if not country or country not in low_text:
        return
    edges = [0, *(match.end() for match in _CLAUSES.finditer(low_text)), len(low_text)]
    in_clause: list[Candidate] = []
    for candidate in candidates:
        opening = edges[bisect_right(edges, candidate.numeral.start) - 1]
        closing = edges[min(bisect_left(edges, candidate.numeral.end), len(edges) - 1)]
        if country in low_text[opening:closing]:
            in_clause.append(candidate)
    if len(in_clause) > 1:
        said = segments(low_text, [candidate.numeral.span for candidate in candidates])
        for candidate, segment in zip(candidates, said, strict=True):
            if candidate in in_clause and country in segment.before:
                candidate.points += 2
    first = low_text.find(country)
    for candidate in in_clause or [c for c in candidates if c.numeral.start > first]:
        candidate.points += 3


def _mark_asked_year(
    candidates: list[Candidate], years: list[NamedYear], low_text: str, asked_year: int | None
) -> None:
    """Prefer the number that belongs to the year asked about."""
    if asked_year is None:
        return
    spans = [candidate.numeral.span for candidate in candidates]
    for year in years[:20]:
        if year.year == asked_year:
            owned = owner(low_text, year, spans)
            if owned is not None:
                candidates[owned].points += 4
                return


def _mark_corrections(candidates: list[Candidate], low_text: str) -> None:
    """A number that is taken back counts for less than the one that replaces it."""
    for match in islice(_CORRECTS.finditer(low_text), _MOST_CUES):
        if " but" in match[0]:  # "I first thought 50 million, but": the number stands inside
            for candidate in candidates:
                if match.start() <= candidate.numeral.start < match.end():
                    candidate.points -= 8
            continue
        after = [c for c in candidates if match.end() <= c.numeral.start <= match.end() + _REACH]
        if any(candidate.points > -4 and not candidate.sense for candidate in after):
            for candidate in candidates:
                if candidate.numeral.end <= match.start():
                    candidate.points -= 8


def _mark_conclusions(candidates: list[Candidate], low_text: str) -> None:
    """The number right behind "the answer is", "therefore" or \\boxed is the answer."""
    for match in islice(_CONCLUDES.finditer(low_text), _MOST_CUES):
        for candidate in candidates:
            if candidate.numeral.start >= match.end():
                near = candidate.numeral.start <= match.end() + _REACH
                if near and not candidate.concluded and not candidate.sense:
                    candidate.concluded = True
                    candidate.points += 6 if match[1] else 3
                break


def compare(
    candidates: list[Candidate], years: list[NamedYear], low_text: str, expected: Expected
) -> bool:
    """Weighs the candidates of one answer, in order, against each other.

    Returns whether they are figures of parts only (men, women), and none is the whole's.
    """
    only_parts = _mark_wholes(candidates, low_text, expected)
    _mark_precision(candidates, low_text)
    _mark_unrounded(candidates, low_text)
    _mark_in_range(candidates)
    _mark_bounds(candidates, low_text)
    if len(candidates) > _PARTS_AT_LEAST and _mark_sums(candidates):
        only_parts = False
    if expected.year is None and len(years) > 1:
        _mark_latest(candidates, years, low_text)
    return only_parts


def _mark_wholes(candidates: list[Candidate], low_text: str, expected: Expected) -> bool:
    """Prefer the whole to its parts; returns whether there are parts only."""
    said = segments(low_text, [candidate.numeral.span for candidate in candidates])
    points, parts = part_points(said, expected)
    if expected.kind == "count":
        _mark_of_the(candidates, low_text)
    heads = head_points(said, expected, [candidate.numeral.scale for candidate in candidates])
    topics = topic_points(said, expected)
    for candidate, whole, *added in zip(candidates, points, heads, topics, strict=True):
        candidate.points += whole + sum(added)
        if whole > 0:
            candidate.sense = ""
    rest = [
        part
        for candidate, part in zip(candidates, parts, strict=True)
        if not candidate.sense and not candidate.numeral.faint
    ]
    return sum(rest) > 1 and all(rest)


_OF_THE = re.compile(
    r"\s?(?:people |inhabitants |persons )?(?:out )?of (?:the|its|their|all|a total of"
    r"|a population of)"
    r"(?: country's| total| nearly| roughly)?\s?\Z"
)


def _mark_of_the(candidates: list[Candidate], low_text: str) -> None:
    """*42.2 million of the 83.2 million*: the second is the whole."""
    for first, second in pairwise(candidates):
        gap = low_text[first.numeral.end : second.numeral.start]
        larger = (second.numeral.value or 0.0) > (first.numeral.value or 0.0)
        if len(gap) < 48 and larger and _OF_THE.match(gap):
            first.points -= 4


_PRECISELY = re.compile(
    r"\b(?:more )?(?:precisely|exactly|specifically)\b|\bto be (?:more |very )?(?:exact"
    r"|precise|specific)\b"
    r"|\b(?:exact|precise) (?:figure|number|value)\b|\bgenauer\b|\bmás exactamente\b"
    r"|\bplus précisément\b|\bprecisamente\b|准确|точнее"
)


def _mark_precision(candidates: list[Candidate], low_text: str) -> None:
    """*About 54 million, more precisely 54,027,487*: the second says the same thing better."""
    for cue in islice(_PRECISELY.finditer(low_text), _MOST_CUES):
        after = next((c for c in candidates if c.numeral.start >= cue.end()), None)
        before = next((c for c in reversed(candidates) if c.numeral.end <= cue.start()), None)
        exact, other = after, before
        near = before is not None and (
            _STRAIGHT.match(low_text[before.numeral.end : cue.start()])
            and _ENDS.match(low_text, cue.end())
        )
        if near or after is None or after.numeral.start - cue.end() > 30:
            exact = before if near else None
            other = next((c for c in candidates if c is not exact), None)
        if exact is None or other is None or exact is other:
            continue
        values = sorted(abs(c.numeral.value or 0.0) for c in (exact, other))
        if values[1] and values[0] / values[1] > 0.7:
            exact.points = max(exact.points, other.points) + 4


_OPENS = re.compile(r"[%\s]{0,2}(?:[a-z°²]{0,12}\s?)?\(=?\s?\Z")


def _mark_unrounded(candidates: list[Candidate], low_text: str) -> None:
    """*83 million people (83,196,078)*: the bracket says the same number unrounded."""
    for round_one, exact in pairwise(candidates):
        a, b = round_one.numeral.value or 0.0, exact.numeral.value or 0.0
        gap = low_text[round_one.numeral.end : exact.numeral.start]
        if not b or abs(a / b - 1) > 0.05 or exact.numeral.converted or not _OPENS.match(gap):
            continue
        gained = _digits(b) - _digits(a)
        rounded = float(f"{b:.{_digits(a) or 1}g}") == a or abs(a / b - 1) <= 0.01
        if not rounded and (gained < _FAR_MORE or exact.numeral.scale != 1.0):
            continue  # "55 million (54.2 million in 2022)" are two figures
        if exact.numeral.percent == round_one.numeral.percent and gained > 0:
            exact.points = max(exact.points, round_one.points) + 1


#: Digits more that make a number the exact form of one that is further from it: 30 million.
_FAR_MORE = 3


def _digits(value: float) -> int:
    """How many digits a number takes without the zeros at its ends."""
    return len(f"{value:.15g}".split("e")[0].replace(".", "").strip("0"))


_PARTS_AT_LEAST = 2


def _mark_sums(candidates: list[Candidate]) -> bool:
    """*Crops 4.4% and pasture 30.4%, together 34.8%*: what the others before it add up to is the
    whole. Returns whether there is one.
    """
    for last in range(_PARTS_AT_LEAST, len(candidates)):
        whole = candidates[last]
        value = whole.numeral.value or 0.0
        total = 0.0
        for count, part in enumerate(reversed(candidates[:last]), start=1):
            one = part.numeral.value or 0.0
            if one <= 0 or part.numeral.percent != whole.numeral.percent:
                break
            total += one
            if count >= _PARTS_AT_LEAST and abs(total - value) <= 0.002 * value:
                whole.points = max(candidate.points for candidate in candidates) + 3
                whole.sense = ""
                return True
    return False


_BOUND_BEFORE = re.compile(
    r"(?:\b(?:(?P<less>(?:less|fewer|lower) than|under|below|at most|up to|nearly|almost)"
    r"|(?:more|greater|higher) than|over|above|at least)|(?P<sign>[<≤])|[>≥])"
    r" ?(?:about )?(?:us)?[$€£~]?$"
)


def _mark_bounds(candidates: list[Candidate], low_text: str) -> None:
    """*Less than 4% (3.1% in 2023)*: a number that keeps to the bound says it better."""
    for bound, exact in pairwise(candidates):
        before = low_text[max(0, bound.numeral.start - 20) : bound.numeral.start]
        said = _BOUND_BEFORE.search(before)
        top, value = bound.numeral.value or 0.0, exact.numeral.value or 0.0
        if said is None or exact.sense or exact.numeral.percent != bound.numeral.percent:
            continue
        gap = low_text[bound.numeral.end : exact.numeral.start]
        less = bool(said["less"] or said["sign"])
        kept = 0.7 * top < value < top if less else top < value < 1.3 * top
        if kept and _OPENS.match(gap):
            exact.points = max(exact.points, bound.points) + 1


def _mark_in_range(candidates: list[Candidate]) -> None:
    """*Between 10 and 12%, probably 10.9%*: a number within a range says it better."""
    for wide in candidates:
        middle = abs(wide.numeral.value or 0.0)
        for one in candidates if wide.numeral.spread else ():
            away = abs((one.numeral.value or 0.0) - (wide.numeral.value or 0.0))
            alike = one.numeral.percent == wide.numeral.percent and not one.sense
            fits = one.points > -2 and away <= wide.numeral.spread * middle
            if one is not wide and alike and fits:
                one.points = max(one.points, wide.points + 0.5)
                break


#: Nothing but a unit or a bracket between a number and "to be exact".
_STRAIGHT = re.compile(r"[%\s),]{0,3}(?:[a-z°²]{0,10}\s?)?\Z")
_ENDS = re.compile(r"\s*(?:[).;!\n]|\Z)")
_FEW = 3
_YEARS_APART = 5
_LISTED = ("", "compared")
#: Words by which a figure came to where it is, however few years lie between.
_MOVED = re.compile(
    r"\b(?:now|reach(?:ed|ing)|rose|risen|fell|fallen|recover\w*|rebound\w*|climb\w*|today)\b"
)
_GOES_ON = re.compile(
    r"\b(?:whereas|while|by|but|now|reach\w*|rose|risen|fell|fallen|today)\b|[.;] |\n"
)


def _mark_latest(candidates: list[Candidate], years: list[NamedYear], low_text: str) -> None:
    """Of figures listed by year, the latest; two figures are a comparison, and the first counts.

    A table of two years, or a list of two that lie five years apart, is a list too.
    """
    spans = [candidate.numeral.span for candidate in candidates]
    percent = max(candidates, key=lambda candidate: candidate.points).numeral.percent
    owned: dict[int, int] = {}
    for year in years[:20]:
        index = owner(low_text, year, spans)
        if index is None or index in owned or candidates[index].sense not in _LISTED:
            continue
        if candidates[index].numeral.percent == percent:
            owned[index] = year.year
    if len(set(owned.values())) < 2:
        return
    ordered = [owned[index] for index in sorted(owned)]
    if ordered not in (sorted(ordered), sorted(ordered, reverse=True)):
        return
    listed = len(set(ordered)) >= _FEW or _YEAR_ROWS.search(low_text) is not None
    if not listed and ordered[-1] > ordered[0]:  # oldest first
        between = low_text[spans[min(owned)][1] : spans[max(owned)][0]]
        far = ordered[-1] - ordered[0] >= _YEARS_APART
        listed = (_GOES_ON if far else _MOVED).search(between) is not None
    if listed and len({candidates[index].numeral.value for index in owned}) > 1:
        told = [index for index in owned if not candidates[index].sense] or list(owned)
        last = max(told, key=lambda index: (owned[index], -index))
        candidates[last].points = max(candidates[i].points for i in owned) + 1


_YEAR_ROWS = re.compile(
    r"(?:^|\n)\s*\|\s*(?:19|20)[0-9]{2}\s*\|[^\n]*\n\s*\|\s*(?:19|20)[0-9]{2}\s*\|"
)
