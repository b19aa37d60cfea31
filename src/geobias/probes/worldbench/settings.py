"""The settings of WorldBench: to run it, to read a run, and to score replies from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from geobias.probes.settings import Paraphrases, Setting, Settings, Unread

FiguresFile = Annotated[
    Path | None,
    Setting(
        "Your own table of figures (CSV), in addition to the shipped one. If both have an "
        "indicator, yours is used.",
        bears="truth",
    ),
]
IndicatorFile = Annotated[
    Path | None,
    Setting("Your own indicators (TOML). Give their figures with --figures.", bears="truth"),
]
GroundTruth = Annotated[
    str | None,
    Setting(
        "Which figure is true: the mean of the last three years (default), each country's latest, "
        "or one year's.",
        bears="truth",
        metavar="average|latest|YEAR",
    ),
]

Classification = Annotated[
    Literal["2024", "2026"],
    Setting("The World Bank's regions and income groups of fiscal year 2024, or of 2026."),
]


class WorldBenchSettings(Settings, frozen=True, kw_only=True):
    """The settings of a WorldBench run.

    The question and the example name `year`. Answers are then compared with the figures of this
    year, unless `ground_truth` says otherwise.
    """

    indicators: Annotated[
        tuple[str, ...] | None,
        Setting("Ids or World Bank codes, separated by commas.", bears="items"),
    ] = None
    countries: Annotated[
        tuple[str, ...] | None,
        Setting("Names or codes, separated by semicolons or commas.", bears="items"),
    ] = None
    regions: Annotated[
        tuple[str, ...] | None,
        Setting("World Bank regions, separated by semicolons or commas.", bears="items"),
    ] = None
    unread: Unread = "restate"
    example_country: Annotated[
        str, Setting("The country of the worked example, which is not asked about.")
    ] = "Switzerland"
    year: Annotated[int | None, Setting("Name this year in question and example.", "truth")] = None
    ground_truth: GroundTruth = None
    retrieve: Annotated[
        int,
        Setting(
            "Put K statements of fact before each question, the right one among them.",
            metavar="K",
            least=0,
        ),
    ] = 0
    prompts: Annotated[
        str,
        Setting(
            "The wording: standard, paper, zero-shot, sentence, form; in another language es, fr, "
            "pt, zh, ja, hi, tr, ar; or templates of your own (TOML).",
            bears="wording",
            metavar="NAME|FILE",
        ),
    ] = "standard"
    paraphrases: Paraphrases = 1
    figures: FiguresFile = None
    indicator_file: IndicatorFile = None
    classification: Classification = "2024"


class WorldBenchReading(msgspec.Struct, frozen=True, kw_only=True):
    """The settings to read a run. `figures` is the run's table, if not the shipped one."""

    figures: FiguresFile = None


class WorldBenchScoring(msgspec.Struct, frozen=True, kw_only=True):
    """The settings to score replies from elsewhere: what was asked, and which figures are true."""

    year: Annotated[int | None, Setting("The year that the questions named.")] = None
    ground_truth: GroundTruth = None
    figures: FiguresFile = None
    indicator_file: IndicatorFile = None
    classification: Classification = "2024"
