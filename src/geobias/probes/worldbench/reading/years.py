"""Years and dates, told from values by what stands around them and never by their size; and the
sources that a reply cites.

The paper dropped every answer from 2010 to 2030 so that no year is taken for a value, and with it
every true value in that range. Here a number is a year only if its neighbours say so: *in 2019*,
*(2019)*, *2019 estimate*, *World Bank 2021*, *2020-2022*, *2019: 45*.
"""

from __future__ import annotations

import re
from itertools import islice

import msgspec

#: Name, its short forms (as written, in capitals) and its long forms (in lower case).
_SOURCES: tuple[tuple[str, str, str], ...] = (
    (
        "World Bank",
        "WDI WB",
        "world bank|worldbank|banco mundial|banque mondiale|weltbank|banca mondiale"
        "|всемирного банка|всемирный банк|всемирному банку|世界银行|世界銀行|विश्व बैंक|البنك الدولي"
        "|세계은행|dünya bankası|bank dunia|ngân hàng thế giới|বিশ্বব্যাংক"
        "|world development indicators",
    ),
    (
        "IMF",
        "IMF FMI WEO",
        "international monetary fund|fondo monetario|fonds monétaire|world economic outlook"
        "|国际货币基金组织",
    ),
    ("UNESCO", "UNESCO UIS", "unesco"),
    ("UNICEF", "UNICEF", "unicef"),
    ("UNFPA", "UNFPA", "united nations population fund"),
    ("UNDP", "UNDP", "human development report"),
    (
        "UN",
        "UN UNSD UNDESA ONU",
        "united nations|u.n.|world population prospects|naciones unidas|nations unies"
        "|vereinte nationen|联合国",
    ),
    (
        "WHO",
        "WHO OMS",
        "world health organization|world health organisation|organización mundial de la salud"
        "|世界卫生组织",
    ),
    ("CIA World Factbook", "CIA", "world factbook|worldfactbook"),
    ("ILO", "ILO ILOSTAT OIT", "international labour organi|international labor organi|ilostat"),
    ("IEA", "IEA", "international energy agency"),
    ("IRENA", "IRENA", "international renewable energy agency"),
    ("OECD", "OECD OCDE", "organisation for economic co-operation"),
    ("FAO", "FAO FAOSTAT", "food and agriculture organi|faostat"),
    ("Inter-Parliamentary Union", "IPU", "inter-parliamentary union|interparliamentary union"),
    ("Our World in Data", "OWID", "our world in data|ourworldindata"),
    ("Eurostat", "EUROSTAT", "eurostat"),
    ("EDGAR", "EDGAR", "emissions database for global atmospheric research"),
    ("Global Carbon Project", "GCP", "global carbon project|global carbon atlas"),
    ("Worldometer", "WORLDOMETER", "worldometer"),
    ("Statista", "STATISTA", "statista"),
    ("Trading Economics", "TRADINGECONOMICS", "trading economics|tradingeconomics"),
    ("Wikipedia", "WIKIPEDIA", "wikipedia"),
    ("African Development Bank", "AFDB", "african development bank"),
    ("Asian Development Bank", "ADB", "asian development bank"),
    ("IBGE", "IBGE", "instituto brasileiro de geografia"),
    ("INEGI", "INEGI", "inegi"),
    ("INE", "INE", "instituto nacional de estadística"),
    ("INSEE", "INSEE", "insee"),
    ("Destatis", "DESTATIS", "destatis|statistisches bundesamt"),
    ("ISTAT", "ISTAT", "istituto nazionale di statistica"),
    ("Rosstat", "ROSSTAT", "rosstat|росстат"),
    ("BPS", "BPS", "badan pusat statistik"),
)
#: National offices are named as the reply names them.
_OFFICES = re.compile(
    r"(?:[A-Z][\w.'-]{1,20} ){0,3}(?:Bureau of (?:Labor )?Statistics|Census Bureau"
    r"|Statistics? (?:Office|Authority|Agency|Service|Bureau|Department|Institute|Division)"
    r"|Statistical (?:Office|Authority|Agency|Service|Committee|Institute)"
    r"|(?:Institute|Department|Directorate|Office|Administration) (?:of|for)(?: National)?"
    r" Statistics)"
    r"|Department of Census and Statistics"
    r"|Statistics (?:Canada|South Africa|New Zealand|Netherlands|Norway|Sweden|Denmark|Finland"
    r"|Korea|Portugal|Austria|Iceland|Estonia|Lithuania|Botswana|Sierra Leone|Mauritius)|Stats SA"
)

_SHORT_NAMES = {short: name for name, shorts, _ in _SOURCES for short in shorts.split()}
_LONG_NAMES = {long: name for name, _, longs in sorted(_SOURCES) for long in longs.split("|")}
_ANY_LONG = re.compile("|".join(map(re.escape, _LONG_NAMES)))
_ANY_LONG_ASCII = re.compile("|".join(re.escape(long) for long in _LONG_NAMES if long.isascii()))
_CAPITALS = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,16}(?![A-Za-z])")
#: Any source as a text in lower case ends with it.
_ENDINGS = tuple(short.lower() for short in _SHORT_NAMES) + tuple(_LONG_NAMES)
_SOURCE_WORD = re.compile("(?<![a-z])(?:" + "|".join(map(re.escape, _ENDINGS)) + r")\Z")
_GROUP_AFTER = re.compile(
    r"'?s?(?: (?:member )?countries|-wide| members?| region)?,? (?:average|mean)"
)
_LEAD_WORDS = re.compile(r"(?:The|According|Source|Per|By|From|To|And|In|Census) ")


def cited_source(text: str, low_text: str) -> str | None:
    """First source named in `text`, or None; `low_text` is the same in lower case.

    A group of countries that shares its name with a source ("an OECD average") is not cited.
    """
    found: list[tuple[int, str]] = []
    for match in _CAPITALS.finditer(text):
        name = _SHORT_NAMES.get(match[0])
        if name and not _GROUP_AFTER.match(low_text, match.end()):
            found.append((match.start(), name))
            break
    for match in (_ANY_LONG_ASCII if low_text.isascii() else _ANY_LONG).finditer(low_text):
        place = match.start()
        if not (place and "a" <= low_text[place - 1] <= "z"):
            found.append((place, _LONG_NAMES[match[0]]))
            break
    if "tat" in text or "ensus" in text:
        office = _OFFICES.search(text)
        if office:
            name = office[0]
            while lead := _LEAD_WORDS.match(name):
                name = name[lead.end() :]
            found.append((office.start(), name))
    return min(found)[1] if found else None


def ends_with_source(low_text: str) -> bool:
    """Whether `low_text` ends with the name of a source, as in "(World Bank, " before a year."""
    stripped = low_text.rstrip(" \t,.(")
    if len(low_text) - len(stripped) > 3:
        return False
    stripped = stripped.removesuffix("'s")
    return stripped.endswith(_ENDINGS) and _SOURCE_WORD.search(stripped) is not None


#: Years and dates of one reply that are looked at.
_MOST = 16
_Y = r"(?:19|20)[0-9]{2}"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|enero|julio|diciembre|janvier|juillet"
    r"|décembre|januar|juli|dezember|janeiro|julho|dezembro)"
)
_DATES = re.compile(
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

_SAID_BEFORE = re.compile(
    r"(?:\b(?:in|as of|as at|since|for|from|by|until|till|through|during|years?|circa|ca\.?|mid-?"
    r"|early|late|end of|start of|beginning of|fy|est\.?|estimates?|census|data|figures? (?:of|for)"
    r"|report|edition|update|data of|en|em|im|jahr|año|ano|année|desde|depuis|seit|stand|nel|tahun"
    r"|năm|yılında|mwaka|до|в|за|с|على|عام|سنة|سال|ปี|constant|base year|compared to|relative to"
    r"|before|after|up to|average|dated?|updated|published|last|latest|survey)"
    r"|@|\byear\W{1,4})[\s(\"':,]*$"
)
_NOT_YEAR_BEFORE = re.compile(r"(?:for|report|data|average|last|latest|est\.?|estimates?)\s*:\s*$")
_SAID_AFTER = re.compile(
    r"\s?(?:年|년|г\.|года?\b|में|সালে)|[\s)]*(?:est\b|estimates?\b|estimated\b|data\b|figures?\b"
    r"|census\b|report\b|edition\b|revision\b|average\b|levels?\b|survey\b|update\b|prices\b"
    r"|modelled|modeled|projection)|'s\b"
)
_BEFORE_VALUE = re.compile(
    r"\s*(?::|=|–|—|-{1,2}|→|\|)\s*[$€~≈*]{0,3}[0-9]"
    r"| {1,2}[$€]?[0-9]{1,3}(?:(?:,[0-9]{3}){2,}|\.[0-9])"
)
_BASE_BEFORE = re.compile(r"\b(?:constant|at|in|base year)\s*(?:us\$?\s*)?$")
_BASE_AFTER = re.compile(
    r"\s?(?:ppp|international|int\.? ?\$|us ?\$|us dollars|usd|dollars|prices)"
)
_BRACKET_BEFORE = re.compile(r"[(\[]\s*(?:c\.|ca\.|est\.?|in |year )?\s*$")
_BRACKET_AFTER = re.compile(r"\s*[,;)\]]")
_VALUE_BEFORE = re.compile(
    r"(?:\b(?:was|is|were|are|equals|totals?|totall?ed|totaling|about|approximately|around|roughly"
    r"|nearly|almost|over|some|only|just|had|has|of|at|reached|counted|than|est|era|es|est de"
    r"|beträgt|war|é|foi)|[=:$€£~≈→]|\banswer:?)\s*[*$~≈\"']{0,3}$"
)
_VALUE_AFTER = re.compile(
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


_SENTENCE_ENDS = re.compile(r"[;\n]|[.!?] ")
_TURNS_AWAY = re.compile(
    r"[;\n)]|[.!?] |, (?:while|but|compared|whereas|versus|before|after|up|down)\b"
)
_PARTS_THEM = re.compile(r"[;\n]|[.!?] |\band\b|\by\b|[0-9]")
_NEXT_GAP = re.compile(r"\W{0,3}(?:年|г\.)?\s*[:=–—|-]+\s*\W{0,4}\Z| {1,2}[$€£]?\Z")


_BRACKET_CLOSES = re.compile(r"[)\]]:? {0,2}[$€£~]?\Z")
_LIST_GAP = re.compile(r"[,;\n→|] *[(\[]\Z")


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


_NOT_CITED_BEFORE = re.compile(
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
