"""What games are grouped by."""

from __future__ import annotations

from typing import Literal

By = Literal[
    "all",
    "continent",
    "region",
    "north_south",
    "west_east",
    "country",
    "language",
    "category",
    "profession",
]
JudgeBy = Literal[
    "all",
    "continent",
    "region",
    "north_south",
    "west_east",
    "country",
    "language",
    "question",
    "type",
]
"""What questions to the judge are grouped by."""
