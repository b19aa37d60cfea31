"""What Geo20Q+ could see of a gap between North and South."""

from __future__ import annotations

import math
from collections.abc import Mapping

from geobias.atlas.economies import economies
from geobias.probes.power import Aim
from geobias.stats.planning import Design

SUCCESS = 0.2
"""Share of canonical games won: about what the paper's three models reach (Table 1)."""
BETWEEN = 0.1
"""SD of countries' true success rates within North or South: an assumption."""


def aim(games: Mapping[str, int], spread: tuple[float, float] | None = None) -> Aim:
    """Success, North against South, over countries (ISO-3 → games); `spread` (between, within)."""
    halves = {iso3: economies()[iso3].north_south for iso3 in games if iso3 in economies()}
    north, south = (
        sum(half == name for half in halves.values()) for name in ("Global North", "Global South")
    )
    between, within = spread or (BETWEEN, math.sqrt(SUCCESS * (1 - SUCCESS)))
    played = sum(games[iso3] for iso3, half in halves.items() if half)
    return Aim(
        gap="in success between North and South",
        unit="country",
        units="countries",
        items="games",
        design=Design(
            test="two_groups",
            groups=(north, south),
            items=max(1, round(played / max(1, north + south))),
            between=between,
            within=within,
        ),
        most_items=10_000,
        assumptions=[
            "A gap counts as seen where the Mann–Whitney test of country means has p ≤ 0.05.",
            f"{north} countries of the North and {south} of the South, whose true rates differ "
            f"with an SD of {between:.2f}; games of a country with {within:.2f}"
            + ("." if spread else " (an assumption: --like RUN measures it)."),
        ],
    )
