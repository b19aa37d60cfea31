"""Asking again about a reply that the rules cannot read.

    restate   the same model, in the same conversation, for the letter or the number alone
    a MODEL   a reader at temperature 0, which is given question and reply. It points and does not
              compute: it names an option from a closed list, or quotes the words that state the
              figure. The quote must occur in the reply, and the plain rule reads it.
    leave     nobody is asked

Both are asks of the trial like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from geobias.reading.answer import own_answer, sentences
from geobias.trials import Ask, Dialogue, Reply

RESTATE, LEAVE = "restate", "leave"
READER = "reader"
"""The role of a model that reads."""
REFEREE = "referee"
"""The role of a model that decides whether a turn of a game wins."""
MAX_TOKENS = 32
QUOTE_TOKENS = 64
"""Room for a letter, a number, "none", or a quote."""
MOST_SHOWN = 6_000
"""Maximum characters of a reply that a reader sees, from its end."""
NONE = frozenset(("none", "n", "null", "no answer", "no number"))
LETTERS = "ABCDEFGHIJ"
FIGURE = "state the figure asked for: the number with its unit"
ANSWER = "say which answer it chooses: its letter, or its words"
"""What a reader copies from a reply."""


class Asker(NamedTuple):
    """The parts of a second question.

    restate   the question to the same model
    asked     the first question in words, for a reader
    options   the options from which a reader chooses; empty if it quotes
    sought    what it then quotes
    """

    restate: str
    asked: str
    options: Sequence[str] = ()
    sought: str = FIGURE


def number_asker(question: str, unit: str, place: str = "") -> Asker:
    whose = f" for {place}" if place else ""
    restate = (
        f"Reply with the number alone, in {unit}, and nothing else. "
        f"If you gave no number{whose}, reply with the word none."
    )
    return Asker(restate, f"{question} (in {unit})")


def choice_asker(question: str, options: Sequence[str]) -> Asker:
    letters = [f"({LETTERS[place].lower()})" for place in range(len(options))]
    restate = (
        f"Reply with the letter of your answer alone: {', '.join(letters[:-1])} or {letters[-1]}. "
        "If you chose none of them, reply with the word none."
    )
    return Asker(restate, question, options)


def restating(ask: Ask, reply: Reply, asker: Asker) -> Ask:
    """The ask that continues the same conversation."""
    return msgspec.structs.replace(
        ask,
        dialogue=ask.dialogue.reply(reply).user(asker.restate),
        temperature=0.0,
        max_tokens=MAX_TOKENS,
        options=(),
        form=None,
    )


def pointing(reply: str, asker: Asker) -> Ask:
    """The ask of a reader: for a letter if there are options, else for a quote."""
    shown = reply[-MOST_SHOWN:]
    head = f"A model was asked:\n{asker.asked}\n\nIt replied:\n<reply>\n{shown}\n</reply>\n\n"
    if asker.options:
        listed = "\n".join(
            f"({letter}) {option}" for letter, option in zip(LETTERS, asker.options, strict=False)
        )
        words = (
            f"Which of these does the reply choose?\n{listed}\n(N) none, or several\n"
            "Answer with one letter only."
        )
    else:
        words = (
            f"Copy from the reply, word for word, the few words that {asker.sought}. "
            "Do not convert or explain. If the reply states none, or "
            "only one of another place, year, unit or currency, answer with the word none."
        )
    return Ask(dialogue=Dialogue().user(head + words), max_tokens=QUOTE_TOKENS, role=READER)


def says_none(text: str) -> bool:
    return own_answer(text).text.strip(" .\"'`()*").casefold() in NONE


def pointed_at(reply: str, said: str, asker: Asker) -> str:
    """The words that a reader points to: those of an option, or its quote; "" for neither."""
    if not asker.options:
        return quoted(reply, said)
    letter = own_answer(said).text.strip(" .()\"'`*")[:1].upper()
    letters = dict(zip(LETTERS, asker.options, strict=False))
    return letters.get(letter, "")


def quoted(reply: str, said: str) -> str:
    """The words that a reader quotes, if they occur in the reply; otherwise ""."""
    quote = " ".join(own_answer(said).text.strip(" .\"'`*“”").split())
    there = " ".join(own_answer(reply).text.split())
    return quote if quote and quote.casefold() in there.casefold() else ""


def sentence_of(reply: str, quote: str) -> str:
    """The sentence that contains a quote; the whole reply if none does."""
    text = own_answer(reply).text
    parted = (" ".join(one.split()) for one in sentences(text))
    return next((one for one in parted if quote.casefold() in one.casefold()), text)
