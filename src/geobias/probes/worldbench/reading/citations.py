"""Sources that a reply cites, by the name we give them."""

from __future__ import annotations

import re

from geobias.probes.lazy import regex

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
_OFFICES = regex(
    r"(?:[A-Z][\w.'-]{1,20} ){0,3}(?:Bureau of (?:Labor )?Statistics|Census Bureau"
    r"|Statistics? (?:Office|Authority|Agency|Service|Bureau|Department|Institute|Division)"
    r"|Statistical (?:Office|Authority|Agency|Service|Committee|Institute)"
    r"|(?:Institute|Department|Directorate|Office|Administration) (?:of|for)(?: National)?"
    r" Statistics)"
    r"|Department of Census and Statistics"
    r"|Statistics (?:Canada|South Africa|New Zealand|Netherlands|Norway|Sweden|Denmark|Finland"
    r"|Korea|Portugal|Austria|Iceland|Estonia|Lithuania|Botswana|Sierra Leone|Mauritius)|Stats SA"
)

_SHORT = {short: name for name, shorts, _ in _SOURCES for short in shorts.split()}
_LONG = {long: name for name, _, longs in sorted(_SOURCES) for long in longs.split("|")}
_ANY_LONG = regex("|".join(map(re.escape, _LONG)))
_ANY_LONG_ASCII = regex("|".join(re.escape(long) for long in _LONG if long.isascii()))
_CAPITALS = regex(r"(?<![A-Za-z0-9])[A-Z]{2,16}(?![A-Za-z])")
#: Any source as a text in lower case ends with it.
_ENDINGS = tuple(short.lower() for short in _SHORT) + tuple(_LONG)
_SOURCE_WORD = regex("(?<![a-z])(?:" + "|".join(map(re.escape, _ENDINGS)) + r")\Z")
_GROUP_AFTER = regex(r"'?s?(?: (?:member )?countries|-wide| members?| region)?,? (?:average|mean)")
_LEAD_WORDS = regex(r"(?:The|According|Source|Per|By|From|To|And|In|Census) ")


def cited_source(text: str, low_text: str) -> str | None:
    """First source named in `text`, or None; `low_text` is the same in lower case.

    A group of countries that shares its name with a source ("an OECD average") is not cited.
    """
    found: list[tuple[int, str]] = []
    for match in _CAPITALS.finditer(text):
        name = _SHORT.get(match[0])
        if name and not _GROUP_AFTER.match(low_text, match.end()):
            found.append((match.start(), name))
            break
    for match in (_ANY_LONG_ASCII if low_text.isascii() else _ANY_LONG).finditer(low_text):
        place = match.start()
        if not (place and "a" <= low_text[place - 1] <= "z"):
            found.append((place, _LONG[match[0]]))
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
