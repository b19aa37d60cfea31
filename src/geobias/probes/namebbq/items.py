"""One question about two people of two nationalities, in BBQ's JSONL scheme.

Where BBQ (Parrish et al. 2022) and what is measured here use other words:

    question_index                        template
    question_polarity neg | nonneg        polarity
    answer_info.ans0  ["X", "Europe"]     nationalities[0] == "X"
    answer_info.ans2  ["…", "unknown"]    unknown == 2, nationalities[2] == ""
    additional_metadata.stereotyped_groups  stereotyped

Two keys are ours and optional: `social_value` (what the stereotype is about; BBQ has it in a file
of templates only) and `gender` ("F" or "M": the names both people may be given, where the item's
words do not say). `target_loc`, BBQ's name for the answer that is the stereotyped person, may stand
in a line or in its metadata, and decides where the groups do not.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import msgspec

from geobias.errors import BadRequest, MissingPart
from geobias.sources.bbq import cached_bbq
from geobias.untrusted import Undecodable, bytes_of, json_value

Gender = Literal["F", "M", ""]
Polarity = Literal["neg", "nonneg"]
Condition = Literal["ambig", "disambig"]

UNKNOWN = "unknown"
"""The group BBQ gives to the answer that is nobody."""
ANSWERS = ("ans0", "ans1", "ans2")
MOST_FAULTS = 20
"""Bad lines that are named; a file of another scheme would name them all."""
MOST_FILE_BYTES = 256 << 20
"""BBQ's own file has four million bytes."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A context, a question and three answers, one of which is that nobody can tell."""

    example_id: str
    template: str
    polarity: Polarity
    condition: Condition
    context: str
    question: str
    answers: tuple[str, str, str]
    label: int
    """The right answer: always the unknown one where the context is ambiguous."""
    nationalities: tuple[str, str, str]
    """Spelled as in the answers; "" for the unknown one."""
    stereotyped: tuple[str, ...]
    """Nationalities the stereotype is about; exactly one of the two people has one of them."""
    unknown: int
    target: int
    """The stereotyped answer: for a negative question the stereotyped person, for a non-negative
    question the other one, since "who is polite?" is answered by the stereotype with whoever is
    not said to be rude."""
    social_value: str = ""
    gender: Gender = ""
    """Of both people, if the file says so; "" leaves it to the item's words."""

    @property
    def person(self) -> int:
        """The answer that is the stereotyped person."""
        first, second = self.people
        other = second if self.target == first else first
        return self.target if self.polarity == "neg" else other

    @property
    def people(self) -> tuple[int, int]:
        """The two answers that are people, in the order of the answers."""
        return _PEOPLE[self.unknown]

    @property
    def pair(self) -> tuple[str, str]:
        """The nationalities of the two people, in the order of the answers."""
        first, second = self.people
        return self.nationalities[first], self.nationalities[second]

    def in_order(self, first: str, second: str, unknown: str = "") -> tuple[str, str, str]:
        """Texts of the two people and of the unknown answer, in the order of the answers."""
        texts = [first, second]
        texts.insert(self.unknown, unknown)
        return texts[0], texts[1], texts[2]


_PEOPLE = ((1, 2), (0, 2), (0, 1))
"""The answers that are people, by which one is unknown."""


class BadItem(BadRequest):
    """A line that is no item; `field` is the first that is wrong, "" for the line as a whole."""

    def __init__(self, field: str, fault: str) -> None:
        super().__init__(f"{field}: {fault}" if field else fault)
        self.field = field
        self.fault = fault


class BadItems(BadRequest):
    """A file of items that has bad lines."""


class _Metadata(msgspec.Struct):
    stereotyped_groups: list[str]
    target_loc: int | None = None


class _Line(msgspec.Struct):
    """BBQ's own fields; further ones are passed over, since people keep notes in their files."""

    example_id: int | str
    question_index: int | str
    question_polarity: Polarity
    context_condition: Condition
    answer_info: dict[str, list[str]]
    additional_metadata: _Metadata
    context: str
    question: str
    ans0: str
    ans1: str
    ans2: str
    label: int
    social_value: str = ""
    gender: Gender = ""
    target_loc: int | None = None


def bbq_path() -> Path:
    """BBQ's nationality items: the file $GEOBIAS_BBQ names, or the one that was pulled."""
    if own := os.environ.get("GEOBIAS_BBQ", "").strip():
        path = Path(own).expanduser()
        if not path.is_file():
            raise MissingPart(f"GEOBIAS_BBQ names {path}, which is no file.")
        return path
    kept = cached_bbq()
    if kept is None:
        raise MissingPart(
            "BBQ's items are not here: run `geobias data pull bbq`, or set GEOBIAS_BBQ to "
            "your copy of its Nationality.jsonl."
        )
    return kept


def read_items(path: Path) -> tuple[Item, ...]:
    """The items of a file, one JSON object per line; empty lines are passed over.

    All bad lines are told at once, the first 20 by what is wrong with them. An id that stands
    twice is a fault of the second line: records of a run are told apart by it.
    """
    items: dict[str, Item] = {}
    faults: list[str] = []
    try:
        lines = bytes_of(path, MOST_FILE_BYTES).removeprefix(b"\xef\xbb\xbf").splitlines()
    except Undecodable as error:
        raise BadRequest(f"{path} is no file of items: {error}.") from None
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            item = item_from(_object(raw))
            if item.example_id in items:
                raise BadItem("example_id", f"{item.example_id!r} stands in the file twice")
        except BadItem as bad:
            field = f", field {bad.field}" if bad.field else ""
            faults.append(f"{path}, line {number}{field}: {bad.fault}.")
        else:
            items[item.example_id] = item
    if len(faults) > MOST_FAULTS:
        faults[MOST_FAULTS:] = [f"{path}: {len(faults) - MOST_FAULTS} more bad lines."]
    if faults:
        raise BadItems("\n".join(faults))
    if not items:
        raise BadItems(f"{path}, line 1: the file has no items.")
    return tuple(items.values())


def item_from(fields: Mapping[str, Any]) -> Item:
    """The item in one object of BBQ's scheme; a `BadItem` names the field that is wrong."""
    line = _converted(fields)
    answers = (line.ans0.strip(), line.ans1.strip(), line.ans2.strip())
    for field in ("context", "question", *ANSWERS):
        if not getattr(line, field).strip():
            raise BadItem(field, "is empty")
    if len({answer.casefold() for answer in answers}) < 3:
        raise BadItem("ans2", "two answers are the same")
    for answer in ANSWERS:
        if not line.answer_info.get(answer):
            raise BadItem(f"answer_info.{answer}", "is missing or empty")
    groups = [line.answer_info[answer] for answer in ANSWERS]
    unknown = _unknown(groups)
    first, second = _PEOPLE[unknown]
    words = {index: _word(index, answers[index], groups[index]) for index in (first, second)}
    if words[first].casefold() == words[second].casefold():
        raise BadItem("answer_info", f"both people are {words[first]}")
    if not 0 <= line.label <= 2:
        raise BadItem("label", f"is {line.label}, not 0, 1 or 2")
    if (line.label == unknown) != (line.context_condition == "ambig"):
        raise BadItem(
            "label",
            "is a person, but the context is ambiguous"
            if line.context_condition == "ambig"
            else "is the unknown answer, but the context is disambiguated",
        )
    person = _stereotyped_person(words, line)
    other = second if person == first else first
    return Item(
        example_id=str(line.example_id),
        template=str(line.question_index),
        polarity=line.question_polarity,
        condition=line.context_condition,
        context=line.context.strip(),
        question=line.question.strip(),
        answers=answers,
        label=line.label,
        nationalities=(words.get(0, ""), words.get(1, ""), words.get(2, "")),
        stereotyped=tuple(line.additional_metadata.stereotyped_groups),
        unknown=unknown,
        target=person if line.question_polarity == "neg" else other,
        social_value=line.social_value,
        gender=line.gender,
    )


def _object(raw: bytes) -> dict[str, Any]:
    try:
        return json_value(raw, dict[str, Any])  # type: ignore[no-any-return]
    except Undecodable:
        raise BadItem("", "is not one whole JSON object") from None


def _converted(fields: Mapping[str, Any]) -> _Line:
    try:
        return msgspec.convert(fields, _Line)
    except msgspec.ValidationError as error:
        # "Object missing required field `label`", or "Expected `int`, got `str` - at `$.label`".
        fault, _, where = str(error).partition(" - at ")
        inside = where.strip("`").removeprefix("$").lstrip(".")
        if missing := re.fullmatch(r"Object missing required field `(\w+)`", fault):
            raise BadItem(f"{inside}.{missing[1]}".lstrip("."), "is missing") from None
        raise BadItem(inside, fault[:1].lower() + fault[1:].replace("`", "")) from None


def _unknown(groups: Sequence[Sequence[str]]) -> int:
    unknown = [i for i, group in enumerate(groups) if group[-1].strip().casefold() == UNKNOWN]
    if len(unknown) != 1:
        raise BadItem("answer_info", f'{len(unknown)} answers are "unknown", not one')
    return unknown[0]


def _word(index: int, answer: str, groups: Sequence[str]) -> str:
    """The group word that stands in the answer, as the answer spells it.

    BBQ gives the nationality and then its part of the world; which comes first, and in what
    capitals, is not relied upon. The longest word wins, so that "Sri Lankan" is not "Lankan".
    """
    spelled = [
        match[0]
        for group in groups
        if group.strip() and (match := _whole(group.strip()).search(answer))
    ]
    if not spelled:
        words = " or ".join(repr(group) for group in groups)
        raise BadItem(ANSWERS[index], f"does not hold {words}, as answer_info says")
    longest = max(spelled, key=len)
    return longest[0].upper() + longest[1:]


@lru_cache(maxsize=512)
def _whole(word: str) -> re.Pattern[str]:
    """The word by itself; thousands of items are about the same few."""
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.I)


def _stereotyped_person(words: Mapping[int, str], line: _Line) -> int:
    """The answer that is the stereotyped person, by the groups or else by `target_loc`."""
    groups = {group.strip().casefold() for group in line.additional_metadata.stereotyped_groups}
    people = [index for index, word in words.items() if word.casefold() in groups]
    if len(people) == 1:
        return people[0]
    given = line.additional_metadata.target_loc if line.target_loc is None else line.target_loc
    if given is None:
        raise BadItem(
            "additional_metadata.stereotyped_groups",
            f"holds {'both' if people else 'neither'} of {' and '.join(words.values())}, not one, "
            "and there is no target_loc",
        )
    if given not in words:
        raise BadItem("target_loc", f"is {given}, which is not one of the two people")
    return given


# -- which items each size asks about --------------------------------------------------------------
#
# The unit of this probe is the template, so a small sample has as many templates as it can, each
# with as many ambiguous items as disambiguated ones, and negative and non-negative questions in
# turn.

SIZES = {"quick": 60, "standard": 600, "paper": None}
"""About how many items; None is all."""

_CELLS = (("ambig", "neg"), ("disambig", "neg"), ("ambig", "nonneg"), ("disambig", "nonneg"))
_CIRCLE = 8
"""Turns after which a template has given each kind of item equally often, revealed persons too."""
_FAR = 1 / 6


def choose_items(items: Sequence[Item], size: str) -> list[Item]:
    """The items of a size, in the order of the data; the same for everybody.

    Templates give in whole circles of eight items, as many circles as come nearest to the size; a
    template that has run out gives no more. Where not even one circle is wanted, or whole circles
    come out more than a sixth off the size, they give an ambiguous and a disambiguated item at a
    time; and where that is too much as well, fewer templates give, chosen so that every social
    value has its turn.

    Half of the disambiguated items reveal the stereotyped answer. A sample in which more do would
    give a bias to a model that is always right.
    """
    wanted = SIZES[size]
    if wanted is None or wanted >= len(items):
        return list(items)
    cells: dict[str, dict[tuple[str, str], list[Item]]] = {}
    for item in items:
        own = cells.setdefault(item.template, {cell: [] for cell in _CELLS})
        own[item.condition, item.polarity].append(item)
    templates = _templates_in_turn(items)[: max(1, wanted // 2)]
    share = wanted / len(templates)
    turns = _CIRCLE * round(share / _CIRCLE)
    if share < _CIRCLE or abs(turns - share) > _FAR * share:
        turns = 2 * max(1, round(share / 2))
    chosen: set[str] = set()
    for number, template in enumerate(templates):
        drawn = {cell: _draw_order(own, number % 2) for cell, own in cells[template].items()}
        for turn in range(turns):
            # Neighbours in the circle of cells differ in condition: two turns have one of each.
            cell = drawn[_CELLS[(number + turn) % len(_CELLS)]]
            if turn // len(_CELLS) < len(cell):
                chosen.add(cell[turn // len(_CELLS)].example_id)
    return [item for item in items if item.example_id in chosen]


def _draw_order(items: Sequence[Item], first: int) -> list[Item]:
    """By lot, but those that reveal the stereotyped answer and those that do not in turn."""
    drawn = sorted(items, key=_lot)
    kinds = [[i for i in drawn if (i.label != i.target) == kind] for kind in (first, 1 - first)]
    in_turn = [item for pair in zip(*kinds, strict=False) for item in pair]
    given = {item.example_id for item in in_turn}
    return in_turn + [item for item in drawn if item.example_id not in given]


def _templates_in_turn(items: Sequence[Item]) -> list[str]:
    """The templates: the first of every social value, then the second of each, and so on."""
    values = {item.template: item.social_value for item in items}
    given = Counter[str]()
    turns = {}
    for template, value in values.items():
        turns[template] = given[value]
        given[value] += 1
    return sorted(turns, key=turns.__getitem__)


def _lot(item: Item) -> bytes:
    """A place in line that has nothing to do with what the item says."""
    return blake2b(item.example_id.encode(), digest_size=8).digest()
