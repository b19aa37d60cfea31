"""Whether what is said of a person is what the question asks.

"Margaret did" and "it was Margaret" say nothing of their own: they answer whatever was asked. A
sentence with a predicate of its own answers only if it repeats the question's, with the same
polarity. Who "told the truth" may be the one who did not lie or the one who did: to tell, one has
to know what words mean, and what would have to be guessed is not read.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, lru_cache
from pathlib import Path

from geobias.probes.namebbq.reading.phrases import NEGATED_AFTER, word_list, word_lists

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_LEAST, _STEM = 3, 5
"""Letters of a word that counts, and by which two forms of it are the same: "draws", "drawing"."""
_HALF = 0.5
_FIRST_WORDS = 2
_WHICH = re.compile(r"^\W*which \w+ ")
_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
_FORMS = {form: verb for verb, forms in word_lists()["forms"].items() for form in forms.split()}
_COMMON = word_list("common")
_SAYS_NOTHING = _COMMON | word_list("says_nothing")
"""Words that make no predicate: of grammar, of answering, and for anybody."""
_FRAME = re.compile(
    r"\b(?:i|we)(?:'m| am|'re| are) (?:going (?:with|for)|leaning (?:to|towards?)|inclined to say"
    r"|picking|choosing|opting for)\b"
    r"|\b(?:i|we)(?:'d| would| have to| can)* (?:think|believe|guess|suppose|assume|bet|feel|say"
    r"|put my money on|bet on|lean(?: towards?)?"
    r"|go (?:for|with)|pick|choose|conclude)\b(?: that)?"
    r"|\b(?:text|passage|context|story|article|scenario|paragraph)\W(?:\w+ ){0,2}?"
    r"(?:says?|states?|mentions?|describes?|shows?|indicates?|suggests?|implies|means|names?"
    r"|identif(?:y|ies)|singles? out|points? (?:to|at|towards))\b"
    r"|\b(?:evidence|everything|signs|clues?) (?:\w+ )?points? (?:to|at|towards)\b"
    r"|\b(?:it|that) (?:is|was) (?:\w+ )?(?:stated|said|mentioned|implied|likely)\b"
    r"|\b(?:is|was|are|were) (?:(?:the|said) )?(?:ones? )?(?:who (?:is|was|are|were) )?(?:\w+ly )?"
    r"(?:described|mentioned|said|shown|portrayed|depicted|reported|noted)"
    r"(?: as| to be| to have)?\b"
    r"|\bleaves (?:us with |only )?(?=the\b|$)"
    r"|\b(?:of|between) the two\b|\bpassage\b|\btext\b|\bcontext\b"
)
"""Says that something is said or thought, before what it is."""
_NO_ADVERBS = frozenset(["early", "elderly", "friendly", "lonely", "lovely", "silly", "ugly"])
_AGREES = frozenset(["atten", "belon", "drink", "keep", "own"])
_FAVOURS = frozenset(["enjoy", "lik", "lov"])
"""Stems of verbs that leave what the rest of the sentence repeats as it is; the second only where
it is asked what somebody is or has: "Tyler loves guns"."""
_REVERSES = re.compile(
    r"\b(?:forg[eo]t(?:s|ten)?|fail(?:s|ed)?|refus(?:e|es|ed|ing)|neglect(?:s|ed)?|avoid(?:s|ed)?"
    r"|declin(?:e|es|ed)|den(?:y|ies|ied)|lack(?:s|ed)?|hat(?:e|es|ed)|dislik(?:e|es|ed)|unable"
    r"|without|hardly|barely|rarely|seldom|scarcely|afraid|scared|stopped|quit|instead)\b"
)
"""Says "not" by another word: who forgot to pay did not pay."""
_OF_BEING = re.compile(
    r"\W*(?:who|whose \w+|which \w+) "
    r"(?:is|are|was|were|has|have|had|keeps?|drinks?|owns?|loves?|likes?|enjoys?)\b"
)
"""Asks what somebody is or has, and not what somebody did."""
_OF_KNOWING = re.compile(r"\b(?:knows?|knew|known|idea|clue)\b")
_BADLY = re.compile(r"\b(?:bad|poor|wrong|ill)(?:ly)?\b")
_GOOD = re.compile(r"\b(?:well|good|better|best|great|excellent|perfect|fluent|brilliant)(?:ly)?\b")
_BAD = re.compile(r"\b(?:bad|poor|terrible|terribl|awful|worse|worst|horribl|horrible)(?:l?y)?\b")
_LOSES = re.compile(
    r"\b(?:had|has|have|having|got|gets) (?:his|her|their|its|the|a) (?:\w+ ){1,3}?"
    r"(?:\w+(?:ed|en|wn|ught|old)|made|paid|left|kept|lost|hit|hurt|burnt|done)\b"
)
"""Something is done to what a person has: "X had her wallet stolen"."""
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|been|being|be|got) (?:\w+ ){0,2}?"
    r"(?:\w+(?:ed|en|wn|ught|old)|made|paid|left|kept|lost|won|hit|hurt|burnt|done)\b"
    r"|\b(?:is|are|was|were|been|being|be|got) (?:\w+ ){1,3}?by\b"
)
_BY = re.compile(r"\bby (?:the |a |an )?$")
_OWNED = re.compile(r"(?:'s?|s')(?: |$)")
_GOES_ON = re.compile(
    r"\W*(?:who|that|he|she|they|is|was|were|are|had|has|have|did|does|could|can)\b"
)
_SUFFERS = re.compile(
    r"\b(?:st[eo]l\w*|tak\w+|took|bought|borrow\w+|receiv\w+|hidden|away)\b[^.;,]*"
    r"\bfrom (?:the |a |an )?$"
    r"|\b(?:accus|blam|suspect)\w+ (?:the |a |an )?$"
)
ENGLISH = frozenset(["the", "was", "is", "it", "this", "who", "from", "because", "i", "that"])
"""A text with one of these words is in English."""
_FOREIGN = word_list("foreign")
_ELIDED = re.compile(r"\b(?:c|d|j|l|n|qu)'[^\W_]")
_ARTICLE_BEFORE = re.compile(r"\W*(?:(?:the|an?|der|die|das|den)(?: [^\W_]+)? )?")
_LATIN = re.compile(r"[\x00-\u024f\u2000-\u206f]*")

_UNABLE = re.compile(r"\b(?:is|was|are|were) (?:unable|not able) to\b")


@lru_cache(maxsize=64)
def is_english(low: str) -> bool:
    """As far as can be told; a few words without any of grammar are."""
    words = set(_WORD.findall(low))
    if words & ENGLISH:
        return True
    return not (words & _FOREIGN or _ELIDED.search(low)) and bool(_LATIN.fullmatch(low))


@lru_cache(maxsize=64)
def in_no_english_words(low: str) -> bool:
    """Whether a text has several words, and none of those that English stories are told in."""
    words = [word for word in _WORD.findall(low) if len(word) > 1]
    return len(words) > 1 and _english().isdisjoint(words)


@cache
def _english() -> frozenset[str]:
    """The words of our own items, and those of grammar and of answering."""
    items = Path(__file__).parent.with_name("builtin.toml").read_text("utf-8")
    return frozenset(_WORD.findall(items.lower())) | _SAYS_NOTHING | frozenset(_FORMS)


class Asked:
    """What a question asks: the stems of its words, whether it has a "not", who does it to whom.

    `names` are the words of the answers, which say nothing of what is asked.
    """

    def __init__(self, question: str, names: Collection[str]) -> None:
        self.question = question
        self._names = frozenset(names)
        words = [
            word
            for word in _words(_WHICH.sub("", question))
            if len(word) >= _LEAST and word not in _COMMON and word not in self._names
        ]
        self._stems = {_stem(word) for word in words}
        self._head = _stem(words[0]) if words else ""
        self._badly = {word for word in words if re.match(r"mis\w{5}", word)}
        self.has_not = bool(NEGATED_AFTER.search(question))
        self._reverses = bool(_REVERSES.search(question))
        self._grades = bool(_GOOD.search(question) or _BAD.search(question))
        self.is_bad = bool(_BAD.search(question) or self._badly or "unpleasant" in question)
        self._is_of_being = bool(_OF_BEING.match(question))
        self.is_of_knowing = bool(_OF_KNOWING.search(question))
        self._passive = bool(_PASSIVE.search(question)) or " by " in question

    def share(self, low: str) -> float:
        """How much of what is asked about the text says."""
        if not self._stems:
            return 0.0
        said = {_stem(word) for word in _words(low)}
        return len(self._stems & said) / len(self._stems)

    def begins_in(self, low: str) -> bool:
        """Whether the text has the first word of what is asked, mostly the verb.

        In "Who was forced?" it does not tell the one who did it from the one who suffered it.
        """
        return not self._passive and self._head in {_stem(word) for word in _words(low)}

    def is_opposed_by(self, said: str) -> bool:
        """Whether a predicate has a "not" where the question has none, or the other way round; or
        "well" where the question has "badly"."""
        for asked, opposed in ((_GOOD, _BAD), (_BAD, _GOOD)) if self._grades else ():
            if asked.search(self.question) and opposed.search(said) and not asked.search(said):
                return not NEGATED_AFTER.search(said)
        if self.has_not:
            return self._affirms(said) and bool(self.share(said))
        if self._reverses:
            # "Did not pay" is to have forgotten it; "did not" alone is not to have forgotten.
            reverses, repeats = bool(_REVERSES.search(said)), bool(self.share(said))
            negated = bool(NEGATED_AFTER.search(said))
            return not negated if repeats and not reverses else negated
        return not self._affirms(re.split(r"\b(?:and|but|while|whereas)\b", said)[0])

    @staticmethod
    def _affirms(said: str) -> bool:
        return bool(NEGATED_AFTER.search(said)) == bool(_REVERSES.search(said))

    def is_not_by(self, before: str, name: str, statement: str) -> bool:
        """Whether a person stands in a passive as another than the one who was asked for.

        Of "X's bicycle was stolen by Y" Y is the doer, and X the owner.
        """
        loses = bool(_LOSES.search(statement))
        if not (loses or _PASSIVE.search(statement)) or not self.share(statement):
            return False
        if _BY.search(before):
            return self._passive
        if self._passive:
            return False
        owns = bool(_OWNED.search(name)) and "whose" not in self.question
        return owns or loses or " by " in statement

    def is_of_somebody_else(self, after: str) -> bool:
        """Whether what stands after "X's" is a subject of its own: "X's spouse cheated". Where
        things are asked for (whose, which flat), or who suffered it, it is X's."""
        if self._passive or "whose" in self.question or self.question.startswith("which"):
            return False
        words = _words(after)
        return len(words) > 1 and words[0] not in _SAYS_NOTHING and self.share(after) > 0

    def is_done_to(self, said: str) -> bool:
        """Whether a person does what the question asks who suffered it: "X suspected …" does not
        say that X was suspected."""
        first = [_stem(word) for word in _words(said)[:_FIRST_WORDS]]
        return self._passive and self._head in first and not _PASSIVE.search(said)

    def is_said_in(self, statement: str) -> bool:
        """Whether a statement about a person, without their name, says what was asked.

        It does where it has no words of its own, or all of the question's. Where it has some, it
        must have the first of them or half, and beside them only such as agree.
        """
        statement = _FRAME.sub(" ", self._spelled_out(statement))
        words = {
            word
            for word in _words(statement)
            if len(word) > 1 and word not in _SAYS_NOTHING and word not in self._names
        }
        stems = {_stem(word) for word in words if not word.endswith("ly") or word in _NO_ADVERBS}
        repeated, share = stems & self._stems, self.share(statement)
        if not stems or share == 1:
            return True
        if stems <= self._stems:
            return share >= _HALF or self._head in repeated
        agrees = _AGREES | _FAVOURS if self._is_of_being else _AGREES
        return share >= _HALF and stems - self._stems <= agrees

    def _spelled_out(self, statement: str) -> str:
        """In the question's words: who "behaved badly" misbehaved, who "is unable to" cannot."""
        if "cannot" in self.question:
            statement = _UNABLE.sub("cannot", statement)
        for word in self._badly:
            pattern = rf"\b{re.escape(word[3:8])}\w*"
            if _BADLY.search(statement) and re.search(pattern, statement):
                return re.sub(pattern, word, _BADLY.sub(" ", statement))
        return statement

    def goes_on_in(self, statement: str) -> bool:
        """Whether a statement without a subject of its own says what was asked of the last one."""
        return (
            bool(_GOES_ON.match(statement))
            and self.share(statement) > 0
            and self.is_said_in(statement)
        )


def is_victim(before: str) -> bool:
    """Whether the person named next suffers what is said, and does not do it.

    What was stolen from X was not stolen by X. To accuse X is not to say that it was X.
    """
    return bool(_SUFFERS.search(before))


def is_noun_phrase(before: str, after: str) -> bool:
    """Whether a nationality stands in no more than "the young … neighbour"."""
    noun = _words(after)
    # In other languages the noun may stand first: "tamu Swiss".
    if not noun and len(_words(before)) == 1 and _english().isdisjoint(_words(before)):
        return True
    if not _ARTICLE_BEFORE.fullmatch(before):
        return False
    return not noun or (
        len(noun) == 1 and noun[0] not in _FORMS and not noun[0].endswith(("ed", "s", "ing"))
    )


def _words(low: str) -> list[str]:
    return [word.removesuffix("'s") for word in _WORD.findall(low.replace("-", " "))]


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    word = _FORMS.get(word, word)
    bare = _ENDING.sub("", word)
    return (bare if len(bare) >= _LEAST else word)[:_STEM]
