"""A text with names where its noun phrases were.

the Danish student              Freja           a person is their name
my Danish friend                my friend Freja when first met, Freja afterwards
my Danish and my Thai friend    my friends Freja and Mali
There's a Danish man            There's a man named Lars
a Danish man and … years later  a man named Lars and … years later
the (other new) Danish family   Freja's family  what is somebody's keeps its noun
the Danish family's house       Freja's family house
the Danish one                  Freja, or the one from Freja's family
were all Danish                 were all Freja's fans, if that is what the answers are about
one Danish and the other Thai   Freja and Mali
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from geobias.probes.lazy import regex
from geobias.probes.namebbq.substitution.phrases import NO_NOUNS, Phrase, find_phrases
from geobias.probes.namebbq.substitution.words import (
    NounKind,
    ends_phrase,
    is_a,
    one_person,
    plural_of,
)

_AND = regex(r"\s+and\s+")
_THERE_IS = regex(r"\bthere(?:['’]s|\s+(?:is|are|was|were))\s+(?:an?\s[^.!?:;]*)?$", re.IGNORECASE)
_LATER = regex(r"[^.!?]*\b(?:later|earlier|before|afterwards)[.!?]")
"""What sets two people apart in time belongs to the second alone; after bare names it would not."""
_NEXT_WORD = regex(r"\s+[A-Za-z]")
_MANY = "group"
"""What the people of a nationality in the plural are to the one who has the name."""


class Rewriter:
    """Puts two names in the texts of one item. It remembers who has been introduced."""

    def __init__(
        self,
        people: tuple[str, str],
        names: tuple[str, str],
        nouns: Mapping[str, NounKind] = NO_NOUNS,
        answers: Sequence[str] = (),
    ) -> None:
        self._people = people
        self._names = names
        self._nouns = nouns
        self._met: set[int] = set()
        self._belonging = ""
        """The noun of the last thing that was somebody's: what "one" stands for after it."""
        self._asked_about = ""
        """What the answers are about ("The Danish fans")."""
        for answer in answers:
            for phrase in find_phrases(answer, people, nouns):
                if phrase.kind == "belonging":
                    self._asked_about = phrase.noun

    def context(self, text: str) -> str:
        """The text where the people are introduced."""
        return self._rewrite(text, introduces=True)

    def mention(self, text: str) -> str:
        """A text about people who are known by now: the question, an answer."""
        return self._rewrite(text, introduces=False)

    def _rewrite(self, text: str, *, introduces: bool) -> str:
        phrases = list(find_phrases(text, self._people, self._nouns))
        parts: list[str] = []
        at = 0
        while phrases:
            phrase = phrases.pop(0)
            before = text[: phrase.start]
            end = phrase.end
            together = self._together(text, phrase, phrases[0], introduces) if phrases else None
            if together is not None:
                end = phrases.pop(0).end
                words = together
            else:
                words = self._words(phrase, before, text[end:], introduces)
            # BBQ forgets the space after a full stop at times; a name must stand by itself.
            space = " " if before[-1:] in ".!?" and before else ""
            parts += [text[at : phrase.start], space, words]
            at = end
        return "".join([*parts, text[at:]])

    def _together(self, text: str, first: Phrase, second: Phrase, introduces: bool) -> str | None:
        """Two phrases joined by "and" that read as one; None where they do not."""
        if not _AND.fullmatch(text[first.end : second.start]) or first.possessive:
            return None
        one, other = self._names[first.person], self._names[second.person]
        shared = first.kind == "bare" and not second.determiner and not first.plural
        if shared and second.kind == "belonging" and one_person(second.head) is None:
            self._meet(second)
            return f"{_s(one)} and {_s(other)} {second.noun}{_own(second)}"
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
        """A nationality without a noun: "the Irish", "is Irish", "were all actually Irish"."""
        name = self._names[phrase.person]
        if phrase.plural:
            return f"{_s(name)} {self._asked_about or _MANY}{_own(phrase)}"
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
    """Where a bare name would not do for someone who is introduced: "There's Lars who …"."""
    return _THERE_IS.search(before) is not None or _LATER.match(after) is not None


def _many_are(before: str) -> bool:
    """Whether the text ends with "were", or with "were" and up to two words like "all"."""
    return any(is_a(word, "be many") for word in before.split()[-3:])


def _verb_next(after: str) -> bool:
    return ends_phrase(after.split(maxsplit=1)[0].strip(".,;:!?"))
