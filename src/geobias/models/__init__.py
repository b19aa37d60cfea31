"""Open models by name, such as "provider/name", and send questions to them."""

from geobias.http import Transient
from geobias.models.model import Model

__all__ = ["Model", "Transient"]
