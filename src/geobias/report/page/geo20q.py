"""The figures of Geo20Q+: what a model works out."""

from __future__ import annotations

from collections.abc import Sequence

from geobias.report.findings import Findings, Section
from geobias.report.page.drawing import Figure


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """All that the sections' tables allow, in the order in which they are read."""
    return []
