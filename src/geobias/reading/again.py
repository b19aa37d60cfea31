"""Asks about a reply again that the rules cannot read.

    restate   the same model, in the same conversation: for the letter or the number alone
    a MODEL   a reader, at temperature 0, with question and reply before it; it points, and does not
              work out: it names an option from a closed list, or quotes the words that state the
              figure. The quote must stand in the reply, and the plain rule reads it.
    leave     nobody is asked

Both are asks of the trial like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from geobias.reading.answer import own_answer, sentences
from geobias.reading.words import entries
from geobias.trials import Ask, Dialogue, Reply

RESTATE, LEAVE = "restate", "leave"
READER = "reader"
"""The role of a model that reads."""
REFEREE = "referee"
"""The role of a model that decides whether a turn of a game wins."""
MAX_TOKENS = 32
QUOTE_TOKENS = 64
"""Room for a letter, a number or "none"; and for a quote."""
MOST_SHOWN = 6_000
"""Characters of a reply that a reader sees, from its end."""
NONE = frozenset(("none", "n", "null", "no answer", "no number"))
LETTERS = "ABCDEFGHIJ"
FIGURE = "state the figure asked for: the number with its unit"
ANSWER = "say which answer it chooses: its letter, or its words"
"""What a reader copies from a reply."""


class Asker(NamedTuple):
    """What a question is asked again with.

    restate   to the same model
    asked     the question in words, for a reader
    options   what a reader chooses from; none where it quotes
    sought    what it then quotes
    """

    restate: str
    asked: str
    options: Sequence[str] = ()
    sought: str = FIGURE


def number_asker(question: str, unit: str, place: str = "") -> Asker:
    whose = f" for {place}" if place else ""
    restate = _prompt("restate_number", unit=unit, place=whose)
    return Asker(restate, f"{question} (in {unit})")


def choice_asker(question: str, options: Sequence[str]) -> Asker:
    *letters, last = [f"({letter})" for letter in LETTERS.lower()[: len(options)]]
    return Asker(
        _prompt("restate_choice", letters=", ".join(letters), last=last), question, options
    )


def _prompt(name: str, **values: str) -> str:
    return entries("prompts")[name].format(**values)


def restating(ask: Ask, reply: Reply, asker: Asker) -> Ask:
    """The ask that goes on in the same conversation."""
    return msgspec.structs.replace(
        ask,
        dialogue=ask.dialogue.reply(reply).user(asker.restate),
        temperature=0.0,
        max_tokens=MAX_TOKENS,
        options=(),
        form=None,
    )


def pointing(reply: str, asker: Asker) -> Ask:
    """The ask of a reader: for a letter where there are options, else for a quote."""
    listed = zip(LETTERS, asker.options, strict=False)
    options = "\n".join(f"({letter}) {option}" for letter, option in listed)
    question = (
        _prompt("reader_choice", options=options)
        if asker.options
        else _prompt("reader_quote", sought=asker.sought)
    )
    words = _prompt("reader", asked=asker.asked, reply=reply[-MOST_SHOWN:], question=question)
    return Ask(dialogue=Dialogue().user(words), max_tokens=QUOTE_TOKENS, role=READER)


def says_none(text: str) -> bool:
    return own_answer(text).text.strip(" .\"'`()*").casefold() in NONE


def pointed_at(reply: str, said: str, asker: Asker) -> str:
    """What a reader points to: the words of an option, or those that it quotes; "" for neither."""
    if not asker.options:
        return quoted(reply, said)
    letter = own_answer(said).text.strip(" .()\"'`*")[:1].upper()
    letters = dict(zip(LETTERS, asker.options, strict=False))
    return letters.get(letter, "")


def quoted(reply: str, said: str) -> str:
    """The words that a reader quotes, where they stand in the reply; "" where they do not."""
    quote = " ".join(own_answer(said).text.strip(" .\"'`*“”").split())
    there = " ".join(own_answer(reply).text.split())
    return quote if quote and quote.casefold() in there.casefold() else ""


def sentence_of(reply: str, quote: str) -> str:
    """The sentence that a quote stands in; the whole reply where it is in none."""
    text = own_answer(reply).text
    parted = (" ".join(one.split()) for one in sentences(text))
    return next((one for one in parted if quote.casefold() in one.casefold()), text)
