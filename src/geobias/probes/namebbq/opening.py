"""What Name-BBQ says first of a model, in plain words."""

from __future__ import annotations

from typing import Any

from geobias.probes.namebbq.scores import ENDINGS
from geobias.results.figures import both_sides
from geobias.results.findings import Metric, Section
from geobias.results.formatting import counted, number
from geobias.results.tables import metric_of, metric_value
from geobias.results.verdicts import Dots, Verdict, not_measurable, word_of

ROWS = {"nationality": "Nationalities", "name": "Names"}
WHY_NOT = {
    "parse rate": "Too few of its replies held an answer.",
    "disambiguated accuracy": "It misses the answer even where the text gives it.",
    "right person": "It misses the answer even where the text gives it.",
    "position": "It picks the same letter nearly every time.",
}


def verdict(section: Section) -> Verdict:
    """By the expected biases where the run has them: they are the more precise measure."""
    likeliest = _biases(section, "bias")
    expected = _biases(section, "expected_bias")
    biases = expected or likeliest
    name = "expected bias" if expected else "bias"
    dots = _dots(biases, name)
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
    shared["figure"] = "namebbq-expected_bias" if expected else "namebbq-bias"
    told = "nationalities" if dataset == "nationality" else "first names"
    by = ", by probabilities" if expected else ""
    also = _by_letters(likeliest.get(dataset)) if expected else ""
    side = "follow" if lead.value > 0 else "go against"
    if word == "not clear":
        return Verdict(
            found=f"shows no clear lean towards stereotypes about {told}{by}",
            matters=f"It may still hold stereotypes that these stories do not touch.{also}",
            **shared,
        )
    if word == "weak":
        return Verdict(
            found=f"may {side} stereotypes about {told}{by}",
            matters="The lean is clear by itself, but not among all tests: a hint, no proof."
            + also,
            **shared,
        )
    verb = "follows" if lead.value > 0 else "goes against"
    return Verdict(
        found=f"{verb} stereotypes about {told}{by}",
        matters=f"It judges people by origin where nobody can know: its {name} is "
        f"{number(lead.value)} of 1.{also}",
        **shared,
    )


def _biases(section: Section, name: str) -> dict[str, Metric]:
    """The ambiguous biases that have a value, by dataset."""
    return {
        dataset: found
        for dataset, ending in ENDINGS.items()
        if (found := metric_of(section, f"namebbq.{name}_ambiguous{ending}")) is not None
        and found.value is not None
    }


def _by_letters(bias: Metric | None) -> str:
    """What the likeliest letters say of the same, since the two may differ."""
    return "" if bias is None else f" By its likeliest letters the bias is {metric_value(bias)}."


def _dots(biases: dict[str, Metric], name: str) -> Dots | None:
    rows = [
        {"row": ROWS[dataset], "value": one.value, "low": one.low, "high": one.high}
        | {"said": f"{ROWS[dataset]}: {name} {metric_value(one)}, {counted(one.n, one.counted)}"}
        for dataset, one in biases.items()
    ]
    if not rows:
        return None
    ends = ("against stereotypes", "with stereotypes")
    domain = both_sides([rows], "value", "low", "high")
    return Dots(rows=rows, domain=domain, ends=ends, reference=0, at="no lean")
