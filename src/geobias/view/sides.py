"""One trial in two runs, side by side: the question, and each reply with its reading."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from geobias.probes.registry import record_owner
from geobias.report.comparing import differences
from geobias.report.findings import short_names
from geobias.report.records import probes_of
from geobias.results.descriptions import Facts, Turn
from geobias.runfile import RunReader
from geobias.view.passages import safe
from geobias.view.rows import described, outcome_words
from geobias.view.trial import Line, chat, load, safe_facts, side_by_side


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """What one run has of the trial. `correct` is None where it is neither right nor wrong."""

    read: str
    bad: bool
    correct: bool | None
    facts: Facts
    chat: list[Line]
    turns: list[Turn]


class Sides(msgspec.Struct, frozen=True, kw_only=True):
    """A trial in two runs.

    asked   the question, where both runs asked the same; it is in neither chat then
    """

    trial: str
    probe: str
    title: str
    asked: list[Line]
    sides: list[Side]


def sides(readers: Sequence[RunReader], trial: str) -> Sides | None:
    """The trial in both runs; None where one of them does not have it."""
    found = [_side(reader, trial) for reader in readers]
    both = [one for one in found if one is not None]
    if len(both) < len(found):
        return None
    (probe, title, first), (_, _, second) = both
    asked: list[Line] = []
    if first.chat and first.chat[:-1] == second.chat[:-1]:
        asked = first.chat[:-1]
        chats = first.chat[-1:], second.chat[-1:]
    else:
        chats = side_by_side(first.chat, second.chat)
    shown = [
        msgspec.structs.replace(side, chat=lines)
        for side, lines in zip((first, second), chats, strict=True)
    ]
    return Sides(trial=trial, probe=probe, title=title, asked=asked, sides=shown)


def _side(reader: RunReader, trial: str) -> tuple[str, str, Side] | None:
    loaded = load(reader, trial)
    if loaded is None:
        return None
    record, saved = loaded
    about = described(record)
    name = str(record["probe"])
    probe = record_owner(name)
    in_turns = probe is not None and probe.in_turns and name == probe.name
    side = Side(
        read=safe(about.read or outcome_words(name, str(record["outcome"]))),
        bad=about.bad,
        correct=about.correct,
        facts=safe_facts(about.facts),
        chat=chat(reader, saved[-1], about.marked) if saved and not in_turns else [],
        turns=probe.turns(record, saved) if probe is not None and in_turns else [],
    )
    return name, safe(about.title), side


def names_of(runs: Sequence[str], readers: Sequence[RunReader]) -> list[str]:
    """The two models; where they are the same, with the run that each reply is from."""
    models = [
        reader.manifest().models.get("model", run)
        for run, reader in zip(runs, readers, strict=True)
    ]
    short = short_names(list(dict.fromkeys(models)))
    names = [safe(short[model]) for model in models]
    if names[0] != names[1]:
        return names
    return [f"{name} ({run})" for name, run in zip(names, runs, strict=True)]


def cautions(readers: Sequence[RunReader]) -> list[str]:
    """What else differs between the runs, a sentence for each probe that both have."""
    first, second = (reader.manifest() for reader in readers)
    said = []
    for probe in probes_of(readers[0]):
        if probe.name not in second.probes:
            continue
        unlike = differences(first, second, probe)
        if apart := [*unlike.forbidding, *unlike.telling]:
            said.append(
                f"{probe.title}: the runs also differ in {safe('; '.join(apart))}. "
                "Replies may differ because of that."
            )
    return said
