"""Which of the numbers in a reply is its answer.

First, whatever cannot be an answer leaves (labels, denominators, years by their context). The
others carry the weight of their surroundings, to which this module adds what depends on the whole
reply: a stated conclusion, a correction, the country and the year that were asked about.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import islice

import msgspec

from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading.conversion import convert
from geobias.probes.worldbench.reading.expected import Expected
from geobias.probes.worldbench.reading.han_numbers import han_numerals
from geobias.probes.worldbench.reading.number_words import word_numerals
from geobias.probes.worldbench.reading.numerals import (
    EACH_END,
    Numeral,
    digit_numerals,
    lone_vulgar_fractions,
    overlaps,
)
from geobias.probes.worldbench.reading.ranges import with_ranges
from geobias.probes.worldbench.reading.roles import in_brackets, never_an_answer, weight
from geobias.probes.worldbench.reading.segments import segments
from geobias.probes.worldbench.reading.shares import share_numerals
from geobias.probes.worldbench.reading.years import NamedYear, dated_years, owner, year_sense

_CONCLUDES = regex(
    r"(\\boxed\s?\{|\bfinal answer\b|\banswer\b\W{0,6}(?:is|would be|=|:)"
    r"|\brespuesta\b|\bréponse\b|\bantwort\b|\bresposta\b|答案|答え|उत्तर|\bответ\b"
    r"|\bbest (?:guess|estimate)\b|\bi(?:'d| would) say\b|\blet me say\b|\bgo with\b"
    r"|\bcorrect (?:figure|value)\b)"
    # Words of reasoning weigh less: "5.7%, thus among the 10 lowest".
    r"|\btherefore\b|\bthus\b|\bhence\b|\bin conclusion\b|(?<=[.;!\n] )so\b|(?<=\n)so\b"
)
_CORRECTS = regex(
    r"\bwait\b|\bactually\b|\bcorrection\b|\bi meant?\b|\bscratch that\b|\bmake that\b"
    r"|\bsorry, (?:that|it|i)\b|\bmy mistake\b|\bor rather\b|, rather (?=[$~≈0-9])|\boops\b"
    r"|(?<=\? )no\b|\bno, (?:it\b|the\b|that\b|(?=[$~0-9]))|\bcorrect (?:that|this|myself|it)\b"
    r"|\b(?:correct|right|actual|true|real) (?:figure|value|number|answer|rate) (?:is|was|should)\b"
    r"|\breconsider\w*|\bcorrected\b|\brevised?:"
    r"|\b(?:initially|originally|at first|i) (?:thought|said|guess\w*|believed|wrote|gave)\b"
    r"[^.;\n]{0,40}\bbut\b"
    r"|\b(?:first|initial) (?:guess|thought|estimate|instinct|answer)\b[^.;\n]{0,40}\bbut\b"
)
_CLAUSES = regex(r"[;\n|]|[.,)] |\bwhile\b|\bbut\b|\bwhereas\b")
_PHONE = regex(r"\+[0-9]{1,3}(?:[ -][0-9]{2,4}){2,4}|(?<![0-9-])[0-9]{3}-[0-9]{3,4}-[0-9]{4}")
#: A piece of each cue above, as a quick look before the slower pattern.
_CONCLUSION_TRACES = (
    "boxed", "answer", "therefore", "thus", "hence", "conclusion", "best", "say", ". so", "; so",
    "! so", "\nso", "\n so", "go with", "respuesta", "réponse", "antwort", "resposta", "答案",
    "答え", "उत्तर", "ответ", "correct",
)  # fmt: skip
_CORRECTION_TRACES = (
    "wait", "actual", "correct", "mean", "scratch", "make", "sorry", "mistake", "rather", "no,",
    "? no",
    "oops", "reconsider", "revise", "but", "right", "true", "real ",
)  # fmt: skip
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
    if not any(trace in low_text for trace in _CORRECTION_TRACES):
        return
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
    if not any(trace in low_text for trace in _CONCLUSION_TRACES):
        return
    for match in islice(_CONCLUDES.finditer(low_text), _MOST_CUES):
        for candidate in candidates:
            if candidate.numeral.start >= match.end():
                near = candidate.numeral.start <= match.end() + _REACH
                if near and not candidate.concluded and not candidate.sense:
                    candidate.concluded = True
                    candidate.points += 6 if match[1] else 3
                break
