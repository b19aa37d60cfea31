from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import ProviderSaysNo
from geobias.models.complaints import (
    UnsupportedParameter,
    complaint,
    malformed,
    message,
)
from geobias.models.model import Transient


@given(st.integers(300, 599), st.binary(), st.none() | st.text())
def test_every_error_response_is_understood_as_something(
    status: int, body: bytes, retry: str | None
) -> None:
    try:
        reply = complaint("m", "KEY", status, body, retry)
    except (Transient, ProviderSaysNo, UnsupportedParameter):
        return
    assert reply.outcome == "too_long"


def outcome_of(status: int, words: str) -> str:
    """What a provider's words come to."""
    try:
        return complaint(
            "m", "", status, json.dumps({"error": {"message": words}}).encode(), None
        ).outcome
    except Transient as trouble:
        return trouble.kind
    except ProviderSaysNo:
        return "stop"
    except UnsupportedParameter as unsupported:
        return f"without {unsupported.parameter}"


@pytest.mark.parametrize(
    ("status", "words", "outcome"),
    [
        (400, "Content Exists Risk", "filtered"),
        (400, "Invalid prompt: your prompt was flagged as potentially violating", "filtered"),
        (
            400,
            "The response was filtered due to the prompt triggering content management policy",
            "filtered",
        ),
        (400, "Unknown parameter: 'safety_identifier'.", "rejected"),
        (400, "Unsupported parameter: 'max_tokens' is not supported.", "without max_tokens"),
        (400, "Unsupported value: 'temperature' does not support 0.0", "without temperature"),
        (400, "`temperature` is deprecated for this model.", "without temperature"),
        (400, "seed: Extra inputs are not permitted", "without seed"),
        (400, 'Unknown name "seed": Cannot find field.', "without seed"),
        (
            400,
            "The decoder prompt (length 9000) is longer than the maximum model length",
            "too_long",
        ),
        (422, "`inputs` tokens + `max_new_tokens` must be <= 4096", "too_long"),
        (400, "'max_tokens' or 'max_completion_tokens' is too large: 4160", "without thinking"),
        (400, "Invalid 'temperature': 3 is above maximum 2", "rejected"),
        (403, "Your team has run out of credits; no credits left", "stop"),
        (429, "You exceeded your current quota (insufficient_quota)", "stop"),
        (429, "Rate limit reached for requests per min; add a payment method", "HTTP 429"),
        (424, "upstream busy", "HTTP 424"),
    ],
)
def test_providers_words_are_understood(status: int, words: str, outcome: str) -> None:
    assert outcome_of(status, words) == outcome


def test_a_field_that_fastapi_does_not_want_is_named() -> None:
    body = json.dumps(
        {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}
    )
    with pytest.raises(UnsupportedParameter) as caught:
        complaint("m", "", 422, body.encode(), None)
    assert caught.value.parameter == "seed"


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_any_json_yields_one_line_of_words(value: object) -> None:
    words = message(json.dumps({"error": value}).encode())
    assert "\n" not in words


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "bad", "code": "x"}}, "bad (x)"),
        ({"error": "plain"}, "plain"),
        ({"message": "top"}, "top"),
        ({"detail": [{"msg": "field required"}]}, "field required"),
        ([{"error": {"message": "in a list"}}], "in a list"),
    ],
)
def test_the_words_are_found_in_every_providers_shape(body: object, words: str) -> None:
    assert message(json.dumps(body).encode()) == words


def test_the_words_of_a_web_page_come_without_its_tags() -> None:
    assert message(b"<html><h1>502 Bad\n Gateway</h1></html>") == "502 Bad Gateway"


def test_an_overloaded_server_is_told_from_a_broken_one() -> None:
    with pytest.raises(Transient) as busy:
        complaint("m", "", 529, b"", "3")
    with pytest.raises(Transient) as broken:
        complaint("m", "", 500, b"", None)
    assert (busy.value.overloaded, busy.value.retry_after) == (True, 3.0)
    assert not broken.value.overloaded


@given(st.binary())
def test_whatever_came_instead_of_an_answer_is_kept(body: bytes) -> None:
    trouble = malformed("m", body, "nothing")
    assert trouble.last_word is not None
    assert trouble.last_word.text == body.decode(errors="replace")
    assert "\n" not in str(trouble)
