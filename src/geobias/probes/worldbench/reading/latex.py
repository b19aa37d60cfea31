"""LaTeX around numbers and words: what it typesets stays, at its place, and the commands go."""

from __future__ import annotations

import re

from geobias.probes.lazy import regex

_COMMAND = regex(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|operatorname|mbox|bf|rm"
    r"|displaystyle"
    r"|approx|sim|quad|qquad|left|right|Large|large)\b\s?\{?"
    r"|~(?=\\)|\\[()\[\]!;: ]|(?<![0-9])\\,|\\,(?![0-9])|\\(?=[$%#&])"
)
_FRACTION = regex(r"\\d?frac\s?\{([^{}]{1,30})\}\{((?:[^{}]|\{,\}){1,30})\}")
_CLOSING = regex(r"(?<!\{,)\}")


def without_latex(text: str) -> str:
    """`text` with its LaTeX commands as spaces, character for character."""
    if "\\" not in text:
        return text
    text = _FRACTION.sub(_slash, text)
    plain = _COMMAND.sub(lambda found: " " * len(found[0]), text)
    return _CLOSING.sub(" ", plain)


def _slash(found: re.Match[str]) -> str:
    """*\\frac{342}{100{,}000}* as *342 / 100,000*, as long as before."""
    lead = " " * (found.start(1) - found.start())
    return f"{lead}{found[1]} /{found[2]} "
