"""WorldBench: what a model knows about the figures of every country."""
