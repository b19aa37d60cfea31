"""What bash offers after Tab, by the script that it is given."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="there is no bash on this machine")


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The completion as ~/.bashrc evaluates it, with a `geobias` on the PATH."""
    folder = tmp_path_factory.mktemp("completion")
    program = folder / "geobias"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m geobias "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {"_GEOBIAS_COMPLETE": "bash_source"}
    made = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
    (folder / "completion.sh").write_text(made.stdout)
    return folder / "completion.sh"


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("geobias repo", ["report"]),
        ("geobias audit --size ", ["quick", "standard", "paper"]),
    ],
)
def test_tab_offers_commands_and_words(script: Path, line: str, offered: list[str]) -> None:
    assert BASH is not None
    words = line.split(" ")
    asked = f"""
        source '{script}'
        COMP_WORDS=({" ".join(map(repr, words))}) COMP_CWORD={len(words) - 1}
        _geobias_completion geobias
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environment = os.environ | {"PATH": f"{script.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [BASH, "-c", asked], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == offered
