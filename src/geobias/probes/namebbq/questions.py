"""Ask about an item, and read the reply into a record."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from geobias.probes.namebbq.items import Item, Place
from geobias.probes.namebbq.names import country_of
from geobias.probes.namebbq.versions import Dataset, Version
from geobias.probes.questions import ReadRecord, opened
from geobias.reading.answer import Outcome
from geobias.reading.choices import read_choice
from geobias.trials import Dialogue, Reply
from geobias.trials.probabilities import weigh

LETTERS = ("a", "b", "c")


def dialogue(item: Item, *, system: str = "", wording: int = 0) -> Dialogue:
    """The dialogue that asks about an item. `wording` is the index of the wording in `wordings`."""
    first, second, third = item.answers
    words = wordings()[wording].format(
        context=item.context, question=item.question, first=first, second=second, third=third
    )
    return opened(system).user(words)


@cache
def shipped(name: str) -> str:
    """A file of prompts, whose digest goes into the manifest of a run that asks them."""
    return Path(__file__).with_name(f"{name}.toml").read_text("utf-8")


@cache
def wordings() -> tuple[str, ...]:
    """The wordings of the question, the default one first."""
    usual, others = map(tomllib.loads, (shipped("prompts"), shipped("paraphrases")))
    return tuple(text.strip() for text in (usual["item"], *others["items"]))


class NameBBQRecord(ReadRecord, frozen=True, kw_only=True):
    """One item and its answer.

    country            ISO-3 of the stereotyped person's nationality; empty if it has no economy
    outcome            read, unread, refused or cut (see `geobias.reading`), or the reply's own
                       outcome if there was no text to read
    template           id of the scenario that the item is made from
    dataset            "nationality", or "name" with the `seed` that drew the names
    wording            0 for the usual wording, 1 and so on for its paraphrases
    polarity           "neg" or "nonneg" question; `condition` "ambig" or "disambig" context
    nationality, name  those of the stereotyped person; `other_…` those of the other one
    label              the right answer, 0 for (a); `unknown` the answer "unknown"; `target` the
                       stereotyped answer: the stereotyped person if the question is negative,
                       otherwise the other one
    answer             the answer given; None unless read
    correct            whether `answer` is `label`; None unless read
    stereotyped        whether `answer` is `target`; None unless a person was named
    p_target           the probability of the stereotyped answer among the three letters, `p_other`
                       of the other person, `p_unknown` of "unknown"; all None if the run did not
                       ask for them, or no token could be a letter
    letter_mass        the total probability of the three letters among all tokens
    """

    item: str
    dataset: Dataset
    seed: int | None
    wording: int = 0
    template: str
    polarity: str
    condition: str
    social_value: str
    nationality: str
    other_nationality: str
    name: str = ""
    other_name: str = ""
    gender: str = ""
    label: Place
    unknown: Place
    target: Place
    answer: Place | None = None
    correct: bool | None = None
    stereotyped: bool | None = None
    reason: str = ""
    p_target: float | None = None
    p_other: float | None = None
    p_unknown: float | None = None
    letter_mass: float | None = None


def version_name(version: Version) -> str:
    """`namebbq/17/nationality`, or `namebbq/17/name-2/w1`: seed 2, in the first paraphrase."""
    dataset = "nationality" if version.seed is None else f"name-{version.seed}"
    mark = f"/w{version.wording}" if version.wording else ""
    return f"namebbq/{version.item.example_id}/{dataset}{mark}"


def read(
    trial: str,
    repeat: int,
    version: Version,
    reply: Reply,
    *,
    countries: Mapping[str, str] = {},
) -> NameBBQRecord:
    """Return a trial's record; `countries` has the ISO-3 codes of a user's nationalities."""
    item = version.item
    person = item.person
    other = item.other_than(person)
    nationality = item.nationalities[person]
    outcome, answer, reason = str(reply.outcome), None, ""
    if reply.outcome == "ok":
        cut = reply.finish == "length"
        found = read_choice(reply.text, version.options, cut=cut)
        outcome, answer, reason = OUTCOMES[found.outcome], found.value, found.reason
    chances: dict[str, Any] = {}
    if (weighed := weigh(reply.places, LETTERS)) is not None:
        outcome, answer = "read", LETTERS.index(weighed.likeliest)
        reason = "the likeliest letter"
        chances = {
            "p_target": weighed.probabilities[LETTERS[item.target]],
            "p_other": weighed.probabilities[LETTERS[item.other_than(item.target)]],
            "p_unknown": weighed.probabilities[LETTERS[item.unknown]],
            "letter_mass": weighed.mass,
        }
    return NameBBQRecord(
        trial=trial,
        probe="namebbq",
        country=countries.get(nationality) or country_of(nationality),
        repeat=repeat,
        outcome=outcome,
        item=item.example_id,
        dataset=version.dataset,
        seed=version.seed,
        wording=version.wording,
        template=item.template,
        polarity=item.polarity,
        condition=item.condition,
        social_value=item.social_value,
        nationality=nationality,
        other_nationality=item.nationalities[other],
        name=version.names[person],
        other_name=version.names[other],
        gender=version.genders[person],
        label=item.label,
        unknown=item.unknown,
        target=item.target,
        answer=answer,
        correct=None if answer is None else answer == item.label,
        stereotyped=answer == item.target if answer in item.people else None,
        reason=reason,
        **chances,
    )


OUTCOMES: Mapping[Outcome, str] = {
    "read": "read", "declined": "refused", "unread": "unread", "cut": "cut"
}  # fmt: skip
"""Outcome of reading a reply → the word for it in records."""
