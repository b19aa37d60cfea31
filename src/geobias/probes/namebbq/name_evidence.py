"""What an edition of the first names rests on, and what its draws put into the prompts."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from geobias.atlas.bearers import dominant_bearer
from geobias.atlas.names import Edition, all_names, names
from geobias.probes.namebbq.choosing import NAME_SEEDS
from geobias.probes.namebbq.substitution.drawing import alike
from geobias.probes.namebbq.versions import pairs_in_prompts


class NameEvidence(msgspec.Struct, frozen=True):
    """Counts of names, and of the built-in items' prompts with names at size paper.

    citable       a list can be cited that has the name for this country
    counted       how common it is in the country, or in the region around it, was counted
    gender_cited  a list says that it is a woman's, or a man's
    one_person    prompts in which a name is one public figure to most readers
    alike         prompts whose two names are alike (`drawing.alike`)
    """

    edition: str
    names: int
    citable: int
    counted: int
    gender_cited: int
    prompts: int
    one_person: int
    alike: int

    def in_words(self) -> dict[str, Any]:
        of_names = {
            "names that can be cited": self.citable,
            "frequency counted": self.counted,
            "gender cited": self.gender_cited,
        }
        of_prompts = {"prompts with one public figure": self.one_person, "two alike": self.alike}
        return {
            "edition": self.edition,
            **{word: f"{n / self.names:.1%}" for word, n in of_names.items()},
            **{word: f"{n / self.prompts:.1%}" for word, n in of_prompts.items()},
        }


@cache
def evidence_of(edition: Edition) -> NameEvidence:
    every = all_names(names(edition))
    drawn = list(pairs_in_prompts(edition, NAME_SEEDS["paper"]))
    figures = {one.name for one in every if dominant_bearer(one.name)}
    return NameEvidence(
        edition=edition,
        names=len(every),
        citable=sum(one.citable for one in every),
        counted=sum(one.has_frequency for one in every),
        gender_cited=sum(one.has_gender_evidence for one in every),
        prompts=len(drawn),
        one_person=sum(not figures.isdisjoint(both) for both in drawn),
        alike=sum(alike(*both) for both in drawn),
    )
