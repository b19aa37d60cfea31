"""Read replies by rules that all probes share.

The rules read plain replies only. All other replies are unread, and are asked about again
(`again`). A run's manifest has the `VERSION` of the rules, and a comparison of runs mentions
different versions. Raise `VERSION` when a stored reply may be read differently.
"""

VERSION = "9"
