from __future__ import annotations

import os
import subprocess
import sys

import pytest

CODE = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from geobias.process import usable_cores
print(usable_cores())
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux binds to cores")
def test_a_process_that_is_bound_to_one_core_has_one() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"
