"""Text from elsewhere, made safe for a terminal."""

from __future__ import annotations

from geobias.report.text import MOST_SHOWN, one_line, printable

__all__ = ["MOST_SHOWN", "one_line", "printable"]
