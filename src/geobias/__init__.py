"""geobias: an audit of what a language model knows, assumes and works out about the world."""

__version__ = "0.1.0"
