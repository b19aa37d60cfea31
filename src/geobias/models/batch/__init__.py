"""Asks in batches, at a provider within a day for half the price, or in files."""
