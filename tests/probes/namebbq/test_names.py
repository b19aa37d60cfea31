from __future__ import annotations

import csv
import json
import re
import unicodedata
from pathlib import Path
from typing import Literal

import pytest
from tools.name_faults import faults_of, public_figures

from geobias.atlas.economies import economies
from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import TableError
from geobias.probes.namebbq.names import (
    Exclusive,
    Name,
    NamesByNationality,
    all_names,
    names,
    read_names,
)
from tests.shared_data import shared_data

EVERY = all_names(names())
BEARERS = "evidence/bearers_680.csv"


def a_name(
    name: str,
    nationality: str = "Nigerian",
    iso3: str = "NGA",
    gender: Literal["F", "M"] = "F",
    exclusive: Exclusive = "high",
    note: str = "",
) -> Name:
    return Name(nationality, iso3, gender, name, "own knowledge", exclusive, note)


def a_list(*every: Name) -> NamesByNationality:
    cells: dict[str, dict[str, tuple[Name, ...]]] = {}
    for one in every:
        mine = cells.setdefault(one.nationality, {"F": (), "M": ()})
        mine[one.gender] = (*mine[one.gender], one)
    return cells


def faults(*every: Name) -> list[str]:
    """What is wrong besides missing names."""
    return [fault for fault in faults_of(a_list(*every)) if " names for " not in fault]


def test_the_shipped_names_are_without_fault() -> None:
    assert faults_of(names()) == ()


def test_every_name_has_a_source_and_a_note_where_others_bear_it() -> None:
    assert all(one.source and one.gender_evidence for one in EVERY)
    assert all(one.rank for one in EVERY)
    assert all(one.note for one in EVERY if one.exclusive == "low")


def test_the_shipped_names_are_written_in_the_letters_of_their_languages() -> None:
    word = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ź][A-Za-zÀ-ÖØ-öø-ƿǄ-ɏḀ-ỿ']*(?:[ -][A-Za-zÀ-ÖØ-öø-ƿǄ-ɏḀ-ỿ']+)*")
    for one in EVERY:
        assert word.fullmatch(one.name), one.name
        assert unicodedata.normalize("NFC", one.name) == one.name


def test_a_name_is_exclusive_by_measurement_only() -> None:
    measured = ("nam_dict", "English Wikipedia's biographies")
    assert all(one.source.startswith(measured) for one in EVERY if one.exclusive == "high")
    shared = {"GBR", "USA", "IRL", "PRT", "ESP", "FRA", "GRC", "CHN", "KOR"}
    of_dictionary = [one for one in EVERY if one.source == "nam_dict (J. Michael 2008)"]
    assert not any(one.iso3 in shared for one in of_dictionary if one.exclusive == "high")


def test_public_figures_are_those_of_an_independent_count() -> None:
    with shared_data(BEARERS).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    counted = {
        row["name"]
        for row in rows
        if (float(row["top_share"] or 0) >= 0.5 and float(row["top_views"]) >= 5e6)
        or (float(row["hpi"] or 0) >= 80 and float(row["hpi"]) - float(row["hpi_second"] or 0) >= 8)
    }
    assert "chidinma" not in public_figures()
    assert {row["name"] for row in rows if spelling_key(row["name"]) in public_figures()} == counted


def test_a_nationality_is_the_demonym_of_its_economy() -> None:
    other = {
        nationality: cells["F"][0].iso3
        for nationality, cells in names().items()
        if economies()[cells["F"][0].iso3].demonym != nationality
    }
    assert other == {"Korean": "KOR"}


def test_the_nationalities_are_those_of_bbq() -> None:
    items = shared_data("bbq/Nationality.jsonl").read_text(encoding="utf-8").splitlines()
    groups = [group for item in items for group in json.loads(item)["answer_info"].values()]
    assert {word for word, region in groups if region != "unknown"} == set(names())


IFEOMA, IRISH = a_name("Ifeoma", note="also Irish"), a_name("Ifeoma", "Irish", "IRL")


@pytest.mark.parametrize(
    ("listed", "fault"),
    [
        ([a_name("Chidinma Okafor"), a_name("Conor O'Brien", "Irish", "IRL")], ""),
        ([a_name("Shakíra")], "Shakíra is Shakira to most readers"),
        ([IFEOMA, IRISH], "Ifeoma stands twice, under Nigerian and Irish"),
        (
            [IFEOMA, a_name("Ifeóma", "Irish", "IRL")],
            "Ifeóma stands twice, under Nigerian and Irish",
        ),
        ([IFEOMA, a_name("Ifeoma", gender="M")], "Ifeoma stands twice, under Nigerian"),
        ([IFEOMA, a_name("Ifeoma", "Irish", "IRL", note="also Nigerian")], ""),
    ],
)
def test_a_name_that_is_not_one_persons_of_one_nationality_is_found(
    listed: list[Name], fault: str
) -> None:
    assert "; ".join(faults(*listed)) == fault


@pytest.mark.parametrize(
    ("names", "what"),
    [
        ("Hope Will Dung Máté", "an English word"),
        ("Chad Georgia", "a country"),
        ("German Nigerian", "a nationality"),
    ],
)
def test_a_name_that_reads_as_something_else_is_found(names: str, what: str) -> None:
    for name in names.split():
        assert f"{name} is also {what}" in faults(a_name(name))


def test_fewer_than_five_names_are_missing_names() -> None:
    assert faults_of(a_list(a_name("Ngozi"))) == (
        "Nigerian has 1 names for F, not 5",
        "Nigerian has 0 names for M, not 5",
    )


@pytest.mark.parametrize(
    "row",
    ["Irish,IRL,W,Niamh,own,high,", "Irish,IRL,F,Niamh,own,very,", "Irish,ZZZ,F,Niamh,own,low,"],
)
def test_a_row_that_cannot_be_is_an_error_with_its_line(tmp_path: Path, row: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(f"nationality,iso3,gender,name,source,exclusive,note\n{row}\n", "utf-8")
    with pytest.raises(TableError, match=r"mine\.csv, line 2: "):
        read_names(path)
