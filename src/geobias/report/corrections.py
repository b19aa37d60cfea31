"""Apply the corrections that reviewers made in `geobias view`, for scores with corrections.

A correction counts if every reviewer of the item gave it. If reviewers differ, or if what they
typed is not an answer, the item counts as the rules read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from geobias.probes.registry import AnyProbe
from geobias.results.descriptions import Key
from geobias.results.formatting import counted
from geobias.runfile import RunReader

Rows = Callable[[str], Iterable[Mapping[str, Any]]]


class Corrections:
    """The reviewers' corrections of one probe's records in a run."""

    def __init__(self, run: RunReader, probe: AnyProbe) -> None:
        keys = {
            (sample.name, key.verdict): key
            for sample in probe.showing.samples
            for key in sample.keys
        }
        said: dict[str, set[tuple[Key, str]]] = {}
        for one in run.verdicts():
            key = keys.get((one.sample, one.verdict))
            if key is not None and one.verdict not in ("", "unsure"):
                said.setdefault(one.item, set()).add((key, one.value))
        self._agreed = {
            item: (key, value)
            for item, votes in said.items()
            if len(votes) == 1
            for key, value in votes
            if key.corrects
        }
        self.disputed = sum(len(votes) > 1 for votes in said.values())

    def corrected(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Yield the records, with corrections applied."""
        for row in rows:
            key, value = self._agreed.get(row["trial"], (None, ""))
            yield row if key is None else _changed(row, key, value)

    def in_words(self) -> str:
        """Say what was corrected, for the notes of a section. "" if nothing was."""
        if not self._agreed and not self.disputed:
            return ""
        text = f"With {counted(len(self._agreed), 'readings')} as people corrected them"
        if self.disputed:
            text += f"; reviewers differ on {self.disputed:,}, which stand as read"
        return f"{text}."


def _changed(row: Mapping[str, Any], key: Key, value: str) -> Mapping[str, Any]:
    try:
        return dict(row) | (key.corrects(row, value) if key.corrects else {})
    except ValueError:
        return row
