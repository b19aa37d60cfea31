"""The world as tables: economies, indicators, their figures, and where each came from.

Import from the module that carries the noun (`geobias.atlas.economies`, `.indicators`,
`.figures`). Nothing is read until it is asked for, so importing costs nothing.
"""
