"""The questions: instruction, agreement, worked example, and one question for each economy.

The usual wording is the paper's (Figure 4), the phrase of an indicator that of its Table 1.
Countries are called by the atlas's `name`; the paper calls them by `worldbank_name` ("Egypt, Arab
Rep."), which is a database key rather than a name to ask with. `wording` has the paper's own words
and others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from geobias.atlas.economies import Economy, economies
from geobias.atlas.figures import Figures, Rule
from geobias.atlas.indicators import Indicator
from geobias.errors import BadRequest
from geobias.probes.questions import opened
from geobias.probes.worldbench.choosing import OTHER_EXAMPLES, STANDARD_EXAMPLE
from geobias.probes.worldbench.wording import STANDARD, Wording, find_wording
from geobias.trials import Dialogue


class Example(NamedTuple):
    """The worked example of an indicator."""

    economy: Economy
    figure: float


def examples(
    figures: Figures,
    indicators: Mapping[str, Indicator],
    chosen: Economy,
    rule: Rule,
    year: int | None,
) -> dict[str, Example]:
    """The example of each indicator, with its figure of the year asked about, else by the ground
    truth rule.

    Where the standard example country has no figure, another takes its place for that indicator.
    Where one that the user chose has none, that is a `BadRequest`, which names the indicators that
    can be asked for.
    """
    wanted = rule if year is None else year
    found: dict[str, Example] = {}
    for name in indicators:
        places = [chosen]
        if chosen.iso3 == STANDARD_EXAMPLE:
            others = sorted(figures.rows[name].keys() & economies().keys())
            places += [economies()[iso3] for iso3 in (*OTHER_EXAMPLES, *others)]
        for place in places:
            figure = figures.truth(name, place.iso3, wanted)
            if figure is not None:
                found[name] = Example(place, figure)
                break
    missing = [name for name in indicators if name not in found]
    if missing:
        when = f" in {year}" if year is not None else ""
        having = ",".join(found)
        raise BadRequest(
            f"{chosen.name} has no figure for {', '.join(missing)}{when}, so it cannot be the "
            "example there; choose another --example-country"
            + (f", or ask for the others: --indicators {having}" if having else "")
        )
    return found


def other_examples(
    found: Mapping[str, Example], chosen: Economy, year: int | None
) -> tuple[str, ...]:
    """Sentences about indicators that have another example country than the one chosen."""
    instead: dict[str, list[str]] = {}
    for name, one in found.items():
        if one.economy.iso3 != chosen.iso3:
            instead.setdefault(one.economy.name, []).append(name)
    when = f" in {year}" if year is not None else ""
    return tuple(
        f"{chosen.name} has no figure for {', '.join(names)}{when}: {place} is the example there, "
        "and is not asked about it."
        for place, names in instead.items()
    )


def opening(
    indicator: Indicator,
    example: Example | None,
    *,
    year: int | None,
    system: str,
    wording: Wording,
) -> Dialogue:
    """Everything before the question, the same for all economies of an indicator.

    `example` is None where the wording has none.
    """
    dialogue = opened(system)
    phrase = wording.phrase(indicator)
    if wording.instruction:
        dialogue = dialogue.user(wording.instruction.format(phrase=phrase))
        if wording.agreement:
            dialogue = dialogue.assistant(wording.agreement)
    if example is None:
        return dialogue
    name = wording.country_name(example.economy)
    template = wording.example_question or wording.asks(year)
    answer = {"phrase": phrase, "country": name, "figure": indicator.write(example.figure)}
    return dialogue.user(template.format(phrase=phrase, country=name, year=year)).assistant(
        wording.example_answer.format(**answer)
    )


def question(
    indicator: Indicator,
    economy: Economy,
    *,
    year: int | None,
    statements: Sequence[str] = (),
    wording: Wording | None = None,
) -> str:
    """One question; retrieved statements, where there are any, stand before it."""
    words = wording or find_wording(STANDARD)
    asked = words.asks(year).format(
        phrase=words.phrase(indicator), country=words.country_name(economy), year=year
    )
    if not statements:
        return asked
    lines = "\n".join(f"- {statement}" for statement in statements)
    return words.retrieved.format(statements=lines, question=asked)
