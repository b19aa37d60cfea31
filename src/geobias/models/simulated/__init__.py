"""A simulated model whose knowledge, stereotype and play are set by parameters.

It answers the same prompts as text, like any other model, and its true bias is known: that is how
we prove that a bias which is there is found, and that none is found where there is none.
"""

from geobias.models.simulated.model import SimulatedModel

__all__ = ["SimulatedModel"]
