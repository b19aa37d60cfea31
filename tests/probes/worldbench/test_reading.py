"""What the reader makes of a reply, one rule at a time."""

from __future__ import annotations

import math

import pytest

from geobias.probes.worldbench.reading import Reading, read_reply


def percent(text: str, *, asked_year: int | None = None, country: str | None = None) -> Reading:
    return read_reply(text, unit="percent", asked_year=asked_year, country=country)


def people(text: str, *, asked_year: int | None = None, country: str | None = None) -> Reading:
    return read_reply(text, unit="people", asked_year=asked_year, country=country)


def dollars(text: str) -> Reading:
    return read_reply(text, unit="US$")


# Years


def test_a_year_in_brackets_is_not_the_answer() -> None:
    reading = percent("4.63 (2019)")
    assert (reading.value, reading.year) == (4.63, 2019)


def test_a_bare_reply_in_the_range_of_years_is_a_value() -> None:
    assert people("2015").value == 2015
    assert people("2,015").value == 2015
    assert dollars("2024").value == 2024
    assert people("Population: 2019").value == 2019


def test_a_lone_year_is_no_percentage() -> None:
    reading = percent("2019")
    assert (reading.value, reading.outcome, reading.reason) == (None, "unparsed", "only a year")


def test_the_second_2019_of_a_sentence_is_the_value() -> None:
    text = "In 2019, the population was 2019"
    reading = people(text)
    assert reading.value == 2019
    assert reading.span == (len(text) - 4, len(text))
    assert reading.year == 2019


def test_the_echo_of_the_year_asked_about_is_not_the_value() -> None:
    assert people("2020\n10834", asked_year=2020).value == 10834
    assert people("2020", asked_year=2020).reason == "only a year"


def test_of_two_years_the_one_asked_about_is_read() -> None:
    text = "2020: 71.5, 2021: 76.5"
    assert percent(text).value == 71.5
    assert percent(text, asked_year=2021).value == 76.5


def test_the_base_year_of_constant_prices_is_neither_value_nor_cited() -> None:
    reading = read_reply("8,962 constant 2017 PPP $", unit="PPP $")
    assert (reading.value, reading.year) == (8962, None)


# Separators


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("1,234", "people", 1234),
        ("1.234", "people", 1234),
        ("1.234", "US$", 1234),
        ("1.234", "tonnes per person", 1.234),
        ("1.234", "percent", 1.234),
        ("1,234", "percent", 1.234),
        ("0.045", "people", 0.045),
        ("12,5", "people", 12.5),
        ("8.703.771", "people", 8703771),
        ("12,34,56,789", "people", 123456789),
        ("1.234,56", "US$", 1234.56),
        ("1,234.56", "US$", 1234.56),
        ("8.703 million", "people", 8703000),
        ("4,500 million", "US$", 4.5e9),
        ("8,703 Millionen", "people", 8703000),
        ("3,800万", "people", 3.8e7),
    ],
)
def test_a_doubtful_separator_follows_the_written_rule(text: str, unit: str, value: float) -> None:
    assert read_reply(text, unit=unit).value == pytest.approx(value)


def test_the_range_decides_a_doubtful_separator() -> None:
    assert read_reply("4,563", unit="tonnes per person", low=0, high=50).value == 4.563
    assert read_reply("4,563", unit="goats per herd").value == 4563


def test_the_name_of_the_unit_suggests_a_range_where_nobody_gave_one() -> None:
    assert read_reply("4,563", unit="tonnes per person").value == 4.563
    assert read_reply("1.640 kWh", unit="kWh per capita").value == 1640


def test_the_range_never_discards_the_only_answer() -> None:
    assert read_reply("-5", unit="people", low=1e4, high=1e9).value == -5
    assert read_reply("250%", unit="percent", low=0, high=100).value == 250


def test_a_number_with_two_decimal_points_is_malformed() -> None:
    assert percent("12.3.4").reason == "malformed number"


# Scales, words and shares


def test_the_span_covers_the_number_and_its_scale_word() -> None:
    text = "The population is 8.7 million people."
    reading = people(text)
    assert reading.span is not None
    assert text[slice(*reading.span)] == "8.7 million"
    assert (reading.value, reading.scale, reading.reason) == (8.7e6, 1e6, "scale word")


def test_a_range_is_read_at_its_midpoint_and_says_so() -> None:
    for text in ("10-12%", "10–12 %", "between 10 and 12 percent", "10 to 12%"):
        reading = percent(text)
        assert (reading.value, reading.reason) == (11, "range midpoint")


def test_a_change_over_time_is_not_a_range() -> None:
    assert percent("It rose from 3.1% in 2010 to 5.7% in 2020.").value == 5.7


def test_a_bound_is_read_as_said() -> None:
    for text, value in (("less than 1%", 1), ("over 99%", 99), (">99%", 99)):
        reading = percent(text)
        assert (reading.value, reading.reason) == (value, "bound")


def test_a_bare_ratio_is_not_turned_into_a_percentage() -> None:
    assert percent("0.45").value == 0.45


def test_a_share_of_a_whole_is_a_percentage() -> None:
    assert percent("1 in 5").value == 20
    assert percent("around one third").value == pytest.approx(100 / 3)


def test_negative_values_stay_negative() -> None:
    assert percent("-3.2%").value == -3.2
    assert percent("minus 2 percent").value == -2


# What is no answer


@pytest.mark.parametrize(
    "text",
    [
        "What is the maternal mortality ratio as number of deaths per 100,000 live births for"
        " Kenya? 342",
        "342 per 100,000 live births",
        "342/100,000",
        "SDG 3.1.1: 342",
        "1. 342",
        "Ranked 23rd with 342 deaths",
        "342 [1]",
        "After COVID-19, 342",
        "Q4: 342",
        "The G20 average aside, 342",
        "342 (95% UI 253–476)",
        "Women aged 15-49: 342",
    ],
)
def test_labels_and_denominators_are_not_the_answer(text: str) -> None:
    assert read_reply(text, unit="deaths per 100,000").value == 342


def test_the_figure_of_the_country_asked_about_is_read() -> None:
    text = "For Switzerland it is 8,703,771; for Kenya 54 million"
    assert people(text, country="Kenya").value == 54e6
    assert people(text, country="Switzerland").value == 8703771


# Turns, thinking and corrections


def test_only_the_first_answer_counts_when_the_model_asks_itself_more() -> None:
    for text in (
        "12.3 [USER] What is the rate for Kenya? [MODEL] 45",
        "12.3\n\nUser: And Kenya?\nAssistant: 45",
        "12.3<|im_end|>\n<|im_start|>user\nKenya?<|im_end|>\n<|im_start|>assistant\n45",
        "12.3 What is the rate for the country Kenya? 45",
    ):
        assert percent(text).value == 12.3


def test_template_debris_around_the_number_is_ignored() -> None:
    for text in ("<|assistant|> 45.2</s>", "[/INST] 45.2 <|im_end|>", "### Response:\n45.2"):
        assert percent(text).value == 45.2


def test_what_is_thought_is_not_what_is_answered() -> None:
    assert percent("<think>20? 30? Perhaps 40%.</think>45.2").value == 45.2
    assert percent("Perhaps 40%.\n</think>\n\n45.2").value == 45.2


def test_a_thought_that_never_ends_answers_only_where_it_says_so() -> None:
    assert percent("<think>Perhaps 40%, or").reason == "unfinished thinking"
    assert percent("<think>Perhaps 40%. So the answer is 45.2%").value == 45.2


def test_a_conclusion_beats_what_led_to_it() -> None:
    text = "Land is 580 km², farms 276 km², 276 / 580 = 0.476. Therefore, the answer is 47.6%."
    assert percent(text).value == 47.6


def test_a_correction_beats_what_it_corrects() -> None:
    assert percent("12%... wait, actually 14%").value == 14


# Abstentions


def test_a_refusal_is_abstained() -> None:
    for text in (
        "I don't have data",
        "N/A",
        "unknown",
        "—",
        "no data",
        "暂无数据",
        "Je ne sais pas.",
    ):
        reading = percent(text)
        assert (reading.outcome, reading.reason) == ("abstained", "refusal")


def test_a_refusal_that_then_gives_a_number_is_parsed() -> None:
    assert percent("I don't have exact data, but it is about 4.5%").value == 4.5


def test_nothing_said_is_empty() -> None:
    for text in ("", " \n\t", "</s>", "<|assistant|>", "**", "..."):
        assert percent(text).reason == "empty"


# Citations


def test_source_and_year_are_those_cited_for_the_value() -> None:
    reading = percent("4.63 (Source: World Bank, 2019)")
    assert (reading.value, reading.source, reading.year) == (4.63, "World Bank", 2019)


def test_a_national_office_keeps_its_own_name() -> None:
    reading = people("47,564,296 (Census 2019, Kenya National Bureau of Statistics)")
    assert reading.source == "Kenya National Bureau of Statistics"


def test_a_group_average_cites_no_source() -> None:
    assert percent("4.3%, compared to an OECD average of 5.0%").source is None


# Hostile text


def test_numbers_beyond_a_float_are_not_read() -> None:
    assert percent("1e999").outcome == "unparsed"
    assert people("9" * 900).outcome == "unparsed"


def test_digits_that_are_no_decimal_digits_are_not_read() -> None:
    for text in ("²", "x³", "⑪", "Ⅻ"):
        assert people(text).outcome == "unparsed"


def test_the_end_of_a_very_long_reply_keeps_its_place() -> None:
    text = "Let us think. " * 5000 + "Therefore, the answer is 45.2%"
    reading = percent(text)
    assert reading.value == 45.2
    assert reading.span is not None
    assert text[slice(*reading.span)] == "45.2"
    assert math.isfinite(reading.value)


# Cues that mislead


def test_a_name_with_world_in_it_is_no_comparison() -> None:
    assert percent("Using 5.1%... Actually, no, the World Bank reports 5.7%.").value == 5.7


def test_actually_before_a_comparison_takes_nothing_back() -> None:
    assert percent("5.7%. Note this is actually down from 6.1% in 2020.").value == 5.7


def test_an_answer_in_words_after_the_echoed_question_is_read() -> None:
    assert percent("What is the rate? About half.").value == 50


# Escape sequences


def test_escape_sequences_hold_no_number() -> None:
    text = "\x1b[2J\x1b[31m42 million\x1b[0m"
    reading = people(text)
    assert reading.value == 42e6
    assert reading.span is not None
    assert text[slice(*reading.span)] == "42 million"
    assert people("\x1b]0;title 7\x0742").value == 42
    assert people("\x1b[38;5;196m").outcome == "unparsed"


def test_a_stray_escape_character_takes_no_digit_with_it() -> None:
    assert people("\x1b42 million").value == 42e6
    assert people("\x1b]42 million").value == 42e6


# Units


def test_what_was_converted_says_so() -> None:
    reading = read_reply("310 kg", unit="metric tonnes per capita")
    assert (reading.value, reading.converted) == (0.31, "kg → tonnes")
    assert percent("57‰").converted == "‰ → %"
    assert read_reply("0.31 t", unit="metric tonnes per capita").converted == ""


def test_a_number_of_another_quantity_is_unread_with_the_reason() -> None:
    reading = read_reply("about 40 kg", unit="years")
    assert (reading.outcome, reading.reason) == ("unparsed", "in another unit")


def test_figures_of_parts_alone_are_unread_with_the_reason() -> None:
    reading = read_reply("Men 60.4 years, women 65.1 years", unit="years")
    assert (reading.outcome, reading.reason) == ("unparsed", "only parts of the whole")


def test_a_change_alone_is_no_answer() -> None:
    assert read_reply("It has risen by 10 years.", unit="years").reason == "only a change"


def test_a_stated_kind_goes_before_the_unit_s_name() -> None:
    assert read_reply("32/100", unit="CPI").value != 32
    assert read_reply("32/100", unit="CPI", kind="index").value == 32


def test_a_unit_in_millions_takes_numbers_in_millions_and_in_ones() -> None:
    for text in ("17.6", "17.6 million tonnes", "17.6 Mt", "17,600,000 tonnes"):
        assert read_reply(text, unit="million tonnes").value == pytest.approx(17.6)


def test_a_letter_is_a_unit_of_what_is_measured_and_a_million_of_what_is_counted() -> None:
    assert read_reply("600 m", unit="m").value == 600
    assert read_reply("630 mm", unit="mm per year").value == 630
    assert people("54 m").value == 54e6
