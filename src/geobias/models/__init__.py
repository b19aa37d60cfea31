"""From "provider/name" to something that answers."""

from geobias.models.model import Model, Transient

__all__ = ["Model", "Transient"]
