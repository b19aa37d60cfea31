"""Base models are asked by text, in one layout."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import ProviderSaysNo
from geobias.models.catalogue import find_model
from geobias.models.embedded import has_chat_template, shipped_weights
from geobias.models.layout import DIGEST, as_text
from geobias.probes.registry import find_probe, plan_of
from geobias.report.findings import collect
from geobias.runfile import RunReader
from geobias.running import run
from geobias.trials import Dialogue, Reply
from tests.cli.running import geobias
from tests.servers import RawStart, completion, error, reply_of, text_completion

TALK = Dialogue().system("Be brief.").user("2 + 2?").assistant("4").user("3 + 3?")


def asked(spec: str, dialogue: Dialogue = TALK, **more: Any) -> Reply:
    return reply_of(spec, dialogue, **more)


def gguf(path: Path, *keys: bytes) -> Path:
    """A file with metadata alone: a vocabulary of two words, then these keys with a text each."""

    def string(text: bytes) -> bytes:
        return struct.pack("<Q", len(text)) + text

    words = struct.pack("<IIQ", 9, 8, 2) + string(b"one") + string(b"two")
    numbers = struct.pack("<IIQ", 9, 5, 3) + bytes(12)
    entries = [string(b"tokenizer.ggml.tokens") + words, string(b"tokenizer.ggml.types") + numbers]
    entries += [string(key) + struct.pack("<I", 8) + string(b"text") for key in keys]
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries))
    path.write_bytes(head + b"".join(entries))
    return path


# -- the text --------------------------------------------------------------------------------------


def test_a_dialogue_becomes_a_text_that_ends_where_the_model_goes_on(raw_server: RawStart) -> None:
    server = raw_server(text_completion(" 6\n"))
    reply = asked(f"completions:{server.url}", stop=("##",))
    (sent,) = server.requests
    assert sent["prompt"] == ("Be brief.\n\nUser: 2 + 2?\nAssistant: 4\nUser: 3 + 3?\nAssistant:")
    assert sent["stop"] == ["##", "\nUser:", "\nAssistant:"]
    assert "messages" not in sent
    assert "POST /v1/completions" in server.headers[0]
    assert (reply.text, reply.outcome) == ("6", "ok")


def test_an_answer_begins_with_its_lead(raw_server: RawStart) -> None:
    server = raw_server(text_completion("b) because"))
    assert asked(f"completions:{server.url}", lead="(").text == "(b) because"
    assert server.requests[0]["prompt"].endswith("\nAssistant: (")


def test_a_chat_model_is_not_sent_the_lead(raw_server: RawStart) -> None:
    server = raw_server(completion("(b)"))
    asked(server.url, lead="(")
    assert "(" not in str(server.requests[0])


def test_what_comes_after_a_stop_string_is_cut_off_whoever_left_it(raw_server: RawStart) -> None:
    server = raw_server(text_completion(" 6\nUser: and 4 + 4?\nAssistant: 8"))
    assert asked(f"completions:{server.url}").text == "6"


def test_a_model_that_writes_blanks_has_said_nothing_and_does_not_think(
    raw_server: RawStart,
) -> None:
    server = raw_server(text_completion("\n \n", finish_reason="length"))
    reply = asked(f"completions:{server.url}", max_tokens=3, lead="(")
    assert (reply.text, reply.outcome) == ("", "empty")
    assert len(server.requests) == 1


def test_a_provider_of_ones_own_is_asked_for_texts(
    raw_server: RawStart, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = raw_server(text_completion(" 6"))
    monkeypatch.setenv("VLLM_BASE_URL", server.url.removesuffix("/raw"))
    assert asked("completions:vllm/meta/llama-base").text == "6"
    assert server.requests[0]["model"] == "meta/llama-base"


def test_a_chat_answer_to_a_text_is_malformed(raw_server: RawStart) -> None:
    with pytest.raises(Exception, match="without text"):
        asked(f"completions:{raw_server(completion('6')).url}")


# -- the layout ------------------------------------------------------------------------------------


@given(st.text())
def test_braces_in_what_was_said_stay_as_they_are(said: str) -> None:
    text = as_text(Dialogue().user(said + "{content}{0}"))
    shown = said.encode(errors="replace").decode()
    assert text == f"User: {shown}{{content}}{{0}}\nAssistant:"


def test_a_run_records_the_layout_and_its_report_says_what_a_base_model_is(
    raw_server: RawStart, path: Path
) -> None:
    server = raw_server(text_completion("c"))
    run([plan_of(find_probe("namebbq"), {"names": 0})], f"completions:{server.url}", path)
    with RunReader(path) as reader:
        manifest = reader.manifest()
        assert (manifest.by_text, manifest.prompts["layout"]) == (["model"], DIGEST)
        (section,) = collect([reader]).sections
        (record, *_) = reader.records("namebbq")
    assert any("base model" in note for note in section.notes)
    assert record["outcome"] == "read"
    assert "asked by text" in geobias("show", path).out


# -- weights ---------------------------------------------------------------------------------------


def test_a_file_with_a_template_is_a_chat_model_and_one_without_is_not(tmp_path: Path) -> None:
    assert has_chat_template(shipped_weights())
    assert has_chat_template(gguf(tmp_path / "chat.gguf", b"x.y", b"tokenizer.chat_template"))
    base = gguf(tmp_path / "base.gguf", b"general.name", b"tokenizer.chat_templates")
    assert not has_chat_template(base)
    assert getattr(find_model(f"embedded:{base}"), "by_text", False)


# -- reasoning effort ------------------------------------------------------------------------------


def test_an_effort_is_sent_and_kept_in_the_manifest(raw_server: RawStart, path: Path) -> None:
    server = raw_server(completion("(c)"))
    run([plan_of(find_probe("namebbq"), {"names": 0, "effort": "low"})], server.url, path)
    assert {one["reasoning_effort"] for one in server.requests} == {"low"}
    with RunReader(path) as reader:
        assert reader.manifest().probes["namebbq"]["effort"] == "low"


def test_a_server_that_takes_no_effort_ends_the_run_in_a_sentence(raw_server: RawStart) -> None:
    words = "Unsupported value: 'reasoning_effort' does not support 'medium' with this model."
    with pytest.raises(ProviderSaysNo, match="does not take this --effort"):
        asked(raw_server(error(400, words)).url, effort="medium")


@pytest.mark.parametrize("spec", ["anthropic/claude-x", "sim/fair"])
def test_models_without_one_say_so_before_they_are_asked(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(ProviderSaysNo, match="--effort"):
        asked(spec, effort="high")
