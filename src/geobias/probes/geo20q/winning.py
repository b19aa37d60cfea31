"""Read a turn by its words: it wins, does not win, or is left to the referee.

    win      The turn, or its last sentence, is the name in words that frame a guess: "Is it §?",
             "My guess is the painter § (1452–1519)." The sentences before must name nobody.
    aside    A word near the name compares, lists or asks: "Is it taller than §?", "Is it § or …?".
             This is not a guess; in a final guess, the referee decides.
    mention  The text around the name is of another kind. The referee decides.
    none     The text has no known spelling of the name.

Words in brackets are ignored unless the name is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from geobias.atlas.economies import economy_name
from geobias.atlas.entities import LANGUAGES, Entity, EntityType, entities
from geobias.atlas.words import split_words
from geobias.probes.geo20q.languages import load_language, shipped
from geobias.probes.geo20q.naming import Names, said_in, shipped_names
from geobias.probes.geo20q.replies import read_answer
from geobias.probes.readers import NO_ANSWER, Line, ReadReply, text_of
from geobias.reading.answer import sentences
from geobias.trials import Ask, Dialogue

Win = Literal["win", "mention", "aside", "none"]
KINDS = ("food", "drink", "animal", "plant", "clothing", "music", "sport", "artefact", "festival")
"""Categories with kinds, where a noun before the name may mean another thing."""
_BRACKETS = re.compile(r"[(（\[][^()（）\[\]]*[)）\]]")
_MOST_IN_FRAME = 4
"""Words of a guess in a language without a list of frames: "Ist es der §?"."""


def read_turn(text: str, target: Entity, names: Names, *, final: bool = False) -> Win:
    if not names.mentions(text, target):
        return "none"
    plain = _BRACKETS.sub(" ", text)
    said = _with_sign(plain, target, names)
    if "§" not in said:
        inside = _with_sign(" ".join(_BRACKETS.findall(text)), target, names)
        return "mention" if final or _is_framed(inside, target, names.language) else "aside"
    *before, last = sentences(plain)
    last = _with_sign(last, target, names)
    alone = not final or not names.sightings(". ".join(before))
    if any(_is_framed(one, target, names.language) for one in [said, *[last] * alone]):
        return "win"
    naming = last if "§" in last else said
    aside = naming.count("§") == 1 and _has_aside(naming, names.language)
    return "aside" if aside and not final else "mention"


def wins_by_rules(text: str, target: Entity, names: Names, *, final: bool = False) -> bool | None:
    """Return whether a turn wins; None if the rules cannot tell.

    A game then asks the referee about a name only after the judge's yes or in the last turn.
    """
    read = read_turn(text, target, names, final=final)
    if read == "none" and names.has_part(text, target):
        said = " ".join(split_words(text))
        return False if not final and _has_aside(said, names.language) else None
    return None if read == "mention" else read == "win"


def _has_aside(said: str, language: str) -> bool:
    return re.search(rf"(?<!\S)(?:{_any_of(language, 'asides')})(?!\S)", said) is not None


def _with_sign(text: str, target: Entity, names: Names) -> str:
    """Return the words of a text, with § for the target's name."""
    words = [one.word for one in said_in(text)]
    for one in reversed(names.sightings(text, target)):
        if target.id in one.owners:
            words[one.first : one.last] = ["§"]
    return " ".join(words)


def _is_framed(said: str, target: Entity, language: str) -> bool:
    if not _phrases(language, "frames", english=False):
        return said.endswith("§") and len(said.split()) <= _MOST_IN_FRAME
    nouns = "people" if target.type == "person" else "things"
    pattern = _frame(language, nouns, kind=nouns == "things" and target.category in KINDS)
    return pattern.fullmatch(f"{said} ") is not None


@cache
def frame_words(language: str) -> frozenset[str]:
    lists = (_phrases(language, what) for what in ("frames", "people", "things"))
    return frozenset(word for phrases in lists for phrase in phrases for word in phrase.split())


@cache
def _phrases(language: str, what: str, *, english: bool = True) -> tuple[str, ...]:
    """Return phrases of a language and of English, as words are compared."""
    table = shipped("languages/frames.toml")
    codes = (language, "en") if english else (language,)
    written = "|".join(table.get(code, {}).get(what, "") for code in codes).split("|")
    found = {" ".join(split_words(one)) for one in written} - {""}
    return tuple(sorted(found, key=len, reverse=True))


@cache
def _any_of(language: str, what: str) -> str:
    return "|".join(map(re.escape, _phrases(language, what)))


@cache
def _frame(language: str, what: str, *, kind: bool) -> re.Pattern[str]:
    """Return the pattern of a guess, for a `kind` such as "this animal, a §", not "a whale §"."""
    after, nouns = _any_of(language, "frames"), _any_of(language, what)
    before = rf"(?:this|the|that) (?:{nouns})(?! §)" if kind else nouns
    return re.compile(rf"(?:(?:{before}|{after}) )*§ (?:(?:{after}) |§ )*")


_MOST_ALIASES = 6
_PROMPTS: Mapping[str, str] = shipped("referee.toml")


def referee_question(text: str, target: Entity, language: str) -> str:
    name = target.name_in(language) or target.name
    others = [one for one in target.spellings(language) if one != name][:_MOST_ALIASES]
    return _PROMPTS["guess"].format(
        name=name,
        about=f"a {target.type}, {target.category}, of {economy_name(target.country)}",
        aliases=f" It is also called {', '.join(others)}." if others else "",
        text=" ".join(text.split()).replace('"', "'"),
    )


def place_question(text: str, target: Entity) -> str:
    """Return the question to a referee about a final guess that names no known entity."""
    said = " ".join(text.split()).replace('"', "'")
    return _PROMPTS["place"].format(text=said, kind=target.type)


# Single turns outside of a game -------------------------------------------------------------------

_WINS = frozenset(("win", "wins", "won", "guess", "true", "yes", "1"))
_LOSES = NO_ANSWER | {"mention", "lost", "lose", "false", "0", "aside"}


def _target(line: Line) -> tuple[Entity, Names]:
    """Return the entity of a line by id or name, or a new one if the table lacks it."""
    named, code = text_of(line, "entity"), str(line.get("language") or "en")
    if code not in LANGUAGES:
        raise ValueError(f"no language is called {code[:20]!r}")
    known = entities()
    own: EntityType = "person" if named[:1].isupper() else "thing"
    category = "film" if own == "person" else "animal"
    made = Entity(id=f"({named})", name=named, type=own, category=category, country="USA")
    by_name = (
        one for one in known.values() if named.lower() in (one.name.lower(), one.name_in(code))
    )
    return known.get(named) or next(by_name, made), shipped_names(code)


class TurnReader:
    def read(self, line: Line) -> ReadReply:
        target, names = _target(line)
        wins = wins_by_rules(text_of(line, "text"), target, names, final=bool(line.get("final")))
        if wins is None:
            return ReadReply(None, "unread", "for the referee")
        return ReadReply(wins, "read", "wins" if wins else "no guess of it")

    def label(self, line: Line) -> bool:
        said = str(line["label"]).strip().lower()
        if said not in _WINS | _LOSES:
            raise ValueError(f"the label {said[:40]!r} does not say whether the turn wins")
        return said in _WINS

    def ask(self, line: Line) -> Ask:
        target, names = _target(line)
        question = referee_question(text_of(line, "text"), target, names.language)
        return Ask(dialogue=Dialogue().user(question), max_tokens=16)

    def settle(self, line: Line, said: str) -> ReadReply:
        answer = read_answer(said, load_language("en"))
        if answer not in ("yes", "no"):
            return ReadReply(None, "unread", "the referee does not say")
        return ReadReply(answer == "yes", "read", "referee")


READER = TurnReader()
