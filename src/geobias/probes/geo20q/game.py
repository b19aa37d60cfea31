"""The game of 20 Questions, as one generator, and the row that it leaves behind.

The guesser sees its instruction and the dialogue; the judge sees the entity and one question. The
game is won when the guesser's turn proposes the entity as the answer. A plain frame says so
(`winning`), and the judge is not asked then. The referee, a model that is not the player, decides
the rest: other turns that name the entity, turns that may name somebody and get the judge's yes,
and final guesses that are not exact.

The published rule, by which any mention of the entity wins, needs no game of its own: the first
turn that names it is noted, and the game goes on until the entity is proposed. Both endings come
from the same transcript.

*canonical* ends after 20 turns, and with the answer to the 19th the guesser is told to guess now.
*unlimited* goes on until it is won, given up, or 150 turns old. One dialogue serves both: the first
19 turns are the same, and at turn 20 it forks, the canonical game with one call of its own::

    1 ─ 2 ─ … ─ 19 ─┬─ 20 (guess now)              canonical
                    └─ 20 ─ 21 ─ … ─ 150           unlimited

A game that is won or given up before the fork ends both settings alike.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any, Literal, NamedTuple

import msgspec

from geobias.atlas.economies import find_economy
from geobias.atlas.entities import Entity
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
"""How a game ended; "" where this setting was not played, or (canonical) cannot be known.

broken  a side gave no usable text (filtered, empty, too long …), so that the game is no evidence;
        `outcome` of the record says which
"""


class EntityRecord(Record, frozen=True, kw_only=True):
    """What games and questions to the judge have in common: they are about an entity."""

    entity: str
    name: str
    type: str
    category: str
    language: str = "en"


def entity_fields(entity: Entity, language: str) -> dict[str, Any]:
    fields = {name: getattr(entity, name) for name in ("country", "name", "type", "category")}
    return fields | {"entity": entity.id, "language": language}


class GameRecord(EntityRecord, frozen=True, kw_only=True):
    """One game: one entity, in one language, once; in one setting or in both at once.

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
                     of the target's type, and "?" for a final guess of none of them; their
                     countries (`guessed_country`), which the referee gives for the latter
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
    """The turn that a guesser's reply is; None where there are no words to go on with."""
    if reply.outcome != "ok":
        return None
    named = partial(rules.names.any, target=entity)
    return turn_of(reply.text, rules.language, named, final=final)


class GameResult(NamedTuple):
    """How one setting ended, and at which turn."""

    ending: Ending = ""
    turn: int | None = None


class GameState:
    """A game under way: what was asked and answered, and what the judge did."""

    def __init__(self, entity: Entity, rules: Rules, trial: str) -> None:
        self.entity = entity
        self.rules = rules
        self.trial = trial
        self.draw = f"{trial} {rules.settings.seed}"
        self.prompts = rules.language.prompts(entity.type, as_printed=rules.settings.paper)
        self.target_name = entity.name_in(rules.language.code) or entity.name
        self.outcome: str = "played"
        self.questions: list[str] = []
        self.answers: list[str] = []
        self.counts = dict.fromkeys(
            ("yes", "no", "maybe", "unread", "leaks", "rambles", "refusals", "doubtful", "calls"), 0
        )
        self.results = {"canonical": GameResult(), "unlimited": GameResult()}
        self.wrong: list[tuple[str, str]] = []
        """What else was guessed: id and country."""
        self.mentions: dict[str, int] = {}
        """Setting → the first turn that names the target."""
        played = rules.settings.played_setting
        self.open_settings = [one for one in self.results if played in (one, "both")]
        self.final_guess = ""
        self.refereed: int | None = None
        self.read: Win = "none"
        """Of the last turn, as far as rules can say."""

    def end(self, ending: Ending, turn: int) -> None:
        """All settings that are still open end so."""
        for setting in self.open_settings:
            self.results[setting] = GameResult(ending, turn)

    def ask_guesser(
        self, dialogue: Dialogue, *, final: bool = False
    ) -> Generator[Ask, Reply, tuple[Reply, GuesserTurn | None]]:
        self.counts["calls"] += 1
        language, type_ = self.rules.language.code, self.entity.type
        reply = yield Ask(
            dialogue=dialogue,
            about=AskedGuesser(language, type_, final),
            temperature=(sampled_at := self.rules.settings.sampled_at),
            max_tokens=GUESSER_TOKENS,
            role="guesser",
            draw=self.draw,
            seed=draw_seed(self.draw, sampled_at),
            effort=self.rules.settings.effort or "",
        )
        return reply, guesser_turn(reply, self.entity, self.rules, final=final)

    def wins(self, text: str, number: int, *, final: bool = False) -> Generator[Ask, Reply, bool]:
        """Whether a turn proposes the target; that it names it is noted.

        What may be the target in a spelling of its own is asked about by `judged_yes`, or here
        where the judge is not asked any more.
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
            self._note_wrong(text, final=final)
        return won

    def may_name(self, text: str) -> bool:
        """Whether a text may name somebody, in whatever spelling."""
        names = self.rules.names
        return names.may_name(text, self.entity, frame_words(names.language))

    def ask_referee(self, text: str) -> Generator[Ask, Reply, bool]:
        """Whether a turn proposes the target, by the referee; no where there is none."""
        if self.rules.settings.paper:
            return False
        self.counts["doubtful"] += 1
        language, turn = self.rules.language.code, " ".join(text.split())
        reply = yield Ask(
            dialogue=Dialogue().user(referee_question(turn, self.entity, language)),
            about=AskedCheck("en", turn, self.target_name),
            max_tokens=JUDGE_TOKENS,
            role=REFEREE,
            optional=True,
        )
        if reply.outcome == "unasked":
            return False
        self.counts["calls"] += 1
        says = read_verdict(reply.text, load_language("en")).answer if reply.outcome == "ok" else ""
        self.refereed = (self.refereed or 0) + (says == "yes")
        return says == "yes"

    def _note_wrong(self, text: str, *, final: bool) -> None:
        """Note where a turn guesses another entity of the target's type: "Aaron Stanford" is no
        guess of a university. Of a final guess the first name counts, however it is put."""
        names, target = self.rules.names, self.entity
        if not final and parse_question(text, self.rules.language.code).firm:
            return  # it asks for a place or a kind
        other = names.other_named(text, target, first=final)
        if other is None or other.type != target.type:
            return
        if final or read_turn(text, other, names) == "win":
            self.wrong.append((other.id, other.country))

    def place_guess(self, text: str) -> Generator[Ask, Reply, None]:
        """Ask the referee where a final guess is from that names no entity of the table."""
        if self.rules.settings.paper:
            return
        reply = yield Ask(
            dialogue=Dialogue().user(place_question(text, self.entity)),
            about=AskedCheck("en", text),
            max_tokens=JUDGE_TOKENS,
            role=REFEREE,
            optional=True,
        )
        if reply.outcome == "unasked":
            return
        self.counts["calls"] += 1
        said = own_answer(reply.text).text.strip(" .*\n")
        home = find_economy(said) if said.lower() != "no" else None  # NO is Norway's code
        self.wrong.append(("?", home.iso3 if home else ""))

    def ask_judge(self, question: str) -> Generator[Ask, Reply, str | None]:
        """The word that the guesser is told, or None and `outcome` of a reply that is none."""
        language, name = self.rules.language.code, self.target_name
        about = AskedJudge(language, self.entity.type, name, question)
        reply = yield self._judge_ask(self.prompts.to_judge(name, question), about)
        if reply.outcome != "ok":
            self.outcome = reply.outcome
            return None
        verdict = read_verdict(
            reply.text, self.rules.language, partial(self.rules.names.mentions, target=self.entity)
        )
        self.counts[verdict.answer or "unread"] += 1
        self.counts["leaks"] += verdict.leak
        self.counts["rambles"] += verdict.kind == "ramble"
        self.counts["refusals"] += verdict.kind == "refusal"
        self.questions.append(question)
        self.answers.append(verdict.answer)
        return self.prompts.answer_word(verdict.answer)

    def given_up(self, turn: GuesserTurn, *, asked: bool) -> Generator[Ask, Reply, bool]:
        """Whether the guesser gives up; a model is asked only where its words leave a doubt, and
        not of a turn that names the target, which it was `asked` about before."""
        how = self.rules.settings.resolved().give_up
        if how != "every":
            names_somebody = partial(self.rules.names.any, target=self.entity)
            plain = gives_up(turn, self.rules.language, names_somebody)
            if plain != "doubtful" or how == "patterns" or asked:
                return plain == "yes"
        text = self.rules.language.give_up.question.strip().replace("{text}", turn.question)
        reply = yield self._judge_ask(text, AskedCheck(self.rules.language.code, turn.question))
        if reply.outcome != "ok":
            return False
        return read_verdict(reply.text, self.rules.language).answer == "yes"

    def _judge_ask(self, prompt: str, about: AskedJudge | AskedCheck) -> Ask:
        self.counts["calls"] += 1
        return Ask(
            dialogue=Dialogue().user(prompt),
            about=about,
            temperature=(judged_at := self.rules.settings.judged_at),
            max_tokens=JUDGE_TOKENS,
            role="judge",
            draw=self.draw,
            seed=draw_seed(self.draw, judged_at),
        )


def game(entity: Entity, rules: Rules, trial: str, repeat: int = 0) -> Steps:
    state = GameState(entity, rules, trial)
    yield from _play(state)
    return _record(state, repeat)


def _play(state: GameState) -> Generator[Ask, Reply, None]:  # noqa: PLR0911 - a game has many ends
    settings = state.rules.settings
    message = state.prompts.guesser.strip()
    before = opened(settings.system)
    dialogue = before.user(message)
    short = settings.played_setting == "canonical"
    limit = settings.turns if short else settings.most_turns
    for number in range(1, limit + 1):
        if "canonical" in state.open_settings and number == settings.turns:
            guess_now = before.user(f"{message} {state.prompts.final_guess}")
            yield from _guess_now(state, guess_now, number)
            if not state.open_settings:
                return None
        reply, turn = yield from state.ask_guesser(dialogue)
        if turn is None:
            state.outcome = _no_text(reply)
            return state.end("broken", number)
        doubts = state.counts["doubtful"]
        won = yield from state.wins(turn.text, number, final=False)
        asked = state.counts["doubtful"] > doubts
        if number == limit and state.read == "none" and state.may_name(turn.text):
            won = yield from state.ask_referee(turn.text)
        if won or number == limit:
            return state.end("won" if won else "lost", number)
        calls = state.counts["calls"]
        if (yield from state.given_up(turn, asked=asked)):
            return state.end("gave_up", number)
        unnamed = state.read == "none" and state.counts["calls"] == calls
        answer = yield from state.ask_judge(turn.question)
        if answer is None:
            return state.end("broken", number)
        meant = unnamed and state.answers[-1] == "yes" and state.may_name(turn.text)
        if meant and (yield from state.ask_referee(turn.text)):
            return state.end("won", number)
        as_asked = turn.question == " ".join(reply.text.split())
        before = dialogue.reply(reply, None if as_asked else turn.question)
        message = answer
        dialogue = before.user(message)
    return None


def _no_text(reply: Reply) -> str:
    """The outcome of a game that ends with a reply without words."""
    return reply.outcome if reply.outcome != "ok" else "empty"


def _guess_now(state: GameState, dialogue: Dialogue, number: int) -> Generator[Ask, Reply, None]:
    """End the canonical game with its final guess. Giving up now is losing.

    All of it is read ("I am ready.\\n\\nIt is …"): the name that it chooses counts, and a list wins
    nothing.
    """
    reply, turn = yield from state.ask_guesser(dialogue, final=True)
    alone = state.open_settings == ["canonical"]
    ending: Ending = "broken"
    if turn is not None:
        state.final_guess = turn.text.strip()
        placed = len(state.wrong)
        won = yield from state.wins(turn.text, number, final=True)
        if not won and len(state.wrong) == placed:
            yield from state.place_guess(turn.text)
        ending = "won" if won else "lost"
    elif alone:
        state.outcome = _no_text(reply)
    state.results["canonical"] = GameResult(ending, number)
    state.open_settings.remove("canonical")


def _record(state: GameState, repeat: int) -> GameRecord:
    entity, language = state.entity, state.rules.language
    moves = analyse_moves(
        entity,
        language.code,
        state.questions,
        state.answers,
        shared=state.rules.settings.turns - 1,
        own_language=language,
    )
    fields: dict[str, Any] = {
        **entity_fields(entity, language.code),
        **state.counts,
        **msgspec.structs.asdict(moves),
    }
    for setting, result in state.results.items():
        fields |= {setting: result.ending, f"{setting}_turns": result.turn}
        named = state.mentions.get(setting)
        by_mention = result if named is None else GameResult("won", named)
        fields[f"{setting}_mention"] = by_mention.ending
        fields[f"{setting}_mention_turns"] = by_mention.turn
    return GameRecord(
        trial=state.trial,
        probe="geo20q",
        repeat=repeat,
        outcome=state.outcome,
        refereed=state.refereed,
        final_guess=state.final_guess,
        guessed=";".join(id_ for id_, _ in state.wrong),
        guessed_country=";".join(country for _, country in state.wrong),
        **fields,
    )
