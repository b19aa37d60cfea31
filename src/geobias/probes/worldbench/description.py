"""Describe questions for readers, and draw the samples that people check by hand.

The paper validates how numbers are read on the same samples (Moayeri et al. 2024, section 3.2 and
appendix C): numbers, replies without a number, and numbers with a large error.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from geobias.atlas.economies import economy_name
from geobias.probes.checking import is_none, is_right, number_checks, number_samples, typed_number
from geobias.probes.probe import Showing
from geobias.probes.questions import outcome_words
from geobias.probes.worldbench.trials import absolute_relative_error
from geobias.results.descriptions import CheckQuestion, Description, Facts, marked_part
from geobias.results.formatting import NOTHING, figure, number, words
from geobias.trials import StoredRecord

LARGE_ERROR = 0.85
"""Errors above this are checked by hand, as in the paper."""
NEAR, FAR = 0.1, 0.5
"""Answers with an error up to `NEAR` are shown as right, and those above `FAR` as wrong.

The paper has no such limits. They only help to find replies.
"""


def describe(record: StoredRecord) -> Description:
    error, value, truth = (record.get(name) for name in ("error", "value", "truth"))
    topic = words(str(record.get("indicator", "")))
    read, result = "", ""
    if value is not None and error is not None:
        read = f"{figure(value)}; the figure is {figure(truth)}, error {number(error)}"
        result = "error over 0.85" if error > LARGE_ERROR else "error up to 0.85"
    return Description(
        title=f"{topic}, {economy_name(str(record.get('country', '')))}",
        topic=topic,
        read=read,
        result=result,
        bad=error is not None and error > LARGE_ERROR,
        correct=_correct(error),
        order=error,
        facts=_facts(record),
        marked=marked_part(record),
        reading="" if value is None else _exact(value),
        reading_label="" if value is None else "Read as",
    )


def _correct(error: float | None) -> bool | None:
    if error is None or NEAR < error <= FAR:
        return None
    return error <= NEAR


def _exact(value: float) -> str:
    """The value with all its digits, so that a person can compare it with the reply."""
    return f"{value:,.15g}"


def _facts(record: StoredRecord) -> Facts:
    value, error, scale = (record.get(name) for name in ("value", "error", "scale"))
    facts = {
        "Outcome": outcome_words(str(record["outcome"])),
        "Read as": "" if value is None else _exact(value),
        "Figure": figure(record.get("truth")),
        "Wording": f"paraphrase {record['wording']}" if record.get("wording") else "",
        "Error": "" if error is None else number(error, 3),
        "Scale word": _exact(scale) if scale and scale != 1 else "",
        "Source named": record.get("source"),
        "Year named": record.get("cited_year"),
        "Converted": record.get("converted"),
        "How it was read": record.get("reason"),
        "Region": record.get("region") or NOTHING,
        "Income group": record.get("income") or NOTHING,
    }
    return [(label, str(text)) for label, text in facts.items() if text]


def _valued(record: StoredRecord, typed: str) -> dict[str, object]:
    value = typed_number(typed)
    error = absolute_relative_error(value, record["truth"])
    return {"outcome": "parsed", "value": value, "error": error}


_READ, _UNREAD = number_samples(
    "worldbench",
    "number",
    _valued,
    ("value", "error"),
    read="parsed",
    unread="unparsed",
    aside="The figure is not shown here, so that it does not sway you.",
)
SAMPLES = (
    _READ,
    _UNREAD,
    msgspec.structs.replace(
        _READ,
        name="worldbench.large_error",
        title="The error is over 0.85",
        question="The number is far off. Is that what the reply says?",
        includes=lambda record: (record.get("error") or 0) > LARGE_ERROR,
    ),
)


def _completeness(none_there: float, outcomes: Mapping[str, int]) -> float | None:
    """The share of the replies with a number from which a number was read.

    `none_there` is the share of unread replies that have no number (the paper's appendix C).
    """
    read = outcomes.get("parsed", 0)
    without = outcomes.get("abstained", 0) + outcomes.get("unparsed", 0)
    return read / (read + without * (1 - none_there)) if read else None


CHECKS = (
    *number_checks("worldbench", "number", read="parsed", unread="unparsed"),
    CheckQuestion(
        name="worldbench.correctness_large_errors",
        sample="worldbench.large_error",
        label="Numbers read right where the error is over 0.85",
        right=is_right,
        sentence="Numbers checked on {n} replies with an error over 0.85: {share} read right.",
    ),
    CheckQuestion(
        name="worldbench.completeness",
        sample="worldbench.unparsed",
        label="Replies with a number that it was read from",
        right=is_none,
        sentence="Of the replies that have a number, it was read from {share}.",
        derived=_completeness,
    ),
)
SHOWING = Showing(
    describe,
    excerpt_by=("indicator",),
    excerpts=11,
    samples=SAMPLES,
    checks=CHECKS,
)
