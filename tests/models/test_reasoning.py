"""Reasoning is kept apart from the answer, whichever way a provider sends it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.models.completion import Message, texts


@pytest.mark.parametrize(
    "message",
    [
        {"content": "42", "reasoning_content": "let me think"},
        {"content": "42", "reasoning": "let me think"},
        {"content": "<think>let me think</think>42"},
        {"content": "\n<thinking>let me think</thinking>42"},
        {"content": "let me think</think>42"},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "let me think"}]},
                {"type": "text", "text": "42"},
            ]
        },
    ],
)
def test_the_answer_comes_without_the_thinking(message: dict[str, Any]) -> None:
    assert texts(Message(**message)) == ("42", "let me think")


def test_thinking_that_never_ends_leaves_no_answer() -> None:
    assert texts(Message(content="<think>on and on")) == ("", "on and on")


def test_a_tag_in_the_middle_of_an_answer_is_part_of_it() -> None:
    text = "The tag is written <think> and means nothing."
    assert texts(Message(content=text)) == (text, "")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_content_of_any_shape_yields_text(content: object) -> None:
    answer, reasoning = texts(Message(content=content))
    answer.encode()
    reasoning.encode()
