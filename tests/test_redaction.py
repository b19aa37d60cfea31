"""Secrets in texts, however they are escaped."""

from __future__ import annotations

import html
import json
import time
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.redaction import WITHHELD, Redactor, of_environment, without_passwords

KEY = 'sk-"quoted"\\back/slash&more=é'


def all_escaped(text: str) -> str:
    return "".join(f"\\u{ord(c):04X}" for c in text)


ESCAPES: list[Callable[[str], str]] = [
    str,
    lambda text: json.dumps(text)[1:-1],
    lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    all_escaped,
    lambda text: json.dumps(all_escaped(text))[1:-1],
    lambda text: quote(text, safe=""),
    lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    html.escape,
    lambda text: "".join(f"&#{ord(c)};" for c in text),
    lambda text: "".join(f"&#x{ord(c):X};" for c in text),
    lambda text: html.escape("".join(f"&#{ord(c)};" for c in text)),
    lambda text: text.replace("/", "&sol;").replace("0", "&#48;"),
    lambda text: f"{text[:7]}\n{text[7:]}",
    lambda text: json.dumps(f"{text[:5]}\r\n  {text[5:]}")[1:-1],
    lambda text: f"{text[:7]}<br/>\n{text[7:]}",
    lambda text: f"{text[:7]}<BR>{text[7:]}",
    lambda text: text[:7] + "\n" * 20 + text[7:],
    "\u200b".join,
    "\u200e".join,
    "\ufe0f".join,
    "&shy;".join,
    "&#8203;".join,
    "<wbr>".join,
]


@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("key", [KEY, "sk-0123456789abcdef"])
def test_a_secret_is_taken_out_however_it_is_escaped(
    key: str, escape: Callable[[str], str]
) -> None:
    text = f"before {escape(key)} after"
    left = "before [key] after" if key in text else WITHHELD
    assert Redactor([key])(text) == left
    assert Redactor([key]).in_bytes(text.encode()) == left.encode()


@given(st.text(), st.text(), st.sampled_from(ESCAPES))
def test_no_text_around_a_secret_saves_it(
    before: str, after: str, escape: Callable[[str], str]
) -> None:
    assert "9f8e7d6c5b4a" not in Redactor(["9f8e7d6c5b4a"])(before + escape("9f8e7d6c5b4a") + after)


@given(st.text())
def test_other_text_stays_as_it_is(text: str) -> None:
    assert Redactor(["a secret that nobody says"])(text) == text


def test_a_stand_in_for_a_key_is_no_secret() -> None:
    assert Redactor(["test", ""])("the fastest test") == "the fastest test"


def test_of_two_secrets_the_longer_one_goes_whole() -> None:
    redact = Redactor(["sk-0123456789", "sk-0123456789-and-more"])
    assert redact("x sk-0123456789-and-more y sk-0123456789") == "x [key] y [key]"


@pytest.mark.parametrize(
    "text",
    ["\\" * 500_000, "&#" + "0" * 500_000, "%73" * 200_000, "s" + " " * 500_000, "s\\n" * 200_000],
)
def test_hostile_text_takes_a_time_that_is_linear(text: str) -> None:
    began = time.process_time()
    Redactor(["sk-0123456789abcdef"])(text)
    assert time.process_time() - began < 5


def test_the_environments_keys_are_known_by_their_names() -> None:
    redact = of_environment(
        {"OPENAI_API_KEY": "sk-0123456789", "HF_TOKEN": "hf-0123456789", "HOME": "/home/somebody"}
    )
    assert redact("sk-0123456789 hf-0123456789 /home/somebody") == "[key] [key] /home/somebody"


def test_an_address_loses_its_password() -> None:
    assert without_passwords("at http://ada:pw@host:1/x") == "at http://host:1/x"
