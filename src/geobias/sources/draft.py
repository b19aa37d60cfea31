"""A big file while it comes: what is there of it stays there when the connection breaks off."""

from __future__ import annotations

from pathlib import Path

from geobias.errors import CannotWrite


class Draft:
    """The beginning of a file of which the size is known."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.size = size

    def there(self) -> int:
        """Bytes that have come; more than there can be are thrown away."""
        try:
            found = self.path.stat().st_size
        except FileNotFoundError:
            return 0
        if found > self.size:
            self.drop()
            return 0
        return found

    def drop(self) -> None:
        """Begin anew."""
        self.path.unlink(missing_ok=True)

    def append(self, part: bytes) -> None:
        """More bytes."""
        try:
            with self.path.open("ab") as file:
                file.write(part)
        except OSError as error:
            raise CannotWrite(
                f"Cannot write {self.path} ({error.strerror}): set GEOBIAS_CACHE to a folder with "
                "room for it; what has come is kept."
            ) from None
