"""What holds for every text: it is read in bounded time, without error, and numbers come back."""

from __future__ import annotations

import math
import time
from functools import cache

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from geobias.probes.worldbench.reading import read_reply

UNITS = [
    "people", "percent", "US$", "PPP $", "tonnes per person", "deaths per 100,000", "", "x",
    "years", "mm", "°C", "km²", "kWh per capita", "index from 0 to 100", "births per woman",
    "US$ million", "per 1,000 people",
]  # fmt: skip
FRAGMENTS = [
    "1", "12", "2019", "1,", "1.", "3.5", "45%", "%", "$", "(", ")", "[", "]", "{", "}", "<", ">",
    "<|", "|>", "<think>", "</think>", "[USER]", "[/INST]", "What is", "?", "million", "lakh", "万",
    "亿", "one", "hundred", "and a half", "third", "in", "of", "between", "and", "to", "-", "–",
    "'", " ", "\n", "\u00a0", "²", "½", "٣", "٫", "٬", "e9", "x 10^", "×10⁹", "World Bank", "as of",
    "I don't", "no data", "actually", "answer:", "\\boxed{", "https://", "Kenya", "per 100,000",
    "years", "months", "mm", "kg", "°F", "‰", "per capita", "men", "women", "total", "overall",
    "more precisely", "to be exact", "\\text{", "\\frac{", "}", "| 2019 |", "of the", "per 1,000",
    "İ", "~~", "July", "one two", "1/", "三", "百分之", "\x00", "\ud7ff", "😀", "Statistics",
]  # fmt: skip
SCRIPTS = ["0", "٠", "۰", "०", "০", "๐", "０"]

# A byte for a fragment: a list of draws takes longer to make than to read.
fragments = st.binary(max_size=60).map(
    lambda signs: [FRAGMENTS[sign % len(FRAGMENTS)] for sign in signs]
)
texts = st.one_of(st.text(max_size=200), fragments.map("".join), fragments.map(" ".join))
ranges = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True))


def in_script(text: str, zero: str) -> str:
    return "".join(chr(ord(zero) + int(char)) if "0" <= char <= "9" else char for char in text)


def grouped(number: int, sign: str) -> str:
    return f"{number:,}".replace(",", sign)


def indian(number: int) -> str:
    digits = str(number)
    head, tail = digits[:-3], digits[-3:]
    pairs = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)][::-1]
    return ",".join([*pairs, tail]) if head else tail


@given(
    st.lists(texts, min_size=3, max_size=3),
    st.sampled_from(UNITS),
    ranges,
    ranges,
    st.one_of(st.none(), st.integers()),
    st.one_of(st.none(), st.text(max_size=12), st.just("Kenya")),
)
@example(["1" * 5000], "people", None, None, None, None)
@example(["1e" + "9" * 4], "people", None, None, None, None)
@example(["<think>" * 50], "percent", None, None, None, None)
def test_no_text_raises_and_every_span_lies_within_it(
    several: list[str],
    unit: str,
    low: float | None,
    high: float | None,
    asked_year: int | None,
    country: str | None,
) -> None:
    for text in several:
        reading = read_reply(
            text, unit=unit, low=low, high=high, asked_year=asked_year, country=country
        )
        if reading.outcome == "parsed":
            assert reading.value is not None
            assert math.isfinite(reading.value)
            assert reading.span is not None
            start, end = reading.span
            assert 0 <= start < end <= len(text)
            assert text[start:end].strip() == text[start:end]
        else:
            assert (reading.value, reading.span) == (None, None)
            assert reading.outcome in ("abstained", "unparsed")


@given(st.integers(0, 10**13), st.sampled_from(SCRIPTS))
def test_a_grouped_count_round_trips_in_every_script(number: int, zero: str) -> None:
    for sign in (",", ".", " ", "'", "’", "\u00a0", "\u2009", "\u202f", "٬", "_"):
        assert read_reply(in_script(grouped(number, sign), zero), unit="people").value == number


@given(st.integers(0, 10**12))
def test_indian_grouping_round_trips(number: int) -> None:
    assert read_reply(indian(number), unit="people").value == number


@given(st.integers(0, 10_000), st.sampled_from([".", ",", "٫"]), st.sampled_from(SCRIPTS))
def test_a_percentage_round_trips_in_every_script(hundredths: int, sign: str, zero: str) -> None:
    text = f"{hundredths / 100:.2f}".replace(".", sign)
    for form in ("{}", "{} %", "~{}%", "**{}%**", "It is {} percent.", "\\boxed{{{}}}"):
        reading = read_reply(in_script(form.format(text), zero), unit="percent")
        assert reading.value == pytest.approx(hundredths / 100)


SCALED = [
    ("{} thousand", 1e3), ("{} million", 1e6), ("{}M", 1e6), ("{} billion", 1e9),
    ("{}bn", 1e9), ("US$ {} trillion", 1e12), ("{} lakh", 1e5), ("{} crore", 1e7),
    ("{}万", 1e4), ("{}亿", 1e8), ("{}億", 1e8), ("{} millones", 1e6),
    ("{} mil millones", 1e9), ("{} milliards", 1e9), ("{} Millionen", 1e6),
    ("{} milhões", 1e6), ("{} लाख", 1e5), ("{} करोड़", 1e7), ("{} млн", 1e6),
    ("{} مليون", 1e6), ("{}e9", 1e9), ("{} x 10^9", 1e9), ("{}×10⁹", 1e9),
    ("The GDP is about {} million dollars.", 1e6),
]  # fmt: skip


@given(st.integers(1, 9999))
def test_a_scaled_number_round_trips(tenths: int) -> None:
    for pattern, scale in SCALED:
        reading = read_reply(pattern.format(f"{tenths / 10:.1f}"), unit="US$")
        assert reading.value == pytest.approx(tenths / 10 * scale)
        assert reading.scale == scale


CONVERSIONS = [
    ("kg", "tonnes per person", 1e-3), ("g", "kg", 1e-3), ("cm", "mm", 10.0), ("m", "mm", 1e3),
    ("MWh", "kWh", 1e3), ("hectares", "km²", 1e-2), ("months", "years", 1 / 12),
    ("km²", "hectares", 100.0), ("litres", "m³", 1e-3), ("kbps", "Mbps", 1e-3),
]  # fmt: skip


@given(st.integers(1, 90_000), st.sampled_from(CONVERSIONS))
@example(1990, ("months", "years", 1 / 12))
@example(2019, ("cm", "mm", 10.0))
def test_a_measured_amount_comes_back_in_the_unit_asked_for(
    number: int, conversion: tuple[str, str, float]
) -> None:
    said, asked, factor = conversion
    for form in ("{} {}", "about {} {}.", "It is **{} {}**", "\\boxed{{{} \\text{{ {}}}}}"):
        reading = read_reply(form.format(number, said), unit=asked)
        assert reading.value == pytest.approx(number * factor)
        assert reading.converted
        own = read_reply(form.format(number, asked.split(" ")[0]), unit=asked)
        assert (own.value, own.converted) == (number, "")


MOST = 40
"""How many times the CPU of an ordinary reply a hostile one may take; patterns that backtrack take
thousands of times as much."""
ORDINARY = "As of 2020, the share in Kenya is about 45.2% (Source: World Bank, 2021)."


def times_as_long(text: str, unit: str, runs: int = 25) -> float:
    """The CPU of one reading in readings of an ordinary reply: the best of several, side by side,
    so that neither a slow nor a busy machine is blamed. Most texts need no second look."""
    best = _seconds(text, unit) / _ordinary_seconds(unit)
    for _ in range(runs):
        if best < MOST:
            break
        best = min(best, _seconds(text, unit) / max(_seconds(ORDINARY, unit, 20), 1e-6))
    return best


@cache
def _ordinary_seconds(unit: str) -> float:
    return max(_seconds(ORDINARY, unit, 50), 1e-6)


def _seconds(text: str, unit: str, times: int = 1) -> float:
    begun = time.thread_time()
    for _ in range(times):
        read_reply(text, unit=unit, low=0, high=100, asked_year=2020, country="Kenya")
    return (time.thread_time() - begun) / times


HOSTILE = {
    "digits": "1" * 5_000,
    "commas": "1," * 100_000,
    "dots": "1." * 100_000,
    "spaced": "1 " * 100_000,
    "dashes": "1-" * 100_000,
    "slashes": "1/2 " * 50_000,
    "apostrophes": "1'" * 100_000,
    "open brackets": "(" * 100_000,
    "brackets": "(1)" * 50_000,
    "tokens": "<|" * 50_000,
    "tags": "<a " * 50_000,
    "turns": "[USER] 5 [MODEL] " * 5_000,
    "questions": "what is 5? " * 10_000,
    "unasked": "what is 5 " * 10_000,
    "marks": "?" * 100_000,
    "spaces": " " * 1_000_000 + "5",
    "spaces after": "5" + " " * 1_000_000 + "%",
    "words": "one hundred and " * 10_000,
    "halves": "2 and a half " * 10_000,
    "han": "一千万 " * 20_000,
    "exponents": "2.5 x 10^" * 10_000,
    "years": "in 2019 was 2019 " * 10_000,
    "dates": "1 Jan 2020 2020-2021 " * 10_000,
    "banks": "World Bank 2021 " * 10_000,
    "offices": "Aaaa " * 20_000 + "Statistics",
    "refusals": "not a a a no b c d please e " * 10_000,
    "corrections": "5 actually 6 answer: 7 " * 10_000,
    "lists": "\n1. " * 50_000,
    "dotted capitals": "İ1" * 50_000,
    "thinking": "<think>" + "maybe 5 " * 100_000,
    "thought": "<think>" + "maybe 5 " * 100_000 + "</think>45",
    "nested brackets": "([{" * 40_000 + "5" + "}])" * 40_000,
    "nested commands": "\\text{" * 20_000 + "5 million" + "}" * 20_000,
    "fractions": "\\frac{1}{2}" * 10_000,
    "units": "5 kg 6 mm 7 years 8 °F " * 5_000,
    "months": "5 years and 6 months " * 5_000,
    "parts": "men 5%, women 6%, urban 7%, " * 5_000,
    "precision": "about 5, more precisely 6, to be exact " * 5_000,
    "rows": "| 2019 | 5 |\n" * 10_000,
    "bases": "5 of a a a a per 1,000 " * 5_000,
    "ten megabytes": "a" * 10_000_000,
    "ten megabytes of numbers": "12 " * 3_400_000,
    "ten megabytes of scripts": "١万 " * 3_400_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("unit", ["percent", "people", "deaths per 100,000"])
def test_no_hostile_text_takes_long(name: str, unit: str) -> None:
    assert times_as_long(HOSTILE[name], unit) < MOST


@pytest.mark.parametrize("name", ["units", "months", "rows", "bases", "nested commands", "digits"])
def test_no_hostile_text_takes_long_where_a_unit_is_asked_for(name: str) -> None:
    assert times_as_long(HOSTILE[name], "years") < MOST


@given(
    st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=6).map("".join),
    st.integers(1, 3000),
    st.sampled_from(["percent", "people", "mm"]),
)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_no_repeated_text_takes_long(fragment: str, times: int, unit: str) -> None:
    assert times_as_long(fragment * times, unit) < MOST
