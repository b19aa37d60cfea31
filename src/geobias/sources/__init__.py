"""Data that geobias does not ship: clients of data services, and a cache for files.

`geobias.sources.worldbank.pull` makes a table of figures from any World Bank indicator. An audit
needs none of this, and geobias contacts no service unless the user asks for it.
"""
