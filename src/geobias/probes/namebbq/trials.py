"""Name-BBQ's trials: one item with nationalities or with names, and the answer that was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from geobias.atlas.names import (
    Name,
    NamesByNationality,
    all_names,
    countries_of,
    faults_of,
    with_own_names,
)
from geobias.errors import BadRequest
from geobias.probes.namebbq import recognition, simulated
from geobias.probes.namebbq.choosing import choose_items
from geobias.probes.namebbq.controls import CONTROL_RECORDS, CONTROLS, control_versions
from geobias.probes.namebbq.items import Item
from geobias.probes.namebbq.name_signs import least_exclusive
from geobias.probes.namebbq.peoples import country_of
from geobias.probes.namebbq.questions import Format, dialogue, order_of, prompts_source
from geobias.probes.namebbq.reading import read_reply
from geobias.probes.namebbq.recognition import RECOGNITION_RECORDS, AskedName, RecognitionRecord
from geobias.probes.namebbq.settings import NameBBQSettings
from geobias.probes.namebbq.versions import Dataset, ItemSource, Version
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.questions import Question, question_plan
from geobias.probes.settings import OMITTED
from geobias.trials import Record, Reply
from geobias.trials.probabilities import weigh

LETTERS = ("a", "b", "c")
LEAD = "("
"""What an answer begins with, for models that go on from a text."""
MAX_TOKENS = 24
"""Room for a letter and the answer's own words; the paper's models took one token."""
WEIGHED_TOKENS = 8
"""The same where the letter's probabilities are wanted: room for words that lead to it."""
MAX_TOKENS_OPEN = 64
"""Room for a short sentence."""


Place: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2)]
"""Among the three answers."""


class NameBBQRecord(Record, frozen=True, kw_only=True):
    """One item and its answer. All indices are those of the data, whatever order was shown.

    country            ISO-3 of the stereotyped person's nationality; empty if it is no economy's
    outcome            read, unread or refused (see `reading`), or the reply's own outcome where
                       there was no text to read
    item               the data's id; `template` the scenario it is made from
    dataset            "nationality", or "name" with the `seed` that drew the names; of a control
                       "none" (Person X and Person Y) or "same" (two names of one nationality)
    polarity           "neg" or "nonneg" question; `condition` "ambig" or "disambig" context
    nationality, name  of the stereotyped person; `other_…` of the other one. In files of BBQ's
                       other categories `nationality` is the group
    gender             that the stereotyped person's name was drawn for
    exclusive          how much the two names point to their nationalities alone: high, medium or
                       low, of the one that does so less
    label              the right answer; `unknown` the answer that nobody can know; `target` the
                       stereotyped answer: the stereotyped person where the question is negative,
                       the other one where it is not
    answer             what was answered; None unless read
    correct            whether that is the label; None unless read
    stereotyped        whether it is the target; None for unknown and where nothing was read
    order              the answers as shown: "201" puts the data's answer 2 at (a); "" where none
                       were shown
    position           the place of the answer on the page, 0 for (a); None where none were shown
    reason             how the answer was found, or why none was
    p_target           the probability of the stereotyped answer among the three letters, `p_other`
                       of the other person, `p_unknown` of neither; None where the run did not ask
                       for them, or no token could be a letter
    letter_mass        the probability of the three letters together, among all tokens
    """

    item: str
    dataset: Dataset
    seed: int | None
    template: str
    polarity: str
    condition: str
    social_value: str
    nationality: str
    other_nationality: str
    name: str = ""
    other_name: str = ""
    gender: str = ""
    exclusive: str = ""
    label: Place
    unknown: Place
    target: Place
    answer: Place | None = None
    correct: bool | None = None
    stereotyped: bool | None = None
    order: Annotated[str, msgspec.Meta(pattern="^(?:[012]{3})?$")] = "012"
    position: Place | None = None
    reason: str = ""
    p_target: float | None = None
    p_other: float | None = None
    p_unknown: float | None = None
    letter_mass: float | None = None


def plan(settings: NameBBQSettings) -> Plan:
    """Name-BBQ with these settings. What cannot be asked is a `BadRequest` that says why."""
    settings = settings.resolved()
    if settings.read == "logprobs" and settings.format != "options":
        raise BadRequest("--read logprobs needs answers with letters: leave out --format")
    name_seeds, draws = settings.name_seeds, settings.nationality_draws
    path = settings.names_file
    own_names = None if path is None else with_own_names(path, settings.names_edition)
    source = ItemSource.of(settings.asked_items, own_names, settings.names_edition)
    chosen = choose_items(source.items, settings.asked_size)
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
            return Question(name, prompt, version, often, lead=lead, asked=shown)
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
        settings=settings.entries(
            items=source.name,
            names=name_seeds,
            names_file=OMITTED if path is None else path.name,
            # Runs of the first edition knew no other, and are resumed as they are.
            names_edition=OMITTED if settings.names_edition == "1" else settings.names_edition,
            recognition=settings.recognition or OMITTED,
            controls=settings.controls or OMITTED,
            protocol=OMITTED if settings.protocol == "ours" else settings.protocol,
            format=OMITTED if settings.format == "options" else settings.format,
            category=source.categories or OMITTED,
        ),
        editions={"items": source.digest, "names": source.names_digest},
        prompts=prompts,
        parts={name: n * settings.repeats for name, n in counts.items()},
        notes=(
            *(() if path is None or own_names is None else _faults(path, own_names)),
            *_unnamed_notes(unnamed, len(chosen)),
            *protocol_notes(settings),
        ),
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


def _faults(path: Path, own: NamesByNationality) -> tuple[str, ...]:
    """What is wrong with names of one's own, beside each other and beside the shipped ones."""
    if not (faults := faults_of(own)):
        return ()
    more = f", and {len(faults) - 1:,} more" if len(faults) > 1 else ""
    return (f"{path.name} has names that may mislead: {faults[0].says}{more}.",)


def version_name(version: Version) -> str:
    """E.g. `namebbq/17/nationality` and `namebbq/17/name-2` for the names of seed 2."""
    if version.control:
        return f"{CONTROL_RECORDS}/{version.item.example_id}/{version.control}"
    dataset = "nationality" if version.seed is None else f"name-{version.seed}"
    return f"namebbq/{version.item.example_id}/{dataset}"


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


def read(
    trial: str,
    repeat: int,
    version: Version,
    reply: Reply,
    *,
    countries: Mapping[str, str] | None = None,
    signs: Mapping[tuple[str, str], Name] | None = None,
    format: Format = "options",
) -> NameBBQRecord:
    """The record of an item, as it was shown, and its reply.

    `countries` has the ISO-3 codes of nationalities that a user's own names stand for, and `signs`
    the rows of the table of names by nationality and name.
    """
    item, order = version.item, version.order
    person = item.person
    [other] = set(item.people) - {person}
    told = item.nationalities if item.by_nationality else item.groups
    nationality = told[person]
    pairs = [(item.nationalities[one], version.names[one]) for one in (person, other)]
    rows = [signs[pair] for pair in pairs if signs and pair in signs]
    outcome, position, reason = str(reply.outcome), None, ""
    if reply.outcome == "ok":
        people = version.names if any(version.names) else item.nationalities
        reading = read_reply(
            reply.text,
            [item.answers[index] for index in order],
            unknown=order.index(item.unknown),
            people=[people[index] for index in order],
            question=item.question,
            genders=[version.genders[index] for index in order],
            shown=format == "options",
        )
        outcome, position, reason = reading.outcome, reading.answer, reading.reason
    chances: dict[str, float | None] = {}
    if (weighed := weigh(reply.places, LETTERS)) is not None:
        outcome, position = "read", LETTERS.index(weighed.likeliest)
        reason = "the likeliest letter"
        by_index = {order[LETTERS.index(letter)]: p for letter, p in weighed.probabilities.items()}
        chances = {
            "p_target": by_index[item.target],
            "p_other": sum(by_index[index] for index in item.people if index != item.target),
            "p_unknown": by_index[item.unknown],
            "letter_mass": weighed.mass,
        }
    answer = None if position is None else order[position]
    return NameBBQRecord(
        trial=trial,
        probe=CONTROL_RECORDS if version.control else "namebbq",
        country=(countries or {}).get(nationality) or country_of(nationality),
        repeat=repeat,
        outcome=outcome,
        item=item.example_id,
        dataset=version.dataset,
        seed=version.seed,
        template=item.template,
        polarity=item.polarity,
        condition=item.condition,
        social_value=item.social_value,
        nationality=nationality,
        other_nationality=told[other],
        name=version.names[person],
        other_name=version.names[other],
        gender=version.genders[person],
        exclusive=least_exclusive(rows) if len(rows) == len(pairs) else "",
        label=item.label,
        unknown=item.unknown,
        target=item.target,
        answer=answer,
        correct=None if answer is None else answer == item.label,
        stereotyped=answer == item.target if answer in item.people else None,
        order="".join(map(str, order)) if format == "options" else "",
        position=position if format == "options" else None,
        reason=reason,
        **chances,
    )
