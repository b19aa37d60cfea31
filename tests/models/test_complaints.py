from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import ProviderSaysNo
from geobias.http import Transient
from geobias.models.complaints import UnsupportedParameter, complaint, malformed, message
from tests.labelled import table_beside


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


@pytest.mark.parametrize("row", table_beside(__file__, "complaints.csv"))
def test_providers_words_are_understood(row: dict[str, str]) -> None:
    assert outcome_of(int(row["status"]), row["words"]) == row["outcome"]


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
