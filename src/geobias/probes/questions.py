"""Plans of single questions, for probes whose trials ask one question and read its reply."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec

from geobias.errors import BadRequest, GeobiasError
from geobias.probes.plan import Plan
from geobias.probes.readers import Reader
from geobias.probes.settings import Settings
from geobias.reading.again import LEAVE, RESTATE, pointing, restating, says_none
from geobias.trials import Ask, Dialogue, Record, Reply, Steps, Trial, draw_seed

Q = TypeVar("Q")
R = TypeVar("R", bound=Record)


OUTCOMES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("parsed", "read"), "read"),
        **dict.fromkeys(("unparsed", "unread"), "unread"),
        **dict.fromkeys(("abstained", "declined", "refused"), "declined"),
        "cut": "cut",
    }
)
"""A record's outcome → how the reply was read: read, unread, declined or cut. Replies with other
outcomes (filtered, empty, too long, broken) have no text.
"""
OPEN = frozenset(name for name, how in OUTCOMES.items() if how in ("unread", "cut"))
"""The outcomes of a reply after which a second question is asked."""


def outcome_words(outcome: str) -> str:
    """The outcome of a reply, in the same words for every probe."""
    how = OUTCOMES.get(outcome, outcome)
    return "unscored" if how == "unread" else how.replace("_", " ")


class ReadRecord(Record, frozen=True, kw_only=True):
    """A question whose reply is read.

    read_by      "rules" if the first reply was read; "restated" or "reader" if the answer comes
                 from the reply to a second question
    contradicts  whether the second reply names an answer that the first reply did not name
    """

    read_by: Annotated[str, msgspec.Meta(pattern="^(?:rules|restated|reader)$")] = "rules"
    contradicts: bool = False


class Question(NamedTuple, Generic[Q]):
    """One question of a plan.

    name        the trial's name without the repeat
    about       the question's subject, for the function that reads the reply
    draws       how often the question is drawn in each repeat
    options     answers of one token whose probabilities are wanted
    lead        the beginning of the answer, for a model that continues a text (`Ask`)
    max_tokens  0 for the plan's
    asked       the question's subject for a simulated model (`Ask.about`)
    form        the words that an answer can be; empty for a number (`Ask.form`)
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
    again: Reader[Q] | None,
    steps: Callable[[str, int, Q, Ask], Steps] | None = None,
    **more: Any,
) -> Plan:
    """Make a plan of questions, each repeated as often as the settings say.

    count  the number of questions; a question with `draws=3` counts three times
    read   makes a trial's record from its name, its repeat, its subject and its reply
    again  how a second question about an unread reply is asked, if the settings want that
    steps  makes the trial that begins with a question, for conversations
    more   further fields of the plan: settings for the manifest, editions, prompts
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
                own = partial(read_reply, partial(read, name, repeat, question.about))
                if steps:
                    yield Trial(name, partial(steps, name, repeat, question.about, ask))
                elif again is None or how == LEAVE:
                    yield Trial(name, partial(_asked, ask, own))
                else:
                    yield Trial(name, partial(_asked_again, ask, own, question.about, again, how))

    total = count * settings.repeats
    most = total * (1 if again is None or how == LEAVE else 2)
    facts = {"settings": settings.entries()} | more
    return Plan(probe=probe, count=total, calls=(total, most), trials=trials, **facts)


def read_reply(read: Callable[[Reply], R], reply: Reply) -> R:
    """Return the record of a reply; no reply can end a run.

    If its words make `read` fail, it is read as if it had none, with a warning. A mistake that does
    not depend on the words is raised.
    """
    try:
        return read(reply)
    except GeobiasError:
        raise
    except Exception as error:
        record = read(msgspec.structs.replace(reply, text="", places=()))
        why = f"{record.trial}: a reply is unread, since reading it failed: {error!r}"
        warnings.warn(why, RuntimeWarning, stacklevel=2)
        return record


def _asked(ask: Ask, read: Callable[[Reply], Record]) -> Steps:
    reply = yield ask
    return read(reply)


def _asked_again(
    ask: Ask, read: Callable[[Reply], Record], about: Q, again: Reader[Q], how: str
) -> Steps:
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
    reader: Reader[Q],
    how: str,
) -> ReadRecord:
    """The record of a question after the second reply; unchanged if that reply has no answer."""
    replace = msgspec.structs.replace
    if second.outcome != "ok":
        return record
    by = "restated" if how == RESTATE else "reader"
    if says_none(second.text):
        why = f"{by}: gives no answer"
        return replace(record, outcome=reader.declined, reason=why, read_by=by)
    said = second.text if how == RESTATE else reader.pointed(about, first.text, second.text)
    found = read(replace(second, text=said, places=()))
    if OUTCOMES.get(found.outcome) != "read" or not isinstance(found, ReadRecord):
        return record
    named = reader.names(about, first.text)
    contradicts = bool(named) and reader.reads(about, said).value not in named
    return replace(found, read_by=by, contradicts=contradicts)
