"""Sources that a reply cites, by the name we give them."""

from __future__ import annotations

import re

#: Name, its short forms (as written, in capitals) and its long forms (in lower case).
_SOURCES: tuple[tuple[str, str, str], ...] = (
    (
        "World Bank",
        "WDI|WB",
        r"world ?bank|banco mundial|banque mondiale|weltbank|banca mondiale|всемирн\w{2,4} банк"
        r"|世界银行|世界銀行|विश्व बैंक|البنك الدولي|세계은행|dünya bankası|bank dunia"
        r"|ngân hàng thế giới|বিশ্বব্যাংক|world development indicators",
    ),
    (
        "IMF",
        "IMF|FMI",
        r"international monetary fund|fondo monetario|fonds monétaire|world economic outlook"
        r"|国际货币基金组织",
    ),
    ("UNESCO", "UNESCO|UIS", "unesco"),
    ("UNICEF", "UNICEF", "unicef"),
    ("UNFPA", "UNFPA", "united nations population fund"),
    ("UNDP", "UNDP", "human development report"),
    (
        "UN",
        r"UN|UNSD|UNDESA|ONU",
        r"united nations|u\.n\.|world population prospects|naciones unidas|nations unies"
        r"|vereinte nationen|联合国",
    ),
    (
        "WHO",
        "WHO|OMS",
        r"world health organi[sz]ation|organización mundial de la salud|世界卫生组织",
    ),
    ("CIA World Factbook", "CIA", r"(?:cia )?world ?factbook"),
    ("ILO", "ILO|ILOSTAT|OIT", r"international labou?r organi[sz]ation|ilostat"),
    ("IEA", "IEA", "international energy agency"),
    ("IRENA", "IRENA", "international renewable energy agency"),
    ("OECD", "OECD|OCDE", "organisation for economic co-operation"),
    ("FAO", "FAO|FAOSTAT", r"food and agriculture organi[sz]ation|faostat"),
    ("Inter-Parliamentary Union", "IPU", "inter-?parliamentary union"),
    ("Our World in Data", "OWID", "our ?world ?in ?data"),
    ("Eurostat", "EUROSTAT", "eurostat"),
    ("EDGAR", "EDGAR", "emissions database for global atmospheric research"),
    ("Global Carbon Project", "GCP", "global carbon (?:project|atlas|budget)"),
    ("Worldometer", "WORLDOMETERS?", "worldometers?"),
    ("Statista", "STATISTA", "statista"),
    ("Trading Economics", "TRADING ECONOMICS", "trading ?economics"),
    ("Wikipedia", "WIKIPEDIA", "wikipedia"),
    ("African Development Bank", "AFDB|AfDB", "african development bank"),
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
    r"|(?:Institute|Department|Directorate|Office|Administration) (?:of|for)(?: National)? Statistics)"
    r"|Statistics (?:Canada|South Africa|New Zealand|Netherlands|Norway|Sweden|Denmark|Finland"
    r"|Korea|Portugal|Austria|Iceland|Estonia|Lithuania|Botswana|Sierra Leone|Mauritius)|Stats SA"
)

_NAMES = [name for name, _, _ in _SOURCES]
_SHORT = re.compile("|".join(rf"(?<![A-Za-z])({short})(?![A-Za-z])" for _, short, _ in _SOURCES))
_LONG = re.compile("|".join(rf"(?<![a-z])({long})" for _, _, long in _SOURCES))
#: Any source as it stands in a text in lower case.
SOURCE_PATTERN = "|".join(
    rf"(?<![a-z])(?:{short.lower()}|{long})" for _, short, long in _SOURCES
)
_GROUP_AFTER = re.compile(r"'?s?(?: (?:member )?countries|-wide| members?| region)?,? (?:average|mean)")
_LEAD_WORDS = re.compile(r"(?:The|According|Source|Per|By|From|To|And|In|Census) ")


def cited_source(text: str, low_text: str) -> str | None:
    """First source named in `text`, or None; `low_text` is the same in lower case.

    A group of countries that shares its name with a source ("an OECD average") is not cited.
    """
    found: list[tuple[int, str]] = []
    for pattern, where in ((_SHORT, text), (_LONG, low_text)):
        for match in pattern.finditer(where):
            if not _GROUP_AFTER.match(low_text, match.end()):
                found.append((match.start(), _NAMES[(match.lastindex or 1) - 1]))
                break
    if "tat" in text or "ensus" in text:
        office = _OFFICES.search(text)
        if office:
            name = office[0]
            while lead := _LEAD_WORDS.match(name):
                name = name[lead.end() :]
            found.append((office.start(), name))
    return min(found)[1] if found else None
