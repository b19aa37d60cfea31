from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.api.config import model_entry
from geobias.errors import BadRequest, GeobiasError
from geobias.models.catalogue import find_model, price, providers
from tests.wording import reads_as

NO_MODELS = (
    *("nothing", "openai", "openai/", "nobody/model"),
    *("ftp://h/v1/x", "http://h/x", "http://[::1/v1/x"),
    *("completions:", "completions:nobody/x", "completions:http://h"),
    *("embedded:nowhere.gguf", "embedded?slots=0"),
    *("sim/unfair", "sim/?gapp=1", "sim/?gap=much", "sim/?gap=2", "sim/?recall_sd=-1"),
    *("sim/?against=Atlantis", "sim/?seed=1.5"),
    "http://user:secret@host/v1/model",
    "http://host/v1/model?api_key=secret",
    "http://host/x?key=secret/v1/model",
    '{ label = "a" }',
    '{ name = "sim/fair", labl = "a" }',
    '{ name = "sim/fair", thinking = -1 }',
    '{ name = "sim/fair", price = [1] }',
    '{ name = "sim/fair", extra = { model = "x" } }',
    "{ name = ",
)


def test_a_model_that_is_none_is_refused_in_one_sentence() -> None:
    said = {}
    for spec in NO_MODELS:
        with pytest.raises(BadRequest) as caught:
            find_model(model_entry(spec) if spec.startswith("{") else spec)
        said[spec] = str(caught.value)
        assert "\n" not in said[spec]
        assert "secret" not in said[spec]
    reads_as("Refused as a model", said)


@given(st.text())
def test_no_text_makes_the_search_for_a_model_fail_otherwise(spec: str) -> None:
    with suppress(GeobiasError):
        find_model(spec)


@pytest.mark.parametrize("name", providers())
def test_every_provider_opens_with_its_key_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in providers()[name].key_variables:
        monkeypatch.setenv(variable, "k")
    assert find_model(f"{name}/org/model-1").name == f"{name}/org/model-1"


def test_a_key_in_a_providers_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://host/v1?key=secret")
    with pytest.raises(BadRequest, match="OPENAI_BASE_URL"):
        find_model("openai/gpt-4o")


def test_a_providers_key_is_not_sent_to_a_server_given_by_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    model = find_model("http://127.0.0.1:9/v1/m")
    assert model.key == ""  # type: ignore[attr-defined]


@pytest.mark.parametrize(("model", "unsent"), [("o3", {"temperature"}), ("gpt-4o", set())])
def test_only_openais_reasoning_models_get_no_temperature(
    model: str, unsent: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert find_model(f"openai/{model}").unsent_parameters == unsent


def test_a_price_is_found_by_name_or_pattern() -> None:
    assert price("openai/gpt-4o-mini") == (0.15, 0.6)
    assert price("sim/biased") == (0.0, 0.0)
    assert price("openai/gpt-9000") is None


def test_a_file_that_is_no_gguf_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(BadRequest, match="is not a GGUF model file"):
        find_model(f"embedded:{file}")


@pytest.mark.parametrize(("given", "embedded", "served"), [(None, 600, 300), (5.0, 5, 5)])
def test_each_kind_of_model_has_its_own_time_limit(
    given: float | None, embedded: float, served: float, tmp_path: Path
) -> None:
    weights = tmp_path / "own.gguf"
    weights.write_bytes(b"GGUF")
    here: Any = find_model(f"embedded:{weights}", timeout_seconds=given)
    there: Any = find_model("http://127.0.0.1:1/v1/m", timeout_seconds=given)
    assert (here._timeout, there.timeout) == (embedded, served)
