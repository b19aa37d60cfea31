"""The version of geobias. Every file that geobias writes names it."""

__version__ = "0.1.0"
