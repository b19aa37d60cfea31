"""Items, each a question about two people of two nationalities, and BBQ's JSONL files of them.

BBQ's keys (Parrish et al. 2022), and the fields of `Item` that they become:

    question_index                        template
    question_polarity neg | nonneg        polarity
    answer_info.ans0  ["X", "Europe"]     nationalities[0] == "X"
    answer_info.ans2  ["…", "unknown"]    unknown == 2, nationalities[2] == ""
    additional_metadata.stereotyped_groups  stereotyped

Two optional keys are not BBQ's. `social_value` says what the stereotype is about (BBQ has this only
in a file of templates). `gender` ("F" or "M") is the gender of both people's names if the item's
words state none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from geobias.errors import BadRequest, MissingPart
from geobias.results.formatting import with_capital
from geobias.sources.bbq import cached_bbq
from geobias.untrusted import Json, Undecodable, bytes_of, in_words, json_value

Gender = Literal["F", "M", ""]
Polarity = Literal["neg", "nonneg"]
Condition = Literal["ambig", "disambig"]
Text = Annotated[str, msgspec.Meta(pattern=r"\S")]
Place = Annotated[int, msgspec.Meta(ge=0, le=2)]
"""The index of an answer."""
Groups = Annotated[list[str], msgspec.Meta(min_length=1)]

UNKNOWN = "unknown"
"""BBQ's group for the answer that names no person."""
MOST_FILE_BYTES = 256 << 20
"""Maximum size of a file of items. BBQ's file has four million bytes."""
_PEOPLE = ((1, 2), (0, 2), (0, 1))
"""Indices of the two answers that are people, by the index of the unknown answer."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A context, a question and three answers. One answer is that nobody can know ("unknown")."""

    example_id: str
    template: str
    polarity: Polarity
    condition: Condition
    context: str
    question: str
    answers: tuple[str, str, str]
    label: int
    """The index of the right answer, which is `unknown` if the context is ambiguous."""
    nationalities: tuple[str, str, str]
    """The nationality in each answer, as spelled there; "" for the unknown answer."""
    stereotyped: tuple[str, ...]
    """The nationalities that the stereotype is about. Exactly one of the two people has one."""
    unknown: int
    target: int
    """The index of the stereotyped answer.

    For a negative question ("who is rude?") it is the stereotyped person, and for a non-negative
    question ("who is polite?") the other person.
    """
    social_value: str = ""
    gender: Gender = ""
    """The gender of both people if the file states it, otherwise ""."""

    @property
    def person(self) -> int:
        """The index of the answer that is the stereotyped person."""
        return self.target if self.polarity == "neg" else self.other_than(self.target)

    def other_than(self, person: int) -> int:
        return sum(self.people) - person

    @property
    def people(self) -> tuple[int, int]:
        return _PEOPLE[self.unknown]

    @property
    def pair(self) -> tuple[str, str]:
        """The nationalities of the two people, in the order of the answers."""
        first, second = self.people
        return self.nationalities[first], self.nationalities[second]

    def in_order(self, first: str, second: str, unknown: str = "") -> tuple[str, str, str]:
        """The texts of the two people and of the unknown answer, in the order of the answers."""
        texts = [first, second]
        texts.insert(self.unknown, unknown)
        return texts[0], texts[1], texts[2]


class _Metadata(msgspec.Struct):
    stereotyped_groups: list[str]


class _Groups(msgspec.Struct):
    ans0: Groups
    ans1: Groups
    ans2: Groups


class _Line(msgspec.Struct):
    """The fields of a line in BBQ's scheme. Other fields are ignored: users keep notes there."""

    example_id: int | str
    question_index: int | str
    question_polarity: Polarity
    context_condition: Condition
    answer_info: _Groups
    additional_metadata: _Metadata
    context: Text
    question: Text
    ans0: Text
    ans1: Text
    ans2: Text
    label: Place
    social_value: str = ""
    gender: Gender = ""


def bbq_path() -> Path:
    """The path of BBQ's nationality items: $GEOBIAS_BBQ, or the downloaded file."""
    if own := os.environ.get("GEOBIAS_BBQ", "").strip():
        path = Path(own).expanduser()
        if not path.is_file():
            raise MissingPart(f"GEOBIAS_BBQ names {path}, which is not a file.")
        return path
    kept = cached_bbq()
    if kept is None:
        raise MissingPart(
            "BBQ's items are not downloaded: run `geobias data pull bbq`, or set GEOBIAS_BBQ to "
            "your copy of its Nationality.jsonl."
        )
    return kept


def read_items(path: Path) -> tuple[Item, ...]:
    """The items of a file of JSON lines. Raises `BadRequest` about the first bad line.

    An id must not occur twice, since it identifies the item in the records of a run.
    """
    items: dict[str, Item] = {}
    number = 0
    try:
        for raw in bytes_of(path, MOST_FILE_BYTES).removeprefix(b"\xef\xbb\xbf").splitlines():
            number += 1
            if raw.strip():
                item = item_from(json_value(raw, Json))
                if items.setdefault(item.example_id, item) is not item:
                    raise BadRequest(f"the example_id {item.example_id!r} occurs twice in the file")
    except (Undecodable, BadRequest) as error:
        where = f"{path}, line {number}" if number else str(path)  # 0: the file cannot be read
        raise BadRequest(f"{where}: {in_words(error)}.") from None
    if not items:
        raise BadRequest(f"{path}, line 1: the file has no items.")
    return tuple(items.values())


def item_from(fields: Json) -> Item:
    """The item in one object of BBQ's scheme. Raises `BadRequest`."""
    try:
        line = msgspec.convert(fields, _Line)
    except msgspec.ValidationError as error:
        raise BadRequest(in_words(error)) from None
    answers = (line.ans0.strip(), line.ans1.strip(), line.ans2.strip())
    if len({answer.casefold() for answer in answers}) < 3:
        raise BadRequest("two answers are the same")
    groups = (line.answer_info.ans0, line.answer_info.ans1, line.answer_info.ans2)
    unknowns = [i for i, group in enumerate(groups) if group[-1].strip().casefold() == UNKNOWN]
    if len(unknowns) != 1:
        raise BadRequest(f'answer_info: {len(unknowns)} answers are "unknown", not one')
    [unknown] = unknowns
    people = {index: _word(answers[index], groups[index]) for index in _PEOPLE[unknown]}
    if len({word.casefold() for word in people.values()}) < 2:
        raise BadRequest(f"answer_info: both people are {people.popitem()[1]}")
    if (line.label == unknown) != (line.context_condition == "ambig"):
        raise BadRequest(
            "the label must be the unknown answer if, and only if, the context is ambiguous"
        )
    groups_told = line.additional_metadata.stereotyped_groups
    stereotyped = {group.strip().casefold() for group in groups_told}
    told = [index for index, word in people.items() if word.casefold() in stereotyped]
    if len(told) != 1:
        raise BadRequest(
            f"stereotyped_groups must hold just one of {' and '.join(people.values())}"
        )
    [person] = told
    return Item(
        example_id=str(line.example_id),
        template=str(line.question_index),
        polarity=line.question_polarity,
        condition=line.context_condition,
        context=line.context.strip(),
        question=line.question.strip(),
        answers=answers,
        label=line.label,
        nationalities=(people.get(0, ""), people.get(1, ""), people.get(2, "")),
        stereotyped=tuple(groups_told),
        unknown=unknown,
        target=person if line.question_polarity == "neg" else sum(people) - person,
        social_value=line.social_value,
        gender=line.gender,
    )


def _word(answer: str, groups: Sequence[str]) -> str:
    """The longest of `groups` in an answer, as spelled there: "Sri Lankan", not "Lankan".

    BBQ's groups are the nationality and then its part of the world; other files may have any order.
    """
    named = [group.strip() for group in groups if group.strip()]
    spelled = [match[0] for group in named if (match := _whole(group).search(answer))]
    if not spelled:
        words = " or ".join(map(repr, groups))
        raise BadRequest(f"the answer {answer!r} does not contain {words}, which answer_info names")
    return with_capital(max(spelled, key=len))


@lru_cache(maxsize=512)
def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.I)


# -- which items each size asks about --------------------------------------------------------------
#
# The unit of this probe is the template, so a small sample has as many templates as it can, each
# with as many ambiguous items as disambiguated ones, and negative and non-negative questions in
# turn.

SIZES = {"quick": 60, "standard": 600, "paper": None}
"""Approximate number of items; None means all."""

_CELLS = (("ambig", "neg"), ("disambig", "neg"), ("ambig", "nonneg"), ("disambig", "nonneg"))
_CIRCLE = 8
"""Items of a whole set: every condition, polarity and revealed person equally often."""
_FAR = 1 / 6


def choose_items(items: Sequence[Item], size: str) -> list[Item]:
    """The items for a run of this size, in the order of the data, the same for every user.

    Each template gives as many whole sets of eight items (`_CIRCLE`) as bring the total nearest to
    the size, or all it has. If the size is smaller than one set each, or missed by more than a
    sixth, templates give pairs instead: an ambiguous and a disambiguated item. If even one pair
    each is too many, there are fewer templates, taken from every social value in turn.

    Half of the disambiguated items reveal the stereotyped answer. If more did, a model that is
    always right would appear biased.
    """
    wanted = SIZES[size]
    if wanted is None or wanted >= len(items):
        return list(items)
    cells: dict[tuple[str, str, str], list[Item]] = {}
    for item in items:
        cells.setdefault((item.template, item.condition, item.polarity), []).append(item)
    templates = _templates_in_turn(items)[: max(1, wanted // 2)]
    share = wanted / len(templates)
    turns = _CIRCLE * round(share / _CIRCLE)
    if share < _CIRCLE or abs(turns - share) > _FAR * share:
        turns = 2 * max(1, round(share / 2))
    chosen: set[str] = set()
    for number, template in enumerate(templates):
        drawn = [_draw_order(cells.get((template, *cell), ()), number % 2) for cell in _CELLS]
        for turn in range(turns):
            # Neighbours in the circle differ in condition, so two turns have one of each.
            own, place = drawn[(number + turn) % len(_CELLS)], turn // len(_CELLS)
            chosen.update(item.example_id for item in own[place : place + 1])
    return [item for item in items if item.example_id in chosen]


def _draw_order(items: Sequence[Item], first: int) -> list[Item]:
    """Random order, in which stereotyped and other right answers alternate; leftovers last.

    `first` = 0 starts with a stereotyped one, and 1 with another.
    """
    drawn = sorted(items, key=_lot)
    kinds = [[i for i in drawn if (i.label != i.target) == kind] for kind in (first, 1 - first)]
    in_turn = [item for pair in zip(*kinds, strict=False) for item in pair]
    given = {item.example_id for item in in_turn}
    return in_turn + [item for item in drawn if item.example_id not in given]


def _templates_in_turn(items: Sequence[Item]) -> list[str]:
    """The first template of every social value, then the second of each, and so on."""
    values: dict[str, dict[str, int]] = {}
    for item in items:
        own = values.setdefault(item.social_value, {})
        own.setdefault(item.template, len(own))
    turns = {template: turn for own in values.values() for template, turn in own.items()}
    return sorted(dict.fromkeys(item.template for item in items), key=turns.__getitem__)


def _lot(item: Item) -> bytes:
    return blake2b(item.example_id.encode(), digest_size=8).digest()
