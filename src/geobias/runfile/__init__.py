"""A run in one SQLite file: the questions, the replies, and how the replies were read.

`docs/formats.md` documents the schema for people who query it with their own tools.
"""

from geobias.runfile.manifest import Elsewhere, Manifest
from geobias.runfile.reading import RunReader, SavedReply
from geobias.runfile.reuse import OtherRuns
from geobias.runfile.verdicts import Verdict, save_verdict
from geobias.runfile.writing import RunWriter

__all__ = [
    "Elsewhere",
    "Manifest",
    "OtherRuns",
    "RunReader",
    "RunWriter",
    "SavedReply",
    "Verdict",
    "save_verdict",
]
