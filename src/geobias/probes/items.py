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

import inspect
import random
import sys
from abc import abstractmethod
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from geobias.atlas.economies import economies, economy_name
from geobias.atlas.groupings import populous_first, populous_share
from geobias.atlas.spelling import spelling_key
from geobias.errors import BadRequest
from geobias.measures.frames import PLACES
from geobias.measures.measure import Measure
from geobias.probes.checking import number_checks, number_samples, typed_number
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.probe import Answers, Edition, Probe, Showing
from geobias.probes.questions import Question, opened, question_plan
from geobias.probes.readers import Reader
from geobias.probes.settings import Settings, wordings_of
from geobias.probes.simulation import SimulatedParameters, Skill, asked_about
from geobias.results.descriptions import Description, described
from geobias.results.formatting import words
from geobias.trials import Ask, Record, Reply, Steps, StoredRecord
from geobias.untrusted import in_words

S = TypeVar("S", bound=Settings)
Recorded: TypeAlias = Record
Fields: TypeAlias = dict[str, Any]
"""The fields of a record that a probe adds. A field `outcome` replaces the outcome "read"."""


PER_REGION = {"quick": 4, "standard": 12, "paper": 1000}
"""The number of economies of each region that a run asks about, by the run's size."""


class Item(NamedTuple):
    """Something that is asked about.

    prompt       the question
    country      the code of the item's economy
    paraphrases  other wordings of the question (`settings.Paraphrases`)
    facts        fields of the record that do not depend on the reply
    wording      the number of the question's wording, 0 for `prompt` itself
    """

    id: str
    prompt: str
    country: str = ""
    paraphrases: Sequence[str] = ()
    facts: Fields = {}  # noqa: RUF012
    wording: int = 0


class AskedItem(msgspec.Struct, frozen=True, tag_field="asks", tag="item"):
    """The subject of an ask."""

    probe: str
    id: str
    turn: int = 1
    country: str = ""


class SimulatedAnswers(SimulatedParameters, frozen=True, kw_only=True):
    """A simulated model that answers the `ItemProbe` named `probe`."""

    probe: ClassVar[str] = ""

    def answer(self, asked: AskedItem, dice: random.Random) -> str:
        raise BadRequest(f"no simulated model answers {asked.probe}: name another model")

    def skill(self) -> Skill:
        def answered(ask: Ask, dice: random.Random) -> str | None:
            asked = asked_about(ask, AskedItem)
            return self.answer(asked, dice) if asked and asked.probe == self.probe else None

        return answered


class ItemProbe(Probe[S, Answers]):
    """A probe that asks about its items, each in a trial of its own."""

    Record: ClassVar[type[Record]]
    """The type of an item's record."""
    wording: ClassVar[str] = ""
    """The question, with {} in place of the item. Its digest goes into a run's manifest."""
    paraphrases: ClassVar[Sequence[str]] = ()
    """Other wordings, whose digests go into the manifest of a run that asks them."""
    max_tokens: ClassVar[int] = 48
    """Maximum tokens of a reply."""
    turns_each: ClassVar[int] = 1
    """Maximum questions about an item."""
    tokens: ClassVar[tuple[str, ...]] = ()
    """The tokens that an answer consists of, if a run may ask for their probabilities."""
    form: ClassVar[tuple[str, ...] | None] = None
    """The words that an answer can be; () for a number, None for any text."""
    again: ClassVar[Reader[Item] | None] = None
    """How a second question about an unread reply is asked."""
    noun: ClassVar[str] = "number"
    """The word for a number that is read: "rating"."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.records = {cls.name: cls.Record}
        if not cls.__module__.startswith("geobias."):  # those have an edition of each table
            cls.editions = {**cls.editions, f"{cls.name}.package": Edition("Code and data")}
        fields = (*cls.Record.__struct_fields__, *PLACES)
        for measure in cls.measures:
            named = [measure.value]
            if cls.answers is Probe.answers:
                named += [*measure.units, *measure.within, *measure.of, measure.item]
            if unknown := [name for name in named if name and name not in fields]:
                raise TypeError(f"{cls.Record.__name__} has no field {unknown[0]!r}")
        if cls.Simulated:
            simulated: Any = cls.Simulated
            if simulated.probe not in ("", cls.name):
                raise TypeError(
                    f"{simulated.__name__} simulates {simulated.probe}: derive a class of it for "
                    f"{cls.name}"
                )
            simulated.probe = cls.name

    @abstractmethod
    def items(self, settings: S) -> Iterable[Item]:
        """Return the items that a run with these settings asks about."""

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
        [(item_id, times)] = Counter(item.id for item in items).most_common(1)
        if times > 1:
            raise BadRequest(
                f"{self.name} has {times:,} items with the id {item_id!r}: give each its own"
            )
        if stray := {item.country for item in items} - {"", *economies()}:
            raise BadRequest(f"{self.name}: {min(stray)!r} is not the ISO-3 code of a country")
        package = f"{self.name}.package"
        opening, most = opened(settings.system), getattr(settings, "paraphrases", 1)
        asked = [
            item._replace(prompt=prompt, wording=number)
            for item in items
            for number, prompt in wordings_of((item.prompt, *item.paraphrases), most)
        ]
        weighed = getattr(settings, "read", "text") == "logprobs"
        converses = type(self).converse is not ItemProbe.converse

        def questions() -> Iterator[Question[Item]]:
            for item in asked:
                yield Question(
                    f"{self.name}/{item.id}" + (f"/w{item.wording}" if item.wording else ""),
                    opening.user(item.prompt),
                    item,
                    options=self.tokens if weighed else (),
                    asked=AskedItem(self.name, item.id, country=item.country),
                    form=self.form,
                )

        wordings = [self.wording, *self.paraphrases][:most]
        made = question_plan(
            self.name,
            settings,
            count=len(asked),
            questions=questions,
            read=self.record,
            max_tokens=self.max_tokens,
            again=self.again,
            steps=self._conversed if converses else None,
            compared=lambda: _compared(items),
            editions={package: package_digest(type(self))} if package in self.editions else {},
            prompts={
                f"{self.name}.w{number}" if number else self.name: fingerprint(text)
                for number, text in enumerate(wordings)
            },
        )
        least, calls = made.calls
        return msgspec.structs.replace(
            made, calls=(least * self.turns_each, calls * self.turns_each)
        )

    def record(self, trial: str, repeat: int, item: Item, reply: Reply) -> Any:
        fields = self.read(item, reply) if reply.outcome == "ok" else {}
        return self._recorded(trial, repeat, item, fields, reply)

    def _conversed(self, trial: str, repeat: int, item: Item, ask: Ask) -> Steps:
        fields, reply = yield from self.converse(item, ask)
        made: Recorded = self._recorded(trial, repeat, item, fields, reply)
        return made

    def _recorded(self, trial: str, repeat: int, item: Item, fields: Fields, reply: Reply) -> Any:
        kind = self.Record
        if unknown := fields.keys() - set(kind.__struct_fields__):
            raise BadRequest(f"{self.name} reads {min(unknown)!r}, which {kind.__name__} lacks")
        outcome = fields.get("outcome", "read" if reply.outcome == "ok" else reply.outcome)
        if outcome not in ("read", "declined", "unread", "cut", reply.outcome):
            words = "read, declined, unread"
            raise BadRequest(f"{self.name} has no outcome {outcome!r}: choose from {words}")
        every: Fields = {"trial": trial, "probe": self.name, "country": item.country}
        if item.wording:
            every["wording"] = item.wording
        made = kind(**every | item.facts | fields | {"repeat": repeat, "outcome": outcome})
        try:
            msgspec.convert(msgspec.to_builtins(made), kind)
        except msgspec.ValidationError as error:
            raise BadRequest(f"{self.name}: in its record, {in_words(error)}") from None
        return made

    @property
    def showing(self) -> Showing:  # type: ignore[override]
        lead = next(iter(self.measures), None)
        if lead is None or not lead.item:
            return Showing(self.describe, excerpt_by=("trial",))
        read = [one for one in (lead.value, "expected") if one in self.Record.__struct_fields__]
        return Showing(
            self.describe,
            excerpt_by=(lead.item,),
            excerpts=9,
            samples=number_samples(self.name, self.noun, partial(_corrected, lead, read), read),
            checks=number_checks(self.name, self.noun),
        )

    def describe(self, record: StoredRecord) -> Description:
        lead = self.measures[0] if self.measures else None
        value = record.get(lead.value) if lead else None
        topic = words(record[lead.item]) if lead and lead.item else ""
        right = value if isinstance(value, bool) else None
        read = "" if value is None else str(value)
        if right is not None:
            read = "right" if right else "wrong"
        values = {one.value: record.get(one.value) for one in self.measures}
        if len(values) > 1:
            read = "; ".join(f"{words(a)}: {b}" for a, b in values.items() if b is not None)
            read = read.replace(": True", ": yes").replace(": False", ": no")
        place = record.get("place") or economy_name(record["country"])
        place = place or words(record["trial"].split("/")[1])
        return described(
            record,
            title=f"{topic}, {place}" if topic else f"{self.title}: {place}",
            topic=topic,
            read=read,
            right=right,
            order=None if right is not None else value,
        )


@cache
def package_digest(kind: type) -> str:
    """The digest of the files beside a class's module, which decide questions and truth."""
    file = Path(inspect.getfile(kind))
    inside = sys.modules[kind.__module__].__package__
    names = {one.relative_to(file.parent) for one in (file.parent.rglob("*") if inside else [file])}
    parts = sorted(one.as_posix() for one in names if (file.parent / one).is_file())
    own = [one for one in parts if "/." not in f"/{one}" and not one.endswith(".pyc")]
    digests = [sha256((file.parent / one).read_bytes()).hexdigest() for one in own]
    return fingerprint(" ".join([*own, *digests]))


def _corrected(
    lead: Measure, read: Sequence[str], record: StoredRecord, typed: str
) -> dict[str, object]:
    value, (low, high) = typed_number(typed), lead.bounds
    if not low <= value <= high:
        raise ValueError(f"{typed} is not between {low:g} and {high:g}")
    return dict.fromkeys(read) | {"outcome": "read", lead.value: value}


def _compared(items: Sequence[Item]) -> list[tuple[str, str]]:
    """The items and units of the primary test; items are each economy's first, second …"""
    asked: Counter[str] = Counter()
    found = []
    for item in items:
        if item.country:
            asked[item.country] += 1
            found.append((str(asked[item.country]), item.country))
    return found


def follow_up(ask: Ask, reply: Reply, text: str) -> Ask:
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
        if (place := economies().get(iso3)) is None:
            raise BadRequest(f"{iso3} is not the ISO-3 code of a country")
        if not continents or place.continent in continents:
            regions.setdefault(place.region, []).append(iso3)
    chosen: list[str] = []
    for codes in regions.values():
        count = per_region[size]
        random.Random(dice).shuffle(codes)
        first = populous_first(codes)[: populous_share(count)]
        chosen += [*dict.fromkeys([*first, *codes])][:count]
    return sorted(chosen)


def says_any(text: str, names: Sequence[str]) -> bool:
    """Whether a text contains one of these names as whole words, in any spelling."""
    said = f" {spelling_key(text)} "
    return any(f" {key} " in said for name in names if (key := spelling_key(name)))
