"""The world as tables, each with its source. A table is read when it is first used."""
