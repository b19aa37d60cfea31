"""Pages of `geobias view` for Geo20Q+: the language files, and games played with them."""

from geobias.probes.geo20q.pages.language_pages import LanguagePages

__all__ = ["LanguagePages"]
