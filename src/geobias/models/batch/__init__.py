"""Asks in batches: a provider takes a day for them and half the money; or files that travel."""
