"""The items that come with geobias: our own templates rendered in the scheme of BBQ.

BBQ's items may not be shipped, and every model may have read them. These are written for geobias,
on the same social values and the same stereotyped nationalities, so that the probe runs without a
download; `builtin.toml` has the templates.

Each pair of a stereotyped and another nationality gives eight items: both orders in which the two
are mentioned, each with and without the sentence that reveals who did it, each with the negative
and the non-negative question. Of the two orders one reveals the stereotyped person and one the
other, so that half of the revealed truths go against the stereotype. Whether the culprit was
mentioned first, where "unknown" stands among the answers and how it is worded rotate, so that no
position pays.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import count, cycle, islice, permutations, product
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import msgspec

UNKNOWN = (
    "Unknown",
    "Cannot be determined",
    "Not enough information",
    "It is not stated",
    "Can't be known",
    "Undetermined",
    "No way to tell",
    "The text does not say",
    "Not answerable",
    "Impossible to say",
)
"""As many wordings of "unknown" as BBQ has, so that a model cannot live by one of them."""

_FIRST_ID = 10_000

_ARRANGEMENTS = tuple(permutations((0, 1, 2)))
"""Which of first person (0), second person (1) and unknown (2) stands at each answer."""


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A situation between two people; `builtin.toml` says what each field is."""

    id: str
    social_value: str
    form: str
    gender: Literal["F", "M", ""]
    stereotyped: tuple[str, ...]
    others: tuple[str, ...]
    person: str
    again: str
    named: str
    context: str
    reveal: str
    negative: str
    non_negative: str
    marks: tuple[Literal["fact", "cue"], ...] = ()

    def pairs(self) -> Iterator[tuple[str, str]]:
        """(stereotyped, other): every nationality at least once, no pair twice.

        As many pairs as the longer list is long; the shorter one is gone through again.
        """
        pairs = zip(cycle(self.stereotyped), cycle(self.others), strict=False)
        return islice(pairs, max(len(self.stereotyped), len(self.others)))


_Mention: TypeAlias = tuple[str, str]
"""How a person is introduced, and mentioned again."""


@cache
def templates() -> Mapping[str, Template]:
    """By their ids."""
    rows = msgspec.convert(_file()["template"], list[Template])
    return MappingProxyType({one.id: one for one in rows})


def marked_templates() -> frozenset[str]:
    """The ids of templates that a reader may doubt: see `builtin.toml`."""
    return frozenset(name for name, one in templates().items() if one.marks)


def builtin_items() -> Iterator[dict[str, Any]]:
    """Every item, the same ones in the same order at each call.

    To BBQ's keys come `social_value`, `form` and `gender`; `additional_metadata` holds what
    `named_texts` needs: the template, the `people` in the order of their mention, and which of
    them is `guilty` (0 or 1; in an ambiguous item, who would have been).
    """
    regions = _regions()
    pairs = [
        (question_index, template, pair)
        for question_index, template in enumerate(templates().values(), start=1)
        for pair in template.pairs()
    ]
    numbers = count(_FIRST_ID)
    for pair_number, (question_index, template, pair) in enumerate(pairs):
        # Of six successive pairs each has another arrangement of the answers; shifting by one
        # after six keeps the place of the culprit from going with the arrangement.
        guilty = (pair_number + pair_number // 6) % 2
        for order, people in enumerate([pair, pair[::-1]]):
            arrangement = _ARRANGEMENTS[(pair_number + 3 * order) % 6]
            unknown = UNKNOWN[(2 * pair_number + order) % len(UNKNOWN)]
            groups = [[word, regions[word]] for word in people] + [[unknown, "unknown"]]
            mentions = [_of_nationality(template, word) for word in people]
            for polarity, condition in product(("neg", "nonneg"), ("ambig", "disambig")):
                asked_for = guilty if polarity == "neg" else 1 - guilty
                item: dict[str, Any] = {
                    "example_id": next(numbers),
                    "question_index": str(question_index),
                    "question_polarity": polarity,
                    "context_condition": condition,
                    "category": "Nationality",
                    "answer_info": {
                        f"ans{place}": list(groups[who]) for place, who in enumerate(arrangement)
                    },
                    "additional_metadata": {
                        "subcategory": "None",
                        "stereotyped_groups": list(template.stereotyped),
                        "version": "None",
                        "source": "geobias",
                        "template": template.id,
                        "people": list(people),
                        "guilty": guilty,
                    },
                    "social_value": template.social_value,
                    "form": template.form,
                    "gender": template.gender,
                    "label": arrangement.index(2 if condition == "ambig" else asked_for),
                }
                yield item | _texts(item, template, mentions)


def named_texts(item: Mapping[str, Any], name_first: str, name_second: str) -> dict[str, str]:
    """Context, question and answers of a built-in item with names instead of nationalities.

    `name_first` is for the person mentioned first.
    """
    template = templates()[item["additional_metadata"]["template"]]
    phrases = [template.named.format(name=name) for name in (name_first, name_second)]
    return _texts(item, template, [(phrase, phrase) for phrase in phrases])


def _texts(
    item: Mapping[str, Any], template: Template, people: Sequence[_Mention]
) -> dict[str, str]:
    """Context, question and answers; `people` in the order of their mention."""
    metadata = item["additional_metadata"]
    guilty = metadata["guilty"]
    context = template.context
    if item["context_condition"] == "disambig":
        context = f"{context} {template.reveal}"
    words = {
        "first": people[0][0],
        "second": people[1][0],
        "guilty": people[guilty][1],
        "other": people[1 - guilty][1],
    }
    words |= {word.capitalize(): _capital(text) for word, text in words.items()}
    negative = item["question_polarity"] == "neg"
    texts = {
        "context": context.format(**words),
        "question": template.negative if negative else template.non_negative,
    }
    for place, (word, region) in item["answer_info"].items():
        if region == "unknown":
            texts[place] = word
        else:
            texts[place] = _capital(people[metadata["people"].index(word)][1])
    return texts


def _of_nationality(template: Template, nationality: str) -> _Mention:
    words = {"a": article(nationality), "nationality": nationality}
    return template.person.format(**words), template.again.format(**words)


def article(nationality: str) -> str:
    """ "an" before a vowel.

    Spelling decides, since none of BBQ's 68 nationalities sounds otherwise: "an Uzbekistani",
    "a Honduran". A nationality like "Ugandan" or "European" would need a look at its sound.
    """
    return "an" if nationality[0] in "AEIOU" else "a"


def _capital(text: str) -> str:
    """The text with a capital at the start; a name may have capitals further in (DeShawn)."""
    return text[:1].upper() + text[1:]


@cache
def _regions() -> Mapping[str, str]:
    """Nationality → the region BBQ puts it in."""
    return {word: region for region, words in _file()["regions"].items() for word in words}


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("builtin.toml").read_text(encoding="utf-8"))
