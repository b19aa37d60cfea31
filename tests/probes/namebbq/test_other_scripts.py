"""Names in other scripts are read by their sounds, and only where one person can be meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.probes.namebbq.reading.peoples import latinized, one_spelling

BOTH = {0: "Svetlana", 2: "Daisuke"}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Светлана", "Svetlana"),
        ("Светланой", "Svetlana"),
        ("スヴェトラーナ", "Svetlana"),
        ("斯维特拉娜", "Svetlana"),
        ("스베틀라나", "Svetlana"),
        ("سفيتلانا", "Svetlana"),
        ("स्वेतलाना", "Svetlana"),
        ("ダイスケ", "Daisuke"),
        ("大輔", "Daisuke"),
        ("다이스케", "Daisuke"),
    ],
)
def test_a_name_in_another_script_is_the_one_that_sounds_like_it(written: str, name: str) -> None:
    assert latinized(one_spelling(written), BOTH) == name


def test_a_name_stands_inside_a_sentence_with_what_is_joined_to_it() -> None:
    assert latinized(one_spelling("다이스케가 늦었습니다."), BOTH) == "Daisuke 가 늦었습니다."


def test_a_name_written_in_two_words_is_one() -> None:
    names = {0: "Abdulrahman", 1: "Constanze"}
    assert latinized(one_spelling("مطبخ عبد الرحمن"), names).endswith("Abdulrahman")


def test_names_that_sound_alike_are_left_as_they_are() -> None:
    assert latinized("Мария", {0: "Maria", 1: "Mario"}) == "Мария"


@pytest.mark.parametrize(
    "text", ["Неизвестно", "無法確定", "わかりません", "알 수 없음", "غير معروف"]
)
def test_that_nobody_can_know_is_nobody_s_name(text: str) -> None:
    assert latinized(one_spelling(text), BOTH) == one_spelling(text)


@given(st.text(max_size=60))
def test_any_text_is_taken(text: str) -> None:
    assert isinstance(latinized(one_spelling(text), BOTH), str)
