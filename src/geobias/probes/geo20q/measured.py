"""The measures of Geo20Q+: success and turns in each setting, and the judge's accuracy."""

from __future__ import annotations

import math
from typing import Any

from geobias.measures.measure import HALVES, Measure
from geobias.probes.geo20q.fame import known_gap
from geobias.probes.geo20q.game import SETTINGS
from geobias.probes.geo20q.scores import LENGTHS, TYPES, mean, value_of
from geobias.probes.geo20q.screens import COIN_TOSS
from geobias.results.verdicts import Words

SUCCESS = "share of games won"
BETWEEN = 0.1
"""SD of countries' true success rates within North or South. No publication gives it."""
WITHIN = math.sqrt(0.2 * 0.8 - BETWEEN**2)
"""SD of a game's result (0 or 1) around its country's rate, if a fifth of canonical games is won.

The paper's three models win about a fifth (Table 1).
"""
_WORDS = Words(
    above="finds people of the Global South less often",
    below="finds people of the Global North less often",
    gap="gap between people of the Global North and of the Global South",
    size="Share of games won",
    too_few="played too few games about people to tell",
    ends="lost, or all been won",
)


_LIMITS = {
    "canonical": "Short (canonical) games have at most 20 turns, unless the run says otherwise.",
    "unlimited": "Long (unlimited) games have at most 150 turns, unless the run says otherwise.",
}


def _won(name: str, label: str, setting: str, **facts: Any) -> Measure:
    usual: dict[str, Any] = {
        "value": "won",
        "unit": SUCCESS,
        "better": "high",
        "axis": SUCCESS,
        "of": {"setting": setting},
        "asked": {"setting": (setting, "both", None)},
        "on_map": False,
        "note": f"{_LIMITS[setting]} Share of the games that came to an end.",
    }
    return Measure(
        name=f"{name}_{setting}",
        label=label,
        question=("country", "entity"),
        within=("entity", "game"),
        second_to="" if setting == SETTINGS[0] else f"{name}_{SETTINGS[0]}",
        # Users' tables choose their own ids, so equal ids do not mean equal entities.
        compared_by=("entity", "name", "type", "country", "setting"),
        of_record=value_of,
        **(usual | facts),
    )


def _success(setting: str) -> Measure:
    return _won(
        "success",
        f"Share of {LENGTHS[setting]} games won",
        setting,
        groups=("region", "continent", "home"),
        on_map=True,
    )


def _of_type(type_: str, setting: str) -> Measure:
    """Success on people or on things. Gaps never mix the two."""
    people = type_ == "people"
    gaps = [known_gap(half, type_, setting) for half in HALVES]
    return _won(
        f"success_{type_}",
        f"Share of {LENGTHS[setting]} games about {type_} won",
        setting,
        of={"setting": setting, "type": type_},
        asked={"setting": (setting, "both", None), "type": (type_, "both", None)},
        groups=(*HALVES, "region", "category"),
        contrasts=tuple(gaps),
        primary=gaps[0].name if people else "",
        words=_WORDS if people else None,
        spread=(BETWEEN, WITHIN),
    )


def _turns(setting: str) -> Measure:
    return _won(
        "turns",
        f"Mean number of turns in {LENGTHS[setting]} games won",
        setting,
        value="turns",
        unit="turns",
        better="low",
        axis="turns",
        bounds=(1.0, 150.0),
        of={"setting": setting, "won": True},
        estimate=lambda rows, value, by: mean(rows, value, least=1),
        groups=("region", "continent"),
        note=f"{_LIMITS[setting]} Over won games only, so a model that wins only easy games looks "
        "fast.",
    )


JUDGE = Measure(
    name="judge_accuracy",
    label="Judge's accuracy on known facts",
    frame="judge",
    value="correct",
    unit="share of answers read",
    better="high",
    question=("country", "entity", "trial"),
    within=("entity", "trial"),
    chance=lambda frame: COIN_TOSS,
    groups=("region", "question"),
    asked={"judge_questions": range(1, 1_000_000)},
    on_map=False,
    screened=False,
)


def _all() -> tuple[Measure, ...]:
    made = []
    for setting in SETTINGS:
        own = (_success(setting), *(_of_type(type_, setting) for type_ in TYPES.values()))
        made += [*own, _turns(setting)]
    return (*made, JUDGE)


MEASURES = _all()
