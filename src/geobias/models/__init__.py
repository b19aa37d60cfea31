"""Models: from a name such as "provider/name" to something that answers asks."""

from geobias.models.model import Model, Transient

__all__ = ["Model", "Transient"]
