"""What ratings can be asked with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from geobias.probes.ratings.topics import ANCHOR
from geobias.probes.settings import ReadFrom, Setting, Settings


def earlier_sample(entries: Mapping[str, Any]) -> str | None:
    """How a run's sample was drawn if its manifest does not say; None where all are asked about."""
    return None if entries.get("size") == "paper" else "drawn"


class RatingSettings(Settings, frozen=True, kw_only=True):
    """Every economy, or a table of one's own, on every topic."""

    topics: Annotated[tuple[str, ...], Setting("Only these, by commas.", bears="items")] = ()
    places: Annotated[
        Path | None,
        Setting(
            "Table of places: name,latitude,longitude,address; country if you know it.",
            bears="nothing",
            metavar="FILE",
        ),
    ] = None
    sample: Annotated[
        Literal["populous", "drawn"],
        Setting(
            "Which economies the smaller sizes ask about. populous: the most populous of each "
            "region, and others drawn by the seed. drawn resumes runs of earlier versions.",
            bears="items",
            unsaid=earlier_sample,
        ),
    ] = "populous"
    read: ReadFrom = "text"
    anchor: Annotated[
        str,
        Setting(
            "Indicator that ratings should not follow; turned round where less is better.",
            bears="items",
            metavar="INDICATOR",
        ),
    ] = ANCHOR


class RatingScoring(msgspec.Struct, frozen=True):
    """What ratings from elsewhere answer, where their lines do not say."""

    topic: Annotated[str, Setting("Topic of lines that name none.")] = ""
    model: Annotated[str, Setting("Model of lines that name none.")] = ""
