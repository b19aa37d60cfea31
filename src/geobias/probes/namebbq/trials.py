"""Name-BBQ's trials: one item with nationalities or with names, and the answer that was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from geobias.errors import BadRequest
from geobias.probes.namebbq import recognition, simulated
from geobias.probes.namebbq.builtin import marked_templates
from geobias.probes.namebbq.items import Item, choose_items
from geobias.probes.namebbq.names import (
    NamesByNationality,
    all_names,
    countries_of,
    faults_of,
    read_names,
    with_own_names,
)
from geobias.probes.namebbq.questions import (
    LETTERS,
    NameBBQRecord,
    dialogue,
    named_in,
    options_of,
    order_of,
    prompts_source,
    read,
    version_name,
)
from geobias.probes.namebbq.recognition import RECOGNITION_RECORDS, AskedName, RecognitionRecord
from geobias.probes.namebbq.settings import Format, NameBBQSettings
from geobias.probes.namebbq.versions import (
    CONTROL_RECORDS,
    CONTROLS,
    ItemSource,
    Version,
    control_versions,
)
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.questions import HowAgain, Question, question_plan
from geobias.probes.settings import OMITTED
from geobias.reading.again import Asker, choice_asker
from geobias.trials import Reply

LEAD = "("
"""What an answer begins with, for models that go on from a text."""
MAX_TOKENS = 24
"""Room for a letter and the answer's own words; the paper's models took one token."""
WEIGHED_TOKENS = 8
"""The same where the letter's probabilities are wanted: room for words that lead to it."""
MAX_TOKENS_OPEN = 64
"""Room for a short sentence."""


def plan(settings: NameBBQSettings) -> Plan:
    """Name-BBQ with these settings. What cannot be asked is a `BadRequest` that says why."""
    settings = settings.resolved()
    if settings.read == "logprobs" and settings.format != "options":
        raise BadRequest("--read logprobs needs answers with letters: leave out --format")
    name_seeds, draws = settings.name_seeds, settings.nationality_draws
    path = settings.names_file
    own_names = None if path is None else with_own_names(path)
    if settings.strict and settings.asked_items != "builtin":
        raise BadRequest("--strict is about geobias' own items: leave it out with --items")
    source = ItemSource.of(settings.asked_items, own_names)
    doubted = marked_templates() if settings.strict else frozenset[str]()
    items_of = [one for one in source.items if one.template not in doubted]
    chosen = choose_items(items_of, settings.asked_size)
    unnamed = _unnamed(source, chosen) if name_seeds else {}
    named = [item for item in chosen if item.example_id not in unnamed]
    if settings.controls and unnamed:
        raise BadRequest(f"--controls needs items that can be told by names. {_first(unnamed)}")
    asked = recognition.names_of(source, named, name_seeds) if settings.recognition else []
    signs = {(one.nationality, one.name): one for one in all_names(source.names)}
    read_item = partial(
        read, countries=countries_of(own_names or {}), signs=signs, format=settings.format
    )

    def question(version: Version) -> Question[Version | AskedName]:
        prompt = dialogue(
            version.item, version.order, system=settings.system, format=settings.format
        )
        often = draws if version.dataset == "nationality" else 1
        name, lead = version_name(version), LEAD if settings.format == "options" else ""
        shown = asked_item(version, settings.format)
        if settings.read == "text":
            form = LETTERS if settings.format == "options" else None
            return Question(name, prompt, version, often, lead=lead, asked=shown, form=form)
        return Question(name, prompt, version, often, LETTERS, lead, WEIGHED_TOKENS, shown)

    def questions() -> Iterator[Question[Version | AskedName]]:
        for name in recognition.questions(asked, settings.system):
            asked_name = simulated.AskedName(name.about.name)
            yield Question(name.name, name.dialogue, name.about, asked=asked_name)
        for item in chosen:
            order = order_of(item.example_id, settings.seed, shuffle=settings.shuffle)
            seeds = () if item.example_id in unnamed else range(1, name_seeds + 1)
            for name_seed in (None, *seeds):
                version = msgspec.structs.replace(source.version(item, name_seed), order=order)
                yield question(version)
            if settings.controls:
                for control in control_versions(source, item):
                    yield question(msgspec.structs.replace(control, order=order))

    def read_either(
        trial: str, repeat: int, about: Version | AskedName, reply: Reply
    ) -> NameBBQRecord | RecognitionRecord:
        if isinstance(about, AskedName):
            return recognition.read(trial, repeat, about, reply)
        return read_item(trial, repeat, about, reply)

    items = len(chosen) * draws + len(named) * name_seeds
    counts = {"namebbq": items}
    if settings.recognition:
        counts[RECOGNITION_RECORDS] = len(asked)
    if settings.controls:
        counts[CONTROL_RECORDS] = len(chosen) * len(CONTROLS)
    prompts = {"namebbq": fingerprint(prompts_source(settings.format))}
    if settings.recognition:
        prompts[RECOGNITION_RECORDS] = fingerprint(recognition.prompts_source())
    return question_plan(
        "namebbq",
        settings,
        count=sum(counts.values()),
        questions=questions,
        read=read_either,
        max_tokens=MAX_TOKENS_OPEN if settings.format == "open" else MAX_TOKENS,
        again=HowAgain(
            asker=partial(_asker, settings.format),
            names=lambda about, text: (
                frozenset()
                if isinstance(about, AskedName)
                else named_in(text, about, settings.format)
            ),
            answer=lambda record: getattr(record, "answer", None),
            declined="refused",
        ),
        settings=settings.entries(
            items=source.name,
            names=name_seeds,
            names_file=OMITTED if path is None else path.name,
            category=source.categories or OMITTED,
        ),
        editions={"items": source.digest, "names": source.names_digest},
        prompts=prompts,
        parts={name: n * settings.repeats for name, n in counts.items()},
        compared=partial(ambiguous_units, chosen),
        notes=(
            *(() if path is None or own_names is None else _faults(path, own_names)),
            *(() if path is None else _in_no_item(path, source)),
            *_unnamed_notes(unnamed, len(chosen)),
            *protocol_notes(settings),
        ),
    )


def ambiguous_units(items: Sequence[Item]) -> Sequence[tuple[str, ...]]:
    """Template, stereotyped nationality and the other one of each ambiguous item."""
    found = []
    for item in items:
        if item.condition == "ambig":
            [other] = set(item.people) - {item.person}
            told = item.nationalities if item.by_nationality else item.groups
            found.append((item.template, told[item.person], told[other]))
    return found


def _asker(format: Format, about: Version | AskedName) -> Asker:
    """Names that are asked about have no options, and their records are not asked about again."""
    if isinstance(about, AskedName):
        return choice_asker("", ("", ""))
    shown = options_of(about, format)
    words = f"{about.item.context}\n{about.item.question}"
    return choice_asker(words, shown.texts, shown=shown.shown)


def asked_item(version: Version, format: Format) -> simulated.AskedItem:
    """A version of an item as a simulated model is told of it."""
    item = version.item
    words = version.names if any(version.names) else item.nationalities
    answers = words
    if format == "options":
        first, second, third = (LETTERS[version.order.index(index)] for index in range(3))
        answers = (first, second, third)
    return simulated.AskedItem(
        question=item.question,
        people={answers[k]: words[k] for k in version.order if k in item.people},
        nobody=answers[item.unknown],
        right=answers[item.label] if item.condition == "disambig" else "",
        stereotyped=item.stereotyped,
        negative=item.polarity == "neg",
    )


def _unnamed(source: ItemSource, chosen: Sequence[Item]) -> dict[str, str]:
    """Items of other categories that no names can be given to, and why.

    An item that is told by nationality must take names; that it does not is the file's fault.
    """
    others = (item for item in chosen if not item.by_nationality)
    return {item.example_id: why for item in others if (why := source.why_not_named(item))}


def _first(unnamed: Mapping[str, str]) -> str:
    return next(iter(unnamed.values())).partition("; there are for")[0].rstrip(".") + "."


def _unnamed_notes(unnamed: Mapping[str, str], asked: int) -> tuple[str, ...]:
    if not unnamed:
        return ()
    return (
        f"{len(unnamed):,} of {asked:,} items are asked as the file tells them, without names. "
        f"{_first(unnamed)}",
    )


def protocol_notes(settings: NameBBQSettings) -> tuple[str, ...]:
    """In what a run of all items differs from the published ones, or that it does not."""
    if settings.protocol == "paper":
        return (
            "Protocol paper: one draw for each name seed, with nationalities and with names. The "
            "names, and the words that ask for a letter, are ours: the paper prints neither.",
        )
    if settings.size != "paper":
        return ()
    differs = {
        "not BBQ's items": settings.items != "bbq",
        "greedy, where the paper samples at 1": settings.sampled_at == 0,
        "items are asked with nationalities as often as with the names of one seed, where the "
        "paper asks them once for each seed": settings.name_seeds > 1,
    }
    told = "; ".join(text for text, so in differs.items() if so)
    return (f"Not as published: {told} (--protocol paper).",) if told else ()


def _in_no_item(path: Path, source: ItemSource) -> tuple[str, ...]:
    """Nationalities of one's own table that nobody is asked about.

    Raises BadRequest where these are all: the table would change nothing.
    """
    told = {nationality for item in source.items for nationality in item.nationalities}
    own = read_names(path)
    if not (unused := [one for one in own if one not in told]):
        return ()
    if len(unused) == len(own):
        raise BadRequest(
            f"{path.name} changes nothing: no item is about {' or '.join(unused)}. Give items "
            "that are, with --items FILE."
        )
    return (f"{path.name}: no item is about {' or '.join(unused)}, so their names are not used.",)


def _faults(path: Path, own: NamesByNationality) -> tuple[str, ...]:
    """What is wrong with names of one's own, beside each other and beside the shipped ones."""
    if not (faults := faults_of(own)):
        return ()
    more = f", and {len(faults) - 1:,} more" if len(faults) > 1 else ""
    return (f"{path.name} has names that may mislead: {faults[0].says}{more}.",)
