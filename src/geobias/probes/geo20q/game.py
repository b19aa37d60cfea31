"""The game of 20 Questions, as one generator, and the record that it returns.

The guesser sees its instruction and the dialogue. The judge sees the entity and one question. The
game is won when the guesser's turn proposes the entity as the answer. A turn in a plain frame ("Is
it …?") is decided by its words (`winning`), without asking the judge. A referee, which is a model
other than the player, decides about other turns that name the entity, and about turns with a word
of its name that get the judge's yes or are the last.

By the published rule any mention of the entity wins. One game serves both rules: it records the
first turn that names the entity, and continues until the entity is proposed.

*canonical* ends after 20 turns, and with the answer to the 19th the guesser is told to guess now.
*unlimited* continues until it is won, given up, or has had 150 turns. One dialogue serves both. The
first 19 turns are the same, and turn 20 forks, with one additional call for the canonical game::

    1 ─ 2 ─ … ─ 19 ─┬─ 20 (guess now)              canonical
                    └─ 20 ─ 21 ─ … ─ 150           unlimited

A game that is won or given up before the fork ends both settings alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable
from itertools import product
from typing import Any, Literal

import msgspec

from geobias.atlas.economies import find_economy
from geobias.atlas.entities import Entity
from geobias.probes.geo20q.elsewhere import guessed_elsewhere
from geobias.probes.geo20q.languages import Language, load_language
from geobias.probes.geo20q.naming import Names
from geobias.probes.geo20q.questions import moves_by_turn, parse_question
from geobias.probes.geo20q.replies import GuesserTurn, gives_up, read_answer, turn_of
from geobias.probes.geo20q.settings import Geo20QSettings
from geobias.probes.geo20q.simulated import AskedCheck, AskedGuesser, AskedJudge
from geobias.probes.geo20q.winning import Win, place_question, read_turn, referee_question
from geobias.probes.questions import opened
from geobias.reading.again import REFEREE
from geobias.reading.answer import own_answer
from geobias.trials import Ask, Dialogue, Record, Reply, Steps, draw_seed

Ending = Literal["won", "lost", "gave_up", "broken", ""]
"""How a game ended in a setting.

It is "" if the setting was not played, or if the canonical ending cannot be known. A game is
"broken" if a side gave no usable text (filtered, empty, too long …). It then does not count, and
the record's `outcome` gives the reason.
"""


class EntityRecord(Record, frozen=True, kw_only=True):
    entity: str
    name: str
    type: str
    category: str
    language: str = "en"


def outcome_of(reply: Reply, answer: str) -> str:
    """Return the outcome of a question. `answer` is what was read in the reply, "" for nothing."""
    return reply.outcome if reply.outcome != "ok" else "read" if answer else "unread"


def entity_fields(entity: Entity, language: str) -> dict[str, Any]:
    fields = {name: getattr(entity, name) for name in ("country", "name", "type", "category")}
    return fields | {"entity": entity.id, "language": language}


class GameRecord(EntityRecord, frozen=True, kw_only=True):
    """One game about one entity in one language, played in one setting or in both at once.

    outcome          "played", or the outcome of a reply without usable text, which ended the game
    canonical        how the game of 20 turns ended, by the rule *guess*: a turn that proposes the
                     target as the answer wins; `canonical_turns` is the turn of the ending
    unlimited        how the game of 150 turns ended, by the rule *guess*, with `unlimited_turns`
    canonical_mention, unlimited_mention
                     how the games ended by the rule *mention*: a turn that names the target in any
                     role wins; the turns are in `canonical_mention_turns` and so on
    doubtful         number of turns that only a referee can decide, counted in every run
    refereed         number of these turns that propose the target according to the referee; None
                     without a referee
    final_guess      the guesser's reply to "guess now" in the canonical game; "" if not asked
    guessed          wrong guesses, separated by semicolons: ids of same-type table entities; names
                     in `elsewhere`; "?" for a final guess that no table has
    guessed_country  countries of the wrong guesses, from the table or `elsewhere`; for a final
                     guess also from the referee; empty if unknown
    yes … unread     judge's answers by kind; `unread` counts replies without an answer
    repeated         questions asked before in the same game, apart from case and punctuation
    not_yes_no       guesser's turns that are not a yes/no question
    contradicted     questions that contradict what the judge has said (Asia after a yes to Africa)
    first_place      first continent, region or country asked about (English name)
    first_place_turn turn of the question about `first_place`
    bits             information that the answers give about the target's country, in the turns that
                     all settings have: log2(all economies / economies still possible)
    outside          questions about places that do not contain the target, before the first
                     question about a place that does
    entered          turn of the first question about a place that contains the target, or None
    calls            number of replies in the game, from models or from the run file
    views            page views of the target, a measure of fame; None if unknown
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
    repeated: int = 0
    not_yes_no: int = 0
    contradicted: int = 0
    first_place: str = ""
    first_place_turn: int | None = None
    outside: int = 0
    entered: int | None = None
    bits: float = 0.0
    calls: int = 0
    views: float | None = None


class JudgeRecord(EntityRecord, frozen=True, kw_only=True):
    """One question to the judge whose answer the entity table holds.

    outcome   "read", "unread", or the outcome of a reply without text
    question  the kind of fact: type, continent, country, category …
    text      the question as asked
    truth     the right answer, "yes" or "no"
    answer    the judge's answer, yes, no or maybe; "" if unread
    """

    question: str
    text: str
    truth: str
    answer: str = ""


SETTINGS = ("canonical", "unlimited")
ANSWERS = ("yes", "no", "maybe", "unread")
GUESSER_TOKENS = 64
"""The limit of Zhang et al. (2023), enough for a question of one line."""
JUDGE_TOKENS = 16
"""Maximum tokens of a judge's reply. Zhang et al. allow 6, which is enough in English.

In many vocabularies "わかりません。" and "पता नहीं।" have up to a dozen tokens, and a reply that is
cut in the middle of a word cannot be read.
"""


class Rules(msgspec.Struct, frozen=True):
    """How games are played in one language: its words, the names in it, and the settings."""

    language: Language
    names: Names
    settings: Geo20QSettings = msgspec.field(default_factory=Geo20QSettings)


class _Game:
    """A game that is being played. A setting is open until its ending is decided.

    `fields` holds the fields of the record that are decided so far.
    """

    def __init__(self, entity: Entity, rules: Rules, trial: str) -> None:
        self.entity = entity
        self.names = rules.names
        self.language = rules.language
        self.settings = rules.settings
        self.draw = f"{trial} {rules.settings.seed}"
        self.prompts = rules.language.prompts(entity.type, as_printed=rules.settings.paper)
        self.target_name = entity.name_in(rules.language.code) or entity.name
        self.questions: list[str] = []
        self.answers: list[str] = []
        self.fields: dict[str, Any] = defaultdict(int)
        self.fields["outcome"] = "played"
        self.wrong: list[tuple[str, str]] = []
        """The wrong guesses, each with its country."""

    @property
    def open_settings(self) -> list[str]:
        played = self.settings.played_setting
        return [one for one in SETTINGS if played in (one, "both") and one not in self.fields]

    def play(self) -> Generator[Ask, Reply, None]:
        message, before = self.prompts.guesser.strip(), opened(self.settings.system)
        short = self.open_settings == ["canonical"]
        limit = self.settings.turns if short else self.settings.most_turns
        for number in range(1, limit + 1):
            if "canonical" in self.open_settings and number == self.settings.turns:
                yield from self._guess_now(
                    before.user(f"{message} {self.prompts.final_guess}"), number
                )
                if not self.open_settings:
                    return
            dialogue = before.user(message)
            reply, turn = yield from self._ask_guesser(dialogue)
            if turn is None:
                return self._break_off(reply, number)
            ending, message = yield from self._turn(turn, number, last=number == limit)
            if ending:
                return self._end(self.open_settings, ending, number)
            as_asked = turn.question == " ".join(reply.text.split())
            before = dialogue.reply(reply, None if as_asked else turn.question)

    def _end(self, settings: Iterable[str], ending: Ending, turn: int, *rules: str) -> None:
        """Record an ending by these rules (default: both) in those `settings` without an ending."""
        for setting, rule in product(settings, rules or ("", "_mention")):
            self.fields.setdefault(f"{setting}{rule}", ending)
            self.fields.setdefault(f"{setting}{rule}_turns", turn)

    def _break_off(self, reply: Reply, turn: int) -> None:
        """End the game with a reply without usable text."""
        self.fields["outcome"] = reply.outcome if reply.outcome != "ok" else "empty"
        self._end(self.open_settings, "broken", turn)

    def _turn(
        self, turn: GuesserTurn, number: int, *, last: bool
    ) -> Generator[Ask, Reply, tuple[Ending, str]]:
        """Return the ending that a turn brings, or "", and the word that the guesser is told."""
        read = self._read(turn.text, number, self.open_settings)
        won = yield from self._wins(turn.text, read, last=last)
        if won or last:
            return ("won" if won else "lost"), ""
        if (yield from self._given_up(turn)):
            return "gave_up", ""
        reply = yield from self._ask(
            "judge",
            Dialogue().user(self.prompts.to_judge(self.target_name, turn.question)),
            AskedJudge(self.language.code, self.entity.type, self.entity.id, turn.question),
            self.settings.judged_at,
        )
        if reply.outcome != "ok":
            self.fields["outcome"] = reply.outcome
            return "broken", ""
        answer = read_answer(reply.text, self.language)
        self.fields[answer or "unread"] += 1
        self.questions.append(turn.question)
        self.answers.append(answer)
        meant = read == "none" and answer == "yes" and self._names_part(turn.text)
        if meant and (yield from self._ask_referee(turn.text)):
            return "won", ""
        return "", self.prompts.answer_word(answer)

    def _guess_now(self, dialogue: Dialogue, number: int) -> Generator[Ask, Reply, None]:
        """Ask for the final guess of the canonical game, and end the game. Giving up loses.

        The whole reply is read ("I am ready.\\n\\nIt is …"). The name that the reply chooses
        counts, and a list of names does not win.
        """
        reply, turn = yield from self._ask_guesser(dialogue, final=True)
        if turn is None and self.open_settings == ["canonical"]:
            return self._break_off(reply, number)
        ending: Ending = "broken"
        if turn is not None:
            self.fields["final_guess"] = turn.text.strip()
            read = self._read(turn.text, number, ["canonical"], final=True)
            won = yield from self._wins(turn.text, read, final=True)
            ending = "won" if won else "lost"
        self._end(["canonical"], ending, number)

    # -- asking ------------------------------------------------------------------------------------

    def _ask(
        self,
        role: str,
        dialogue: Dialogue,
        about: object,
        at: float = 0.0,
        max_tokens: int = JUDGE_TOKENS,
        **more: Any,
    ) -> Generator[Ask, Reply, Reply]:
        reply = yield Ask(
            dialogue=dialogue,
            about=about,
            role=role,
            temperature=at,
            draw=self.draw,
            seed=draw_seed(self.draw, at),
            max_tokens=max_tokens,
            **more,
        )
        self.fields["calls"] += reply.outcome != "unasked"
        return reply

    def _ask_guesser(
        self, dialogue: Dialogue, *, final: bool = False
    ) -> Generator[Ask, Reply, tuple[Reply, GuesserTurn | None]]:
        reply = yield from self._ask(
            "guesser",
            dialogue,
            AskedGuesser(self.language.code, self.entity.type, final),
            self.settings.sampled_at,
            max_tokens=GUESSER_TOKENS,
            effort=self.settings.effort or "",
        )
        return reply, turn_of(reply, final=final)

    def _ask_referee(self, text: str) -> Generator[Ask, Reply, bool]:
        """Whether the referee says that a turn proposes the target; False if not asked."""
        if self.settings.paper:
            return False
        self.fields["doubtful"] += 1
        turn = " ".join(text.split())
        prompt = referee_question(turn, self.entity, self.language.code)
        about = AskedCheck("en", turn, self.target_name)
        reply = yield from self._ask(REFEREE, Dialogue().user(prompt), about, optional=True)
        if reply.outcome == "unasked":
            return False
        says = read_answer(reply.text, load_language("en")) if reply.outcome == "ok" else ""
        self.fields["refereed"] += says == "yes"
        return says == "yes"

    # -- reading -----------------------------------------------------------------------------------

    def _read(self, text: str, number: int, settings: Iterable[str], *, final: bool = False) -> Win:
        """Return how a turn uses the target's name, and record a turn that names it."""
        read = read_turn(text, self.entity, self.names, final=final)
        if read != "none":
            self._end(settings, "won", number, "_mention")
        return read

    def _wins(
        self, text: str, read: Win, *, final: bool = False, last: bool = False
    ) -> Generator[Ask, Reply, bool]:
        """Whether a turn proposes the target. Records a wrong guess.

        A turn that has a part of the target's name goes to the referee only after a yes of the
        judge. In the last turn, when the judge is not asked, it goes to the referee here.
        """
        won = read == "win"
        unjudged = read == "none" and (final or last) and self._names_part(text)
        if read == "mention" or unjudged:
            won = yield from self._ask_referee(text)
        if not won and (final or read == "none"):
            yield from self._note_wrong(text, final=final)
        return won

    def _names_part(self, text: str) -> bool:
        return self.names.has_part(text, self.entity)

    def _note_wrong(self, text: str, *, final: bool) -> Generator[Ask, Reply, None]:
        """Record a turn's wrong guess.

        The guess is an entity of the target's type, or else a name in `elsewhere`. In a final guess
        the first name counts, and the referee is asked for the country if no table has the name.
        """
        names, target = self.names, self.entity
        if not final and parse_question(text, names.language).firm:
            return  # it asks for a place or a kind
        other = names.other_named(text, target, first=final)
        if other is not None:
            if final or read_turn(text, other, names) == "win":
                self.wrong.append((other.id, other.country))
            return
        name, country = "", ""
        if not names.mentions(text, target):
            name, country = guessed_elsewhere(text, target, names, final=final)
        if final and not country and not self.settings.paper:
            prompt = Dialogue().user(place_question(text, target))
            reply = yield from self._ask(REFEREE, prompt, AskedCheck("en", text), optional=True)
            if reply.outcome != "unasked":
                said = own_answer(reply.text).text.strip(" .*\n")
                home = find_economy(said) if said.lower() != "no" else None  # NO is Norway's code
                name, country = name or "?", home.iso3 if home else ""
        if name:
            self.wrong.append((name, country))

    def _given_up(self, turn: GuesserTurn) -> Generator[Ask, Reply, bool]:
        """Whether the guesser gives up.

        A model is asked about a turn that names nobody and whose words leave a doubt, and in the
        paper's protocol about every turn.
        """
        if not self.settings.paper:
            text = turn.text
            names_one = bool(self.names.sightings(text, self.entity)) or self._names_part(text)
            plain = gives_up(turn, self.language, names_one=names_one)
            if plain != "doubtful":
                return plain == "yes"
        prompt = self.language.give_up.question.strip().replace("{text}", turn.question)
        about = AskedCheck(self.language.code, turn.question)
        reply = yield from self._ask(
            "judge", Dialogue().user(prompt), about, self.settings.judged_at
        )
        return reply.outcome == "ok" and read_answer(reply.text, self.language) == "yes"


def game(entity: Entity, rules: Rules, trial: str, repeat: int = 0) -> Steps:
    played = _Game(entity, rules, trial)
    yield from played.play()
    shared, asked = rules.settings.turns - 1, (played.questions, played.answers)
    *_, moves = moves_by_turn(entity, rules.language, *asked, shared=shared)
    return GameRecord(
        trial=trial,
        probe="geo20q",
        repeat=repeat,
        views=entity.views,
        guessed=";".join(name for name, _ in played.wrong),
        guessed_country=";".join(country for _, country in played.wrong),
        **entity_fields(entity, rules.language.code),
        **played.fields,
        **moves,
    )
