from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import builtins, io
opened = []
for module in (builtins, io):
    real = module.open
    module.open = lambda file, *a, real=real, **k: opened.append(str(file)) or real(file, *a, **k)
import geobias.atlas.economies, geobias.atlas.editions, geobias.atlas.figures
import geobias.atlas.importing, geobias.atlas.indicators, geobias.probes.namebbq.names
import geobias.atlas.worldbank_csv
assert not [name for name in opened if name.endswith(".csv")], opened
"""


def test_importing_the_atlas_reads_no_table() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
