"""The game of 20 Questions, as one generator, and the record that it returns.

The guesser sees its instruction and the dialogue; the judge sees the entity and one question. The
game is won when the guesser's turn proposes the entity as the answer. A plain frame decides that
(`winning`), and the judge is then not asked. The referee, a model that is not the player, decides
the rest: other turns that name the entity, turns that may name somebody and get the judge's yes,
and final guesses that are not exact.

By the published rule any mention of the entity wins. It needs no game of its own: the game records
the first turn that names the entity, and continues until the entity is proposed. Both endings come
from the same transcript.

*canonical* ends after 20 turns, and with the answer to the 19th the guesser is told to guess now.
*unlimited* continues until it is won, given up, or 150 turns old. One dialogue serves both. The
first 19 turns are the same, and turn 20 forks, with one additional call for the canonical game::

    1 ─ 2 ─ … ─ 19 ─┬─ 20 (guess now)              canonical
                    └─ 20 ─ 21 ─ … ─ 150           unlimited

A game that is won or given up before the fork ends both settings alike.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any, Literal

import msgspec

from geobias.atlas.economies import find_economy
from geobias.atlas.entities import Entity
from geobias.probes.geo20q.elsewhere import guessed_elsewhere
from geobias.probes.geo20q.languages import Language, load_language
from geobias.probes.geo20q.naming import Names
from geobias.probes.geo20q.questions import analyse_moves, parse_question
from geobias.probes.geo20q.replies import GuesserTurn, gives_up, read_verdict, turn_of
from geobias.probes.geo20q.settings import Geo20QSettings
from geobias.probes.geo20q.simulated import AskedCheck, AskedGuesser, AskedJudge
from geobias.probes.geo20q.winning import (
    Win,
    frame_words,
    place_question,
    read_turn,
    referee_question,
)
from geobias.probes.questions import opened
from geobias.reading.again import REFEREE
from geobias.reading.answer import own_answer
from geobias.runfile import SavedReply
from geobias.trials import Ask, Dialogue, Record, Reply, Steps, draw_seed

Ending = Literal["won", "lost", "gave_up", "broken", ""]
"""How a game ended; "" if this setting was not played, or (canonical) if it cannot be known.

broken  a side gave no usable text (filtered, empty, too long …), so the game does not count;
        `outcome` of the record says which
"""


class EntityRecord(Record, frozen=True, kw_only=True):
    """The fields that games and questions share, since both are about an entity."""

    entity: str
    name: str
    type: str
    category: str
    language: str = "en"


def entity_fields(entity: Entity, language: str) -> dict[str, Any]:
    fields = {name: getattr(entity, name) for name in ("country", "name", "type", "category")}
    return fields | {"entity": entity.id, "language": language}


class GameRecord(EntityRecord, frozen=True, kw_only=True):
    """One game about one entity in one language, played in one setting or in both at once.

    outcome          "played", or the reply's own outcome where a side gave no text to go on
    canonical        how the game of 20 turns ended; `canonical_turns` at which turn
    unlimited        how the game of 150 turns ended; `unlimited_turns` at which turn
                     both by the rule *guess*: the turn proposes the target as the answer
    canonical_mention  how it ended by the rule *mention*: a turn that names the target in any
    unlimited_mention  role wins; with the turns
    doubtful         turns for the referee, whether there is one or not
    refereed         those that it said of that they propose the target; None without a referee
    final_guess      what the guesser said when told to guess now (canonical; "" where not asked)
    guessed          what turns guess instead, with semicolons: ids of other entities of the table
                     of the target's type, and else the name as it was said, or "?"
    guessed_country  their countries: of the table, else of `elsewhere`, else as the referee places
                     a final guess; empty where nothing places it
    yes … unread     judge's answers by kind; `unread` are replies that are no answer word
    leaks            judge's replies that hold the entity's name
    rambles          judge's replies that hold an answer word among other words
    refusals         judge's replies that refuse
    repeated         questions asked before in the same game, but for case and punctuation
    not_yes_no       guesser's turns that are no yes/no question
    contradicted     questions that go against what the judge has said (asks for Asia after a yes
                     to Africa)
    first_place      first continent, region or country asked about (its English name)
    first_place_turn at which turn
    bits             information about the country by the answers of the turns that all settings
                     have: log2 of how many times fewer economies are left than there are
    outside          questions about places that do not hold the target, before the first about
                     one that does; `entered` is the turn of that first one, None if never
    calls            replies this game took, from the model or from the ledger
    """

    canonical: Ending = ""
    canonical_turns: int | None = None
    unlimited: Ending = ""
    unlimited_turns: int | None = None
    canonical_mention: Ending = ""
    canonical_mention_turns: int | None = None
    unlimited_mention: Ending = ""
    unlimited_mention_turns: int | None = None
    doubtful: int = 0
    refereed: int | None = None
    final_guess: str = ""
    guessed: str = ""
    guessed_country: str = ""
    yes: int = 0
    no: int = 0
    maybe: int = 0
    unread: int = 0
    leaks: int = 0
    rambles: int = 0
    refusals: int = 0
    repeated: int = 0
    not_yes_no: int = 0
    contradicted: int = 0
    first_place: str = ""
    first_place_turn: int | None = None
    outside: int = 0
    entered: int | None = None
    bits: float = 0.0
    calls: int = 0


class JudgeRecord(EntityRecord, frozen=True, kw_only=True):
    """One question to the judge whose answer the entity table knows.

    outcome   read, unread, or the reply's own outcome where there was no text
    question  kind of fact: type, continent, country, category …
    text      the question as asked
    truth     "yes" or "no"
    answer    yes, no or maybe; "" where unread
    """

    question: str
    text: str
    truth: str
    answer: str = ""


GUESSER_TOKENS = 64
"""As Zhang et al. (2023): a question is a line."""
JUDGE_TOKENS = 16
"""Zhang et al. gave 6, counted for English; "わかりません。" and "पता नहीं।" take up to a dozen
tokens in many vocabularies, and a reply that is cut in the middle of its word cannot be read."""


class Rules(msgspec.Struct, frozen=True):
    """How games are played in one language, about entities with these names."""

    language: Language
    names: Names
    settings: Geo20QSettings = msgspec.field(default_factory=Geo20QSettings)


def guesser_turn(
    reply: Reply | SavedReply,
    entity: Entity,
    rules: Rules,
    *,
    final: bool = False,
) -> GuesserTurn | None:
    """Read the turn in a guesser's reply; None where it has no words."""
    if reply.outcome != "ok":
        return None
    named = partial(rules.names.any, target=entity)
    return turn_of(reply.text, rules.language, named, final=final)


class GameState:
    """A game under way: what was asked and answered, and what the judge did."""

    def __init__(self, entity: Entity, rules: Rules, trial: str) -> None:
        self.entity = entity
        self.rules = rules
        self.draw = f"{trial} {rules.settings.seed}"
        self.prompts = rules.language.prompts(entity.type, as_printed=rules.settings.paper)
        self.target_name = entity.name_in(rules.language.code) or entity.name
        self.outcome: str = "played"
        self.questions: list[str] = []
        self.answers: list[str] = []
        self.counts: dict[str, Any] = dict.fromkeys(
            ("yes", "no", "maybe", "unread", "leaks", "rambles", "refusals", "doubtful", "calls"), 0
        )
        self.results: dict[str, tuple[Ending, int | None]] = {
            "canonical": ("", None), "unlimited": ("", None)
        }  # fmt: skip
        self.wrong: list[tuple[str, str]] = []
        """What else was guessed, and its country."""
        self.mentions: dict[str, int] = {}
        """Setting → the first turn that names the target."""
        played = rules.settings.played_setting
        self.open_settings = [one for one in self.results if played in (one, "both")]
        self.final_guess = ""
        self.refereed: int | None = None
        self.read: Win = "none"
        """What the rules make of the last turn."""

    def end(self, ending: Ending, turn: int) -> None:
        """End all settings that are still open."""
        for setting in self.open_settings:
            self.results[setting] = (ending, turn)

    def ask_guesser(
        self, dialogue: Dialogue, *, final: bool = False
    ) -> Generator[Ask, Reply, tuple[Reply, GuesserTurn | None]]:
        self.counts["calls"] += 1
        settings = self.rules.settings
        reply = yield Ask(
            dialogue=dialogue,
            about=AskedGuesser(self.rules.language.code, self.entity.type, final),
            temperature=settings.sampled_at,
            max_tokens=GUESSER_TOKENS,
            role="guesser",
            draw=self.draw,
            seed=draw_seed(self.draw, settings.sampled_at),
            effort=settings.effort or "",
        )
        return reply, guesser_turn(reply, self.entity, self.rules, final=final)

    def _ask_judge_model(
        self, prompt: str, about: AskedJudge | AskedCheck
    ) -> Generator[Ask, Reply, Reply]:
        self.counts["calls"] += 1
        judged_at = self.rules.settings.judged_at
        return (
            yield Ask(
                dialogue=Dialogue().user(prompt),
                about=about,
                temperature=judged_at,
                max_tokens=JUDGE_TOKENS,
                role="judge",
                draw=self.draw,
                seed=draw_seed(self.draw, judged_at),
            )
        )

    def _ask_referee_model(
        self, prompt: str, about: AskedCheck
    ) -> Generator[Ask, Reply, Reply | None]:
        """Return the referee's reply, or None where there is no referee."""
        reply = yield Ask(
            dialogue=Dialogue().user(prompt),
            about=about,
            max_tokens=JUDGE_TOKENS,
            role=REFEREE,
            optional=True,
        )
        if reply.outcome == "unasked":
            return None
        self.counts["calls"] += 1
        return reply

    def ask_judge(self, question: str) -> Generator[Ask, Reply, str | None]:
        """Return the word that the guesser is told; None where the judge gave no text."""
        name = self.target_name
        about = AskedJudge(self.rules.language.code, self.entity.type, name, question)
        reply = yield from self._ask_judge_model(self.prompts.to_judge(name, question), about)
        if reply.outcome != "ok":
            self.outcome = reply.outcome
            return None
        names_target = partial(self.rules.names.mentions, target=self.entity)
        verdict = read_verdict(reply.text, self.rules.language, names_target)
        self.counts[verdict.answer or "unread"] += 1
        self.counts["leaks"] += verdict.leak
        self.counts["rambles"] += verdict.kind == "ramble"
        self.counts["refusals"] += verdict.kind == "refusal"
        self.questions.append(question)
        self.answers.append(verdict.answer)
        return self.prompts.answer_word(verdict.answer)

    def wins(self, text: str, number: int, *, final: bool = False) -> Generator[Ask, Reply, bool]:
        """Return whether a turn proposes the target. Also records that the turn names it.

        A turn that may name the target in an unknown spelling goes to the referee only after the
        judge says yes, or here if the judge is not asked any more.
        """
        names, target = self.rules.names, self.entity
        self.read = read = read_turn(text, target, names, final=final)
        if read != "none":
            for setting in ["canonical"] if final else self.open_settings:
                self.mentions.setdefault(setting, number)
        won = read == "win"
        if read == "mention" or (not won and final and self.may_name(text)):
            won = yield from self.ask_referee(text)
        if not won and (final or read == "none"):
            yield from self._note_wrong(text, final=final)
        return won

    def may_name(self, text: str) -> bool:
        """Return whether a text may name somebody, in whatever spelling."""
        names = self.rules.names
        return names.may_name(text, self.entity, frame_words(names.language))

    def ask_referee(self, text: str) -> Generator[Ask, Reply, bool]:
        """Return whether the referee says that a turn proposes the target; False without one."""
        if self.rules.settings.paper:
            return False
        self.counts["doubtful"] += 1
        turn = " ".join(text.split())
        prompt = referee_question(turn, self.entity, self.rules.language.code)
        about = AskedCheck("en", turn, self.target_name)
        reply = yield from self._ask_referee_model(prompt, about)
        if reply is None:
            return False
        says = read_verdict(reply.text, load_language("en")).answer if reply.outcome == "ok" else ""
        self.refereed = (self.refereed or 0) + (says == "yes")
        return says == "yes"

    def _note_wrong(self, text: str, *, final: bool) -> Generator[Ask, Reply, None]:
        """Note what a turn guesses instead of the target.

        It is an entity of the target's type, or else a name beyond the table. Of a final guess the
        first name counts, and the referee says where it is from if no table does.
        """
        names, target = self.rules.names, self.entity
        if not final and parse_question(text, names.language).firm:
            return  # it asks for a place or a kind
        other = names.other_named(text, target, first=final)
        if other is not None and other.type == target.type:
            if final or read_turn(text, other, names) == "win":
                self.wrong.append((other.id, other.country))
            return
        name, country = "", ""
        if not names.mentions(text, target):
            name, country = guessed_elsewhere(text, target, names, final=final)
        if final and not country and not self.rules.settings.paper:
            about = AskedCheck("en", text)
            reply = yield from self._ask_referee_model(place_question(text, target), about)
            if reply is not None:
                said = own_answer(reply.text).text.strip(" .*\n")
                home = find_economy(said) if said.lower() != "no" else None  # NO is Norway's code
                name, country = name or "?", home.iso3 if home else ""
        if name:
            self.wrong.append((name, country))

    def given_up(self, turn: GuesserTurn, *, asked: bool) -> Generator[Ask, Reply, bool]:
        """Return whether the guesser gives up.

        In the paper's protocol a model is asked about every turn. In ours it is asked if words
        leave a doubt, but not about a turn that the referee was `asked` about.
        """
        if not self.rules.settings.paper:
            names_somebody = partial(self.rules.names.any, target=self.entity)
            plain = gives_up(turn, self.rules.language, names_somebody)
            if plain != "doubtful" or asked:
                return plain == "yes"
        prompt = self.rules.language.give_up.question.strip().replace("{text}", turn.question)
        about = AskedCheck(self.rules.language.code, turn.question)
        reply = yield from self._ask_judge_model(prompt, about)
        if reply.outcome != "ok":
            return False
        return read_verdict(reply.text, self.rules.language).answer == "yes"


def game(entity: Entity, rules: Rules, trial: str, repeat: int = 0) -> Steps:
    state = GameState(entity, rules, trial)
    yield from _play(state)
    language = rules.language
    moves = analyse_moves(
        entity,
        language.code,
        state.questions,
        state.answers,
        shared=rules.settings.turns - 1,
        own_language=language,
    )
    endings: dict[str, Any] = {}
    for setting, (ending, turn) in state.results.items():
        named = state.mentions.get(setting)
        endings |= {
            setting: ending,
            f"{setting}_turns": turn,
            f"{setting}_mention": ending if named is None else "won",
            f"{setting}_mention_turns": turn if named is None else named,
        }
    return GameRecord(
        trial=trial,
        probe="geo20q",
        repeat=repeat,
        outcome=state.outcome,
        refereed=state.refereed,
        final_guess=state.final_guess,
        guessed=";".join(name for name, _ in state.wrong),
        guessed_country=";".join(country for _, country in state.wrong),
        **entity_fields(entity, language.code),
        **state.counts,
        **msgspec.structs.asdict(moves),
        **endings,
    )


def _play(state: GameState) -> Generator[Ask, Reply, None]:
    settings = state.rules.settings
    message = state.prompts.guesser.strip()
    before = opened(settings.system)
    short = settings.played_setting == "canonical"
    limit = settings.turns if short else settings.most_turns
    for number in range(1, limit + 1):
        if "canonical" in state.open_settings and number == settings.turns:
            guess_now = before.user(f"{message} {state.prompts.final_guess}")
            yield from _guess_now(state, guess_now, number)
            if not state.open_settings:
                return
        dialogue = before.user(message)
        reply, turn = yield from state.ask_guesser(dialogue)
        if turn is None:
            state.outcome = _no_text(reply)
            return state.end("broken", number)
        ending, answer = yield from _turn(state, turn, number, last=number == limit)
        if ending:
            return state.end(ending, number)
        as_asked = turn.question == " ".join(reply.text.split())
        before = dialogue.reply(reply, None if as_asked else turn.question)
        message = answer


def _turn(
    state: GameState, turn: GuesserTurn, number: int, *, last: bool
) -> Generator[Ask, Reply, tuple[Ending, str]]:
    """Return how a turn ends the game, or "" and the judge's answer."""
    doubts = state.counts["doubtful"]
    won = yield from state.wins(turn.text, number)
    asked = state.counts["doubtful"] > doubts
    if last and state.read == "none" and state.may_name(turn.text):
        won = yield from state.ask_referee(turn.text)
    if won or last:
        return ("won" if won else "lost"), ""
    calls = state.counts["calls"]
    if (yield from state.given_up(turn, asked=asked)):
        return "gave_up", ""
    unnamed = state.read == "none" and state.counts["calls"] == calls
    answer = yield from state.ask_judge(turn.question)
    if answer is None:
        return "broken", ""
    meant = unnamed and state.answers[-1] == "yes" and state.may_name(turn.text)
    if meant and (yield from state.ask_referee(turn.text)):
        return "won", ""
    return "", answer


def _no_text(reply: Reply) -> str:
    """Return the outcome of a game that ends with a reply without words."""
    return reply.outcome if reply.outcome != "ok" else "empty"


def _guess_now(state: GameState, dialogue: Dialogue, number: int) -> Generator[Ask, Reply, None]:
    """End the canonical game with its final guess. Giving up now loses the game.

    The whole reply is read ("I am ready.\\n\\nIt is …"). The name that it chooses counts, and a
    list wins nothing.
    """
    reply, turn = yield from state.ask_guesser(dialogue, final=True)
    ending: Ending = "broken"
    if turn is not None:
        state.final_guess = turn.text.strip()
        won = yield from state.wins(turn.text, number, final=True)
        ending = "won" if won else "lost"
    elif state.open_settings == ["canonical"]:
        state.outcome = _no_text(reply)
    state.results["canonical"] = (ending, number)
    state.open_settings.remove("canonical")
