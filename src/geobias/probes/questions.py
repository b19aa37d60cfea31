"""Plans of single questions: what probes share whose trials ask once and read the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from geobias.errors import BadRequest
from geobias.probes.plan import Plan
from geobias.probes.settings import Settings
from geobias.trials import Ask, Dialogue, Record, Reply, Steps, Trial, draw_seed

Q = TypeVar("Q")


class Question(NamedTuple, Generic[Q]):
    """One question: its name without the repeat, what is said, whatever reading needs, and how
    often it is asked for each of the settings' repeats.

    `options` are answers of one token whose probabilities are wanted, and `lead` is what an answer
    begins with for a model that goes on from a text (`Ask`). `max_tokens` of 0 are the plan's.
    `asked` tells a simulated model what it is asked about (`Ask.about`), and `form` has the words
    that an answer can be, or none for a number (`Ask.form`).
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
    """`count` questions, each as often as `settings` say, drawn apart; `count` has the `draws` of
    a question as questions of their own.

    `read` makes the record of a trial from its name, its repeat, what it is about and the reply.
    `more` goes into the plan as it is: settings as the manifest has them, editions, prompts.
    """
    if getattr(settings, "read", "text") == "logprobs" and settings.sampled_at > 0:
        raise BadRequest(
            "--read logprobs asks how probable each answer is, which no draw changes: leave out "
            "--repeats and --temperature"
        )

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
                yield Trial(name, partial(_asked, ask, partial(read, name, repeat, question.about)))

    total = count * settings.repeats
    facts = {"settings": settings.entries()} | more
    return Plan(probe=probe, count=total, calls=(total, total), trials=trials, **facts)


def _asked(ask: Ask, read: Callable[[Reply], Record]) -> Steps:
    reply = yield ask
    return read(reply)
