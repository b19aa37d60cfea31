"""The game of 20 Questions, as one generator.

The guesser sees its instruction and the dialogue; the judge sees the entity and one question. The
game is won when a spelling of the entity stands as whole words in the guesser's turn, whatever the
judge would say; so the judge is not asked then.

*canonical* ends after 20 turns, and with the answer to the 19th the guesser is told to guess now.
*unlimited* goes on until it is won, given up, or 150 turns old. One dialogue serves both: the first
19 turns are the same, and at turn 20 it forks, the canonical game with one call of its own::

    1 ─ 2 ─ … ─ 19 ─┬─ 20 (guess now)              canonical
                    └─ 20 ─ 21 ─ … ─ 150           unlimited

A game that is won or given up before the fork ends both settings alike.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Literal

import msgspec

from geobias.atlas.entities import Entity
from geobias.atlas.languages import Language, Wording
from geobias.probes.geo20q.moves import study
from geobias.probes.geo20q.naming import Directory, Names, names_of
from geobias.probes.geo20q.record import Ending, GameRecord
from geobias.probes.geo20q.turn import Turn, final_turn, gives_up, turn_of
from geobias.probes.geo20q.verdict import verdict
from geobias.trials import Ask, Dialogue, Reply, Steps

Setting = Literal["canonical", "unlimited", "both"]

GUESSER_TOKENS = 64
"""As Zhang et al. (2023): a question is a line."""
JUDGE_TOKENS = 16
"""Zhang et al. gave 6, counted for English; "わかりません。" and "पता नहीं।" take up to a dozen
tokens in many vocabularies, and a reply that is cut in the middle of its word cannot be read."""


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """How games of one run are played, in one language.

    turns, most_turns   limits of the canonical and the unlimited game
    ask_give_up         whether a model decides on turns that may give up; else only plain words do
    directory           tells what was guessed instead
    """

    language: Language
    setting: Setting = "both"
    turns: int = 20
    most_turns: int = 150
    temperature: float = 0.0
    judge_temperature: float = 0.0
    wording: Wording = "consistent"
    ask_give_up: bool = True
    system: str = ""
    seed: int = 0
    directory: Callable[[], Directory]


def namer(entity: Entity, rules: Rules) -> Callable[[str], bool]:
    """Tells whether a line names the target or another entity, which makes it a turn."""
    name = names_of(entity, rules.language.code)
    return lambda line: name.any(line) or rules.directory().any(line)


class Table:
    """A game under way: what was asked and answered, and what the judge did."""

    def __init__(self, entity: Entity, rules: Rules, trial: str) -> None:
        self.entity = entity
        self.rules = rules
        self.draw = f"{trial} {rules.seed}"
        self.prompts = rules.language.prompts(entity.type, rules.wording)
        self.called = entity.name_in(rules.language.code) or entity.name
        self.name: Names = names_of(entity, rules.language.code)
        self.outcome: str = "played"
        self.questions: list[str] = []
        self.answers: list[str] = []
        self.counts = dict.fromkeys(
            ("yes", "no", "maybe", "unread", "leaks", "rambles", "refusals", "calls"), 0
        )

    def guesser(
        self, dialogue: Dialogue, read: Callable[..., Turn | None] = turn_of
    ) -> Generator[Ask, Reply, tuple[Reply, Turn | None]]:
        """The guesser's next turn; None where there are no words to go on with."""
        self.counts["calls"] += 1
        reply = yield Ask(
            dialogue=dialogue,
            temperature=self.rules.temperature,
            max_tokens=GUESSER_TOKENS,
            role="guesser",
            draw=self.draw,
        )
        if reply.outcome != "ok":
            return reply, None
        return reply, read(reply.text, self.rules.language, namer(self.entity, self.rules))

    def names_target(self, text: str) -> bool:
        """Whether a text names the target, and not somebody whose name has the target's in it."""
        found = max((length for length, _ in self.name.found(text)), default=0)
        if found != 1:
            return found > 1
        return not self.rules.directory().part_of_another(text, self.entity)

    def judge(self, question: str) -> Generator[Ask, Reply, str | None]:
        """The word that the guesser is told, or None and `outcome` of a reply that is none."""
        reply = yield self._to_judge(self.prompts.to_judge(self.called, question))
        if reply.outcome != "ok":
            self.outcome = reply.outcome
            return None
        found = verdict(reply.text, self.rules.language, self.name)
        self.counts[found.answer or "unread"] += 1
        self.counts["leaks"] += found.leak
        self.counts["rambles"] += found.kind == "ramble"
        self.counts["refusals"] += found.kind == "refusal"
        self.questions.append(question)
        self.answers.append(found.answer)
        return self.prompts.told(found.answer)

    def given_up(self, turn: Turn) -> Generator[Ask, Reply, bool]:
        """Whether the guesser gives up; a model is asked only where its words leave a doubt."""
        plain = gives_up(turn, self.rules.language)
        if plain != "doubtful" or not self.rules.ask_give_up:
            return plain == "yes"
        text = self.rules.language.give_up.question.strip().replace("{text}", turn.asked)
        reply = yield self._to_judge(text)
        if reply.outcome != "ok":
            return False
        return verdict(reply.text, self.rules.language, Names(())).answer == "yes"

    def _to_judge(self, prompt: str) -> Ask:
        self.counts["calls"] += 1
        return Ask(
            dialogue=Dialogue().user(prompt),
            temperature=self.rules.judge_temperature,
            max_tokens=JUDGE_TOKENS,
            role="judge",
            draw=self.draw,
        )


def game(entity: Entity, rules: Rules, trial: str, repeat: int = 0) -> Steps:
    """One game about one entity."""
    table = Table(entity, rules, trial)
    opening = Dialogue().system(rules.system) if rules.system else Dialogue()
    dialogue = opening.user(table.prompts.guesser.strip())
    before, told = opening, table.prompts.guesser.strip()
    canonical, unlimited = Result(), Result()
    waiting = {"canonical": [canonical], "unlimited": [unlimited], "both": [canonical, unlimited]}
    open_games = waiting[rules.setting]
    last = final = ""
    limit = rules.turns if rules.setting == "canonical" else rules.most_turns
    for number in range(1, limit + 1):
        if canonical in open_games and number == rules.turns:
            asked = before.user(f"{told} {rules.language.final_guess}")
            reply, turn = yield from table.guesser(asked, final_turn)
            final = turn.said.strip() if turn else ""
            canonical.end(_final(reply, turn, table), number)
            open_games = [one for one in open_games if one is not canonical]
            if not open_games:
                last = turn.asked if turn else last
                break
        reply, turn = yield from table.guesser(dialogue)
        if turn is None:
            table.outcome = reply.outcome if reply.outcome != "ok" else "empty"
            _end_all(open_games, "broken", number)
            break
        last = turn.asked
        if table.names_target(turn.said):
            _end_all(open_games, "won", number)
            break
        if number == limit:
            _end_all(open_games, "lost", number)
            break
        if (yield from table.given_up(turn)):
            _end_all(open_games, "gave_up", number)
            break
        answer = yield from table.judge(turn.asked)
        if answer is None:
            _end_all(open_games, "broken", number)
            break
        sane = turn.asked == " ".join(reply.text.split())
        before = dialogue.reply(reply, None if sane else turn.asked)
        told = answer
        dialogue = before.user(told)
    return _record(table, trial, repeat, canonical, unlimited, last=last, final=final)


class Result:
    """How one setting ended, and at which turn."""

    ending: Ending = ""
    turn: int | None = None

    def end(self, ending: Ending, turn: int) -> None:
        """It is over."""
        self.ending, self.turn = ending, turn


def _end_all(games: list[Result], ending: Ending, turn: int) -> None:
    for one in games:
        one.end(ending, turn)


def _final(reply: Reply, turn: Turn | None, table: Table) -> Ending:
    """How the canonical game ends with its final guess. Giving up now is losing.

    All of it is read ("I am ready.\\n\\nIt is …"), and its first name counts, so that a list wins
    nothing.
    """
    if turn is None:
        if table.rules.setting == "canonical":
            table.outcome = reply.outcome if reply.outcome != "ok" else "empty"
        return "broken"
    guessed = table.rules.directory().first(turn.said, like=table.entity)
    return "won" if guessed is not None and guessed.id == table.entity.id else "lost"


def _record(
    table: Table,
    trial: str,
    repeat: int,
    canonical: Result,
    unlimited: Result,
    *,
    last: str,
    final: str,
) -> GameRecord:
    entity, language = table.entity, table.rules.language.code
    longest = unlimited if unlimited.ending else canonical
    instead = None
    if "lost" in (canonical.ending, unlimited.ending) or longest.ending == "gave_up":
        known = table.rules.directory()
        if longest.ending != "won":
            instead = known.named(last, besides=entity)
        if instead is None:
            guessed = known.first(final, like=entity) or known.named(final, besides=entity)
            instead = guessed if guessed is None or guessed.id != entity.id else None
    moves = study(
        entity,
        language,
        table.questions,
        table.answers,
        shared=table.rules.turns - 1,
        spoken=table.rules.language,
    )
    facts: dict[str, Any] = {**table.counts, **msgspec.structs.asdict(moves)}
    return GameRecord(
        trial=trial,
        probe="geo20q",
        country=entity.country,
        repeat=repeat,
        outcome=table.outcome,
        entity=entity.id,
        name=entity.name,
        type=entity.type,
        category=entity.category,
        language=language,
        canonical=canonical.ending,
        canonical_turns=canonical.turn,
        unlimited=unlimited.ending,
        unlimited_turns=unlimited.turn,
        last_question=last,
        final_guess=final,
        guessed=instead.id if instead else "",
        guessed_country=instead.country if instead else "",
        **facts,
    )
