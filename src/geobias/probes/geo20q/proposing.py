"""Does a turn propose the target as the answer? The rule *guess*.

A name alone does not say so: "Is it taller than Mount Kenya?", "Was she married to Nelson Mandela?"
and "It is not Neruda. Is it Mistral?" name without proposing. So each sentence with the target's
name is read clause by clause with the patterns of its language (`guess_words`)::

    surely, yes   the clause proposes it: "Is it §?", "I'd say the sprinter §", "§ değil mi?"
    no            it compares, denies, relates, supposes or asks about it
    lists         two or more of equal weight: nobody is proposed
    doubtful      none of these: only a reader could say

A noun of the target's own kind beside its name is read as part of it, and one of another kind makes
it another's: "the temple of Angkor Wat" is Angkor Wat, 长城汽车 is no wall, "musée Toyota" no
carmaker. Words that say only how sure one is are left out first, and of "not sure, but it may be §"
what follows the "but" is read. Of several sentences, one that proposes is enough, unless a later
one takes it back. A final guess that names several proposes the one it chooses, and else the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal, NamedTuple

from geobias.atlas.entities import Entity
from geobias.probes.geo20q.guess_words import GuessWords, Sort, guess_words
from geobias.probes.geo20q.neighbours import Sighting, begins_sentence, places_and_peoples
from geobias.probes.geo20q.sightings import Names
from geobias.probes.geo20q.spellings import prefixes
from geobias.probes.geo20q.tokens import Token

TARGET, OTHER, LARGE = "§", "¤", "¬"
"""Signs for the target's name, for another's of the table, and for a word written large that is in
no name of the table."""
PLACES = ("site", "nature", "park", "river", "mountain", "lake", "island", "museum", "university")
_WORKS = ("work", "garment", "performance")
OWN = {
    "landmark": ("site", "nature", "museum"),
    "building": ("site", "museum"),
    "museum": ("museum", "site"),
    "university": ("university",),
    "park": ("park", "nature"),
    "nature": ("nature", "mountain", "park"),
    "river": ("river",),
    "mountain": ("mountain",),
    "lake": ("lake",),
    "island": ("island",),
}
"""What may be said "of" a place: "the island of Bali", and not "the island of Lake Titicaca"."""
_FITTING = {
    **dict.fromkeys(OWN, (*PLACES, "work")),
    "artefact": (*PLACES, *_WORKS),
    "work": (*PLACES, *_WORKS),
    "music": _WORKS,
    "festival": ("performance",),
    "sport": (*PLACES, "performance", "company"),
    "clothing": _WORKS,
    "food": ("food", "company", "creature"),
    "drink": ("food", "company", "creature"),
    "plant": ("food", "creature", *PLACES),
    "animal": ("creature",),
    "brand": ("company", "food", "garment"),
}
"""Categories of things → the nouns that may stand beside their names."""
_TITLED = ("work", "performance", "company")
"""Nouns that stand before a name in English too: "the novel §"; "cheese §" is a kind of it."""


def own_kind_only(marked: str, target: Entity, words: GuessWords) -> str:
    """The text with "temple of §" read as §, and with ¤ for a name beside an unfitting noun."""
    of_it, another = _patterns(words.code, target.category, target.type == "person")
    return another.sub(lambda found: found[0].replace(TARGET, OTHER), of_it.sub(TARGET, marked))


@cache
def _patterns(code: str, category: str, person: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns: a noun of the target's kind "of" its name; one of another kind beside it."""
    words = guess_words(code)
    fitting = set() if person else _nouns(words, _FITTING.get(category, tuple(words.nouns)))
    unfitting = _nouns(words, tuple(words.nouns)) - fitting
    own = set() if person else _nouns(words, OWN.get(category, ()))
    of_it = rf"\b{_any_of(own)} (?:[\w-]+ ){{0,2}}?(?:{words.of}){TARGET}" if words.of else "(?!)"
    if words.of and not person:
        beside = fitting if words.noun_first else fitting & _nouns(words, _TITLED)
        subject = (
            "" if words.noun_first else r"(?<!is the )(?<!was the )(?<!is this )(?<!was this )"
        )
        of_it = rf"{of_it}|{subject}\b{_any_of(beside)} {TARGET}"
    if not words.spaces:
        long = {noun for noun in unfitting if len(noun) > 1}
        another = f"{TARGET}(?!{_any_of(fitting)}){_any_of(long)}"
    elif words.noun_first:
        another = rf"\b{_any_of(unfitting)} {TARGET}" if not person else "(?!)"
    else:
        another = rf"{TARGET} {_any_of(unfitting)}\b(?!-)"
    return re.compile(of_it), re.compile(another)


def _nouns(words: GuessWords, kinds: tuple[str, ...]) -> set[str]:
    return {noun for kind in kinds for noun in words.nouns.get(kind, ())}


def _any_of(nouns: set[str]) -> str:
    longest_first = sorted(map(re.escape, nouns), key=len, reverse=True)
    return f"(?:{'|'.join(longest_first) or '(?!)'})"


Verdict = Literal["yes", "no", "doubtful"]
KINDS = ("food", "drink", "animal", "plant", "clothing", "music", "sport", "artefact", "festival")
"""Categories of things of which there are many: a word before the name makes another kind of it."""

_DROPPED = re.compile(
    r"[\"“”„«»‹›「」『』《》〈〉*_#`~¿¡§¤¬+\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]"
)
"""Quotation marks, emphasis, pictures, and the signs that the reader uses itself."""
_SENTENCES = re.compile(
    r"([!?！？؟。।\n]+|…+|\.{2,}|(?<![\s.]\w)(?<!\bdr)(?<!\bst)(?<!\bmr)(?<!\bsta)(?<!\bprof)(?<!\bmrs)(?<!\bms)(?<!\bsr)"
    r"(?<!\bsra)(?<!\bdra)(?<!\brev)(?<!\bgen)\.(?=\s|$))"
)
_CLAUSES = re.compile(r"[,;:，；：、،؛—–|]| - |[()（）\[\]]")
_ENGLISH = re.compile(
    r"\b(?:is (?:it|this|he|she|the)|it(?: is|'s)|(?:could|would|might) it be|are you thinking"
    r"|i(?:'m)? (?:think|thinking|believe|guess|would say)|my (?:final |last )?(?:guess|answer)"
    r"|the answer is)\b"
)
_BRACKETS = re.compile(r"[(（\[][^()（）\[\]]*[)）\]]")


_SHORT = re.compile(rf"(?:\w+[ '-]){{0,3}}{TARGET}")
"""Without grammar, a name after three words at most is taken for a guess: "Ist es der §?"."""


class Reading(NamedTuple):
    """What a turn says of the target: whether it names it, and whether it proposes it."""

    mention: bool
    guess: Verdict


def read_turn(text: str, target: Entity, names: Names, *, final: bool = False) -> Reading:
    said, seen = names.read(text, target)
    if not any(one.owner == target.id for one in seen):
        return Reading(mention=False, guess="no")
    marked = _marked(text, said, seen, target, names.words)
    marked = _unlisted(marked, _marked(text, said, seen, target, names.words, large=True), names)
    marked = own_kind_only(marked, target, names.words)
    sort: Sort = "kind" if target.category in KINDS else "one"
    if target.type == "person":
        sort = "person"
    # Models fall into English, whatever language they are asked in.
    words = guess_words("en") if _ENGLISH.search(marked) else names.words
    return Reading(mention=True, guess=_verdict(marked, words, sort=sort, final=final))


def _marked(
    text: str,
    said: Sequence[Token],
    seen: Sequence[Sighting],
    target: Entity,
    words: GuessWords,
    *,
    large: bool = False,
) -> str:
    """The text in lower case with signs for names: § the target, ¤ another; +s is an ending.

    `large`: with ¬ for further words that are written large and so may be names too.
    """
    parts: list[str] = []
    starts = {one.first: one for one in seen}
    place = 0
    while place < len(said):
        gap = _unquoted(said[place].gap)
        if place and said[place - 1].raw.casefold() in words.abbreviations:
            gap = gap.lstrip(".")
        if (one := starts.get(place)) is not None:
            before = " ".join(prefixes(said[place].raw, one.spelling.parts[0]) or "")
            parts += [
                gap,
                f"{before} " if before else "",
                TARGET if one.owner == target.id else OTHER,
            ]
            parts.append(f"+{one.ending}" if one.ending and words.cases else "")
            place = one.last
        else:
            is_name = large and _may_be_name(said, place, words)
            parts += [gap, LARGE if is_name else said[place].word]
            place += 1
    parts.append(_unquoted(text[said[-1].end :]) if said else "")
    return re.sub(r"[^\S\n]+", " ", "".join(parts).replace("’", "'"))


def _may_be_name(said: Sequence[Token], place: int, words: GuessWords) -> bool:
    one = said[place]
    known = one.word in words.common or one.word in places_and_peoples()
    small_or_first = not one.raw[:1].isupper() or begins_sentence(said, place)
    return not (small_or_first or known or one.number or one.raw == "I")


def _unlisted(marked: str, large: str, names: Names) -> str:
    """The text without the target where it is one of several in a list: "§, ¤ or ¤"."""
    large = re.sub(rf"{LARGE}(?:(?: \w+)? {LARGE})*", LARGE, large)
    english = guess_words("en") if _ENGLISH.search(marked) else names.words
    listed: set[int] = set()
    for row in english.names_in_a_row.finditer(large):
        if not _is_list(row, english):
            continue
        first = large[: row.start()].count(TARGET)
        listed |= set(range(first, first + row[0].count(TARGET)))
    if not listed:
        return marked
    parts = marked.split(TARGET)
    signs = ["xx" if place in listed else TARGET for place in range(len(parts) - 1)]
    return "".join(part + sign for part, sign in zip(parts, [*signs, ""], strict=True))


def _is_list(row: re.Match[str], words: GuessWords) -> bool:
    """Whether names in a row are several of equal weight: by an "or", or as all that is said."""
    said = row[0]
    others = said.count(OTHER) + said.count(LARGE)
    if TARGET not in said or not others:
        return False
    if words.alternatives.search(said):
        return True
    whole = _SENTENCES.split(row.string[: row.start()])[-1] + row.string[row.end() :]
    alone = not _SENTENCES.split(whole)[0].strip(" .")
    return LARGE not in said and (alone or others + said.count(TARGET) > 2)


def _unquoted(gap: str) -> str:
    """What stands between words, without quotation marks and emphasis; an apostrophe that joins
    two words stays."""
    plain = _DROPPED.sub("", gap)
    return plain if plain in ("'", "’") else plain.replace("'", "").replace("’", "")


class _Sentence(NamedTuple):
    text: str
    asks: bool


def _verdict(marked: str, words: GuessWords, *, sort: Sort, final: bool) -> Verdict:
    pieces = _SENTENCES.split(marked)
    sentences = [
        _Sentence(text.strip().replace(".", ""), bool({*"?？؟"} & {*stop}))
        for text, stop in zip(pieces[::2], [*pieces[1::2], ""], strict=True)
    ]
    sentences = [one for one in sentences if one.text]
    verdicts = [_sentence(one, words, sort) if TARGET in one.text else None for one in sentences]
    doubtful = False
    for place in reversed(range(len(sentences))):
        verdict = verdicts[place]
        if verdict == "yes" and not _overruled(sentences, place, words, final):
            return "yes"
        doubtful = doubtful or verdict == "doubtful"
    return "doubtful" if doubtful else "no"


def _overruled(sentences: Sequence[_Sentence], place: int, words: GuessWords, final: bool) -> bool:
    """Whether what is said before or after outweighs a sentence that proposes the target."""
    here, later = sentences[place].text, sentences[place + 1 :]
    after = ". ".join(one.text for one in later)
    chooses_here = words.pattern("choice").search(here) is not None
    if words.pattern("withdraw").match(after):
        return True
    taken_back = words.pattern("retract").search(f" {after}") and not words.pattern(
        "second"
    ).search(after)
    if taken_back and any(
        OTHER in one.text or words.pattern("answers").search(one.text) for one in later
    ):
        return True
    if not final:
        return False
    before = sentences[:place]
    proposed = [one for one in before if _proposes_other(one, words)]
    if not proposed:
        return False
    earlier = ". ".join(one.text for one in before)
    if words.pattern("second").search(here):
        return True
    return not (
        chooses_here
        or words.pattern("retract").search(f" {here}")
        or words.pattern("retract").search(earlier)
    )


def _proposes_other(one: _Sentence, words: GuessWords) -> bool:
    if OTHER not in one.text:
        return False
    swapped = one.text.replace(TARGET, "x").replace(OTHER, TARGET)
    return _sentence(_Sentence(swapped, one.asks), words, "one") == "yes"


def _sentence(one: _Sentence, words: GuessWords, sort: Sort) -> Verdict:
    text = _without_asides(one.text)
    if not words.spaces:
        text = text.replace(" ", "")
    text = _names_joined(text, words)
    if not_that := words.pattern("instead").search(text):
        text = text[not_that.end() :]  # "not ¤ but §"
    if _gives_way(text, words):
        return "no"
    text = _after_but(text, words)
    if not one.asks:
        text = _without_doubts(text, words)
    text = words.namely.sub(", ", words.adverbs.sub("", text)).strip(" ,，、،")
    if _proposes_whole(text, words) and not words.pattern("lists").search(text):
        return "yes"
    if TARGET not in text or text.strip(" .,!") == TARGET:
        return "yes" if TARGET in text else "no"
    if not words.known:
        return "yes" if _SHORT.fullmatch(text) else "doubtful"
    clauses = [clause.strip() for clause in _CLAUSES.split(text)]
    clauses = [
        clause for clause in clauses if clause and not words.pattern("fillers").fullmatch(clause)
    ]
    if not one.asks:  # "It is not §" denies; "Is it not §?" does not
        clauses = [clause for clause in clauses if not words.pattern("denied").search(clause)]
    if len(named := [one for one in clauses if TARGET in one]) > 1 and _alone(named[-1], words):
        return "yes"  # "either ¤ or §; §, I think": first in a list, then by itself
    ends = [","] * (len(clauses) - 1) + ["?" if one.asks else ""]
    said = [
        _clause(
            before,
            f"{clause}{end}",
            words,
            sort,
            listed=words.pattern("lists").search(text) is not None,
        )
        for before, clause, end in zip(["", *clauses], clauses, ends, strict=False)
        if TARGET in clause
    ]
    return "yes" if "yes" in said else "doubtful" if "doubtful" in said else "no"


def _alone(clause: str, words: GuessWords) -> bool:
    """Whether a clause is the target's name, perhaps with an article, and nothing else."""
    before, _, after = clause.strip(" .!").partition(TARGET)
    return not after and (not before or before.strip(" '") in words.articles)


def _clause(before: str, clause: str, words: GuessWords, sort: Sort, *, listed: bool) -> Verdict:
    """What a clause with the name says, after the clause before it; `listed`: its sentence has a
    list, out of which only a plain choice leads."""
    patterns = words.sentences(sort)
    plain = clause.rstrip("?,")
    if words.pattern("never").search(plain):
        return "no"
    if _fits(clause, patterns["surely"]):
        return "yes"
    chosen = words.pattern("choice").search(f"{before}, {plain}") is not None
    if (
        _fits(clause, patterns["no"])
        or words.pattern("hanging").search(before)
        or (listed and not chosen)
    ):
        return "no"
    if _fits(plain, patterns["yes"]):
        return "yes"
    return "no" if listed else "doubtful"


def _fits(clause: str, patterns: Iterable[re.Pattern[str]]) -> bool:
    return any(pattern.search(clause) for pattern in patterns)


def _without_asides(text: str) -> str:
    """Without what stands in brackets; one with nothing but the name stays as an apposition."""

    def kept(aside: re.Match[str]) -> str:
        inside = aside[0][1:-1].strip()
        return f", {TARGET} " if inside == TARGET else " "

    outside = _BRACKETS.sub(" ", text)
    if TARGET in outside:
        return re.sub(" +", " ", outside)
    return re.sub(" +", " ", _BRACKETS.sub(kept, text))


def _gives_way(text: str, words: GuessWords) -> bool:
    """Whether another answer follows the name after a "but", in the table or not."""
    return any(
        TARGET in text[: but.start()]
        and TARGET not in (after := text[but.end() :])
        and (
            words.pattern("answers").search(after)
            or _proposes_other(_Sentence(after, asks=False), words)
        )
        for but in words.pattern("but").finditer(text)
    )


def _after_but(text: str, words: GuessWords) -> str:
    """What follows a "but", where only that names the target: "not sure, but I'd say §"."""
    first = text.find(TARGET)
    buts = [but.end() for but in words.pattern("but").finditer(text) if but.end() <= first]
    return text[buts[-1] :].lstrip(" ,，、،") if buts else text


def _proposes_whole(text: str, words: GuessWords) -> bool:
    """Whether a sentence proposes as a whole, perhaps after clauses of reasons."""
    starts = [0, *(comma.end() for comma in _CLAUSES.finditer(text))]
    return any(words.pattern("whole").search(text[start:].lstrip()) for start in starts)


def _without_doubts(text: str, words: GuessWords) -> str:
    """A statement without what it says after a "but" that follows the name: "§, but I may err"."""
    for but in words.pattern("but").finditer(text):
        if TARGET in text[: but.start()] and not {TARGET, OTHER} & {*text[but.end() :]}:
            return text[: but.start()].rstrip(" ,，、")
    return text


def _names_joined(text: str, words: GuessWords) -> str:
    """Two names of the target one after another are one: "§, or just §".

    Not where a "but" parts them, nor where the first ends a list: "between ¤ and §, § fits".
    """

    def joined(names: re.Match[str]) -> str:
        apart = words.pattern("but").search(names[0]) or words.pattern("lists").search(
            text[: names.start() + 1]
        )
        return names[0] if apart else TARGET

    return re.sub(rf"{TARGET}(?: ?[,/]? ?(?:\w+ ){{0,3}}?{TARGET})+(?![\w+])", joined, text)
