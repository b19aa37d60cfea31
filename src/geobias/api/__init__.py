"""Functions that run audits, for the command line and for Python.

auditing    the probes on one or more models, and one report
config      an audit as one TOML file
rereading   stored replies, read by today's rules or by a model
example     a recorded run of a real model, shipped with geobias
"""

from geobias.api.auditing import Audit, Incomplete, audit, compare, findings, gate
from geobias.running import Display, Options, Result, default_path, open_run, run

__all__ = [
    "Audit",
    "Display",
    "Incomplete",
    "Options",
    "Result",
    "audit",
    "compare",
    "default_path",
    "findings",
    "gate",
    "open_run",
    "run",
]
