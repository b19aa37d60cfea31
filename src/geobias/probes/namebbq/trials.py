"""Name-BBQ's trials: one item with nationalities or with names, and the answer that was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from geobias.atlas.economies import economies
from geobias.atlas.names import NamesByNationality, check, with_own
from geobias.atlas.names import names as shipped_names
from geobias.probes.namebbq.choosing import NAME_SEEDS, choose_items
from geobias.probes.namebbq.questions import IN_ORDER, Order, dialogue, order_of, prompts_source
from geobias.probes.namebbq.reading import read_reply
from geobias.probes.namebbq.settings import NameBBQSettings
from geobias.probes.namebbq.versions import Source, Version
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.settings import OMITTED
from geobias.trials import Ask, Record, Reply, Steps, Trial

MAX_TOKENS = 24
"""Room for a letter and the answer's own words; the paper's models took one token."""


class NameBBQRecord(Record, frozen=True, kw_only=True):
    """One item and its answer. All indices are those of the data, whatever order was shown.

    country            ISO-3 of the stereotyped person's nationality; empty if it is no economy's
    outcome            read, unread or refused (see `reading`), or the reply's own outcome where
                       there was no text to read
    item               the data's id; `template` the scenario it is made from
    dataset            "nationality", or "name" with the `seed` that drew the names
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
    dataset: Literal["nationality", "name"]
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
    count = NAME_SEEDS[settings.size] if settings.names is None else settings.names
    names_file, repeats, seed = settings.names_file, settings.repeats, settings.seed
    temperature = settings.sampled_at
    own = None if names_file is None else with_own(names_file)
    source = Source.of(settings.items, own)
    chosen = choose_items(source.items, settings.size)
    countries = _countries_of(own or {})

    def trials() -> Iterator[Trial]:
        for item in chosen:
            order = order_of(item.example_id, seed, shuffle=settings.shuffle)
            for draw in (None, *range(1, count + 1)):
                version = source.version(item, draw)
                asked = dialogue(version.item, order, system=settings.system)
                for repeat in range(repeats):
                    trial = trial_name(version, repeat)
                    ask = Ask(
                        dialogue=asked,
                        temperature=temperature,
                        max_tokens=MAX_TOKENS,
                        draw=f"{trial} {seed}",
                    )
                    yield Trial(trial, _starter(trial, version, order, repeat, ask, countries))

    total = len(chosen) * (1 + count) * repeats
    return Plan(
        probe="namebbq",
        settings=settings.entries(
            items=source.name,
            names=count,
            names_file=OMITTED if names_file is None else names_file.name,
        ),
        count=total,
        calls=(total, total),
        trials=trials,
        editions={"items": source.digest, "names": source.names_digest},
        prompts={"namebbq": fingerprint(prompts_source())},
        notes=() if names_file is None or own is None else _faults(names_file, own),
    )


def _faults(path: Path, own: NamesByNationality) -> tuple[str, ...]:
    """What is wrong with names of one's own, beside each other and beside the shipped ones."""
    if not (found := check(own)):
        return ()
    more = f", and {len(found) - 1:,} more" if len(found) > 1 else ""
    return (f"{path.name} has names that may mislead: {found[0].says}{more}.",)


def trial_name(version: Version, repeat: int) -> str:
    """E.g. `namebbq/17/nationality/0` and `namebbq/17/name-2/0` for the names of seed 2."""
    dataset = "nationality" if version.seed is None else f"name-{version.seed}"
    return f"namebbq/{version.item.example_id}/{dataset}/{repeat}"


def _starter(
    trial: str,
    version: Version,
    order: Order,
    repeat: int,
    ask: Ask,
    countries: Mapping[str, str],
) -> Callable[[], Steps]:
    def start() -> Steps:
        reply = yield ask
        return read(trial, version, repeat, reply, order=order, countries=countries)

    return start


def read(
    trial: str,
    version: Version,
    repeat: int,
    reply: Reply,
    *,
    order: Order = IN_ORDER,
    countries: Mapping[str, str] | None = None,
) -> NameBBQRecord:
    """The record of an item, as it was shown, and its reply.

    `countries` has the ISO-3 codes of nationalities that a user's own names stand for.
    """
    item = version.item
    person = item.target if item.polarity == "neg" else _other(item.people, item.target)
    other = _other(item.people, person)
    nationality = item.nationalities[person]
    facts: dict[str, Any] = {
        "trial": trial,
        "probe": "namebbq",
        "country": (countries or {}).get(nationality) or country_of(nationality),
        "repeat": repeat,
        "item": item.example_id,
        "dataset": "nationality" if version.seed is None else "name",
        "seed": version.seed,
        "template": item.template,
        "polarity": item.polarity,
        "condition": item.condition,
        "social_value": item.social_value,
        "nationality": nationality,
        "other_nationality": item.nationalities[other],
        "name": version.names[person],
        "other_name": version.names[other],
        "label": item.label,
        "unknown": item.unknown,
        "target": item.target,
        "order": "".join(map(str, order)),
    }
    if reply.outcome != "ok":
        return NameBBQRecord(**facts, outcome=reply.outcome)
    called = item.nationalities if version.seed is None else version.names
    found = read_reply(
        reply.text,
        [item.answers[index] for index in order],
        unknown=order.index(item.unknown),
        people=[called[index] for index in order],
        question=item.question,
    )
    if found.answer is None:
        return NameBBQRecord(**facts, outcome=found.outcome, reason=found.reason)
    answer = order[found.answer]
    return NameBBQRecord(
        **facts,
        outcome=found.outcome,
        answer=answer,
        correct=answer == item.label,
        stereotyped=None if answer == item.unknown else answer == item.target,
        position=found.answer,
        reason=found.reason,
    )


def _other(people: tuple[int, int], person: int) -> int:
    return people[1] if person == people[0] else people[0]


def country_of(nationality: str) -> str:
    """ISO-3 of a nationality: by the table of names, then by demonym; "" where neither is sure."""
    return _countries().get(nationality, "")


@cache
def _countries() -> dict[str, str]:
    found: dict[str, str] = {}
    for one in economies().values():
        # Two economies are Congolese: a word for both is a word for neither.
        found[one.demonym] = "" if one.demonym in found else one.iso3
    return found | _countries_of(shipped_names())


def _countries_of(names: NamesByNationality) -> dict[str, str]:
    """ISO-3 of each nationality that has a name."""
    return {
        nationality: cell[0].iso3
        for nationality, cells in names.items()
        for cell in cells.values()
        if cell
    }
