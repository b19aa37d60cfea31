"""The colours of the page, and elements of its drawings.

Each colour has a name, a value on white paper and one for dark screens.

Figures are drawn with the light values. In a page, every colour of a figure is replaced by its name
(`var(--ink)`), so that the same drawing follows the reader's light or dark setting and prints on
white. Red never stands against green: scales vary in lightness, and the two-sided scale runs from
blue to orange, which readers with any common colour blindness can tell apart.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.sax.saxutils import escape

from markupsafe import Markup
from markupsafe import escape as escaped


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
    # On maps: economies not asked about, and the background of hatching.
    "blank": Colour("#fdfdfd", "#16191c"),
    "no-data": Colour("#eef0f2", "#24292d"),
    # Low to high. The lowest can be told from the paper and from blank areas.
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

_NAMES = {colour.light: name for name, colour in COLOURS.items()}
_HEX = re.compile(r"#[0-9a-f]{6}\b")


def light(name: str) -> str:
    """The light value of a colour. Figures are drawn with it."""
    return COLOURS[name].light


def with_colour_names(svg: str) -> str:
    """Replace colours by their names, so that the page can choose light or dark values."""

    def name(value: str) -> str:
        return f"var(--{_NAMES[value]})" if value in _NAMES else value

    return _HEX.sub(lambda match: name(match[0]), svg)


def colour_style(dark_where: str = "(prefers-color-scheme:dark)") -> str:
    """A style sheet that defines the colours, with dark values where `dark_where` holds."""
    on_light = "".join(f"--{name}:{colour.light};" for name, colour in COLOURS.items())
    on_dark = "".join(f"--{name}:{colour.dark};" for name, colour in COLOURS.items())
    return f":root{{{on_light}}}@media {dark_where}{{:root{{{on_dark}}}}}"


FONT = "Arial, Liberation Sans, Helvetica, sans-serif"

HATCH = (
    '<defs><pattern id="hatch" width="10" height="10" patternUnits="userSpaceOnUse" '
    f'patternTransform="rotate(45)"><rect width="10" height="10" fill="{light("no-data")}"/>'
    f'<rect width="3.4" height="10" fill="{light("faint")}"/></pattern>'
    '<pattern id="unasked" width="13" height="13" patternUnits="userSpaceOnUse">'
    f'<rect width="13" height="13" fill="{light("blank")}"/>'
    f'<circle cx="6" cy="6" r="2" fill="{light("faint")}"/></pattern></defs>'
)
"""Patterns for economies without a value or not asked about. They resemble no shade of a scale."""
UNASKED = "url(#unasked)"


def svg_element(inside: str, view_box: str) -> str:
    head = f'xmlns="http://www.w3.org/2000/svg" viewBox="{view_box}" font-family="{FONT}"'
    return f"<svg {head}>{inside}</svg>"


def inlined(svg: str, words: str) -> Markup:
    """A drawing as an element of the page, with colour names and a description."""
    label = f'<svg role="group" aria-label="{escaped(words)}" '
    return Markup(with_colour_names(svg).replace("<svg ", label, 1))  # noqa: S704


def size(svg: str) -> tuple[float, float]:
    """The width and height of a drawing that `svg_element` made."""
    view_box = svg.partition('viewBox="')[2].partition('"')[0]
    _, _, width, height = map(float, view_box.split())
    return width, height


def text_element(
    x: float, y: float, words: str, points: int, colour: str = "muted", **attributes: str
) -> str:
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    place = f'x="{x:g}" y="{y:g}" font-size="{points}"{more}'
    return f'<text {place} fill="{light(colour)}">{escape(words)}</text>'
