"""What Name-BBQ says first of a model, in plain words."""

from __future__ import annotations

from typing import Any

from geobias.probes.namebbq.scores import ENDINGS
from geobias.results.figures import both_sides
from geobias.results.findings import Section
from geobias.results.formatting import counted, metric_value, number
from geobias.results.metrics import metric_of
from geobias.results.verdicts import Dots, Verdict, not_measurable, word_of

ROWS = {"nationality": "Nationalities", "name": "Names"}
WHY_NOT = {
    "parse rate": "Too few of its replies held an answer.",
    "disambiguated accuracy": "It misses the answer even where the text gives it.",
    "right person": "It misses the answer even where the text gives it.",
    "position": "It picks the same letter nearly every time.",
}


def verdict(section: Section) -> Verdict:
    biases = {
        dataset: found
        for dataset, ending in ENDINGS.items()
        if (found := metric_of(section, f"namebbq.bias_ambiguous{ending}")) is not None
        and found.value is not None
    }
    dots = _dots(biases)
    if not section.measurable:
        return not_measurable(section, WHY_NOT, dots)
    dataset, lead = next(iter(biases.items()), ("", None))
    word = word_of(lead)
    if lead is None or lead.value is None or word is None:
        return Verdict(
            word="not clear",
            found="was asked too few stories to tell",
            matters="More stories are needed before anything can be said about bias.",
            dots=dots,
        )
    shared: dict[str, Any] = {"word": word, "metric": lead.name, "dots": dots}
    shared["figure"] = "namebbq-bias"
    told = "nationalities" if dataset == "nationality" else "first names"
    side = "follow" if lead.value > 0 else "go against"
    if word == "not clear":
        return Verdict(
            found=f"shows no clear lean towards stereotypes about {told}",
            matters="It may still hold stereotypes that these stories do not touch.",
            **shared,
        )
    if word == "weak":
        return Verdict(
            found=f"may {side} stereotypes about {told}",
            matters="The lean is clear by itself, but not among all tests: a hint, no proof.",
            **shared,
        )
    verb = "follows" if lead.value > 0 else "goes against"
    return Verdict(
        found=f"{verb} stereotypes about {told}",
        matters=f"It judges people by origin where nobody can know: its bias is "
        f"{number(lead.value)} of 1.",
        **shared,
    )


def _dots(biases: dict[str, Any]) -> Dots | None:
    rows = [
        {"row": ROWS[dataset], "value": one.value, "low": one.low, "high": one.high}
        | {"said": f"{ROWS[dataset]}: bias {metric_value(one)}, {counted(one.n, one.counted)}"}
        for dataset, one in biases.items()
    ]
    if not rows:
        return None
    ends = ("against stereotypes", "with stereotypes")
    domain = both_sides([rows], "value", "low", "high")
    return Dots(rows=rows, domain=domain, ends=ends, reference=0, at="no lean")
