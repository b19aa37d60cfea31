from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.economies import economies
from geobias.atlas.figures import figures
from geobias.atlas.groupings import ATLAS, atlas_groups, groups_of, official_languages
from geobias.errors import GeobiasError


def own(folder: Path, text: str) -> Path:
    path = folder / "own.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("column", ATLAS)
def test_every_column_of_the_atlas_groups_all_economies(column: str) -> None:
    groups = atlas_groups(column)
    assert groups.keys() == economies().keys()
    assert len(set(groups.values()) - {None}) > 1


def test_classes_of_population_are_those_of_the_figures() -> None:
    limits = {1e6: "under 1 million", 1e7: "1 to 10 million", 5e7: "10 to 50 million"}
    sizes = figures().truths("population")
    for iso3, shown in atlas_groups("population_class").items():
        known = (name for limit, name in limits.items() if sizes.get(iso3, 0) < limit)
        assert shown == (next(known, "over 50 million") if iso3 in sizes else None)


def test_a_wide_official_language_is_the_only_one_of_those_spoken_widely() -> None:
    wide = {"en": "English", "fr": "French", "es": "Spanish", "ar": "Arabic", "pt": "Portuguese",
            "ru": "Russian", "zh": "Chinese"}  # fmt: skip
    for iso3, codes in official_languages().items():
        names = [wide[code] for code in codes if code in wide] or ["other"]
        shown = names[0] if len(names) == 1 else "several"
        assert atlas_groups("official_language")[iso3] == (shown if codes else None)


def test_a_column_may_be_written_as_people_do() -> None:
    assert groups_of("North-South")["KEN"] == "Global South"


def test_groups_of_ones_own_come_from_a_file(tmp_path: Path) -> None:
    path = own(tmp_path, "iso3,Bloc\nken,East\nFRA,\nWLD,all\n")
    assert groups_of("bloc", path) == {"KEN": "East", "FRA": None}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("name,x\nKenya,1\n", "the header needs iso3"),
        ("iso3,x\nKEN,1\nKEN,2\n", "KEN occurs twice in the table"),
        ("iso3,x\nZZZ,1\n", "no ISO-3 code"),
        ("iso3,x\nKEN\n", "has 1 values for 2 columns"),
        ("iso3,y\nKEN,1\n", "has no column 'x'"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(GeobiasError, match=fault):
        groups_of("x", own(tmp_path, text))


@given(st.text(max_size=200))
def test_no_file_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("own") / "own.csv"
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        found = groups_of("x", path)
    except GeobiasError:
        return
    assert found
