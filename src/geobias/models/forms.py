"""Answers in a form that the server enforces: JSON by a schema, or text by a grammar.

    json      OpenAI's `response_format` (also vLLM, llama.cpp, Mistral, Groq, Google …); at
              Anthropic a tool that has to be called
    grammar   llama.cpp's `grammar`; vLLM's `structured_outputs`
    auto      json if the server accepts it, else text

`Ask.form` says which answers an ask allows: some words, or a number. Every form also allows "I do
not know", since a model that cannot decline would have to guess.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, Literal

from geobias.untrusted import Json, Undecodable, json_value

AnswerFormat = Literal["", "auto", "text", "json", "grammar"]
UNKNOWN = "I do not know."
"""The answer that null means in a JSON document."""
DOCUMENT_TOKENS = 32
"""Tokens for the JSON document around an answer.

Small models put a line break after every sign. With fewer tokens they were cut off before the
answer.
"""
_NUMBER = r"-?[0-9][0-9,]{0,20}(\.[0-9]{1,9})?"


def parameters(form: tuple[str, ...], format: AnswerFormat, spec: str) -> Json:
    if format == "grammar":
        number = '"-"? [0-9] [0-9,]{0,20} ("." [0-9]{1,9})?'
        words = " | ".join(json.dumps(one, ensure_ascii=False) for one in form) or number
        pattern = "|".join(map(re.escape, form)) or _NUMBER
        # llama.cpp and vLLM ignore each other's member, and an address does not tell them apart.
        return {
            "grammar": f'root ::= {words} | "{UNKNOWN}"',
            "structured_outputs": {"regex": f"({pattern}|{re.escape(UNKNOWN)})"},
        }
    if format not in ("json", "auto"):
        return {}
    answer: Json = {"type": ["number", "null"]}
    if form:
        answer = {"type": ["string", "null"], "enum": [*form, None]}
    schema = {
        "type": "object",
        "properties": {"answer": answer},
        "required": ["answer"],
        "additionalProperties": False,
    }
    if spec.startswith("anthropic/"):
        tool = {"name": "answer", "description": "Give the answer.", "parameters": schema}
        chosen = {"type": "function", "function": {"name": "answer"}}
        return {"tools": [{"type": "function", "function": tool}], "tool_choice": chosen}
    named = {"name": "answer", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def plain_answer(text: str) -> str:
    """Return the answer in a JSON document; any other text unchanged."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        answer = json_value(text, Json)["answer"]
    except (Undecodable, KeyError):
        return text
    if answer is None:
        return UNKNOWN
    number = isinstance(answer, int | float) and not isinstance(answer, bool)
    if number:
        return format(Decimal(f"{answer:.15g}"), "f")  # readers know no exponents
    return answer if isinstance(answer, str) else text


def called(message: Any) -> str:
    """Return the arguments of a message's tool call; "" if there is no tool call."""
    calls = getattr(message, "tool_calls", None)
    first = calls[0] if isinstance(calls, list) and calls else None
    function = first.get("function") if isinstance(first, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    return arguments if isinstance(arguments, str) else ""
