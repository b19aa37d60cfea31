"""Commands of `geobias worldbench`."""

from __future__ import annotations

from pathlib import Path

import click
import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.figures import Figures
from geobias.cli.options import FILE, JSON
from geobias.cli.terminal import print_tables
from geobias.measures.grouping import with_groups
from geobias.probes.worldbench.choosing import figures_from
from geobias.probes.worldbench.moving import floors, other_figures
from geobias.probes.worldbench.scores import ERROR, frame_of
from geobias.probes.worldbench.years import years_table


@click.command()
@click.option("--figures", type=FILE, help="Your own table of figures (CSV).")
@click.option("--edition", type=FILE, help="Another edition to compare with --figures.")
@click.option("--by", metavar="COLUMN", help="Group by region, income or another column.")
@JSON
def years(figures: Path | None, edition: Path | None, by: str | None, as_json: bool) -> None:
    """Print how far the figures of each year are from the ground truth (the paper's Table 3).

    \b
    geobias worldbench years
    geobias worldbench years --by income
    geobias worldbench years --figures figures-2026.csv --by region --json
    geobias worldbench years --edition figures-2026.csv --by income

    This needs no model. The column 2018 is the error of a model that knows the figures of 2018
    perfectly. With --by, it is the mean error of each group, as in `geobias table RUN error`. With
    --figures or --edition, the column "other edition" is the error of a model that knows the other
    edition perfectly.
    """
    known = figures_from(figures)
    if by is None and edition is None:
        print_tables({"years": years_table(known, known.years[-5:])}, as_json=as_json)
        return
    grouping = by or "all"
    asked, column = with_groups(_every_question(known), ERROR, grouping)
    other = None if edition is None else figures_from(edition)
    table = floors(asked, other_figures(known, "average", other), column)
    print_tables({f"error of one who knows other figures, by {grouping}": table}, as_json=as_json)


def _every_question(known: Figures) -> pl.DataFrame:
    """All questions that a table of figures can answer."""
    places = economies()
    rows = [
        {"indicator": indicator, "country": iso3, "truth": truth, "error": 0.0}
        | {"region": places[iso3].region, "income": places[iso3].income}
        for indicator in known.series
        for iso3, truth in known.truths(indicator, "average").items()
    ]
    return frame_of(rows)
