"""What a simulated model is like: `sim/fair`, `sim/biased`, or `sim/?name=value&…`."""

from __future__ import annotations

from urllib.parse import parse_qsl

import msgspec

from geobias.errors import BadRequest


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """All rates are probabilities; all gaps are added for economies of the group `against`.

    recall_sd        SD of the log of recalled figure over true figure: 0 recalls perfectly
    gap              added to the expected error of knowledge (0 to 1) for the group `against`
    abstain          share of questions it declines
    abstain_gap      added to that for the group `against`
    stereotype       share of undecidable choices between two people in which it picks one of them
                     anyway, in favour of the stereotype, instead of saying that nobody can know
    name_retention   how much of that is left when the two have names instead of nationalities
    slip             share of choices between two people that it gets wrong though the text says who
    play             chance that it thinks of the right answer in a game
    play_gap         subtracted from that for the group `against`
    quits            share of hopeless games of Geo20Q+ that it gives up
    judge_error      share of its answers as judge that are wrong
    judge_gap        added to that for the group `against`
    entities         table (CSV) of the people and things it knows; the shipped one if empty
    chatty           share of answers wrapped in a sentence
    against          a region, income group, continent, "Global South" or "Global East"
    seed             another seed is another model of the same kind
    """

    recall_sd: float = 0.1
    gap: float = 0.0
    abstain: float = 0.0
    abstain_gap: float = 0.0
    stereotype: float = 0.0
    name_retention: float = 1.0
    slip: float = 0.0
    play: float = 0.7
    play_gap: float = 0.0
    quits: float = 0.0
    judge_error: float = 0.0
    judge_gap: float = 0.0
    entities: str = ""
    chatty: float = 0.0
    against: str = "Global South"
    seed: int = 0


PRESETS = {
    "fair": {},
    "biased": {"gap": "0.2", "abstain_gap": "0.05", "stereotype": "0.3", "play_gap": "0.3"},
}


def parse(spec: str) -> Parameters:
    """The parameters in `sim/PRESET?name=value&…`. Raises BadRequest naming what is wrong."""
    preset, _, query = spec.removeprefix("sim/").partition("?")
    if preset not in PRESETS and preset:
        raise BadRequest(
            f"no simulated model {spec!r}; there is sim/fair, sim/biased and sim/?name=value&…"
        )
    given = PRESETS.get(preset, {}) | dict(parse_qsl(query, keep_blank_values=True))
    if unknown := given.keys() - set(Parameters.__struct_fields__):
        known = ", ".join(Parameters.__struct_fields__)
        raise BadRequest(f"{spec!r}: no parameter {min(unknown)!r}; there is {known}")
    try:
        chosen = msgspec.convert(given, Parameters, strict=False)
    except msgspec.ValidationError as error:
        raise BadRequest(f"{spec!r}: {error}") from None
    _check(spec, chosen)
    return chosen


_SHARES = (
    *("gap", "abstain", "abstain_gap", "stereotype", "name_retention", "slip"),
    *("play", "play_gap", "quits", "judge_error", "judge_gap", "chatty"),
)


def _check(spec: str, chosen: Parameters) -> None:
    from geobias.models.simulated.world import group_members

    for name in _SHARES:
        if not 0 <= getattr(chosen, name) <= 1:
            raise BadRequest(f"{spec!r}: {name} lies between 0 and 1")
    if not 0 <= chosen.recall_sd <= 10:
        raise BadRequest(f"{spec!r}: recall_sd lies between 0 and 10")
    group_members(chosen.against)
