"""The version of geobias, on the ground floor: whatever writes a file names it."""

__version__ = "0.1.0"
