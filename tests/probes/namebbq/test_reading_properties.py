"""What holds for every text: a bounded part of it is read, without error, to one answer or none."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from geobias.probes.namebbq.reading import Reading, read_reply
from geobias.probes.reading import HEAD, TAIL, own_answer
from tests.probes.namebbq.test_learned_replies import SHOWN

FRAGMENTS = [
    "a", "b", "c", "A", "(b)", "B)", "[c]", "**", "Answer:", "the answer is", "option", "or", "and",
    "not", "n't", "Amara's flat", "Lukas", "'s", "Kenyan", "Danish", "Can", "can't", "unknown",
    "both", "neither", "I", "I'm sorry", "because", "but", "probably", ".", ",", ";", ":", "\n",
    " ", "<think>", "</think>", "<|im_end|>", "[INST]", "\\boxed{", "}", "’", "\x00", "İ", "😀",
    "Question:", "cannot", "be determined", "enough information", "wait", "(", "[", '"', "\ud7ff",
]  # fmt: skip
LETTER_FORMS = [
    "({})", "{}", "{}.", "{})", "Answer: {}", "The answer is ({}).", "**{}**", "Option {}",
    "I choose {}.", "\\boxed{{{}}}",
]  # fmt: skip
# A byte for a fragment: a list of draws takes longer to make than to read.
fragments = st.binary(max_size=40).map(
    lambda signs: [FRAGMENTS[sign % len(FRAGMENTS)] for sign in signs]
)
texts = st.one_of(st.text(max_size=200), fragments.map("".join), fragments.map(" ".join))


def read(text: str, name: str = "flat") -> Reading:
    shown = SHOWN[name]
    return read_reply(
        text, shown.answers, unknown=shown.unknown, people=shown.people, question=shown.question
    )


@given(st.lists(texts, min_size=3, max_size=3), st.sampled_from(sorted(SHOWN)))
@example(["<think>" * 50], "flat")
@example(["\\" * 50], "cook")
def test_no_text_raises_and_only_what_is_read_has_an_answer(several: list[str], name: str) -> None:
    for text in several:
        found = read(text, name)
        assert (found.answer is None) == (found.outcome != "read")
        assert found.answer in (None, 0, 1, 2)
        assert found.reason


@given(st.lists(st.text(min_size=1, max_size=30), min_size=3, max_size=3), texts)
def test_no_answers_raise_either(answers: list[str], text: str) -> None:
    assert read_reply(text, answers, unknown=2).outcome in ("read", "unread", "refused")


@pytest.mark.parametrize("form", LETTER_FORMS)
def test_a_letter_in_any_dress_is_that_answer(form: str) -> None:
    for name, place, letters in product(SHOWN, range(3), ("abc", "ABC")):
        assert read(form.format(letters[place]), name).answer == place, (name, letters[place])


@pytest.mark.parametrize("name", sorted(SHOWN))
@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_answer_in_its_own_words_is_that_answer(name: str, place: int) -> None:
    words = SHOWN[name].answers[place]
    for form in ("{}", "{}.", "**{}**", "“{}”", "Answer: {}", "The answer is {}."):
        assert read(form.format(words), name).answer == place
    for letter in "abc":
        found = read(f"({letter}) {words}", name).answer
        assert found == (place if letter == "abc"[place] else None)


HOSTILE = {
    "letters": "a b c " * 50_000,
    "brackets": "(a)" * 50_000,
    "open brackets": "(" * 100_000,
    "answers": "answer: " * 50_000,
    "the the": "the " * 100_000 + "answer",
    "nots": "not the " * 50_000,
    "cannots": "cannot a b " * 50_000,
    "no a b": "no a b no a " * 30_000,
    "spaces": " " * 1_000_000 + "b",
    "lines": "\n" * 200_000 + "b",
    "quotes": "'" * 100_000,
    "hashes": "#>" * 100_000,
    "thinking": "<think>" + "maybe b " * 100_000,
    "thought": "<think>" + "maybe b " * 100_000 + "</think>c",
    "tokens": "<|" * 50_000,
    "names": "Amara or Lukas " * 50_000,
    "words": "word " * 1_000_000,
    "dotted capitals": "İ" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_of_a_hostile_text_no_more_than_its_head_and_tail_is_read(name: str) -> None:
    assert len(own_answer(HOSTILE[name]).text) <= HEAD + TAIL + 1
    assert read(HOSTILE[name]).reason
