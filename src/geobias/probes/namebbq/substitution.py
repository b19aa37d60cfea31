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

Names then replace the noun phrases. An item is rewritten once, with a sign for each name:

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
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import TypeAlias

import msgspec

from geobias.errors import BadRequest
from geobias.probes.namebbq.items import Gender, Item
from geobias.probes.namebbq.noun_phrases import (
    SIGNS,
    NounKind,
    Nouns,
    Phrase,
    find_phrases,
    gender_of,
    is_a,
    kind_of,
    marked,
    one_person,
    plural_of,
)

_remembered = lru_cache(maxsize=1 << 13)
"""A cache, since an item's words are the same for every seed."""
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")

Genders: TypeAlias = tuple[Gender, Gender]
"""The required genders of the two people, in the order of the answers."""
NEITHER: Genders = ("", "")


@_remembered
def answer_nouns(item: Item) -> Nouns:
    """The nouns after a nationality in the answers, which count in the context too.

    If the question is "who", such a noun is a person, even if the table does not have it.
    """
    who = re.match(r"who\b", item.question, re.I)
    nouns: dict[str, NounKind] = {}
    for index in item.people:
        answer = marked(item.answers[index], item.pair)
        for noun in re.findall(rf"[{SIGNS}]\s+([A-Za-z]+)", answer.lower()):
            nouns[noun] = kind_of(noun, {noun: "person"} if who else {})
    return tuple(nouns.items())


@_remembered
def required_genders(item: Item) -> Genders:
    """The genders that the words of this item state. They take precedence over the file's."""
    nouns = answer_nouns(item)
    answers = (item.answers[index] for index in item.people)
    texts = [marked(text, item.pair) for text in (item.context, item.question, *answers)]
    phrases = [phrase for text in texts for phrase in find_phrases(text, nouns)]
    member: Gender = ""
    if any(phrase.kind == "belonging" for phrase in phrases):
        asked = (gender_of(word, "kin") for word in _WORD.findall(item.question))
        member = next(filter(None, asked), "")
    by_words = (
        _settled((one.person, gender_of(one.head)) for one in phrases),
        (member, member),
        _settled(one for text in texts[:2] for one in _pronouns(text, nouns)),
    )
    return next((one for one in by_words if one != NEITHER), (item.gender, item.gender))


def _pronouns(text: str, nouns: Nouns) -> Iterator[tuple[int, Gender]]:
    """Yield genders of pronouns with the person before, unless a noun before has that gender."""
    at, person, others = 0, -1, {""}
    for phrase in (*find_phrases(text, nouns), None):
        for word in _WORD.findall(text[at : phrase.start if phrase else None]):
            others.add(gender_of(word))
            gender = gender_of(word, "pronoun")
            if person >= 0 and gender not in others:
                yield person, gender
        if phrase:
            at, person = phrase.end, phrase.person


def _settled(said: Iterable[tuple[int, Gender]]) -> Genders:
    """The genders of both people: one stated holds for both; a contradiction leaves both open."""
    stated = {(person, gender) for person, gender in said if gender}
    first, second = ([gender for who, gender in stated if who == one] for one in (0, 1))
    if len(first) > 1 or len(second) > 1 or not stated:
        return NEITHER
    return (first or second)[0], (second or first)[0]


@_remembered
def family_of(item: Item) -> tuple[str, str, str]:
    """The template, and the two nationalities as the context mentions them: BBQ writes one pair as
    two boys in one order and as two girls in the other.
    """
    signs = [sign for sign in marked(item.context, item.pair) if sign in SIGNS]
    first = SIGNS.index(signs[0]) if signs else 0
    return item.template, item.pair[first], item.pair[1 - first]


_AND = re.compile(r"\s+and\s+")
_THERE_IS = re.compile(
    r"\bthere(?:['’]s|\s+(?:is|are|was|were))\s+(?:an?\s[^.!?:;]*)?$", re.IGNORECASE
)
_LATER = re.compile(r"[^.!?]*\b(?:later|earlier|before|afterwards)[.!?]")
"""A phrase of time: after two bare names it would seem to be about both people."""
_NEXT_WORD = re.compile(r"\s+[A-Za-z]")


class Rewriter:
    """Rewrites the marked texts of one item for names, and remembers who has been introduced."""

    def __init__(self, nouns: Nouns = (), answers: Sequence[str] = ()) -> None:
        self._nouns = nouns
        self._met: set[str] = set()
        self._belonging = ""
        """The noun of the last belonging ("family"), to which a later "one" refers."""
        self._asked_about = ""
        """The noun of the answers: "fans" for "The Danish fans"."""
        for answer in answers:
            for phrase in find_phrases(answer, nouns):
                if phrase.kind == "belonging":
                    self._asked_about = phrase.noun

    def rewrite(self, text: str, *, introduces: bool = False) -> str:
        phrases = list(find_phrases(text, self._nouns))
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
        shared = first.kind == "bare" and not second.determiner
        noun = one_person(second.head) if shared else second.head
        mine = is_a(first.determiner, "possessive")
        twice = (
            first.kind == second.kind == "person"
            and first.noun == second.noun
            and first.determiner.lower() == second.determiner.lower()
        )
        if noun is None or not (shared or (twice and mine)):
            return None
        both = f"{first.sign} and {second.sign}{second.own}"
        if not mine or not introduces or {first.sign, second.sign} <= self._met:
            return both
        self._meet(first)
        self._meet(second)
        nouns = " ".join([*second.noun.split()[:-1], plural_of(noun)])
        return f"{first.determiner} {nouns} {both}"

    def _words(self, phrase: Phrase, before: str, after: str, introduces: bool) -> str:
        name = phrase.sign
        known, belonging = not introduces or name in self._met, self._belonging
        self._meet(phrase)
        if phrase.kind == "belonging":
            some = [phrase.determiner, "of"] if is_a(phrase.determiner, "number") else []
            owned = " ".join([*some, f"{name}'s", *phrase.described, phrase.noun])
            # "Freja's family house" rather than "Freja's family's house".
            return owned if _NEXT_WORD.match(after) else owned + phrase.own
        # "The Irish", "were all actually Irish", where the answers are about "the Irish fans".
        many = phrase.determiner or any(is_a(word, "be many") for word in before.split()[-3:])
        if phrase.kind == "bare" and self._asked_about and many:
            return f"{name}'s {self._asked_about}{phrase.own}"
        if phrase.kind == "anaphor" and belonging:
            return f"{phrase.the} one from {name}'s {belonging}{phrase.own}"
        if phrase.kind == "person":
            # A bare name would not fit: "There's Lars who …".
            keeps_noun = _THERE_IS.search(before) or _LATER.match(after)
            name = self._introduced(phrase, known, keeps_noun is not None)
        return name + phrase.own

    def _introduced(self, phrase: Phrase, known: bool, keeps_noun: bool) -> str:
        described = " ".join([*phrase.described, phrase.noun])
        if is_a(phrase.determiner, "article") and not known and keeps_noun:
            article = phrase.determiner[0] + ("n" if described[0] in "aeiou" else "")
            return f"{article} {described} named {phrase.sign}"
        if is_a(phrase.determiner, "possessive") and not known:
            return f"{phrase.determiner} {described} {phrase.sign}"
        if phrase.described and phrase.determiner:
            return f"{phrase.the} {described} {phrase.sign}"
        return phrase.sign

    def _meet(self, phrase: Phrase) -> None:
        self._met.add(phrase.sign)
        if phrase.kind in ("belonging", "person"):
            self._belonging = phrase.noun if phrase.kind == "belonging" else ""


class CannotSubstitute(BadRequest):
    """An item has sentences that the rules do not fit."""

    def __init__(self, item: Item, why: str) -> None:
        super().__init__(f"Item {item.example_id}: {why}.")


_ARTICLE = re.compile(rf"\b(?:the|an?)\s+[{SIGNS}]", re.IGNORECASE)


@_remembered
def with_signs(item: Item) -> Item:
    """The item in words that fit names, with signs for them. Raises `CannotSubstitute`."""
    texts = [marked(text, item.pair) for text in (item.context, item.question, *item.answers)]
    for text, nationality in product(texts, item.pair):
        # Also in words that no rule covers: "Danish-born", "half-Danish".
        if left := re.search(rf"(?<!\w)[\w-]*{re.escape(nationality)}[\w-]*", text):
            raise CannotSubstitute(item, f"{left[0]!r} is left in {text!r}")
    for sign, nationality in zip(SIGNS, item.pair, strict=True):
        if sign not in texts[0]:
            raise CannotSubstitute(item, f"the context does not speak of the {nationality} person")
    rewriter = Rewriter(answer_nouns(item), texts[2:])
    # The context comes first, since it introduces the people.
    context, *others = (
        rewriter.rewrite(text, introduces=place == 0) for place, text in enumerate(texts)
    )
    if any(map(_ARTICLE.search, (context, *others))):
        raise CannotSubstitute(item, f"an article would stand before a name in {item.context!r}")
    question, first, second, third = others
    answers = (first, second, third)
    return msgspec.structs.replace(item, context=context, question=question, answers=answers)


def with_names(item: Item, names: tuple[str, str]) -> Item:
    signed, signs = with_signs(item), str.maketrans(dict(zip(SIGNS, names, strict=True)))
    first, second, third = (text.translate(signs) for text in signed.answers)
    return msgspec.structs.replace(
        signed,
        context=signed.context.translate(signs),
        question=signed.question.translate(signs),
        answers=(first, second, third),
    )
