"""Name-BBQ's trials: one item with nationalities or with names, and the answer that was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import msgspec

from geobias.atlas.names import NamesByNationality, countries_of, faults_of, with_own_names
from geobias.probes.namebbq import recognition
from geobias.probes.namebbq.choosing import NAME_SEEDS, choose_items
from geobias.probes.namebbq.controls import CONTROL_RECORDS, CONTROLS, control_versions
from geobias.probes.namebbq.peoples import country_of
from geobias.probes.namebbq.questions import dialogue, order_of, prompts_source
from geobias.probes.namebbq.reading import read_reply
from geobias.probes.namebbq.recognition import RECOGNITION_RECORDS, AskedName, RecognitionRecord
from geobias.probes.namebbq.settings import NameBBQSettings
from geobias.probes.namebbq.versions import Dataset, ItemSource, Version
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.questions import Question, question_plan
from geobias.probes.settings import OMITTED
from geobias.trials import Record, Reply

MAX_TOKENS = 24
"""Room for a letter and the answer's own words; the paper's models took one token."""


class NameBBQRecord(Record, frozen=True, kw_only=True):
    """One item and its answer. All indices are those of the data, whatever order was shown.

    country            ISO-3 of the stereotyped person's nationality; empty if it is no economy's
    outcome            read, unread or refused (see `reading`), or the reply's own outcome where
                       there was no text to read
    item               the data's id; `template` the scenario it is made from
    dataset            "nationality", or "name" with the `seed` that drew the names; of a control
                       "none" (Person X and Person Y) or "same" (two names of one nationality)
    polarity           "neg" or "nonneg" question; `condition` "ambig" or "disambig" context
    nationality, name  of the stereotyped person; `other_…` of the other one
    label              the right answer; `unknown` the answer that nobody can know; `target` the
                       stereotyped answer: the stereotyped person where the question is negative,
                       the other one where it is not
    answer             what was answered; None unless read
    correct            whether that is the label; None unless read
    stereotyped        whether it is the target; None for unknown and where nothing was read
    order              the answers as shown: "201" puts the data's answer 2 at (a)
    position           the place of the answer on the page, 0 for (a)
    reason             how the answer was found, or why none was
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
    label: int
    unknown: int
    target: int
    answer: int | None = None
    correct: bool | None = None
    stereotyped: bool | None = None
    order: str = "012"
    position: int | None = None
    reason: str = ""


def plan(settings: NameBBQSettings) -> Plan:
    """Name-BBQ with these settings. What cannot be asked is a `BadRequest` that says why."""
    name_seeds = NAME_SEEDS[settings.size] if settings.names is None else settings.names
    path = settings.names_file
    own_names = None if path is None else with_own_names(path, settings.names_edition)
    source = ItemSource.of(settings.items, own_names, settings.names_edition)
    chosen = choose_items(source.items, settings.size)
    asked = recognition.names_of(source, chosen, name_seeds) if settings.recognition else []
    read_item = partial(read, countries=countries_of(own_names or {}))

    def question(version: Version) -> Question[Version | AskedName]:
        prompt = dialogue(version.item, version.order, system=settings.system)
        return Question(version_name(version), prompt, version)

    def questions() -> Iterator[Question[Version | AskedName]]:
        for name in recognition.questions(asked, settings.system):
            yield Question(name.name, name.dialogue, name.about)
        for item in chosen:
            order = order_of(item.example_id, settings.seed, shuffle=settings.shuffle)
            for name_seed in (None, *range(1, name_seeds + 1)):
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

    items = len(chosen) * (1 + name_seeds)
    counts = {"namebbq": items}
    if settings.recognition:
        counts[RECOGNITION_RECORDS] = len(asked)
    if settings.controls:
        counts[CONTROL_RECORDS] = len(chosen) * len(CONTROLS)
    prompts = {"namebbq": fingerprint(prompts_source())}
    if settings.recognition:
        prompts[RECOGNITION_RECORDS] = fingerprint(recognition.prompts_source())
    return question_plan(
        "namebbq",
        settings,
        count=sum(counts.values()),
        questions=questions,
        read=read_either,
        max_tokens=MAX_TOKENS,
        settings=settings.entries(
            items=source.name,
            names=name_seeds,
            names_file=OMITTED if path is None else path.name,
            # Runs of the first edition knew no other, and are resumed as they are.
            names_edition=OMITTED if settings.names_edition == "1" else settings.names_edition,
            recognition=settings.recognition or OMITTED,
            controls=settings.controls or OMITTED,
        ),
        editions={"items": source.digest, "names": source.names_digest},
        prompts=prompts,
        parts={name: n * settings.repeats for name, n in counts.items()},
        notes=() if path is None or own_names is None else _faults(path, own_names),
    )


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


def read(
    trial: str,
    repeat: int,
    version: Version,
    reply: Reply,
    *,
    countries: Mapping[str, str] | None = None,
) -> NameBBQRecord:
    """The record of an item, as it was shown, and its reply.

    `countries` has the ISO-3 codes of nationalities that a user's own names stand for.
    """
    item, order = version.item, version.order
    first, second = item.people
    other_than = {first: second, second: first}
    person = item.target if item.polarity == "neg" else other_than[item.target]
    other = other_than[person]
    nationality = item.nationalities[person]
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
        )
        outcome, position, reason = reading.outcome, reading.answer, reading.reason
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
        other_nationality=item.nationalities[other],
        name=version.names[person],
        other_name=version.names[other],
        label=item.label,
        unknown=item.unknown,
        target=item.target,
        answer=answer,
        correct=None if answer is None else answer == item.label,
        stereotyped=answer == item.target if answer in item.people else None,
        order="".join(map(str, order)),
        position=position,
        reason=reason,
    )
