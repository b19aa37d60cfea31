"""Reading of a turn by its words: whether it wins, does not win, or is left to the referee.

    win       A sentence holds only the name and words that frame a guess: "Is it §?", "My guess is
              the painter § (1452–1519)." A final guess must name nobody else.
    aside     The name stands beside a word that compares, lists or asks: "Is it taller than §?",
              "Is it § or …?". It is no guess, except in a final guess, which the referee decides.
    mention   The name stands in other words. The referee decides.
    none      No known spelling of the name is there.

The words of each language are in `languages/frames.toml`. Words in brackets are ignored unless the
name is among them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from geobias.atlas.economies import economy_name
from geobias.atlas.entities import Entity
from geobias.probes.geo20q.naming import Names, said_in
from geobias.probes.geo20q.tokens import split_words

Win = Literal["win", "mention", "aside", "none"]
KINDS = ("food", "drink", "animal", "plant", "clothing", "music", "sport", "artefact", "festival")
"""Categories whose things have kinds, so that a noun before the name may mean another thing."""
_FRAMES = Path(__file__).parent / "languages" / "frames.toml"
_SENTENCES = re.compile(r"(?<=[!?！？؟。।\n…])|(?<=[^\W\d_A-Z]{3}\.)(?=\s|$)")
_CLAUSES = re.compile(r"[,;:，；：、،؛—–]|\s-\s|\.{2,}|…")
_BRACKETS = re.compile(r"[(（\[][^()（）\[\]]*[)）\]]")
_SHORT = re.compile(r"\b(it|he|she|that|this|i)['’](s|m|d|ll)\b", re.IGNORECASE)
_MOST_IN_FRAME = 4
"""Maximum words of a guess in a language without a list of frames: "Ist es der §?"."""
_LONG = {"s": "is", "m": "am", "d": "would", "ll": "will"}


def read_turn(text: str, target: Entity, names: Names, *, final: bool = False) -> Win:
    """Return how a turn uses the target's name: as a win, an aside, a mention, or not at all."""
    if not names.mentions(text, target):
        return "none"
    sentences = [one for one in _SENTENCES.split(text) if split_words(one)]
    naming = [place for place, one in enumerate(sentences) if names.mentions(one, target)]
    if not naming:
        return "mention"  # a stop within the name
    sentence, after = sentences[naming[-1]], sentences[naming[-1] + 1 :]
    framed = _is_framed(sentence, target, names)
    if final:
        others = " ".join(one for one in sentences if one is not sentence)
        return "win" if framed and _names_nobody(others, names) else "mention"
    *_, last = _CLAUSES.split(sentence)
    framed |= len(_with_sign(last, target, names).split()) > 2 and _is_framed(last, target, names)
    if framed and _is_frame(" ".join(after), names):
        return "win"
    return "aside" if _is_aside(sentence, target, names) else "mention"


def wins_by_rules(text: str, target: Entity, names: Names, *, final: bool = False) -> bool | None:
    """Whether a turn wins, or None if the referee decides.

    In a game the judge's answer also decides which turns a referee sees.
    """
    read = read_turn(text, target, names, final=final)
    if read == "none" and names.has_part(text, target):
        said = " ".join(split_words(text))
        return False if not final and _has_aside(said, names.language) else None
    return None if read == "mention" else read == "win"


def _is_aside(sentence: str, target: Entity, names: Names) -> bool:
    plain = _BRACKETS.sub(" ", sentence)
    if not names.mentions(plain, target):
        inside = " ".join(_BRACKETS.findall(sentence))
        return not _is_framed(inside.strip("()（）[] "), target, names)
    turn = _with_sign(plain, target, names)
    return turn.count("§") == 1 and _has_aside(turn, names.language)


def _has_aside(said: str, language: str) -> bool:
    return re.search(rf"(?<!\S)(?:{_any_of(language, 'asides')})(?!\S)", said) is not None


def _with_sign(text: str, target: Entity, names: Names) -> str:
    """Return the words of a text, with § for the target's name."""
    words = [one.word for one in said_in(text)]
    for one in reversed(names.sightings(text, target)):
        if target.id in one.owners:
            words[one.first : one.last] = ["§"]
    return " ".join(words)


def _names_nobody(text: str, names: Names) -> bool:
    """Whether the text beside a final guess names nobody else: "Alright! I am ready."."""
    if names.sightings(text) or names.has_large_word(text, frame_words(names.language)):
        return False
    return text.isascii() or _is_frame(text, names)


def _is_frame(text: str, names: Names) -> bool:
    """Whether a text holds only words that frame a guess: "Am I right?"."""
    after = _any_of(names.language, "frames")
    return re.fullmatch(rf"(?:(?:{after}) )*", " ".join([*split_words(text), ""])) is not None


def _is_framed(sentence: str, target: Entity, names: Names) -> bool:
    """Whether a sentence holds only the target's name and words that frame a guess."""
    plain = _SHORT.sub(
        lambda one: f"{one[1]} {_LONG[one[2].lower()]}", _BRACKETS.sub(" ", sentence)
    )
    turn = _with_sign(plain, target, names)
    if "§" not in turn:
        return False
    if not _phrases(names.language, "frames", english=False):
        return turn.endswith("§") and len(turn.split()) <= _MOST_IN_FRAME
    nouns = "people" if target.type == "person" else "things"
    pattern = _frame(names.language, nouns, kind=nouns == "things" and target.category in KINDS)
    return pattern.fullmatch(f"{turn} ") is not None


@cache
def frame_words(language: str) -> frozenset[str]:
    """Return the single words of frames and nouns in a language and in English."""
    lists = (_phrases(language, what) for what in ("frames", "people", "things"))
    return frozenset(word for phrases in lists for phrase in phrases for word in phrase.split())


@cache
def _phrases(language: str, what: str, *, english: bool = True) -> tuple[str, ...]:
    """Return phrases of a language, and the English ones, in the form in which words compare."""
    table = tomllib.loads(_FRAMES.read_text("utf-8"))
    codes = (language, "en") if english else (language,)
    written = "|".join(table.get(code, {}).get(what, "") for code in codes).split("|")
    found = {" ".join(split_words(one)) for one in written} - {""}
    return tuple(sorted(found, key=len, reverse=True))


@cache
def _any_of(language: str, what: str) -> str:
    return "|".join(map(re.escape, _phrases(language, what)))


@cache
def _frame(language: str, what: str, *, kind: bool) -> re.Pattern[str]:
    """Return the pattern of a guess: frames and nouns, the name, frames.

    A name with kinds may have no noun directly before it: "this animal, a §", not "a whale §".
    """
    after, nouns = _any_of(language, "frames"), _any_of(language, what)
    before = rf"(?:this|the|that) (?:{nouns})(?! §)" if kind else nouns
    return re.compile(rf"(?:(?:{before}|{after}) )*§ (?:(?:{after}) |§ )*")


_MOST_ALIASES = 6


@cache
def _prompts() -> Mapping[str, str]:
    return tomllib.loads(Path(__file__).with_name("referee.toml").read_text("utf-8"))


def referee_question(text: str, target: Entity, language: str) -> str:
    """Return what a referee is asked about a turn, with one line about the target."""
    name = target.name_in(language) or target.name
    others = [one for one in target.spellings(language) if one != name][:_MOST_ALIASES]
    return _prompts()["guess"].format(
        name=name,
        about=f"{'a person' if target.type == 'person' else 'a thing'}, {target.category}, "
        f"of {economy_name(target.country)}",
        aliases=f" It is also called {', '.join(others)}." if others else "",
        text=" ".join(text.split()).replace('"', "'"),
    )


def place_question(text: str, target: Entity) -> str:
    """Return what a referee is asked about a final guess that names no known entity."""
    said = " ".join(text.split()).replace('"', "'")
    kind = "person" if target.type == "person" else "thing"
    return _prompts()["place"].format(text=said, kind=kind)
