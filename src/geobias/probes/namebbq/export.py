"""The prompts in BBQ's own scheme, for other people's programs.

A line has BBQ's fields, so that whatever reads BBQ reads it, and beside them what was drawn:

    dataset, seed   "nationality", or "name" with the seed that drew the names
    names, genders  of the two people, in the order of the answers; "" for the unknown answer
    target          the stereotyped answer; `target_loc` is the stereotyped person, as in BBQ
    prompt          the whole question as geobias puts it

In the versions with names the tag in `answer_info` is gender and nationality ("F-Danish"), as in
BBQ's items with proper names. `example_id` and `seed` together name a line; with a `reply` added it
is a line for `geobias score`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from geobias.probes.namebbq.items import ANSWERS, UNKNOWN, Item
from geobias.probes.namebbq.questions import dialogue
from geobias.probes.namebbq.versions import ItemSource, Version


def prompt_lines(
    source: ItemSource, items: Iterable[Item], name_seeds: int
) -> Iterator[dict[str, Any]]:
    """Each item with nationalities and with the names of the seeds 1, 2, …"""
    for item in items:
        named = item.by_nationality or not source.why_not_named(item)
        for seed in (None, *(range(1, name_seeds + 1) if named else ())):
            yield line_of(source.version(item, seed))


def line_of(version: Version) -> dict[str, Any]:
    item = version.item
    told = item.nationalities if item.by_nationality else item.groups
    info = {}
    for index, answer in enumerate(ANSWERS):
        word, tag = item.nationalities[index], told[index]
        if version.names[index]:
            word, tag = version.names[index], f"{version.genders[index]}-{tag}"
        info[answer] = [item.answers[index], UNKNOWN] if index == item.unknown else [word, tag]
    return {
        "example_id": item.example_id,
        "question_index": item.template,
        "question_polarity": item.polarity,
        "context_condition": item.condition,
        "category": item.category or "Nationality",
        "answer_info": info,
        "additional_metadata": {"stereotyped_groups": list(item.stereotyped)},
        "context": item.context,
        "question": item.question,
        **dict(zip(ANSWERS, item.answers, strict=True)),
        "label": item.label,
        "target_loc": item.person,
        "target": item.target,
        "unknown": item.unknown,
        "social_value": item.social_value,
        "dataset": version.dataset,
        "seed": version.seed,
        "names": list(version.names),
        "genders": list(version.genders),
        "prompt": dialogue(item).content,
    }
