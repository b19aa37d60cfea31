"""Log-probabilities of an answer's tokens, in the shapes that servers send them.

    chat            choices[0].logprobs.content: a list of tokens, each with its `top_logprobs`
                    (OpenAI, vLLM, DeepSeek, xAI; llama.cpp for chats and for texts)
    text            choices[0].logprobs with lists side by side: `tokens`, `token_logprobs` and
                    `top_logprobs`, where each of the last maps texts to numbers
                    (OpenAI's completions, vLLM, Together)
    llama.cpp       completion_probabilities beside the choices: as in chats, or with `probs` of
                    `tok_str` and `prob` in earlier versions

What has none of them, or makes no sense, gives nothing: the answer's text is there all the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from geobias.trials.probabilities import Alternatives

MOST_ALTERNATIVES = 128


def places_in(logprobs: Any, beside: Any = None) -> list[Alternatives]:
    """The tokens of an answer, each with its alternatives; `beside` is llama.cpp's own list."""
    content = _member(logprobs, "content") or beside
    if isinstance(content, list):
        return [place for one in content if (place := _place(one))]
    tokens = _member(logprobs, "tokens")
    if not isinstance(tokens, list):
        return []
    numbers, tops = (_member(logprobs, name) for name in ("token_logprobs", "top_logprobs"))
    found = []
    for at, token in enumerate(tokens):
        own = list(_pair(token, _at(numbers, at)))
        others = _at(tops, at)
        pairs = others.items() if isinstance(others, dict) else ()
        if place := _joined(own, (pair for text, number in pairs for pair in _pair(text, number))):
            found.append(place)
    return found


def _place(one: Any) -> Alternatives:
    """A token of a list of tokens."""
    if isinstance(_member(one, "probs"), list):  # llama.cpp before 2025
        found = [pair for other in one["probs"] for pair in _old_pair(other)]
        own = [pair for pair in found if pair[0] == one.get("content")]
        return _joined(own or [(str(one.get("content") or ""), -math.inf)], iter(found))
    own = list(_pair(_member(one, "token"), _member(one, "logprob")))
    tops = _member(one, "top_logprobs")
    others = tops if isinstance(tops, list) else []
    pairs = ((_member(other, "token"), _member(other, "logprob")) for other in others)
    return _joined(own, (pair for one_pair in pairs for pair in _pair(*one_pair)))


def _joined(own: list[tuple[str, float]], others: Iterator[tuple[str, float]]) -> Alternatives:
    """The token first, and each alternative once; nothing where the token itself is missing."""
    if not own:
        return ()
    found = dict(own[:1])
    for text, number in others:
        if len(found) < MOST_ALTERNATIVES:
            found.setdefault(text, number)
    return tuple(found.items())


def _old_pair(value: Any) -> Iterator[tuple[str, float]]:
    chance = _member(value, "prob")
    if isinstance(chance, int | float) and 0 < chance <= 1:
        yield from _pair(_member(value, "tok_str"), math.log(chance))


def _pair(token: Any, logprob: Any) -> Iterator[tuple[str, float]]:
    """Nothing where it is no token with a number; a server's −9999 stands for none at all."""
    usable = isinstance(logprob, int | float) and not isinstance(logprob, bool)
    if isinstance(token, str) and usable and not math.isnan(logprob) and logprob <= 1e-3:
        text = token.encode(errors="replace").decode()
        yield text, max(float(logprob), -9999.0)


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _at(values: Any, place: int) -> Any:
    return values[place] if isinstance(values, list) and place < len(values) else None
