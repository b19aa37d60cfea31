"""Open models by name, such as "provider/name", and send questions to them."""

from geobias.models.model import Model, Transient

__all__ = ["Model", "Transient"]
