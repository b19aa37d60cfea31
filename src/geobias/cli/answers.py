"""The WorldBench answers in run files, and the figures they were held against."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geobias.cli.probes.worldbench import own_figures
from geobias.errors import BadRequest

if TYPE_CHECKING:
    import polars as pl

    from geobias.probes.worldbench.tables import Answers
    from geobias.runfile import Manifest


def answers_of(run: Path, figures: Path | None) -> Answers:
    """A run's answers with the figures they were held against, which must be those given here."""
    from geobias.atlas.figures import figures as shipped
    from geobias.atlas.figures import ground_truth_rule
    from geobias.probes.worldbench.tables import Answers
    from geobias.probes.worldbench.trials import figures_digest

    manifest = manifest_of(run)
    settings = settings_of(manifest, run)
    table = own_figures(figures) or shipped()
    if manifest.editions.get("figures") != figures_digest(table):
        which = "these" if figures else "the shipped"
        raise BadRequest(
            f"{run} was not made with {which} figures; give --figures FILE with the table it used"
        )
    return Answers(frame_of_runs([run]), table, ground_truth_rule(settings["ground_truth"]))


def manifest_of(run: Path) -> Manifest:
    """What the run is."""
    from geobias.cli.opening import open_run

    with open_run(run) as reader:
        return reader.manifest()


def settings_of(manifest: Manifest, run: Path) -> dict[str, Any]:
    """The settings of its WorldBench; a run without one is a `BadRequest`."""
    if "worldbench" not in manifest.probes:
        raise BadRequest(f"{run} holds {', '.join(manifest.probes)} and no worldbench")
    return manifest.probes["worldbench"]


def frame_of_runs(runs: Sequence[Path]) -> pl.DataFrame:
    """The questions of the runs in one frame; runs of one model are told apart by their files."""
    import polars as pl

    from geobias.cli.opening import open_run
    from geobias.probes.worldbench.scores import frame_of

    frames, names = [], set()
    for run in runs:
        with open_run(run) as reader:
            manifest = reader.manifest()
            settings_of(manifest, run)
            name = manifest.models["model"]
            name = f"{name} ({run})" if name in names else name
            names.add(name)
            frames.append(frame_of(reader.records("worldbench"), name))
    return pl.concat(frames)
