"""Put names in place of nationalities, by fixed rules on the words of an item.

The item's words decide which genders the two people may have. The first of these that states a
gender counts:

1. the noun after a nationality: "woman", "girlfriend", "guy". "Father" counts too, as in the paper,
   although the name then goes to his child;
2. if the people stand for groups ("family"), the member that the question asks about: the name
   goes to that member, so that nobody else must be invented;
3. a pronoun after the person, unless it may be someone else's: in "the student came with their
   father, and he …", he is the father.

If only one of the two has a gender, the other gets the same. If neither has, one gender is drawn
for both. The paper lets neutral people have any of the ten names. The same holds here, but both get
the same gender. Otherwise the model could answer by a stereotype about gender.

Names then replace the noun phrases:

the Danish student              Freja           a person is their name
my Danish friend                my friend Freja at first, Freja afterwards
my Danish and my Thai friend    my friends Freja and Mali
There's a Danish man            There's a man named Lars
a Danish man and … years later  a man named Lars and … years later
the (other new) Danish family   Freja's family  a belonging keeps its noun
the Danish family's house       Freja's family house
the Danish one                  Freja, or the one from Freja's family
were all Danish                 were all Freja's fans, if that is what the answers are about
one Danish and the other Thai   Freja and Mali
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import msgspec

from geobias.errors import BadRequest
from geobias.probes.namebbq.items import Gender, Item
from geobias.probes.namebbq.names import NamesByNationality, draw_genders, draw_names, names
from geobias.probes.namebbq.noun_phrases import (
    NounKind,
    Nouns,
    Phrase,
    ends_phrase,
    find_phrases,
    gender_of,
    is_a,
    kin_gender,
    kind_of,
    one_person,
    plural_of,
    pronoun_gender,
)

_remembered = lru_cache(maxsize=1 << 12)
"""A cache, since an item's words are the same for every seed."""

_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")


Genders: TypeAlias = tuple[Gender, Gender]
"""The required genders of the two people, in the order of the answers."""
NEITHER: Genders = ("", "")


@_remembered
def answer_nouns(item: Item) -> Nouns:
    """The nouns that follow a nationality in the answers. They count as nouns in the context too.

    If the question is "who", such a noun is a person, even if the table does not have it.
    """
    who = re.match(r"who\b", item.question, re.I)
    nouns: dict[str, NounKind] = {}
    for index in item.people:
        tail = re.split(re.escape(item.nationalities[index]), item.answers[index], flags=re.I)[-1]
        for word in _WORD.findall(tail.lower())[:1]:
            noun = re.sub(r"['’]s$", "", word)
            nouns[noun] = kind_of(noun, {noun: "person"} if who else {})
    return tuple(nouns.items())


@_remembered
def required_genders(item: Item) -> Genders:
    """The genders that the words of this item state. They take precedence over the file's."""
    people, nouns = item.pair, answer_nouns(item)
    answers = (item.answers[index] for index in item.people)
    texts = [(text, find_phrases(text, people, nouns))
             for text in (item.context, item.question, *answers)]  # fmt: skip
    phrases = [phrase for _, found in texts for phrase in found]
    by_words = (_by_noun(phrases), _by_member(item.question, phrases), _by_pronoun(texts[:2]))
    return next((one for one in by_words if one != NEITHER), (item.gender, item.gender))


def family_of(item: Item) -> tuple[str, str, str]:
    """The template, and the two nationalities in the order in which the context mentions them.

    The order matters: BBQ writes one pair as two boys in one order and as two girls in the other.
    """
    people = item.pair
    phrases = find_phrases(item.context, people)
    first = phrases[0].person if phrases else 0
    return item.template, people[first], people[1 - first]


def _by_noun(phrases: Iterable[Phrase]) -> Genders:
    return _settled((one.person, gender_of(one.head)) for one in phrases if one.noun)


def _by_member(question: str, phrases: Iterable[Phrase]) -> Genders:
    if not any(phrase.kind == "belonging" for phrase in phrases):
        return NEITHER
    gender: Gender = next(filter(None, map(kin_gender, _WORD.findall(question))), "")
    return gender, gender


def _by_pronoun(texts: Iterable[tuple[str, Sequence[Phrase]]]) -> Genders:
    said: list[tuple[int, Gender]] = []
    for text, phrases in texts:
        others: set[Gender] = set()
        for match in _WORD.finditer(text):
            before = [one for one in phrases if one.start <= match.start()]
            if before and match.start() < before[-1].end:
                continue
            word = match[0].lower().replace("’", "'")
            others.add(gender_of(word))
            if before and (gender := pronoun_gender(word)) not in others:
                said.append((before[-1].person, gender))
    return _settled(said)


def _settled(said: Iterable[tuple[int, Gender]]) -> Genders:
    """The gender of each person, from the genders that the words state ("" for none).

    If one person is called both genders, no gender is settled. If only one person has a gender, it
    holds for both people.
    """
    stated = {(person, gender) for person, gender in said if gender}
    first, second = ([gender for who, gender in stated if who == one] for one in (0, 1))
    if len(first) > 1 or len(second) > 1 or not stated:
        return NEITHER
    return (first or second)[0], (second or first)[0]


_AND = re.compile(r"\s+and\s+")
_THERE_IS = re.compile(
    r"\bthere(?:['’]s|\s+(?:is|are|was|were))\s+(?:an?\s[^.!?:;]*)?$", re.IGNORECASE
)
_LATER = re.compile(r"[^.!?]*\b(?:later|earlier|before|afterwards)[.!?]")
"""A phrase of time after the second person. After two bare names it would seem to be about both
people.
"""
_NEXT_WORD = re.compile(r"\s+[A-Za-z]")


class Rewriter:
    """Puts two names into the texts of one item, and remembers who has been introduced."""

    def __init__(
        self,
        people: tuple[str, str],
        names: tuple[str, str],
        nouns: Nouns = (),
        answers: Sequence[str] = (),
    ) -> None:
        self._people = people
        self._names = names
        self._nouns = nouns
        self._met: set[int] = set()
        self._belonging = ""
        """The noun of the last belonging ("family"), to which a later "one" refers."""
        self._asked_about = ""
        """The noun of the answers: "fans" for "The Danish fans"."""
        for answer in answers:
            for phrase in find_phrases(answer, people, nouns):
                if phrase.kind == "belonging":
                    self._asked_about = phrase.noun

    def rewrite(self, text: str, *, introduces: bool = False) -> str:
        """Return the text with names. `introduces` says that the text (the context) introduces the
        people.
        """
        phrases = list(find_phrases(text, self._people, self._nouns))
        parts: list[str] = []
        at = 0
        while phrases:
            phrase = phrases.pop(0)
            before = text[: phrase.start]
            words = self._together(text, phrase, phrases[0], introduces) if phrases else None
            end = phrase.end if words is None else phrases.pop(0).end
            if words is None:
                words = self._words(phrase, before, text[end:], introduces)
            # BBQ sometimes lacks the space after a full stop; a name must stand by itself.
            space = " " if before[-1:] in ".!?" and before else ""
            parts += [text[at : phrase.start], space, words]
            at = end
        return "".join([*parts, text[at:]])

    def _together(self, text: str, first: Phrase, second: Phrase, introduces: bool) -> str | None:
        """One phrase in place of two joined by "and"; None if the two do not fit together."""
        if not _AND.fullmatch(text[first.end : second.start]) or first.possessive:
            return None
        one, other = self._names[first.person], self._names[second.person]
        shared = first.kind == "bare" and not second.determiner
        noun = one_person(second.head) if shared else second.head
        twice = (
            first.kind == second.kind == "person"
            and first.noun == second.noun
            and first.determiner.lower() == second.determiner.lower()
        )
        if noun is None or not (twice or (shared and second.kind == "belonging")):
            return None
        if not is_a(first.determiner, "possessive"):
            return f"{one} and {other}{_own(second)}" if shared else None
        known = not introduces or {first.person, second.person} <= self._met
        self._meet(first)
        self._meet(second)
        if known:
            return f"{one} and {other}{_own(second)}"
        nouns = " ".join([*second.noun.split()[:-1], plural_of(noun)])
        return f"{first.determiner} {nouns} {one} and {other}{_own(second)}"

    def _words(self, phrase: Phrase, before: str, after: str, introduces: bool) -> str:
        name = self._names[phrase.person]
        known = not introduces or phrase.person in self._met
        one_of = self._belonging if phrase.kind == "anaphor" else ""
        self._meet(phrase)
        if phrase.kind == "belonging":
            return self._belonging_of(phrase, after)
        if phrase.kind == "bare":
            return self._bare(phrase, before)
        if one_of:
            return f"{_the(phrase)} one from {_s(name)} {one_of}{_own(phrase)}"
        if phrase.kind == "person":
            name = self._introduced(phrase, known, _keeps_noun(before, after))
        return name + _own(phrase)

    def _introduced(self, phrase: Phrase, known: bool, keeps_noun: bool) -> str:
        """The person's name, with as much of the phrase as is still needed."""
        name = self._names[phrase.person]
        determiner = phrase.determiner
        kept = [word for word in phrase.adjectives if not is_a(word, "ordering")]
        described = " ".join([*kept, phrase.noun])
        if is_a(determiner, "article") and not known and keeps_noun:
            article = phrase.determiner[0] + ("n" if described[0] in "aeiou" else "")
            return f"{article} {described} named {name}"
        if is_a(determiner, "possessive") and not known:
            return f"{phrase.determiner} {described} {name}"
        if kept and determiner:
            return f"{_the(phrase)} {described} {name}"
        return name

    def _belonging_of(self, phrase: Phrase, after: str) -> str:
        kept = [word for word in phrase.adjectives if not is_a(word, "ordering")]
        some = [phrase.determiner, "of"] if is_a(phrase.determiner, "number") else []
        owned = " ".join([*some, _s(self._names[phrase.person]), *kept, phrase.noun])
        # "Freja's family house" rather than "Freja's family's house".
        return owned if _NEXT_WORD.match(after) and not _verb_next(after) else owned + _own(phrase)

    def _bare(self, phrase: Phrase, before: str) -> str:
        """The replacement of a nationality without a noun: "the Irish", "is Irish", "were all
        actually Irish".
        """
        name = self._names[phrase.person]
        if self._asked_about and (phrase.determiner or _many_are(before)):
            return f"{_s(name)} {self._asked_about}{_own(phrase)}"
        return name + _own(phrase)

    def _meet(self, phrase: Phrase) -> None:
        self._met.add(phrase.person)
        if phrase.kind == "belonging":
            self._belonging = phrase.noun
        elif phrase.kind == "person":
            self._belonging = ""


def _s(name: str) -> str:
    return f"{name}'s"


def _own(phrase: Phrase) -> str:
    return "'s" if phrase.possessive else ""


def _the(phrase: Phrase) -> str:
    return "The" if phrase.determiner[:1].isupper() else "the"


def _keeps_noun(before: str, after: str) -> bool:
    """Whether the noun must stay, since a bare name would not fit: "There's Lars who …"."""
    return _THERE_IS.search(before) is not None or _LATER.match(after) is not None


def _many_are(before: str) -> bool:
    """Whether the text ends with "were", perhaps followed by up to two words like "all"."""
    return any(is_a(word, "be many") for word in before.split()[-3:])


def _verb_next(after: str) -> bool:
    return ends_phrase(after.split(maxsplit=1)[0].strip(".,;:!?"))


class NamedItem(NamedTuple):
    """An item about two people with names.

    Its texts are replaced. Everything else, including nationalities, is unchanged. Names and
    genders are in the order of the answers.
    """

    item: Item
    names: tuple[str, str]
    genders: Genders


class CannotSubstitute(BadRequest):
    """An item has sentences that the rules do not fit."""


def substitute(
    item: Item,
    seed: int,
    *,
    table: NamesByNationality | None = None,
    required: Genders | None = None,
) -> NamedItem:
    """The item with a name for each of its two nationalities.

    `table` are the names, by default the shipped ones; `required` the genders, by default those
    that the item's words state. Equal arguments give equal items, on every machine.
    """
    required = required_genders(item) if required is None else required
    genders = draw_genders(required, seed, item.template, item.pair)
    both = draw_names(
        table or names(), genders, seed, item.template, item.pair, taken=words_of(item)
    )
    return NamedItem(called(item, both), both, genders)


@lru_cache(maxsize=1 << 12)
def words_of(item: Item) -> frozenset[str]:
    texts = " ".join((item.context, item.question, *item.answers))
    return frozenset(re.findall(r"[^\W\d_]+", texts))


def called(item: Item, both: tuple[str, str]) -> Item:
    """The item with these names for its two people, in the order of the answers."""
    first, second = (item.answers[index] for index in item.people)
    rewriter = Rewriter(item.pair, both, answer_nouns(item), [first, second])
    # The context comes first, since it introduces the people.
    named = msgspec.structs.replace(
        item,
        context=rewriter.rewrite(item.context, introduces=True),
        question=rewriter.rewrite(item.question),
        answers=item.in_order(
            rewriter.rewrite(first), rewriter.rewrite(second), item.answers[item.unknown]
        ),
    )
    _check(named, both)
    return named


def substitute_all(
    items: Sequence[Item], seed: int, table: NamesByNationality | None = None
) -> tuple[NamedItem, ...]:
    """The items of one family (`family_of`) with names.

    The first item whose words state genders decides for those whose words do not. The ambiguous
    context is the beginning of the disambiguated one, and both need the same names to be compared.
    """
    told = [required_genders(item) for item in items]
    shared = next((one for one in told if one != NEITHER), NEITHER)
    return tuple(
        substitute(item, seed, table=table, required=shared if own == NEITHER else own)
        for item, own in zip(items, told, strict=True)
    )


def _check(item: Item, both: tuple[str, str]) -> None:
    """Raise `CannotSubstitute` if the rules do not fit an item, which may be a user's."""
    for text in (item.context, item.question, *(item.answers[index] for index in item.people)):
        for nationality in item.pair:
            if nationality not in text:
                continue
            # Also in words that no rule covers: "Danish-born", "half-Danish".
            if left := re.search(rf"(?<!\w)[\w-]*{re.escape(nationality)}[\w-]*", text):
                raise CannotSubstitute(f"Item {item.example_id}: {left[0]!r} is left in {text!r}.")
    for name, nationality in zip(both, item.pair, strict=True):
        if not _by_itself(name).search(item.context):
            raise CannotSubstitute(
                f"Item {item.example_id}: the context does not speak of the {nationality} person."
            )


@lru_cache(maxsize=1 << 12)
def _by_itself(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
