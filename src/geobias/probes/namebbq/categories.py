"""Whom BBQ's other categories stereotype: age, religion, race, looks and the rest.

In BBQ's nationality part a person's group is a word of the answer ("The Danish baker"). In its
other files it often is not: a name is `M-Black`, "the slim guy" is `nonObese`. There the second
entry of `answer_info` is a tag, and the stereotyped groups are named in other words than tags. The
rules below are those by which BBQ's authors find the person whom a stereotype is about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from geobias.probes.lazy import regex

NATIONALITY = "nationality"
_GENDER = regex(r"^[MF]-(?=\w)")
_SIGNS = regex(r"[\W_]+")
_SAME = {
    **dict.fromkeys(("m", "man", "men", "boy", "boys", "male"), "m"),
    **dict.fromkeys(("f", "woman", "women", "girl", "girls", "female"), "f"),
}


def is_nationality(category: str) -> bool:
    """Whether a category's people are told by nationality; a file that names none is ours."""
    return category.strip().casefold() in ("", NATIONALITY)


def group_of(tag: str) -> str:
    """The group in a tag: "M-Black" is Black."""
    return _GENDER.sub("", tag.strip())


def stereotyped_people(
    tags: Mapping[int, str], stereotyped: Sequence[str], category: str
) -> list[int]:
    """The answers whose tag is a stereotyped group; where none is, those whose tag is a word of
    one ("Latino" in "Hispanic or Latino")."""
    keys = {_key(group) for group in stereotyped}
    if category.casefold().startswith("disability"):
        keys.add("disabled")
    equal = [index for index, tag in tags.items() if _key(tag) in keys]
    if equal:
        return equal
    joined = " ".join(stereotyped)
    words = {index: group_of(tag) for index, tag in tags.items() if _key(tag)}
    return [
        index
        for index, word in words.items()
        if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", joined, re.I)
    ]


def _key(text: str) -> str:
    """A group in one spelling: "low SES" is lowSES, women and girls are F, "trans women" trans."""
    bare = _SIGNS.sub("", group_of(text).casefold())
    return "trans" if bare.startswith("trans") else _SAME.get(bare, bare)
