"""Draw models between two axes by Vega-Lite (`plane.vl.json`), each in its own colour."""

from __future__ import annotations

from pathlib import Path

import msgspec
import vl_convert

from geobias.report.page.text import harmless
from geobias.results.charts import Plane
from geobias.results.formatting import with_true_minus


def plane_size(chart: Plane) -> tuple[float, float]:
    return 760, max(420, 19 * len(chart.points))


def draw_plane(chart: Plane) -> str:
    """The chart as SVG.

    Models are numbered from the highest last point to the lowest, so that readers need not tell
    colours apart. The legend lists them in this order.
    """
    names, points, levels = [], [], []
    models = sorted(chart.points.items(), key=lambda one: -one[1][-1][1])
    for number, (model, own) in enumerate(models, start=1):
        name = harmless(model)
        names.append(f"{number}  {name}")
        for i, (x, y) in enumerate(own, start=1):
            said = with_true_minus(f"{name}: {chart.x_title} {x:.4g}, {chart.y_title} {y:.4g}")
            last = str(number) if i == len(own) else ""
            points.append({"model": names[-1], "x": x, "y": y, "i": i, "last": last, "said": said})
        for i, level in enumerate(chart.levels.get(model, ())):
            levels.append({"model": names[-1], "y": level, "i": i})
    ends = [{"x": end, "y": end} for end in chart.ends]
    spec = msgspec.json.decode(Path(__file__).with_name("plane.vl.json").read_bytes())
    spec["width"], spec["height"] = plane_size(chart)
    spec["datasets"] = {"points": points, "levels": levels, "ends": ends}
    axes = spec["encoding"]
    axes["x"]["title"], axes["y"]["title"] = chart.x_title, chart.y_title
    axes["color"]["scale"]["domain"] = names
    return vl_convert.vegalite_to_svg(spec)
