"""The page's colours: each has a name, a value on white paper and one for dark screens.

Figures are drawn with the light values. Where one stands in the page, every colour is replaced by
its name (`var(--ink)`), so that the same drawing follows the reader's light or dark setting and
prints on white. No red stands against a green: scales run in lightness, and the two-sided one from
blue to orange, which readers with any common colour blindness can tell apart.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Colour(NamedTuple):
    light: str
    dark: str


COLOURS = {
    "paper": Colour("#ffffff", "#14171a"),
    "ink": Colour("#1c2126", "#e8eaec"),
    "muted": Colour("#5c6670", "#a0a9b2"),
    "faint": Colour("#8b949d", "#7b858f"),
    "hairline": Colour("#dfe3e7", "#30363c"),
    "wash": Colour("#f4f6f8", "#1d2226"),
    "accent": Colour("#0f5c8e", "#6fb6e6"),
    "second": Colour("#c2640c", "#eda35a"),
    "third": Colour("#6a51a3", "#b5a3e0"),
    "fourth": Colour("#3f8f86", "#7fcabf"),
    # On maps: what was not asked about, and the ground of the hatching of what has no value.
    "blank": Colour("#fdfdfd", "#16191c"),
    "no-data": Colour("#eef0f2", "#24292d"),
    # Low to high. The lowest stands off the paper, and off what is blank.
    "scale-0": Colour("#c9dff0", "#234562"),
    "scale-1": Colour("#adcde4", "#28526f"),
    "scale-2": Colour("#8ab7d7", "#2f6284"),
    "scale-3": Colour("#629dc6", "#3a739d"),
    "scale-4": Colour("#3a82b2", "#5a93ba"),
    "scale-5": Colour("#1a6093", "#88b6d5"),
    "scale-6": Colour("#0a3d66", "#c0dcee"),
    # Below zero to above it.
    "two-0": Colour("#1f5f99", "#7cbcf0"),
    "two-1": Colour("#5f9bc9", "#4a86b8"),
    "two-2": Colour("#b4d2e7", "#2b4c68"),
    "two-3": Colour("#d9d3c6", "#5a564d"),
    "two-4": Colour("#f5cda2", "#6b4823"),
    "two-5": Colour("#e0903f", "#b8742c"),
    "two-6": Colour("#a85208", "#f2ab62"),
}

SCALE = [f"scale-{i}" for i in range(7)]
TWO_SIDED = [f"two-{i}" for i in range(7)]
SERIES = ["accent", "second", "third", "fourth"]
"""For a few series in one figure; more than four are better drawn as several panels."""

_NAMES = {colour.light: name for name, colour in COLOURS.items()}
_HEX = re.compile(r"#[0-9a-f]{6}\b")


def light(name: str) -> str:
    """The value a figure is drawn with."""
    return COLOURS[name].light


def with_colour_names(svg: str) -> str:
    """The drawing with names for colours, as it stands in the page."""

    def name(value: str) -> str:
        return f"var(--{_NAMES[value]})" if value in _NAMES else value

    return _HEX.sub(lambda match: name(match[0]), svg)


def colour_style(dark_where: str = "(prefers-color-scheme:dark)") -> str:
    """The colours as a style sheet: dark ones where this media query holds, else light ones."""
    on_light = "".join(f"--{name}:{colour.light};" for name, colour in COLOURS.items())
    on_dark = "".join(f"--{name}:{colour.dark};" for name, colour in COLOURS.items())
    return f":root{{{on_light}}}@media {dark_where}{{:root{{{on_dark}}}}}"
