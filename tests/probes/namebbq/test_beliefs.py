"""The simulated model's beliefs fit the items that come with geobias."""

from __future__ import annotations

import csv
import io
import re

from geobias.probes.namebbq.builtin import templates
from geobias.probes.namebbq.simulated import BELIEFS, beliefs, person, returned_to


def made_from_templates() -> str:
    """`beliefs.csv` as the templates would have it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rows: dict[str, list[str]] = {}
    for one in templates().values():
        order = [word.lower() for word in re.findall(r"\{(\w+)\}", one.reveal)]
        for polarity, question, meant in (
            ("neg", one.negative, "guilty"),
            ("nonneg", one.non_negative, "other"),
        ):
            place = ("first", "second")[order.index(meant)]
            row = [question, polarity, place, ";".join(one.stereotyped)]
            assert rows.setdefault(question, row) == row, one.id
    writer.writerows([["question", "polarity", "revealed", "stereotyped"], *rows.values()])
    return out.getvalue()


def test_it_has_a_belief_about_every_question_of_our_own_items() -> None:
    """If this fails, templates changed: write what `made_from_templates` returns to the table."""
    assert BELIEFS.read_text(encoding="utf-8") == made_from_templates()
    asked = {q for one in templates().values() for q in (one.negative, one.non_negative)}
    assert len(asked) == 2 * len(templates())
    assert asked == beliefs().keys()


def test_people_are_known_by_nationality_or_name_and_nobody_else() -> None:
    assert (found := person("The Sri Lankan neighbour")) is not None
    assert found.nationalities == {"Sri Lankan"}
    assert (found := person("Zarghuna's family")) is not None
    assert found.nationalities == {"Afghan"}
    assert (found.word, found.named) == ("Zarghuna", True)
    for nobody in ("Unknown", "Can't be known", "The text does not say", "Not answerable"):
        assert person(nobody) is None


def test_a_context_that_only_introduces_two_people_comes_back_to_nobody() -> None:
    people = ("Danish", "Kenyan")
    assert returned_to("A Danish and a Kenyan guest came.", people) == []
    told = "A Danish and a Kenyan guest came. The Kenyan one sang, the Danish one did not."
    assert returned_to(told, people) == ["Kenyan", "Danish"]
