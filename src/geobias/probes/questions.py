"""Plans of single questions: what probes share whose trials ask once and read the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from geobias.probes.plan import Plan
from geobias.probes.settings import Settings
from geobias.trials import Ask, Dialogue, Record, Reply, Steps, Trial

Q = TypeVar("Q")


class Question(NamedTuple, Generic[Q]):
    """One question: its name without the repeat, what is said, and whatever reading needs."""

    name: str
    dialogue: Dialogue
    about: Q


def opened(system: str) -> Dialogue:
    """A dialogue that begins with the user's system message, where there is one."""
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
    **more: Any,
) -> Plan:
    """`count` questions, each as often as `settings` say, drawn apart.

    `read` makes the record of a trial from its name, its repeat, what it is about and the reply.
    `more` goes into the plan as it is: settings as the manifest has them, editions, prompts.
    """

    def trials() -> Iterator[Trial]:
        for question in questions():
            for repeat in range(settings.repeats):
                name = f"{question.name}/{repeat}"
                ask = Ask(
                    dialogue=question.dialogue,
                    temperature=settings.sampled_at,
                    max_tokens=max_tokens,
                    draw=f"{name} {settings.seed}",
                )
                yield Trial(name, partial(_asked, ask, partial(read, name, repeat, question.about)))

    total = count * settings.repeats
    facts = {"settings": settings.entries()} | more
    return Plan(probe=probe, count=total, calls=(total, total), trials=trials, **facts)


def _asked(ask: Ask, read: Callable[[Reply], Record]) -> Steps:
    reply = yield ask
    return read(reply)
