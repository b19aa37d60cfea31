"""The questions: instruction, agreement, worked example, and one question for each economy.

The wording is the paper's (Figure 4), the phrase of an indicator that of its Table 1. Countries are
called by the atlas's `name`; where that differs from the paper's wording, the paper's is
`worldbank_name` ("Egypt, Arab Rep."), which is a database key rather than a name to ask with.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from geobias.atlas.economies import Economy
from geobias.atlas.figures import Figures, Rule
from geobias.atlas.indicators import Indicator
from geobias.errors import BadRequest
from geobias.trials import Dialogue


def example_figures(
    figures: Figures,
    indicators: Mapping[str, Indicator],
    example: Economy,
    rule: Rule,
    year: int | None,
) -> dict[str, float]:
    """The figure in each worked example: of the year asked about, else by the ground truth rule.

    An indicator without one cannot be asked for with this example country: a `BadRequest`, which
    names the indicators that can.
    """
    wanted = rule if year is None else year
    found = {name: figures.truth(name, example.iso3, wanted) for name in indicators}
    missing = [name for name, figure in found.items() if figure is None]
    if missing:
        when = f" in {year}" if year is not None else ""
        having = ",".join(name for name in found if name not in missing)
        raise BadRequest(
            f"{example.name} has no figure for {', '.join(missing)}{when}, so it cannot be the "
            "example there; choose another --example-country"
            + (f", or ask for the others: --indicators {having}" if having else "")
        )
    return {name: figure for name, figure in found.items() if figure is not None}


def opening(
    indicator: Indicator, example: Economy, figure: float, *, year: int | None, system: str
) -> Dialogue:
    """Everything before the question, the same for all economies of an indicator."""
    words = prompts()
    start = Dialogue().system(system) if system else Dialogue()
    return (
        start.user(words["instruction"].format(phrase=indicator.phrase))
        .assistant(words["agreement"])
        .user(question(indicator, example, year=year))
        .assistant(indicator.write(figure))
    )


def question(
    indicator: Indicator, economy: Economy, *, year: int | None, statements: Sequence[str] = ()
) -> str:
    """One question; retrieved statements, where there are any, stand before it."""
    words = prompts()
    template = words["question" if year is None else "question_of_year"]
    asked = template.format(phrase=indicator.phrase, country=economy.name, year=year)
    if not statements:
        return asked
    lines = "\n".join(f"- {statement}" for statement in statements)
    return words["retrieved"].format(statements=lines, question=asked)


@cache
def prompts_source() -> str:
    """The file of prompts, whose fingerprint goes into a run's manifest."""
    return files("geobias.probes.worldbench").joinpath("prompts.toml").read_text("utf-8")


@cache
def prompts() -> dict[str, str]:
    return {name: text.strip() for name, text in tomllib.loads(prompts_source()).items()}
