"""Decoding what comes from outside: right where it is right, one sentence where it is not."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import BadRequest
from geobias.untrusted import (
    FOREVER_SECONDS,
    LARGEST,
    MOST_DEPTH,
    MOST_PARTS,
    MOST_STRINGS,
    Json,
    Undecodable,
    in_words,
    json_value,
    seconds_to_wait,
    text_of,
    toml_value,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-LARGEST - 1, LARGEST) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(VALUES)
def test_json_reads_as_it_was_written(value: Any) -> None:
    assert json_value(msgspec.json.encode(value), object) == value


@given(st.binary() | st.text())
def test_anything_is_json_or_said_not_to_be(raw: bytes | str) -> None:
    with suppress(Undecodable):
        json_value(raw, object)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        # Each of its quotes once began a search to the end: 120 kB took hours.
        (b"[" + b"[]," * (MOST_DEPTH + 1) + b'"' + b'\\"' * 3_000_000, "truncated"),
        (b"[" + b"[]," * MOST_PARTS + b"[]]", f"more than {MOST_PARTS:,} parts"),
        (b"[" * 200 + b'"",' * (MOST_STRINGS + 1), f"more than {MOST_STRINGS:,} strings"),
        (b'{"a": [' + b"{}," * 200, "truncated"),
    ],
    ids=["a string without end", "countless empty parts", "countless strings", "cut off"],
)
def test_hostile_json_is_refused_before_it_is_decoded(raw: bytes, words: str) -> None:
    with pytest.raises(Undecodable, match=words):
        json_value(raw, object)


@pytest.mark.parametrize("deep", [MOST_DEPTH, MOST_DEPTH + 1])
def test_depth_is_counted_where_parts_lie_beside_each_other(deep: int) -> None:
    one = b"[" * (deep - 1) + b"]" * (deep - 1)
    raw = b"[" + b",".join([b'{"a":"[[[["}', one] * 60) + b"]"
    if deep == MOST_DEPTH:
        assert len(json_value(raw, list)) == 120
    else:
        with pytest.raises(Undecodable, match="nested more than"):
            json_value(raw, object)


@given(st.text())
def test_anything_is_toml_or_said_not_to_be(text: str) -> None:
    with suppress(Undecodable):
        toml_value(text, Json)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
@pytest.mark.parametrize("depth", [MOST_DEPTH + 1, 2_000, 100_000])
def test_json_that_is_nested_too_deep_is_refused(opening: str, depth: int) -> None:
    with pytest.raises(Undecodable, match="deep"):
        json_value(opening * depth, object)


@pytest.mark.parametrize(
    "value",
    [["[" * 500, '"' + "{" * 500, "\\" * 3 + "["], [[]] * 1_000, ["9" * 23]],
    ids=["brackets in text", "many values side by side", "long digits in text"],
)
def test_what_only_looks_deep_or_long_is_read(value: Any) -> None:
    assert json_value(json.dumps(value), object) == value


@pytest.mark.parametrize("number", [LARGEST + 1, -LARGEST - 2, 10**30, "9" * 10_000])
@pytest.mark.parametrize("kind", [Any, dict[str, int]])
def test_a_whole_number_that_no_table_holds_is_refused(number: int | str, kind: Any) -> None:
    with pytest.raises(Undecodable):
        json_value(f'{{"repeat": {number}}}', kind)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 5_000, "deep"),
        ("a = " + "9" * 10_000, "digits"),
        (f"a = {LARGEST + 1}", "64 bits"),
        (".".join("a" * 100_000) + " = 1", "parts"),
        ("[" + ".".join("a" * 100_000) + "]", "parts"),
        ("b = {" + ". ".join(["'a'"] * 100_000) + " = 1}", "parts"),
        ("a" * 5_000_000, "longer"),
        ("a = ", "Invalid value"),
    ],
)
def test_hostile_toml_is_refused_at_once(text: str, words: str) -> None:
    began = time.process_time()
    with pytest.raises(Undecodable, match=words):
        toml_value(text, Json)
    assert time.process_time() - began < 2


def test_a_long_word_in_toml_is_read_at_once() -> None:
    began = time.process_time()
    assert toml_value(f'"{"a" * 300_000}" = "{"b" * 300_000}"', Json)
    assert time.process_time() - began < 2


def test_a_file_that_is_too_long_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    with path.open("wb") as file:
        file.truncate(1 << 33)
    with pytest.raises(Undecodable, match="longer than 4 million bytes"):
        text_of(path)


@pytest.mark.parametrize("name", ["none.toml", "a\0b.toml", "."])
def test_what_cannot_be_opened_is_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(Undecodable, match="it cannot be read"):
        text_of(tmp_path / name)


def test_a_message_that_quotes_a_whole_file_is_cut_in_the_middle() -> None:
    said = str(BadRequest(f"no probe is called {'x' * 100_000}: there is worldbench"))
    assert len(said) < 4_000
    assert said.startswith("no probe")
    assert said.endswith("is worldbench")


NOW = datetime(2026, 1, 28, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        (" 3 ", 3.0),
        ("1.5", 1.5),
        ("9" * 400, FOREVER_SECONDS),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(NOW - timedelta(days=1), usegmt=True), 0.0),
        (format_datetime((NOW + timedelta(seconds=90)).replace(tzinfo=None)), 90.0),
    ],
)
def test_a_wait_is_asked_for_in_seconds_or_by_date(header: str, seconds: float) -> None:
    assert seconds_to_wait(header, NOW) == seconds


@pytest.mark.parametrize("header", [None, "", "soon", "-5", "nan", "inf", "1e3", "²", "٣"])
def test_any_other_header_asks_for_no_wait(header: str | None) -> None:
    assert seconds_to_wait(header, NOW) is None


def test_a_date_is_held_against_the_clock() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert seconds_to_wait(later) == pytest.approx(3600, abs=60)


@given(st.text())
def test_no_header_asks_to_wait_longer_than_forever(header: str) -> None:
    wait = seconds_to_wait(header, NOW)
    assert wait is None or 0 <= wait <= FOREVER_SECONDS


class _Wanted(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    many: list[int] = []
    kind: Literal["one", "two"] = "one"
    two: tuple[int, int] = (1, 2)
    words: dict[str, str] = {}
    least: int | None = None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "name is missing"),
        ({"name": 3}, "name is a whole number, not text"),
        ({"name": "x", "many": ["y"]}, "item 1 of many is text, not a whole number"),
        ({"name": "x", "nmae": "y"}, "nmae is not known"),
        ({"name": "x", "kind": "three"}, "kind cannot be 'three'"),
        ({"name": "x", "two": [1]}, "two needs 2 values and has 1"),
        ({"name": "x", "words": {"a": 1}}, "a value of words is a whole number, not text"),
        ({"name": "x", "least": "a"}, "least is text, not a whole number"),
    ],
)
def test_what_is_wrong_with_a_value_is_said_in_plain_words(given: Any, says: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(given, _Wanted)
    assert in_words(caught.value) == says
