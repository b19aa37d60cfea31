"""What a terminal shows of a run: its scores, nationalities and names side by side."""

from __future__ import annotations

from geobias.probes.namebbq.scores import DATASETS
from geobias.results.findings import Cell, Column, Section, Table
from geobias.results.tables import rows_of


def summary(section: Section) -> Table:
    rows: dict[str, dict[str, Cell]] = {}
    for row in rows_of(section, "scores"):
        if row["dataset"] is not None:
            label = f"{row['metric'].replace('_', ' ')}, {row['context']}"
            shown = rows.setdefault(label, {"score": label})
            for end in ("", "_low", "_high"):
                shown[f"{DATASETS[row['dataset']]}{end}"] = row[f"value{end}"]
    columns = [Column(name="score", label="score", kind="text")]
    for name in DATASETS.values():
        if any(name in row for row in rows.values()):
            columns += [
                Column(name=f"{name}{end}", label=name, kind="number")
                for end in ("", "_low", "_high")
            ]
    names = [column.name for column in columns]
    whole = [{name: row.get(name) for name in names} for row in rows.values()]
    return Table(title="bias from −1 to 1, 0 is none", note="", columns=columns, rows=whole)
