"""Ask again about a reply that the rules cannot read.

restate  The tested model is asked, in the same conversation, for the letter or number alone.
a MODEL  A reader model sees question and reply, at temperature 0. It names an option from a list,
         or quotes the words that state the figure. The quote must occur in the reply, and is
         read by the rules.
leave    Nobody is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from geobias.reading.answer import own_answer, sentences
from geobias.reading.choices import LETTERS
from geobias.reading.words import entries
from geobias.trials import Ask, Dialogue, Reply

RESTATE, LEAVE = "restate", "leave"
READER, REFEREE = "reader", "referee"
"""Roles of models: one reads replies, one decides whether a turn of a game wins."""
MAX_TOKENS, QUOTE_TOKENS = 32, 64
"""Maximum tokens of an answer that is restated, and of a quote."""
MOST_SHOWN = 6_000
"""Characters of a reply that a reader sees, from its end."""
NONE = frozenset(("none", "n", "null", "no answer", "no number"))
FIGURE = "state the figure asked for: the number with its unit"
ANSWER = "say which answer it chooses: its letter, or its words"
"""Both complete the prompt "Copy from the reply the few words that …"."""


class Asker(NamedTuple):
    """The texts for asking again: the tested model (`restate`), or a reader model about a question.

    A reader chooses one of the `options`, or quotes what is `sought` if there are none.
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
    restate = _prompt("restate_choice", letters=", ".join(letters), last=last)
    return Asker(restate, question, options)


def _prompt(name: str, **values: str) -> str:
    return entries("prompts")[name].format(**values)


def restating(ask: Ask, reply: Reply, asker: Asker) -> Ask:
    return msgspec.structs.replace(
        ask,
        dialogue=ask.dialogue.reply(reply).user(asker.restate),
        temperature=0.0,
        max_tokens=MAX_TOKENS,
        options=(),
        form=None,
    )


def pointing(reply: str, asker: Asker) -> Ask:
    """Return the ask to a reader model, for a letter if there are options, else for a quote."""
    listed = zip(LETTERS, asker.options, strict=False)
    options = "\n".join(f"({letter}) {option}" for letter, option in listed)
    kind = "reader_choice" if asker.options else "reader_quote"
    question = _prompt(kind, options=options, sought=asker.sought)
    words = _prompt("reader", asked=asker.asked, reply=reply[-MOST_SHOWN:], question=question)
    return Ask(dialogue=Dialogue().user(words), max_tokens=QUOTE_TOKENS, role=READER)


def says_none(text: str) -> bool:
    return own_answer(text).text.strip(" .\"'`()*").casefold() in NONE


def pointed_at(reply: str, said: str, asker: Asker) -> str:
    """Return the option that a reader model names, or its quote of the reply; "" for neither."""
    if not asker.options:
        return quoted(reply, said)
    letter = own_answer(said).text.strip(" .()\"'`*")[:1].upper()
    return dict(zip(LETTERS, asker.options, strict=False)).get(letter, "")


def quoted(reply: str, said: str) -> str:
    """Return a reader model's quote, or "" if the reply does not contain it."""
    quote = " ".join(own_answer(said).text.strip(" .\"'`*“”").split())
    there = " ".join(own_answer(reply).text.split())
    return quote if quote and quote.casefold() in there.casefold() else ""


def sentence_of(reply: str, quote: str) -> str:
    """Return the sentence that contains the quote, or the whole reply if none does."""
    text = own_answer(reply).text
    parted = (" ".join(one.split()) for one in sentences(text))
    return next((one for one in parted if quote.casefold() in one.casefold()), text)
