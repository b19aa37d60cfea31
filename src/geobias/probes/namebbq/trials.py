"""Name-BBQ's trials: ask about items with nationalities and with names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from geobias.errors import BadRequest
from geobias.probes.namebbq import recognition, simulated
from geobias.probes.namebbq.builtin import marked_templates
from geobias.probes.namebbq.items import Item, choose_items
from geobias.probes.namebbq.names import Name, countries_of
from geobias.probes.namebbq.questions import (
    LETTERS,
    dialogue,
    read,
    shipped,
    version_name,
    wordings,
)
from geobias.probes.namebbq.recognition import RECOGNITION_RECORDS
from geobias.probes.namebbq.replies import READER
from geobias.probes.namebbq.settings import NameBBQSettings
from geobias.probes.namebbq.versions import ItemSource, Version
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.questions import Question, question_plan
from geobias.probes.settings import OMITTED, wordings_of
from geobias.trials import Record, Reply

LEAD = "("
"""The beginning of an answer, for models that continue a text."""
MAX_TOKENS = 24
"""Maximum tokens of a reply: enough for a letter and the words of the answer."""
WEIGHED_TOKENS = 8
"""Maximum tokens if the letter's probabilities are wanted, with room for words before it."""


def plan(settings: NameBBQSettings) -> Plan:
    """Raises `BadRequest` for impossible settings."""
    settings = settings.resolved()
    name_seeds, path = settings.names or 0, settings.names_file
    draws = max(1, name_seeds) if settings.protocol == "paper" else 1
    if settings.strict and settings.items != "builtin":
        raise BadRequest(
            "--strict applies to geobias' own items only: leave it out, or leave out --items"
        )
    source = ItemSource.of(str(settings.items), path)
    doubted = marked_templates() if settings.strict else frozenset[str]()
    items_of = [one for one in source.items if one.template not in doubted]
    chosen = choose_items(items_of, str(settings.size))
    asked = recognition.names_of(source, chosen, name_seeds) if settings.recognition else []
    asked_in = wordings_of(wordings(), settings.paraphrases)
    read_item = partial(read, countries=countries_of(source.names))

    def question(version: Version) -> Question[Any]:
        prompt = dialogue(version.item, system=settings.system, wording=version.wording)
        often = draws if version.dataset == "nationality" else 1
        name, shown = version_name(version), asked_item(version)
        if settings.read == "text":
            return Question(name, prompt, version, often, lead=LEAD, asked=shown, form=LETTERS)
        return Question(name, prompt, version, often, LETTERS, LEAD, WEIGHED_TOKENS, shown)

    def questions() -> Iterator[Question[Any]]:
        yield from recognition.questions(asked, settings.system)
        for item in chosen:
            for name_seed in (None, *range(1, name_seeds + 1)):
                version = source.version(item, name_seed)
                for wording, _ in asked_in:
                    yield question(msgspec.structs.replace(version, wording=wording))

    def read_either(trial: str, repeat: int, about: Any, reply: Reply) -> Record:
        kind = recognition.read if isinstance(about, Name) else read_item
        return kind(trial, repeat, about, reply)

    counts = {"namebbq": len(chosen) * (draws + name_seeds) * len(asked_in)}
    prompts = {"namebbq": fingerprint(shipped("prompts"))}
    if len(asked_in) > 1:
        prompts["namebbq.paraphrases"] = fingerprint(shipped("paraphrases"))
    if settings.recognition:
        counts[RECOGNITION_RECORDS] = len(asked)
        prompts[RECOGNITION_RECORDS] = fingerprint(shipped("recognition"))
    return question_plan(
        "namebbq",
        settings,
        count=sum(counts.values()),
        questions=questions,
        read=read_either,
        max_tokens=MAX_TOKENS,
        again=READER,  # names alone are not asked about again
        settings=settings.entries(
            items=source.name,
            names_file=OMITTED if path is None else path.name,
        ),
        editions={"items": source.digest, "names": source.names_digest},
        prompts=prompts,
        parts={name: n * settings.repeats for name, n in counts.items()},
        compared=partial(ambiguous_units, chosen),
        notes=(PAPER_NOTE,) if settings.protocol == "paper" else (),
    )


def ambiguous_units(items: Sequence[Item]) -> Sequence[tuple[str, ...]]:
    """(template, stereotyped nationality, other nationality) of each ambiguous item."""
    return [
        (one.template, one.nationalities[one.person], one.nationalities[one.other_than(one.person)])
        for one in items
        if one.condition == "ambig"
    ]


def asked_item(version: Version) -> simulated.AskedItem:
    item, first, second = version.item, *version.item.people
    return simulated.AskedItem(
        people=(LETTERS[first], LETTERS[second]),
        names=tuple(filter(None, version.names)),
        nobody=LETTERS[item.unknown],
        right=LETTERS[item.label] if item.condition == "disambig" else "",
        stereotyped=LETTERS[item.target],
    )


PAPER_NOTE = (
    "Protocol paper: one draw for each name seed, with nationalities and with names. The names and "
    "the words that ask for a letter are ours: the paper prints neither. If no gender is stated, "
    "both people get names of the same gender; the paper draws each gender at random. Names are "
    "drawn once for each template and pair. Each draw sends a seed of its own. A reply may have 24 "
    "tokens; the paper read one."
)
