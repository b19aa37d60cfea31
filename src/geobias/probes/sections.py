"""The common parts of every probe's section: counts of replies, first sentences, verdicts in words,
and whether groups of economies differ by other methods than the primary test.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from geobias.probes.probe import Answers, Probe, RunRecords
from geobias.results.findings import (
    Metric,
    Replies,
    Screen,
    Section,
    Sentence,
    SentenceKind,
    Table,
    because,
    reasons,
)


def run_of(answers: Answers) -> RunRecords:
    """The run that answers come from, since findings are of runs."""
    if answers.records is None:
        raise ValueError("these answers come from no run")
    return answers.records


def replies_of(probe: Probe[Any, Any], frame: pl.DataFrame, planned: int) -> Replies:
    """Counts of replies from the records' outcomes."""
    frame = frame.unique("trial")  # a game has a row for each of its settings
    count = dict(frame["outcome"].value_counts().iter_rows())
    read, declined, unread = (count.get(word, 0) for word in probe.showing.read_as)
    return Replies(
        planned=planned,
        asked=frame.height,
        read=read,
        declined=declined,
        unread=unread,
        no_text=frame.height - read - declined - unread,
        missing=max(0, planned - frame.height),
    )


def section_of(
    probe: Probe[Any, Any],
    answers: Answers,
    *,
    screens: list[Screen],
    metrics: list[Metric],
    tables: dict[str, Table],
    replies: Replies | None = None,
    notes: Sequence[str] = (),
) -> Section:
    """The section of one run. `replies` is given if records' outcomes do not tell them."""
    run = run_of(answers)
    why = reasons(screens)
    planned = run.planned.get(probe.name, answers.frame.height)
    return Section(
        probe=probe.name,
        title=f"{probe.title}: what the model {probe.verb}",
        model=answers.model,
        run=run.run,
        measurable=not why,
        why_not=why,
        screens=screens,
        replies=replies or replies_of(probe, answers.frame, planned),
        metrics=metrics,
        tables=tables,
        notes=[*run.notes, *notes],
    )


class Sentences:
    """The sentences of a section, in reading order."""

    def __init__(self, section: Section) -> None:
        self._section = section
        self.said: list[Sentence] = []
        if section.why_not:
            self.say("unmeasurable", because(section.why_not))

    def say(self, kind: SentenceKind, text: str, *, opening: bool = True) -> None:
        """Add a sentence, unless the text is empty."""
        if text:
            self.said.append(
                Sentence(
                    kind=kind,
                    probe=self._section.probe,
                    model=self._section.model,
                    text=text,
                    opening=opening,
                )
            )

    def say_unscored(self, parts: str, wanted: str) -> None:
        """Add how many of the asked questions gave no score, and why: "13 declined"."""
        replies = self._section.replies
        why = {
            "declined": replies.declined,
            f"without {wanted}": replies.unread,
            "without text": replies.no_text,
        }
        listed = ", ".join(f"{count:,} {words}" for words, count in why.items() if count)
        if left := replies.asked - replies.read:
            self.say("caution", f"{left:,} of {replies.asked:,} {parts} gave no score: {listed}.")

    def say_missing(self, counted: str, done: str = "asked") -> None:
        """Add how much of the plan is still to be done."""
        replies = self._section.replies
        if replies.missing:
            part = f"{replies.missing:,} of {replies.planned:,} {counted}"
            self.say("caution", f"{part} are not {done} yet.")
