"""How a game was played: what the guesser repeated, where it looked, and where the judge erred.

Everything here is read from the questions and answers of one game; no model is asked again. What
is counted is what is sure: a question that is not wholly understood is compared with nothing, an
answer of "maybe" contradicts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from geobias.atlas.entities import LANGUAGES, Entity
from geobias.atlas.kinds import ALL_KINDS
from geobias.atlas.languages import Language
from geobias.atlas.places import Place, bit, everywhere
from geobias.probes.geo20q.question_parsing import ParsedQuestion, parse_question
from geobias.probes.geo20q.yes_no_questions import is_yes_no

EARLY = 3
"""Checkable answers at a game's beginning by which its judge is called right or wrong.

A lost game is long and holds many answers, so that a judge that errs now and then errs in most lost
games and in few won ones. Leaving out games with any error would leave out losses. Every game has a
beginning; its first few answers err as often whether it is won or lost in the end.
"""


class Moves(msgspec.Struct, kw_only=True):
    """Fields of `GameRecord`, which says what each of them is."""

    repeated: int = 0
    not_yes_no: int = 0
    contradicted: int = 0
    flips: int = 0
    first_place: str = ""
    first_place_turn: int | None = None
    outside: int = 0
    entered: int | None = None
    errors: int = 0
    checked: int = 0
    early_errors: int = 0
    early_checked: int = 0


def analyse_moves(
    entity: Entity,
    language: str,
    questions: Sequence[str],
    answers: Sequence[str],
    *,
    shared: int = 19,
    own_language: Language | None = None,
) -> Moves:
    """The moves of one game. Questions without an answer count as questions.

    `answers` holds "yes", "no", "maybe" or "" for each question, and may be shorter. Turns count
    from 1. A question that was asked before counts as repeated and not as contradicting as well.
    Early answers are among the first `shared` ones, which the game of 20 turns has too.
    `own_language` is the file by which a language that is none of ours tells yes/no questions.
    """
    here = bit(entity.country)
    if language in LANGUAGES:
        own_language = None
    moves, possible = Moves(), _Possible(here)
    asked: dict[str, str] = {}
    for turn, text in enumerate(questions, start=1):
        answer = answers[turn - 1] if turn <= len(answers) else ""
        question = parse_question(text, language)
        yes_no = is_yes_no(text, own_language) if own_language else question.yes_no
        moves.not_yes_no += not yes_no
        if question.places and moves.first_place_turn is None:
            moves.first_place, moves.first_place_turn = question.places[0].name, turn
        if question.places and moves.entered is None:
            if any(here & place.possible for place in question.places):
                moves.entered = turn
            else:
                moves.outside += 1
        before = asked.get(question.key)
        if before is not None and question.key:
            moves.repeated += 1
            moves.flips += {before, answer} == {"yes", "no"}
        elif possible.excludes(question):
            moves.contradicted += 1
        if before is None or answer in ("yes", "no"):
            asked[question.key] = answer
        if before is None:
            moves.flips += possible.take_in(question, answer)
        truth = question.truth(entity)
        if truth is not None and answer:
            wrong = answer == ("no" if truth else "yes")
            moves.checked += 1
            moves.errors += wrong
            if moves.early_checked < EARLY and turn <= shared:
                moves.early_checked += 1
                moves.early_errors += wrong
    return moves


class _Possible:
    """What the judge's answers leave possible: where the target may be, and what it may be."""

    def __init__(self, here: int) -> None:
        self.here = here
        self.places = everywhere()
        self.kinds = ALL_KINDS
        self.continents: tuple[Place, ...] = ()

    def excludes(self, question: ParsedQuestion) -> bool:
        """Whether a yes to it would go against what the judge has said.

        A yes to one continent excludes the others for a guesser, though Egypt may count to two.
        """
        if not question.firm:
            return False
        if question.places and not self.places & question.possible_places():
            return True
        others = {p for p in question.places if p.kind == "continent"}
        if self.continents and len(others) == len(question.places) > 0:
            return not others & set(self.continents)
        return bool(question.kinds) and not self.kinds & question.possible_kinds()

    def take_in(self, question: ParsedQuestion, answer: str) -> bool:
        """Take in an answer; True if it goes against earlier ones, which then stay as they are."""
        if not question.firm or answer not in ("yes", "no"):
            return False
        if answer == "yes":
            on_both = question.places and self.here & self.places & question.possible_places()
            if self.excludes(question) and not on_both:
                return True
            if question.places:
                self.places &= question.possible_places()
                self.continents += tuple(p for p in question.places if p.kind == "continent")
            if question.kinds:
                self.kinds &= question.possible_kinds()
            return False
        if bool(question.places) == bool(question.kinds):
            return False  # of two claims, a no does not say which is wrong
        places = self.places & ~question.sure_places() if question.places else self.places
        kinds = self.kinds & ~question.sure_kinds() if question.kinds else self.kinds
        if not places or not kinds:
            return True
        self.places, self.kinds = places, kinds
        return False
