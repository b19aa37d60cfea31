"""Years and dates, told from values by what stands around them and never by their size.

The paper dropped every answer from 2010 to 2030 so that no year is taken for a value, and with it
every true value in that range. Here a number is a year only if its neighbours say so: *in 2019*,
*(2019)*, *2019 estimate*, *World Bank 2021*, *2020-2022*, *2019: 45*.
"""

from __future__ import annotations

from itertools import islice

import msgspec

from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading.citations import ends_with_source

#: Years and dates of one reply that are looked at.
_MOST = 16
_Y = r"(?:19|20)[0-9]{2}"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|enero|julio|diciembre|janvier|juillet"
    r"|décembre|januar|juli|dezember|janeiro|julho|dezembro)"
)
_DATES = regex(
    rf"(?<![0-9.,])(?:"
    rf"[0-9]{{1,2}}[./-][0-9]{{1,2}}[./-]({_Y})"
    rf"|({_Y})[-/.][0-9]{{1,2}}[-/.][0-9]{{1,2}}"
    rf"|(?:[0-9]{{1,2}}(?:st|nd|rd|th|er)?\.? (?:of |de |d')?)?{_MONTH}\b\.?,? (?:de )?"
    rf"(?:[0-9]{{1,2}}(?:st|nd|rd|th)?,? )?({_Y})"
    rf"|(?:q[1-4]|h[12]|fy|cy)[ -]?({_Y})(?:[-–/][0-9]{{2}}\b)?"
    rf"|{_Y} ?(?:-|–|—|/|to|through|until|bis|hasta) ?({_Y})"
    rf"|(?<=between ){_Y} and ({_Y})"
    rf"|({_Y})[-–/][0-9]{{2}}"
    r")(?![0-9%]|[.,][0-9])"
)

_SAID_BEFORE = regex(
    r"(?:\b(?:in|as of|as at|since|for|from|by|until|till|through|during|years?|circa|ca\.?|mid-?"
    r"|early|late|end of|start of|beginning of|fy|est\.?|estimates?|census|data|figures? (?:of|for)"
    r"|report|edition|update|data of|en|em|im|jahr|año|ano|année|desde|depuis|seit|stand|nel|tahun"
    r"|năm|yılında|mwaka|до|в|за|с|على|عام|سنة|سال|ปี|constant|base year|compared to|relative to"
    r"|before|after|up to|average|dated?|updated|published|last|latest|survey)"
    r"|@|\byear\W{1,4})[\s(\"':,]*$"
)
_NOT_YEAR_BEFORE = regex(r"(?:for|report|data|average|last|latest|est\.?|estimates?)\s*:\s*$")
_SAID_AFTER = regex(
    r"\s?(?:年|년|г\.|года?\b|में|সালে)|[\s)]*(?:est\b|estimates?\b|estimated\b|data\b|figures?\b"
    r"|census\b|report\b|edition\b|revision\b|average\b|levels?\b|survey\b|update\b|prices\b"
    r"|modelled|modeled|projection)|'s\b"
)
_BEFORE_VALUE = regex(
    r"\s*(?::|=|–|—|-{1,2}|→|\|)\s*[$€~≈*]{0,3}[0-9]"
    r"| {1,2}[$€]?[0-9]{1,3}(?:(?:,[0-9]{3}){2,}|\.[0-9])"
)
_BASE_BEFORE = regex(r"\b(?:constant|at|in|base year)\s*(?:us\$?\s*)?$")
_BASE_AFTER = regex(r"\s?(?:ppp|international|int\.? ?\$|us ?\$|us dollars|usd|dollars|prices)")
_BRACKET_BEFORE = regex(r"[(\[]\s*(?:c\.|ca\.|est\.?|in |year )?\s*$")
_BRACKET_AFTER = regex(r"\s*[,;)\]]")
_VALUE_BEFORE = regex(
    r"(?:\b(?:was|is|were|are|equals|totals?|totall?ed|totaling|about|approximately|around|roughly"
    r"|nearly|almost|over|some|only|just|had|has|of|at|reached|counted|than|est|era|es|est de"
    r"|beträgt|war|é|foi)|[=:$€£~≈→]|\banswer:?)\s*[*$~≈\"']{0,3}$"
)
_VALUE_AFTER = regex(
    r"[*\s]{0,3}(?:people|inhabitants|residents|persons|individuals|citizens|habitants|habitantes"
    r"|einwohner|deaths|maternal|tonnes|tons|metric|t\b|dollars|usd|us ?\$|\$|€|ppp|人|명|per\b)"
)


class NamedYear(msgspec.Struct, gc=False):
    """A year that the reply names, and where."""

    start: int
    end: int
    year: int


def dated_years(low_text: str) -> list[NamedYear]:
    """The (last) years of dates and spans of years."""
    found: list[NamedYear] = []
    if "20" not in low_text and "19" not in low_text:
        return found
    for match in islice(_DATES.finditer(low_text), _MOST):
        before = low_text[max(0, match.start() - 4) : match.start()]
        if before.rstrip().endswith(("$", "€", "£")):
            continue
        found.append(NamedYear(*match.span(), int(match[match.lastindex or 1])))
    return found


def year_sense(low_text: str, start: int, end: int, *, alone: bool) -> str:
    """What the context makes of four digits: "year", "base", "value" or "open".

    "base" is the year of constant prices; "open" means that nothing says what it is. `alone` says
    that no other number could be the answer.
    """
    before = low_text[max(0, start - 32) : start]
    after = low_text[end : end + 24]
    if before.endswith("constant ") or (
        _BASE_AFTER.match(after) and (_BASE_BEFORE.search(before) or not alone)
    ):
        return "base"
    if _is_year(before, after):
        return "year"
    return "value" if _VALUE_AFTER.match(after) or _VALUE_BEFORE.search(before) else "open"


def _is_year(before: str, after: str) -> bool:
    return bool(
        (_SAID_BEFORE.search(before) and not _NOT_YEAR_BEFORE.search(before))
        or _SAID_AFTER.match(after)
        or _BEFORE_VALUE.match(after)
        or ends_with_source(before)
        # "(2019)" is a year behind something, and an answer when it is all there is.
        or (before.strip(" ([") and _BRACKET_BEFORE.search(before) and _BRACKET_AFTER.match(after))
    )


_SENTENCE_ENDS = regex(r"[;\n]|[.!?] ")
_TURNS_AWAY = regex(r"[;\n)]|[.!?] |, (?:while|but|compared|whereas|versus|before|after|up|down)\b")
_PARTS_THEM = regex(r"[;\n]|[.!?] |\band\b|\by\b|[0-9]")
_NEXT_GAP = regex(r"\W{0,3}(?:年|г\.)?\s*[:=–—|-]+\s*\W{0,4}\Z| {1,2}[$€£]?\Z")


_BRACKET_CLOSES = regex(r"[)\]]:? {0,2}[$€£~]?\Z")
_LIST_GAP = regex(r"[,;\n→|] *[(\[]\Z")


def owner(low_text: str, year: NamedYear, spans: list[tuple[int, int]]) -> int | None:
    """Which of the numbers at `spans` (in order) the year belongs to, by index.

    *2020: 71.5, 2021: 76.5* and *3.9 in 2020 from 4.4 in 2019* each pair up.
    """
    previous = next((i for i in reversed(range(len(spans))) if spans[i][1] <= year.start), None)
    following = next((i for i in range(len(spans)) if spans[i][0] >= year.end), None)
    gap_before = "" if previous is None else low_text[spans[previous][1] : year.start]
    gap_after = "" if following is None else low_text[year.end : spans[following][0]]
    if following is not None and len(gap_after) < 12 and _NEXT_GAP.match(gap_after):
        return following
    if _BRACKET_CLOSES.match(gap_after) and (previous is None or _LIST_GAP.search(gap_before)):
        return following  # "(2019) 5.2%, (2020) 6.5%"
    if previous is not None:
        if len(gap_before) <= 18 and not _PARTS_THEM.search(gap_before):
            return previous
        if low_text[year.start - 1] in "([" and not _SENTENCE_ENDS.search(gap_before):
            return previous
    if following is not None and not _TURNS_AWAY.search(gap_after):
        return following
    return None if _SENTENCE_ENDS.search(gap_before) else previous


_NOT_CITED_BEFORE = regex(
    r"(?:\bsince|\bcompared (?:to|with)|\bbefore|\bafter|\brelative to|\bthan in|\bpoints from"
    r"|\buntil"
    r"|(?:knowledge|cut-?off|updated?|training|trained|\bmy (?:data|information))\b[^.;\n]{0,40})"
    r"\s*$"
)


def cited_year(
    low_text: str,
    years: list[NamedYear],
    spans: list[tuple[int, int]],
    chosen: int,
    rivals: set[int],
) -> int | None:
    """The year that the reply gives for the number at `spans[chosen]`.

    Years that belong to one of the `rivals` (other values, comparisons) are not cited, nor are
    those of the model's own training or of the start of a trend.
    """
    begin, end = spans[chosen]
    own: list[tuple[int, int]] = []
    same: int | None = None
    second_best: int | None = None
    for year in years[:_MOST]:
        if _NOT_CITED_BEFORE.search(low_text[max(0, year.start - 70) : year.start]):
            continue
        owned = owner(low_text, year, spans)
        if owned == chosen:
            own.append((max(begin - year.end, year.start - end), year.year))
        elif owned is None:
            second_best = second_best or year.year
        elif owned not in rivals:
            same = same or year.year
    return min(own)[1] if own else same or second_best
