"""What the numbers of one answer are to each other: parts and a whole, a rounded figure and the
exact one, the same figure in several years.
"""

from __future__ import annotations

from itertools import islice, pairwise

from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading.choice import Candidate
from geobias.probes.worldbench.reading.expected import Expected
from geobias.probes.worldbench.reading.segments import segments
from geobias.probes.worldbench.reading.wholes import head_points, part_points, topic_points
from geobias.probes.worldbench.reading.years import NamedYear, owner

_MOST_CUES = 20


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


_OF_THE = regex(
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


_PRECISELY = regex(
    r"\b(?:more )?(?:precisely|exactly|specifically)\b|\bto be (?:more |very )?(?:exact"
    r"|precise|specific)\b"
    r"|\b(?:exact|precise) (?:figure|number|value)\b|\bgenauer\b|\bmás exactamente\b"
    r"|\bplus précisément\b|\bprecisamente\b|准确|точнее"
)


_PRECISION_TRACES = ("preci", "exact", "specific", "genauer")


def _mark_precision(candidates: list[Candidate], low_text: str) -> None:
    """*About 54 million, more precisely 54,027,487*: the second says the same thing better."""
    if low_text.isascii() and not any(trace in low_text for trace in _PRECISION_TRACES):
        return
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


_OPENS = regex(r"[%\s]{0,2}(?:[a-z°²]{0,12}\s?)?\(=?\s?\Z")


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


_BOUND_BEFORE = regex(
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
_STRAIGHT = regex(r"[%\s),]{0,3}(?:[a-z°²]{0,10}\s?)?\Z")
_ENDS = regex(r"\s*(?:[).;!\n]|\Z)")
_FEW = 3
_YEARS_APART = 5
_LISTED = ("", "compared")
#: Words by which a figure came to where it is, however few years lie between.
_MOVED = regex(
    r"\b(?:now|reach(?:ed|ing)|rose|risen|fell|fallen|recover\w*|rebound\w*|climb\w*|today)\b"
)
_GOES_ON = regex(r"\b(?:whereas|while|by|but|now|reach\w*|rose|risen|fell|fallen|today)\b|[.;] |\n")


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


_YEAR_ROWS = regex(r"(?:^|\n)\s*\|\s*(?:19|20)[0-9]{2}\s*\|[^\n]*\n\s*\|\s*(?:19|20)[0-9]{2}\s*\|")
