"""Probes that ask about items. A subclass of `ItemProbe` gives the items and reads the replies.

    class Capitals(ItemProbe[CapitalSettings]):
        def items(self, settings):
            for iso3 in sampled(capitals(), settings.size):
                yield Item(iso3, QUESTION.format(country=economy_name(iso3)), country=iso3)

        def read(self, item, reply):
            return {"correct": says_any(reply.text, capitals()[item.id])}

An item is one question, unless `converse` is replaced.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from geobias.atlas.economies import economies, economy_name
from geobias.atlas.groupings import populous_first, populous_share
from geobias.atlas.spelling import spelling_key
from geobias.errors import BadRequest
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.probe import Answers, Probe, Showing
from geobias.probes.questions import opened
from geobias.probes.settings import Settings
from geobias.probes.simulation import SimulatedParameters, Skill, asked_about
from geobias.results.descriptions import Description
from geobias.results.formatting import words
from geobias.trials import Ask, Record, Reply, Steps, Trial, draw_seed

S = TypeVar("S", bound=Settings)
Fields: TypeAlias = dict[str, Any]
"""The fields of a record that a probe adds. A field `outcome` replaces the outcome "read"."""


PER_REGION = {"quick": 4, "standard": 12, "paper": 1000}
"""The number of economies of each region that a run asks about, by the run's size."""


class Item(NamedTuple):
    """Something that is asked about.

    prompt       the question
    country      the code of the item's economy
    paraphrases  other wordings of the question (`settings.Paraphrases`)
    """

    id: str
    prompt: str
    country: str = ""
    paraphrases: Sequence[str] = ()


class AskedItem(msgspec.Struct, frozen=True, tag_field="asks", tag="item"):
    """What a simulated model is asked about: the probe, the item's id, and the turn."""

    probe: str
    id: str
    turn: int = 1


class SimulatedAnswers(SimulatedParameters, frozen=True, kw_only=True):
    """A simulated model that answers the `ItemProbe` named `probe`."""

    probe: ClassVar[str] = ""

    def answer(self, asked: AskedItem, dice: random.Random) -> str:
        """The simulated model's answer about an item."""
        raise BadRequest(f"no simulated model answers {asked.probe}")

    def skill(self) -> Skill:
        def answered(ask: Ask, dice: random.Random) -> str | None:
            asked = asked_about(ask, AskedItem)
            return self.answer(asked, dice) if asked and asked.probe == self.probe else None

        return answered


class ItemProbe(Probe[S, Answers]):
    """A probe that asks about each of its items in a trial."""

    Record: ClassVar[type[Record]]
    """The type of an item's record."""
    wording: ClassVar[str] = ""
    """The question, with {} in place of the item. Its digest goes into a run's manifest."""
    max_tokens: ClassVar[int] = 48
    """Maximum tokens of a reply."""
    turns_each: ClassVar[int] = 1
    """Maximum questions about an item."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.records = {cls.name: cls.Record}
        for measure in cls.measures:
            if measure.value not in cls.Record.__struct_fields__:
                raise TypeError(f"{cls.Record.__name__} has no field {measure.value!r}")
        if cls.Simulated:
            cls.Simulated.probe = cls.name  # type: ignore[attr-defined]

    @abstractmethod
    def items(self, settings: S) -> Iterable[Item]:
        """The items for these settings."""

    def read(self, item: Item, reply: Reply) -> Fields:
        """The fields of the item's record, from a reply that has text."""
        raise TypeError(f"{self.name} says neither how a reply is read nor how it converses")

    def converse(self, item: Item, ask: Ask) -> Generator[Ask, Reply, tuple[Fields, Reply]]:
        """Ask about an item, beginning with `ask`.

        Returns the fields of the record, and the reply that decides the outcome of the trial.
        """
        reply = yield ask
        return (self.read(item, reply) if reply.outcome == "ok" else {}), reply

    def plan(self, settings: S) -> Plan:
        items = list(self.items(settings))
        if not items:
            raise BadRequest(f"{self.name} has nothing to ask with these settings")
        opening, most = opened(settings.system), getattr(settings, "paraphrases", 1)
        asked = [
            (item, number, prompt)
            for item in items
            for number, prompt in enumerate((item.prompt, *item.paraphrases)[:most])
        ]

        def trials() -> Iterator[Trial]:
            for item, wording, prompt in asked:
                for repeat in range(settings.repeats):
                    mark = f"/w{wording}" if wording else ""
                    name = f"{self.name}/{item.id}{mark}/{repeat}"
                    ask = Ask(
                        dialogue=opening.user(prompt),
                        temperature=settings.sampled_at,
                        max_tokens=self.max_tokens,
                        draw=(draw := f"{name} {settings.seed}"),
                        seed=draw_seed(draw, settings.sampled_at),
                        effort=settings.effort or "",
                        about=AskedItem(self.name, item.id),
                    )
                    yield Trial(name, partial(self._tried, name, repeat, item, ask, wording))

        count = len(asked) * settings.repeats
        calls = count * self.turns_each
        return Plan(
            probe=self.name,
            settings=settings.entries(),
            count=count,
            calls=(calls, calls),
            trials=trials,
            compared=lambda: _compared(items),
            prompts={self.name: fingerprint(self.wording)},
        )

    def _tried(self, name: str, repeat: int, item: Item, ask: Ask, wording: int) -> Steps:
        fields, reply = yield from self.converse(item, ask)
        kind = self.records[self.name]
        if unknown := fields.keys() - set(kind.__struct_fields__):
            raise BadRequest(f"{self.name} reads {min(unknown)!r}, which {kind.__name__} lacks")
        if fields.get("outcome", reply.outcome) not in (*self.showing.read_as, reply.outcome):
            words = ", ".join(self.showing.read_as)
            raise BadRequest(f"{self.name} has no outcome {fields['outcome']!r}: there is {words}")
        every: Fields = {"trial": name, "probe": self.name, "country": item.country}
        outcome = "read" if reply.outcome == "ok" else reply.outcome
        if wording:
            every["wording"] = wording
        return kind(**every | {"repeat": repeat, "outcome": outcome} | fields)

    @property
    def showing(self) -> Showing:  # type: ignore[override]
        return Showing(self.describe, excerpt_by=("trial",))

    def describe(self, record: Mapping[str, Any]) -> Description:
        """The item and what was read about it."""
        item = record["trial"].split("/")[1]
        known = {"trial", "probe", "country", "repeat", "outcome"}
        facts = [(words(name), str(value)) for name, value in record.items()
                 if name not in known and value not in (None, "")]  # fmt: skip
        lead = self.measures[0] if self.measures else None
        value = record.get(lead.value) if lead else None
        right = value if isinstance(value, bool) else None
        result = {True: "right", False: "wrong"}.get(right, "") if right is not None else ""
        title = economy_name(record["country"]) if record["country"] else words(item)
        return Description(
            title=f"{self.title}: {title}",
            read=result or ("" if value is None else str(value)),
            result=result,
            bad=right is False,
            correct=right,
            facts=facts,
        )


def _compared(items: Sequence[Item]) -> list[tuple[str, str]]:
    """The items and units of the primary test: the first, second … item of each economy."""
    asked: Counter[str] = Counter()
    found = []
    for item in items:
        if item.country:
            asked[item.country] += 1
            found.append((str(asked[item.country]), item.country))
    return found


def follow_up(ask: Ask, reply: Reply, text: str) -> Ask:
    """An ask that continues the conversation of `ask` and `reply` with the question `text`."""
    asked = ask.about
    if isinstance(asked, AskedItem):
        asked = msgspec.structs.replace(asked, turn=asked.turn + 1)
    dialogue = ask.dialogue.reply(reply).user(text)
    return msgspec.structs.replace(ask, dialogue=dialogue, about=asked)


def sampled(
    among: Iterable[str],
    size: Literal["quick", "standard", "paper"],
    continents: Sequence[str] = (),
    *,
    per_region: Mapping[str, int] = PER_REGION,
    dice: str = "economies",
) -> list[str]:
    """Draw economies of each region, as many as the `size` of the run says (`per_region`).

    A third are the most populous of the region. The others are drawn with `dice` as the seed. If
    `continents` are given, only their economies are drawn.
    """
    regions: dict[str, list[str]] = {}
    for iso3 in sorted(among):
        if iso3 not in economies():
            raise BadRequest(f"{iso3} is no ISO-3 code of a country")
        if not continents or economies()[iso3].continent in continents:
            regions.setdefault(economies()[iso3].region, []).append(iso3)
    chosen: list[str] = []
    for codes in regions.values():
        count = per_region[size]
        random.Random(dice).shuffle(codes)
        first = populous_first(codes)[: populous_share(count)]
        chosen += [*first, *(code for code in codes if code not in first)][:count]
    return sorted(chosen)


def says_any(text: str, names: Sequence[str]) -> bool:
    """Whether a text contains one of these names as whole words, in any spelling."""
    said = f" {spelling_key(text)} "
    return any(f" {key} " in said for name in names if (key := spelling_key(name)))
