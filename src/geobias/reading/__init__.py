"""Reading of replies: the parts that every probe shares.

Rules read plain replies, and read them correctly. The others are unread, and are asked about again
(`again`). `VERSION` goes into a run's manifest, and comparing runs with different versions is
mentioned. Raise it with every change after which a stored reply may be read differently.
"""

VERSION = "6"
