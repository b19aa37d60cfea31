"""The world as tables: economies, indicators and their figures, each with its source.

Import from the module named after what you need (`geobias.atlas.economies`, `.indicators`,
`.figures`). A table is read when it is first used, so importing is cheap.
"""
