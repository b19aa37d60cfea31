"""How replies are read: what every probe shares.

Plain replies are read, and read right; everything else is unread, and is asked about again
(`again`). `VERSION` goes into a run's manifest: runs that were read differently are not compared
without saying so. Raise it with every change after which a stored reply may be read otherwise.
"""

VERSION = "6"
