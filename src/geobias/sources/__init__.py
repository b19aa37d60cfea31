"""Figures, items and entities that do not come with geobias: data services, and what they sent.

`geobias.sources.worldbank.pull` makes a table of figures of any World Bank indicator. Nothing here
is needed to run an audit, and nothing here is reached unless someone asks for it.
"""
