"""Reading single turns outside of a game: does this turn win?"""

from __future__ import annotations

from geobias.atlas.entities import LANGUAGES, Entity, EntityType, entities
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.naming import Names, names_in
from geobias.probes.geo20q.replies import read_answer
from geobias.probes.geo20q.winning import referee_question, wins_by_rules
from geobias.probes.readers import NO_ANSWER, Line, ReadReply, ReplyReader, text_of
from geobias.trials import Ask, Dialogue

_WINS = frozenset(("win", "wins", "won", "guess", "true", "yes", "1"))
_LOSES = NO_ANSWER | {"mention", "lost", "lose", "false", "0", "aside"}


def _target(line: Line) -> tuple[Entity, Names]:
    """Return the entity of a line by id or name, or a new one if the table lacks it."""
    named, code = text_of(line, "entity"), str(line.get("language") or "en")
    if code not in LANGUAGES:
        raise ValueError(f"no language is called {code[:20]!r}")
    known = entities()
    names = names_in(known, code)
    own: EntityType = "person" if named[:1].isupper() else "thing"
    category = "film" if own == "person" else "animal"
    made = Entity(id=f"({named})", name=named, type=own, category=category, country="USA")
    by_name = (
        one for one in known.values() if named.lower() in (one.name.lower(), one.name_in(code))
    )
    return known.get(named) or next(by_name, made), names


def _read(line: Line) -> ReadReply:
    target, names = _target(line)
    wins = wins_by_rules(text_of(line, "text"), target, names, final=bool(line.get("final")))
    if wins is None:
        return ReadReply(None, "unread", "for the referee")
    return ReadReply(wins, "read", "wins" if wins else "no guess of it")


def _label(line: Line) -> bool:
    """Whether the label says that the turn wins."""
    said = str(line["label"]).strip().lower()
    if said not in _WINS | _LOSES:
        raise ValueError(f"the label {said[:40]!r} does not say whether the turn wins")
    return said in _WINS


def _ask(line: Line) -> Ask:
    target, names = _target(line)
    question = referee_question(text_of(line, "text"), target, names.language)
    return Ask(dialogue=Dialogue().user(question), max_tokens=16)


def _settle(line: Line, said: str) -> ReadReply:
    answer = read_answer(said, load_language("en"))
    if answer not in ("yes", "no"):
        return ReadReply(None, "unread", "the referee does not say")
    return ReadReply(answer == "yes", "read", "referee")


READER = ReplyReader(_read, _label, _ask, _settle)
