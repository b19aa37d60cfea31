"""The sentences of reports, gates and comparisons, from small findings."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from geobias.errors import BadRequest
from geobias.probes.registry import all_probes
from geobias.report.baseline import Limit, limits_from, parse_limits
from geobias.report.gating import check_names, tally, verdicts
from geobias.report.page.opening import banner
from geobias.report.verdicts import title_of
from geobias.results import formatting
from geobias.results.findings import Findings
from geobias.results.tables import missing_line
from tests.report.made import findings as made
from tests.report.made import metric, of_real_model
from tests.report.test_plain_words import every_sentence
from tests.wording import reads_as

NAME = "worldbench.error"


def refused(action: Callable[[], object]) -> str:
    with pytest.raises(BadRequest) as caught:
        action()
    return str(caught.value)


def test_what_is_said_first_of_each_probe_reads_as_agreed() -> None:
    found = of_real_model("qwen2.5-coder-1.5b")
    texts = [
        f"{all_probes()[section.probe].title}: {text}"
        for section in found.sections
        for text in dict.fromkeys(every_sentence(section))
    ]
    reads_as("Verdicts of each probe, were its tests different", texts)


OPEN = metric(name="worldbench.income_trend", primary=True, p=0.2, low=-0.1)


def models(**words: str) -> Findings:
    """Findings on these models; "quiet" ones cannot be measured."""
    quiet, loud = made(OPEN, why=("it repeats itself",)), made(OPEN)
    sections, runs = [], []
    for model, word in words.items():
        of = quiet if word == "quiet" else loud
        sections.append(msgspec.structs.replace(of.sections[0], model=model))
        asked = {"model": "sim/fair" if word == "simulated" else "openai/m"}
        size = {"worldbench": {"size": "quick" if word == "quick" else "paper"}}
        runs.append(msgspec.structs.replace(loud.runs[0], model=model, models=asked, probes=size))
    return msgspec.structs.replace(loud, models=list(words), sections=sections, runs=runs)


CASES: dict[str, dict[str, str]] = {
    "one open": {"a": "open"},
    "one quick": {"a": "quick"},
    "one that cannot be measured": {"a": "quiet"},
    "two, one of them quick": {"a": "open", "b": "quick"},
    "two, one of them not measurable": {"a": "open", "b": "quiet"},
    "two, one of them simulated": {"a": "open", "b": "simulated"},
    "three not measurable": {"a": "quiet", "b": "quiet", "c": "quiet"},
    "three, one of them open": {"a": "open", "b": "quiet", "c": "quiet"},
}


def test_titles_and_banners_read_as_agreed() -> None:
    titles = {case: title_of(models(**words)) for case, words in CASES.items()}
    reads_as("Title of a report on models", titles)
    banners = {case: "; ".join(banner(models(**words))) for case, words in CASES.items()}
    reads_as("Banner of a report on models", banners)


def test_the_reasons_of_a_gate_read_as_agreed() -> None:
    limits = [Limit(NAME, "max", value) for value in (0.5, 0.2, 0.05)]
    undefined = metric(value=None, low=None, high=None, undefined_because="nobody spoke")
    cases: dict[str, Findings] = {
        "0.2 [0.1, 0.3]": made(metric()),
        "no interval": made(metric(low=None, high=None)),
        "not measurable": made(why=("it always says A",)),
        "undefined": made(undefined),
        "the metric is absent": made(metric(name="worldbench.unread")),
        "not finished": made(metric(), missing=7),
        "with missing answers": made(metric(missing=12, lowest=0.1, highest=0.4)),
        "with a caution": made(metric(caution="few countries")),
        "another model without the probe": msgspec.structs.replace(made(), models=["m", "other"]),
    }
    said = {
        f"{case}, {verdict.model}, {verdict.limit}": f"{verdict.outcome}: {verdict.says}"
        for case, found in cases.items()
        for verdict in verdicts(found, limits)
    }
    reads_as("Gate: reasons", said)
    sums = {case: tally(verdicts(found, limits, undecided="fail")) for case, found in cases.items()}
    reads_as("Gate: sums", sums)


def test_what_a_gate_refuses_reads_as_agreed() -> None:
    def limit(name: str) -> list[Limit]:
        return [Limit(name, "max", 1)]

    actions: dict[str, Callable[[], object]] = {
        "a misspelt metric": lambda: verdicts(made(), limit("worldbench.eror")),
        "the same, before the analysis": lambda: check_names(
            limit("worldbench.eror"), {"worldbench"}
        ),
        "a probe that was not run": lambda: verdicts(made(), limit("namebbq.accuracy")),
        "no baseline": lambda: verdicts(made(), [Limit(NAME, "worse", 0.1)]),
        "an option without a number": lambda: parse_limits("max", ["a=b"]),
        "a bound of another name": lambda: limits_from({"maximum": {}}, "limits.toml"),
        "text for a number": lambda: limits_from({"max": {"a": "b"}}, "limits.toml"),
        "a limit that is no number": lambda: limits_from(
            {"max": {"a": float("nan")}}, "limits.toml"
        ),
        "no limits": lambda: limits_from({}, "limits.toml"),
    }
    reads_as("Gate: refusals", {case: refused(action) for case, action in actions.items()})


def test_numbers_and_counts_read_as_agreed() -> None:
    counts = [
        (1, "templates"),
        (1, "games won"),
        (1, "countries"),
        (0, "games"),
        (1234, "questions"),
    ]
    reads_as("Counts", {f"{n}, {unit}": formatting.counted(n, unit) for n, unit in counts})
    moved = metric(missing=12, lowest=0.1, highest=0.4)
    reads_as("Beside a number: missing answers", missing_line(moved))
