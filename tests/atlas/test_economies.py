from __future__ import annotations

import csv
import json
import re
from collections import Counter
from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.economies import (
    Economy,
    UnknownEconomyError,
    economies,
    economy,
    find_economy,
    groups,
)
from tests.shared_data import shared_data

every_economy = st.sampled_from(sorted(economies().values(), key=lambda one: one.iso3))


def test_there_are_218_economies() -> None:
    assert len(economies()) == 218


def test_the_economies_cannot_be_changed_by_a_reader() -> None:
    with pytest.raises(TypeError):
        economies()["ZZZ"] = economies()["KEN"]  # type: ignore[index]


def test_codes_and_names_are_unique() -> None:
    for field in ("iso3", "iso2", "name", "worldbank_name"):
        values = [getattr(one, field) for one in economies().values()]
        assert len(set(values)) == 218, field


def test_numeric_codes_are_unique_and_have_three_digits() -> None:
    numeric = [one.numeric for one in economies().values() if one.numeric is not None]
    assert len(set(numeric)) == len(numeric) == 216
    assert all(re.fullmatch(r"\d{3}", code) for code in numeric)


def test_codes_have_their_iso_form() -> None:
    for one in economies().values():
        assert re.fullmatch(r"[A-Z]{3}", one.iso3)
        assert re.fullmatch(r"[A-Z]{2}", one.iso2)


@pytest.mark.parametrize(("iso3", "iso2"), [("XKX", "XK"), ("CHI", "JG")])
def test_kosovo_and_the_channel_islands_have_the_world_banks_own_codes(
    iso3: str, iso2: str
) -> None:
    assert economies()[iso3].iso2 == iso2
    assert economies()[iso3].numeric is None


def test_there_are_seven_regions() -> None:
    sizes = {region: len(codes) for region, codes in groups("region").items()}
    assert sizes == {
        "East Asia & Pacific": 38,
        "Europe & Central Asia": 58,
        "Latin America & Caribbean": 42,
        "Middle East & North Africa": 21,
        "North America": 3,
        "South Asia": 8,
        "Sub-Saharan Africa": 48,
    }


def test_there_are_four_income_groups() -> None:
    sizes = {income: len(codes) for income, codes in groups("income").items()}
    assert sizes == {
        "High income": 83,
        "Low income": 26,
        "Lower middle income": 54,
        "Upper middle income": 54,
    }


def test_venezuela_counts_for_regions_and_not_for_incomes() -> None:
    assert economies()["VEN"].income is None
    assert "VEN" in groups("region")["Latin America & Caribbean"]
    assert all("VEN" not in codes for codes in groups("income").values())


def test_only_venezuela_has_no_income_group() -> None:
    assert [one.iso3 for one in economies().values() if one.income is None] == ["VEN"]


def test_there_are_six_continents() -> None:
    sizes = {continent: len(codes) for continent, codes in groups("continent").items()}
    assert sizes == {
        "Africa": 54,
        "Asia": 51,
        "Europe": 48,
        "North America": 34,
        "Oceania": 19,
        "South America": 12,
    }


# Geo20Q+, appendix A.10, as printed there.
GLOBAL_WEST = (
    "United States, Canada, United Kingdom, France, Germany, Italy, Spain, Portugal, Netherlands, "
    "Belgium, Sweden, Norway, Finland, Denmark, Iceland, Austria, Switzerland, Luxembourg, "
    "Ireland, Australia, New Zealand, Estonia, Latvia, Lithuania, Poland, Czech Republic, "
    "Slovakia, Hungary, Slovenia, Malta, Greece, Croatia"
)
GLOBAL_NORTH = (
    "United States, Canada, United Kingdom, France, Germany, Italy, Spain, Portugal, Netherlands, "
    "Belgium, Sweden, Norway, Finland, Denmark, Iceland, Austria, Switzerland, Luxembourg, "
    "Ireland, Australia, New Zealand, Japan, South Korea"
)


def test_the_global_north_is_the_papers_list() -> None:
    named = {economy(name).iso3 for name in GLOBAL_NORTH.split(", ")}
    assert set(groups("north_south")["Global North"]) == named
    assert len(named) == 23


def test_the_global_west_is_the_papers_list() -> None:
    named = {economy(name).iso3 for name in GLOBAL_WEST.split(", ")}
    assert set(groups("west_east")["Global West"]) == named
    assert len(named) == 32


def test_every_other_member_state_of_the_united_nations_is_south_and_east() -> None:
    assert len(groups("north_south")["Global South"]) == 193 - 23
    assert len(groups("west_east")["Global East"]) == 193 - 32


def test_territories_are_neither_north_nor_south_nor_west_nor_east() -> None:
    outside = [one for one in economies().values() if one.north_south is None]
    assert len(outside) == 25
    assert all(one.west_east is None for one in outside)
    assert {"PRI", "HKG", "TWN", "PSE", "XKX", "GRL"} <= {one.iso3 for one in outside}


def test_only_congolese_and_dominican_are_shared_demonyms() -> None:
    counts = Counter(one.demonym for one in economies().values())
    assert {word for word, count in counts.items() if count > 1} == {"Congolese", "Dominican"}


def test_no_name_carries_an_escape_an_inversion_or_stray_space() -> None:
    for one in economies().values():
        assert one.name == one.name.strip()
        assert not re.search(r"[\\{},]", one.name)


@pytest.mark.parametrize(
    ("text", "iso3"),
    [
        ("Kenya", "KEN"),
        ("KEN", "KEN"),
        ("ke", "KEN"),
        ("  kenya ", "KEN"),
        ("Curaçao", "CUW"),
        ("Curacao", "CUW"),
        (r"Cura\c{c}ao", "CUW"),
        (r"S\~ao Tom\'e and Pr\'incipe", "STP"),
        (r"S\~{a}o Tom\'{e} \& Pr\'{\i}ncipe", "STP"),
        ("Cote d'Ivoire", "CIV"),
        ("Côte d’Ivoire", "CIV"),
        ("Ivory Coast", "CIV"),
        ("Turkiye", "TUR"),
        ("Turkey", "TUR"),
        ("Bahamas, The", "BHS"),
        ("bahamas", "BHS"),
        ("Saint Lucia", "LCA"),
        ("St Kitts & Nevis", "KNA"),
        ("U.S.", "USA"),
        ("U.S.A.", "USA"),
        ("UK", "GBR"),
        ("Congo, Dem. Rep.", "COD"),
        ("DR Congo", "COD"),
        ("Congo, Rep.", "COG"),
        ("Korea, Rep.", "KOR"),
        ("Korea, Dem. People's Rep.", "PRK"),
        ("Palestine", "PSE"),
        ("Guinea Bissau", "GNB"),
        ("Timor Leste", "TLS"),
        ("Virgin Islands (U.S.)", "VIR"),
        ("Taiwan, China", "TWN"),
    ],
)
def test_an_economy_is_found_under_its_usual_spellings(text: str, iso3: str) -> None:
    assert economy(text).iso3 == iso3


@pytest.mark.parametrize("text", ["Congo", "Korea", "Virgin Islands", "Atlantis", "", "—", "World"])
def test_a_name_that_is_nobodys_or_two_economies_is_not_guessed(text: str) -> None:
    assert find_economy(text) is None


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownEconomyError, match=r"'Kenia': did you mean Kenya\?$"):
        economy("Kenia")


def test_an_ambiguous_name_is_answered_with_those_it_could_mean() -> None:
    with pytest.raises(UnknownEconomyError, match=r"South Korea or North Korea"):
        economy("Korea")


def test_a_very_long_name_is_refused_at_once() -> None:
    with pytest.raises(UnknownEconomyError):
        economy("Kenya " * 20_000)


@given(st.text())
def test_any_text_finds_an_economy_or_nothing(text: str) -> None:
    found = find_economy(text)
    assert found is None or found == economies()[found.iso3]


@given(every_economy, st.sampled_from([str.upper, str.lower, str.title, str.swapcase]))
def test_case_does_not_matter(one: Economy, change: object) -> None:
    assert callable(change)
    assert find_economy(change(one.name)) == one
    assert find_economy(change(one.worldbank_name)) == one


def listed() -> dict[str, dict[str, str]]:
    """The World Bank's list: the economies by code, up to the empty row before the aggregates."""
    text = shared_data("worldbank/region_and_income.csv").read_text("utf-8-sig")
    rows = csv.DictReader(text.replace("\\&", "&").splitlines(), skipinitialspace=True)
    return {row["Code"]: row for row in takewhile(lambda row: row["Code"], rows)}


def test_region_and_income_are_the_world_banks() -> None:
    ours = {code: (one.region, one.income or "") for code, one in economies().items()}
    assert ours == {code: (row["Region"], row["Income group"]) for code, row in listed().items()}


def test_every_name_of_the_world_banks_list_finds_its_code() -> None:
    assert {code: economy(row["Economy"]).iso3 for code, row in listed().items()} == {
        code: code for code in listed()
    }


def test_the_nationalities_of_bbq_are_demonyms_but_for_korean() -> None:
    lines = shared_data("bbq/Nationality.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [answer for line in lines for answer in json.loads(line)["answer_info"].values()]
    nationalities = {word for word, group in answers if group != "unknown"}
    assert nationalities - {one.demonym for one in economies().values()} == {"Korean"}
