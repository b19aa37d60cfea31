"""A Vega-Lite specification as SVG in our theme, and what every drawing shares."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import msgspec

from geobias.report.page.colours import light, with_colour_names

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH = 430
"""Of a panel, in CSS pixels: a phone shows it nearly at its own size, a screen two or three."""
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"

HATCH = (
    '<defs><pattern id="hatch" width="10" height="10" patternUnits="userSpaceOnUse" '
    f'patternTransform="rotate(45)"><rect width="10" height="10" fill="{light("no-data")}"/>'
    f'<rect width="3.4" height="10" fill="{light("faint")}"/></pattern>'
    '<pattern id="unasked" width="13" height="13" patternUnits="userSpaceOnUse">'
    f'<rect width="13" height="13" fill="{light("blank")}"/>'
    f'<circle cx="6" cy="6" r="2" fill="{light("faint")}"/></pattern></defs>'
)
"""What stands for no value, and for what was not asked: no shade of a scale looks like them."""
UNASKED = "url(#unasked)"

_THEME = {
    "background": "transparent",
    "font": FONT,
    "padding": {"left": 2, "right": 14, "top": 4, "bottom": 4},
    "view": {"stroke": None},
    "axis": {
        "domain": False,
        "ticks": False,
        "grid": False,
        "labelColor": light("muted"),
        "labelFontSize": 12,
        "labelPadding": 6,
        "labelFlush": False,
        "titleColor": light("muted"),
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "axisX": {"grid": True, "gridColor": light("hairline"), "tickCount": 4},
    # Numbers are never cut. A label that could be is measured once more, which takes long.
    "axisQuantitative": {"labelLimit": 0},
    "legend": {
        "orient": "top",
        "title": None,
        "labelColor": light("ink"),
        "labelFontSize": 12,
        "symbolSize": 70,
        "offset": 6,
        "padding": 0,
    },
    "text": {"font": FONT, "fontSize": 12, "color": light("ink")},
}


def vega_to_svg(spec: dict[str, Any], *, height: int) -> str:
    """A Vega-Lite specification as SVG in our theme, `WIDTH` wide and `height` high in all."""
    frame = {"width": WIDTH, "height": height, "config": _THEME}
    fit = {"autosize": {"type": "fit", "contains": "padding"}}
    return _drawn(msgspec.json.encode(spec | frame | fit).decode())


@lru_cache(maxsize=512)
def _drawn(spec: str) -> str:
    """Drawing takes most of a page's time; a viewer's pages share most of their figures."""
    import vl_convert

    return _slim(vl_convert.vegalite_to_svg(spec))


_SIZE = re.compile(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>')
_LEFT_OUT = re.compile(
    r'<path class="(?:background|foreground)"[^>]*/>| aria-roledescription="[^"]*"| opacity="1"'
    r'| pointer-events="none"| aria-hidden="true"'
    r'|<rect width="\d+" height="\d+" fill="(?:white|transparent)"/>'
    r'| font-family="[^"]*"| role="graphics-(?:object|symbol)"| class="mark-[^"]*"'
    r'| stroke-miterlimit="10"| transform="translate\(0,0\)"| [xy]2="0"| stroke-width="1"'
    r'| font-weight="normal"'
)
_CELLS = re.compile(r' class="mark-rect role-mark cells_marks"')
_MARKS = re.compile(r' class="mark-(?!text|group)\w+ role-(?:mark|legend-symbol)[^"]*"')
"""What carries a value, or explains one, and is not text."""
_LONG = re.compile(r"(\d+\.\d)\d+")
_AXIS = re.compile(r' aria-label="[^"]*(?:axis|legend) titled[^"]*"| aria-label="[XY]-axis[^"]*"')


def _slim(svg: str) -> str:
    """The drawing's inside in an `<svg>` of ours: no axis descriptions (the figure's words say
    more), one decimal of a pixel. Marks keep their `aria-label`, which the page shows on hover."""
    head = _head(svg)
    inside = _CELLS.sub(' class="cell"', svg[head.end() : svg.rindex("</svg>")])
    inside = _MARKS.sub(' class="mark"', inside)
    inside = _AXIS.sub("", _LEFT_OUT.sub("", inside))
    return svg_element(_short_coordinates(inside), head[1])


def _head(svg: str) -> re.Match[str]:
    """The drawing's own tag; its first group is the view box."""
    head = _SIZE.match(svg)
    if head is None:
        raise ValueError("the drawing has no size")
    return head


PALE = {"mark": 0.5, "cell": 0.4}
"""Opacity of what is not measurable: its hue can still be told. Cells have words on them. Maps stay
as they are: a pale dark shade would look like another shade of the legend."""
_FADING = re.compile(r'<g class="(mark|cell)"')


def faded(svg: str) -> str:
    """The drawing with pale marks. Text keeps its strength, so that it can still be read."""
    pale = _FADING.sub(lambda match: f'{match.group()} opacity="{PALE[match.group(1)]}"', svg)
    light_on_dark = re.compile(rf'(<text [^>]*fill="){light("paper")}"')
    return light_on_dark.sub(rf'\g<1>{light("ink")}"', pale)


def _short_coordinates(svg: str) -> str:
    """Coordinates with one decimal; numbers that a reader is told stay."""
    parts = re.split(r'(aria-label="[^"]*"|>[^<]*<)', svg)
    return "".join(part if i % 2 else _LONG.sub(r"\1", part) for i, part in enumerate(parts))


def svg_element(inside: str, view_box: str) -> str:
    head = f'xmlns="http://www.w3.org/2000/svg" viewBox="{view_box}" font-family="{FONT}"'
    return f"<svg {head}>{inside}</svg>"


def inlined(svg: str, words: str) -> Markup:
    """A drawing as it stands in the page: colours by name, described in words."""
    from markupsafe import Markup
    from markupsafe import escape as escaped

    label = f'<svg role="group" aria-label="{escaped(words)}" '
    return Markup(with_colour_names(svg).replace("<svg ", label, 1))  # noqa: S704


def size(svg: str) -> tuple[float, float]:
    _, _, width, height = map(float, _head(svg)[1].split())
    return width, height


def text_element(
    x: float, y: float, words: str, points: int, colour: str = "muted", **attributes: str
) -> str:
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    place = f'x="{x:g}" y="{y:g}" font-size="{points}"{more}'
    return f'<text {place} fill="{light(colour)}">{escape(words)}</text>'
