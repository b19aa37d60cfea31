"""What is said first of each section, and of several models, on the page and on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from geobias.probes.registry import all_probes
from geobias.report.records import is_simulated
from geobias.results.findings import Findings, Metric, Section
from geobias.results.verdicts import SURENESS, Verdict, Word, as_a_hint

MANY = 3
"""Models from which on they are compared rather than told one after the other."""


TOO_SMALL = "The run is too small to be sure: a hint, no proof."


def verdict_of(findings: Findings, section: Section) -> Verdict:
    """What is said first of a section; its first sentence, where its probe has no more to say.

    A run of size quick is too small for conclusions, so nothing in it is called clear.
    """
    probe = all_probes()[section.probe]
    told = probe.verdict(section)
    if told is not None and told.word == "clear" and is_quick(findings, section):
        metrics = [as_a_hint(one) for one in section.metrics]
        hint = probe.verdict(msgspec.structs.replace(section, metrics=metrics)) or told
        return msgspec.structs.replace(hint, word="weak", matters=TOO_SMALL)
    if told is not None:
        return told
    texts = [
        one.text
        for one in findings.sentences
        if (one.probe, one.model) == (section.probe, section.model)
    ]
    word: Word = "not clear" if section.measurable else "not measurable"
    return Verdict(word=word, found="", matters=texts[0] if texts else "")


def is_quick(findings: Findings, section: Section) -> bool:
    """Whether the run is of size quick."""
    run = next((run for run in findings.runs if run.id == section.run), None)
    return run is not None and run.probes.get(section.probe, {}).get("size") == "quick"


def as_it_counts(findings: Findings, section: Section, metric: Metric) -> Metric:
    """A metric of the section, to be put in a word as the verdict is."""
    return as_a_hint(metric) if is_quick(findings, section) else metric


def in_a_sentence(verdict: Verdict) -> str:
    """ "Clear. It knows poor countries less well than rich ones. Its mean error …"."""
    found = "" if verdict.word == "not measurable" or not verdict.found else f"It {verdict.found}."
    return " ".join(filter(None, (f"{verdict.word.capitalize()}.", found, verdict.matters)))


def words_of(findings: Findings) -> dict[tuple[str, str], Word]:
    """Probe and model → how sure a bias is."""
    return {
        (section.probe, section.model): verdict_of(findings, section).word
        for section in findings.sections
    }


def title_of_several(findings: Findings) -> str:
    """Two models by name; of more, how many show clear bias anywhere, or a hint of it.

    Models that cannot be measured are counted: they are no sign that bias is rare.
    """
    counted, kind = counted_models(findings)
    shown = [surest_words(findings)[model] for model in counted]
    left_out = len(findings.models) - len(counted)
    if len(counted) > 2:
        title = _title_of_many(shown, kind)
    elif len(counted) == 2 and len(set(shown)) == 1:
        title = f"Both {kind} {_SHOWN_BY_SEVERAL[shown[0]]}"
    else:
        title = "; ".join(f"{a} {_SHOWN[word]}" for a, word in zip(counted, shown, strict=True))
    return title + ("", "; the other is simulated", "; the others are simulated")[min(left_out, 2)]


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
    first, *rest = [f"{word} in {count}" for word, count in counts.items()]
    return counts, ", ".join([f"{first} of {own.total()} {kind}", *rest])


_SHOWN: dict[Word, str] = {
    "clear": "shows clear geographic bias",
    "weak": "shows a hint of geographic bias",
    "not clear": "shows no clear geographic bias",
    "not measurable": "cannot be measured",
}
_SHOWN_BY_SEVERAL = {
    word: text.replace("shows", "show").replace("cannot be measured", "are not measurable")
    for word, text in _SHOWN.items()
}


def _title_of_many(words: Sequence[Word], kind: str) -> str:
    count, silent = len(words), words.count("not measurable")
    if silent == count:
        return f"None of {count} {kind} can be measured"
    beside = f", {silent} cannot be measured" if silent else ""
    for wanted in ("clear", "weak"):
        found = words.count(wanted)
        if found == count:
            return f"All {count} {kind} {_SHOWN_BY_SEVERAL[wanted]}"
        if found:
            shown = _SHOWN if found == 1 else _SHOWN_BY_SEVERAL
            return f"{found} of {count} {kind} {shown[wanted]}{beside}"
    return f"None of {count} {kind} {_SHOWN['clear']}{beside}"


def surest_words(findings: Findings) -> dict[str, Word]:
    """Each model → the surest that any probe found in it."""
    words = words_of(findings)
    return {
        model: min(
            (word for (_, of), word in words.items() if of == model),
            key=SURENESS.index,
            default="not measurable",
        )
        for model in findings.models
    }


def unmeasurable(findings: Findings) -> set[str]:
    """Models of which no probe can say anything."""
    return {model for model, word in surest_words(findings).items() if word == "not measurable"}
