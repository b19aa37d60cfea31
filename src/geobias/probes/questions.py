"""Plans of single questions, for probes whose trials ask once and read the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec

from geobias.errors import BadRequest
from geobias.probes.plan import Plan
from geobias.probes.settings import Settings
from geobias.reading.again import (
    LEAVE,
    RESTATE,
    Asker,
    pointed_at,
    pointing,
    restating,
    says_none,
    sentence_of,
)
from geobias.trials import Ask, Dialogue, Record, Reply, Steps, Trial, draw_seed

Q = TypeVar("Q")


OPEN = frozenset(("unread", "unparsed", "cut"))
"""Outcomes of replies that are asked about again."""


class ReadRecord(Record, frozen=True, kw_only=True):
    """A question whose reply is read.

    read_by      "rules", or "restated" or "reader" if the reply was asked about again and the new
                 reply counts
    contradicts  whether the second reply names something that the first had not named
    """

    read_by: Annotated[str, msgspec.Meta(pattern="^(?:rules|restated|reader)$")] = "rules"
    contradicts: bool = False


class HowAgain(NamedTuple, Generic[Q]):
    """How a probe's questions are asked again.

    asker     the second question, from what the first is about and its text
    names     the answers that a text names, to see whether a second reply contradicts the first
    fits      whether the text around a quote is about the place that was asked about
    declined  the outcome of a record whose model says that it gave no answer
    """

    asker: Callable[[Q], Asker]
    names: Callable[[Q, str], frozenset[Any]]
    answer: Callable[[Any], Any]
    declined: str = "declined"
    fits: Callable[[Q, str], bool] = lambda about, text: True


class Question(NamedTuple, Generic[Q]):
    """One question: its name without the repeat, the dialogue, what reading needs, and the number
    of draws for each of the settings' repeats.

    `options` are answers of one token whose probabilities are wanted, and `lead` is how an answer
    begins for a model that continues a text (`Ask`). `max_tokens` of 0 means the plan's. `asked`
    tells a simulated model what it is asked about (`Ask.about`). `form` lists the words that an
    answer can be, or nothing for a number (`Ask.form`).
    """

    name: str
    dialogue: Dialogue
    about: Q
    draws: int = 1
    options: tuple[str, ...] = ()
    lead: str = ""
    max_tokens: int = 0
    asked: object = None
    form: tuple[str, ...] | None = None


def opened(system: str) -> Dialogue:
    """A dialogue that begins with the user's system message, if there is one."""
    return Dialogue().system(system) if system else Dialogue()


def question_plan(
    probe: str,
    settings: Settings,
    /,
    *,
    count: int,
    questions: Callable[[], Iterable[Question[Q]]],
    read: Callable[[str, int, Q, Reply], Record],
    max_tokens: int,
    again: HowAgain[Q] | None = None,
    **more: Any,
) -> Plan:
    """A plan of `count` questions, each repeated as the settings say, with separate draws.

    `count` is the number of questions, where one with `draws=3` counts three times.
    `read` makes the record of a trial from its name, its repeat, what it is about and the reply.
    `again` says how unread replies are asked about again, if the settings want that. `more` goes
    into the plan as it is: settings for the manifest, editions, prompts.
    """
    if getattr(settings, "read", "text") == "logprobs" and settings.sampled_at > 0:
        raise BadRequest(
            "--read logprobs asks how probable each answer is, which no draw changes: leave out "
            "--repeats and --temperature"
        )

    how = getattr(settings, "unread", LEAVE)
    if getattr(settings, "read", "text") == "logprobs":
        how = LEAVE

    def trials() -> Iterator[Trial]:
        for question in questions():
            for repeat in range(settings.repeats * question.draws):
                name = f"{question.name}/{repeat}"
                ask = Ask(
                    dialogue=question.dialogue,
                    temperature=settings.sampled_at,
                    max_tokens=question.max_tokens or max_tokens,
                    draw=(draw := f"{name} {settings.seed}"),
                    seed=draw_seed(draw, settings.sampled_at),
                    options=question.options,
                    effort=settings.effort or "",
                    lead=question.lead,
                    about=question.asked,
                    form=question.form,
                )
                own = partial(read, name, repeat, question.about)
                if again is None or how == LEAVE:
                    yield Trial(name, partial(_asked, ask, own))
                else:
                    yield Trial(name, partial(_asked_again, ask, own, question.about, again, how))

    total = count * settings.repeats
    most = total * (1 if again is None or how == LEAVE else 2)
    facts = {"settings": settings.entries()} | more
    return Plan(probe=probe, count=total, calls=(total, most), trials=trials, **facts)


def _asked(ask: Ask, read: Callable[[Reply], Record]) -> Steps:
    reply = yield ask
    return read(reply)


def _asked_again(
    ask: Ask, read: Callable[[Reply], Record], about: Q, again: HowAgain[Q], how: str
) -> Steps:
    """One question, and a second one about its reply if that cannot be read."""
    reply = yield ask
    record = read(reply)
    if record.outcome not in OPEN or not isinstance(record, ReadRecord):
        return record
    asker = again.asker(about)
    second = yield restating(ask, reply, asker) if how == RESTATE else pointing(reply.text, asker)
    return settled(record, read, reply, second, about, again, how)


def settled(
    record: ReadRecord,
    read: Callable[[Reply], Record],
    first: Reply,
    second: Reply,
    about: Q,
    again: HowAgain[Q],
    how: str,
) -> ReadRecord:
    """The record after its reply was asked about again; unchanged if the second reply said
    nothing.
    """
    replace = msgspec.structs.replace
    if second.outcome != "ok":
        return record
    by = "restated" if how == RESTATE else "reader"
    if says_none(second.text):
        why = f"{by}: gives no answer"
        return replace(record, outcome=again.declined, reason=why, read_by=by)
    said = second.text
    if how != RESTATE:
        said = pointed_at(first.text, said, again.asker(about))
        if not said or not again.fits(about, sentence_of(first.text, said)):
            return record
    found = read(replace(second, text=said, places=()))
    answer = again.answer(found)
    if answer is None or not isinstance(found, ReadRecord):
        return record
    named = again.names(about, first.text)
    return replace(found, read_by=by, contradicts=bool(named) and answer not in named)
