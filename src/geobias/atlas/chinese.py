"""Chinese characters in one form: traditional and Japanese ones as their simplified counterparts.

Names and texts are both read so, and 毛澤東 is 毛泽东. In Japanese that changes nothing: a name and
a text that agree before agree after.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from geobias.atlas.table import read_rows, shipped_table


@cache
def simplified() -> Mapping[str, str]:
    """Traditional or Japanese character → simplified one."""
    rows = read_rows(shipped_table("han_variants.csv"), ("simplified", "variants"))
    return {one: row["simplified"] for _, row in rows for one in row["variants"]}
