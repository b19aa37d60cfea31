"""What lists of trials share."""

from __future__ import annotations

from geobias.view.browsing import facets


def test_groups_stand_in_their_natural_order_and_countries_by_name() -> None:
    counted = {
        "income": [("High income", 9), ("Lower middle income", 5), ("Low income", 3)],
        "country": [("KEN", 7), ("AGO", 2)],
    }
    shown = {name: [one[1] for one in values] for name, values in facets(counted, {}).items()}
    assert shown["income"] == ["Low income", "Lower middle income", "High income"]
    assert shown["country"] == ["Angola", "Kenya"]
