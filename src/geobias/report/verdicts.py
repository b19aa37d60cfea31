"""What is said first of each section, and of several models, on the page and on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.records import is_simulated
from geobias.results.findings import Findings, Section
from geobias.results.tables import adjusted_over_audit
from geobias.results.verdicts import (
    LABELS,
    SURENESS,
    Verdict,
    Word,
    primary_of,
    word_of,
)

MANY = 3
"""Models from which on they are compared rather than told one after the other."""


def verdict_of(findings: Findings, section: Section) -> Verdict:
    """What is said first of a section; its first sentence, where its probe has no more to say.

    A probe without a primary test gets no word of certainty.
    """
    told = derived.verdict(all_probes()[section.probe], section)
    if told is not None:
        return told
    texts = [
        one.text
        for one in findings.sentences
        if (one.probe, one.model) == (section.probe, section.model)
    ]
    word = word_of(primary_of(section)) if section.measurable else "untested"
    return Verdict(word=word, label=LABELS[word], found="", matters=texts[0] if texts else "")


def in_a_sentence(verdict: Verdict) -> str:
    """ "Gap found. It knows poor countries less well than rich ones. Its error …"."""
    found = "" if verdict.word == "untested" or not verdict.found else f"It {verdict.found}."
    return " ".join(filter(None, (f"{verdict.label}.", found, verdict.matters)))


def words_of(findings: Findings) -> dict[tuple[str, str], Word]:
    """Probe and model → what its test says where all models' tests are one family: of many fair
    models, one is found to be biased at most one time in twenty."""
    return {
        (section.probe, section.model): verdict_of(findings, section).word
        for section in adjusted_over_audit(findings.sections)
    }


def title_of_several(findings: Findings) -> str:
    """In how many models a gap was found; of two models, in how many parts of each.

    Models that could not be tested are counted: they are no sign that bias is rare.
    """
    counted, kind = counted_models(findings)
    words = words_of(findings)
    of_model = {
        model: [word for (_, of), word in words.items() if of == model] for model in counted
    }
    left_out = len(findings.models) - len(counted)
    if len(counted) > 2:
        title = _title_of_many([min(own, key=SURENESS.index) for own in of_model.values()], kind)
    else:
        title = "; ".join(f"{model} {_parts_found(own)}" for model, own in of_model.items())
    return title + ("", "; the other is simulated", "; the others are simulated")[min(left_out, 2)]


def _parts_found(words: Sequence[Word]) -> str:
    tested = [word for word in words if word != "untested"]
    if not tested:
        return "could not be tested"
    parts = f"{len(tested)} {'parts' if len(tested) > 1 else 'part'} tested"
    if count := tested.count("found"):
        return f"shows a gap in {count} of {parts}"
    return f"shows no clear gap in {parts}"


def counted_models(findings: Findings) -> tuple[list[str], str]:
    """The models that a count is over, and what they are called: all, or the real ones among them.

    Simulated models say nothing about real ones: beside those they are shown and not counted.
    """
    simulated = simulated_models(findings)
    real = [one for one in findings.models if one not in simulated]
    return (real, "real models") if real and simulated else (findings.models, "models")


def simulated_models(findings: Findings) -> set[str]:
    return {run.model for run in findings.runs if is_simulated(run)}


def spread_of_words(findings: Findings, probe: str) -> tuple[dict[Word, int], str]:
    """How many of the models that count have each word, the surest first; and that in words."""
    models, kind = counted_models(findings)
    words = words_of(findings)
    own = Counter(words[probe, model] for model in models if (probe, model) in words)
    counts = {word: own[word] for word in SURENESS if own[word]}
    if not counts:
        return {}, ""
    first, *rest = [f"{LABELS[word].lower()} in {count}" for word, count in counts.items()]
    return counts, ", ".join([f"{first} of {own.total()} {kind}", *rest])


def _title_of_many(words: Sequence[Word], kind: str) -> str:
    count, silent, found = len(words), words.count("untested"), words.count("found")
    if silent == count:
        return f"None of {count} {kind} could be tested"
    beside = f"; {silent} could not be tested" if silent else ""
    where = {0: f"none of {count}", count: f"all {count}"}.get(found, f"{found} of {count}")
    return f"A gap was found in {where} {kind}{beside}"


def surest_words(findings: Findings) -> dict[str, Word]:
    """Each model → the surest that any probe found in it."""
    words = words_of(findings)
    return {
        model: min(
            (word for (_, of), word in words.items() if of == model),
            key=SURENESS.index,
            default="untested",
        )
        for model in findings.models
    }


def unmeasurable(findings: Findings) -> set[str]:
    """Models of which no probe can say anything."""
    return {model for model, word in surest_words(findings).items() if word == "untested"}
