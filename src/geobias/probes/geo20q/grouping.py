"""What games are grouped by. A module of its own, so that the command line need load no more."""

from __future__ import annotations

from typing import Literal, get_args

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
BYS: tuple[By, ...] = get_args(By)
JUDGE_BYS = (*(by for by in BYS if by not in ("category", "profession")), "question", "type")
"""What questions to the judge are grouped by."""
