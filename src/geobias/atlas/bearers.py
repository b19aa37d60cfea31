"""First names that are one public figure to most readers.

A question about "Shakira" is a question about Shakira, not about a woman whose name is Colombian.
Whether a name is so is computed from two lists of notable people, Pantheon 2016 with its page views
and Pantheon 2020 with its index of fame (`tables/README.md`): one bearer has half of all views of
the name and five million or more, or an index of 80 or more with a lead of 8.

The table has the names that are so. A name that is not there may still be a person to some: living
people who became known after 2016, fictional ones and saints are in neither list.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import msgspec

from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import finite_number, read_rows, shipped_table

LEAST_SHARE, LEAST_VIEWS = 0.5, 5_000_000
LEAST_HPI, LEAST_LEAD = 80.0, 8.0


class Bearing(msgspec.Struct, frozen=True):
    """Who bears a name, among people whose first name it is.

    name         as `spelling_key` has it
    read_about   the bearer with the most page views up to 2016, `views` of all languages together,
                 `share` of the views of all who bear the name
    known        the bearer with the highest historical popularity index of 2020, `hpi`; `lead` is
                 that less the second highest, or all of it where there is no second
    """

    name: str
    read_about: str
    views: int
    share: float
    known: str
    hpi: float
    lead: float

    @property
    def by_views(self) -> bool:
        return self.share >= LEAST_SHARE and self.views >= LEAST_VIEWS

    @property
    def is_dominant(self) -> bool:
        return self.by_views or (self.hpi >= LEAST_HPI and self.lead >= LEAST_LEAD)

    @property
    def person(self) -> str:
        return self.read_about if self.by_views else self.known


@cache
def dominant_bearers() -> Mapping[str, Bearing]:
    """Names that are one person to most readers, by their spelling key."""
    path = shipped_table("name_bearers.csv")
    found = {}
    for line, row in read_rows(path, Bearing.__struct_fields__):
        views, share, hpi, lead = (
            finite_number(path, line, row[name]) for name in ("views", "share", "hpi", "lead")
        )
        found[row["name"]] = Bearing(
            row["name"], row["read_about"], int(views), share, row["known"], hpi, lead
        )
    return MappingProxyType(found)


def dominant_bearer(name: str) -> str:
    """The person that a first name is to most readers, or "" where it is nobody's alone."""
    one = dominant_bearers().get(spelling_key(name))
    return one.person if one else ""
