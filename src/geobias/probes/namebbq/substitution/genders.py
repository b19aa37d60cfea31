"""Which names the two people may have: what an item's words say about their gender.

Looked for in this order, and the first that says something is shown as the evidence:

1. the noun a nationality stands before: "woman", "girlfriend", "guy"; "father" too, though the
   name will be that of whose father he is, as in the paper;
2. where the people stand for groups ("family"), the member the question asks about: the name goes
   to that member, so that nobody else must be made up;
3. a pronoun after the person. Not one that may be someone else's: in "the student came with their
   father, and he …", he is the father.

Where only one of the two has a gender, the other takes the same, and where neither has, one gender
is drawn for both: the paper lets neutral people have any of the ten names, which holds here for
each of them, but if their genders could differ, a stereotype about gender could answer in place of
one about nationality.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from geobias.probes.lazy import regex
from geobias.probes.namebbq.items import Gender, Item
from geobias.probes.namebbq.substitution.phrases import Phrase, find_phrases
from geobias.probes.namebbq.substitution.words import (
    NounKind,
    gender_of,
    kin_gender,
    kind_of,
    pronoun_gender,
)

_remembered = lru_cache(maxsize=1 << 12)
"""An item says the same to every seed that draws names for it."""

_WORD = regex(r"[A-Za-z]+(?:['’][a-z]+)?")


class Requirement(msgspec.Struct, frozen=True):
    """The genders of the two people, in the order of the answers, and the words that say so."""

    genders: tuple[Gender, Gender] = ("", "")
    evidence: str = ""

    @property
    def gender(self) -> Gender:
        """Of both; "" where nothing is required or the two differ."""
        return self.genders[0] if self.genders[0] == self.genders[1] else ""


@_remembered
def answer_nouns(item: Item) -> Mapping[str, NounKind]:
    """What stands after the nationality in the answers: a noun there is one in the context.

    If the question is who, such a noun is a person, even if the table does not have it.
    """
    who = re.match(r"who\b", item.question, re.I)
    nouns: dict[str, NounKind] = {}
    for index in item.people:
        tail = re.split(re.escape(item.nationalities[index]), item.answers[index], flags=re.I)[-1]
        for word in _WORD.findall(tail.lower())[:1]:
            noun = re.sub(r"['’]s$", "", word)
            nouns[noun] = kind_of(noun, {noun: "person"} if who else None)
    return nouns


@_remembered
def requirement(item: Item) -> Requirement:
    """What the words of this one item say. Words win over what the file states."""
    people, nouns = item.pair, answer_nouns(item)
    texts = {"context": item.context, "question": item.question}
    texts |= {f"ans{index}": item.answers[index] for index in item.people}
    phrases = {name: find_phrases(text, people, nouns) for name, text in texts.items()}
    for look in (_by_noun, _by_member, _by_pronoun):
        required = look(texts, phrases)
        if required.genders != ("", ""):
            return required
    if item.gender:
        return Requirement((item.gender, item.gender), "the file says so")
    return Requirement()


def requirements(items: Sequence[Item]) -> list[Requirement]:
    """What each item says; where it says nothing, the first of its family (`family_of`) that does.

    The ambiguous context is the beginning of the disambiguated one. Where only the longer one has
    a pronoun, both must still be given the same names: they are compared with each other.
    """
    shared: dict[tuple[str, str, str], Requirement] = {}
    pairs = [(item, requirement(item)) for item in items]
    for item, own in pairs:
        if own.evidence:
            evidence = f"{own.evidence} of item {item.example_id}"
            shared.setdefault(family_of(item), Requirement(own.genders, evidence))
    return [own if own.evidence else shared.get(family_of(item), own) for item, own in pairs]


def family_of(item: Item) -> tuple[str, str, str]:
    """Template and pair, in the order in which the context speaks of them.

    The order matters: BBQ writes the same pair once as two boys and the other way round as girls.
    """
    people = item.pair
    phrases = find_phrases(item.context, people)
    first = phrases[0].person if phrases else 0
    return item.template, people[first], people[1 - first]


def _by_noun(texts: Mapping[str, str], phrases: Mapping[str, Sequence[Phrase]]) -> Requirement:
    evidence: list[dict[Gender, str]] = [{}, {}]
    for name, found in phrases.items():
        for phrase in found:
            if phrase.noun and (gender := gender_of(phrase.head)):
                evidence[phrase.person].setdefault(gender, f'"{phrase.head.lower()}" in {name}')
    return _settled(evidence)


def _by_member(texts: Mapping[str, str], phrases: Mapping[str, Sequence[Phrase]]) -> Requirement:
    if not any(phrase.kind == "belonging" for found in phrases.values() for phrase in found):
        return Requirement()
    for word in _WORD.findall(texts["question"]):
        if gender := kin_gender(word):
            return Requirement((gender, gender), f'"{word.lower()}" in question')
    return Requirement()


def _by_pronoun(texts: Mapping[str, str], phrases: Mapping[str, Sequence[Phrase]]) -> Requirement:
    evidence: list[dict[Gender, str]] = [{}, {}]
    for name in ("context", "question"):
        others: set[Gender] = set()
        before: Phrase | None = None
        later = list(reversed(phrases[name]))
        for match in _WORD.finditer(texts[name]):
            while later and later[-1].start <= match.start():
                before = later.pop()
            if before and match.start() < before.end:
                continue
            word = match[0].lower().replace("’", "'")
            others.add(gender_of(word))
            gender = pronoun_gender(word)
            if before and gender and gender not in others:
                evidence[before.person].setdefault(gender, f'"{word}" in {name}')
    return _settled(evidence)


def _settled(evidence: Sequence[Mapping[Gender, str]]) -> Requirement:
    """One gender for each; someone who is called both has none, and one alone speaks for both."""
    if any(len(genders) > 1 for genders in evidence) or not any(evidence):
        return Requirement()
    first = next(iter((evidence[0] or evidence[1]).items()))
    second = next(iter((evidence[1] or evidence[0]).items()))
    words = dict.fromkeys((first[1], second[1]))
    return Requirement((first[0], second[0]), ", ".join(words))
