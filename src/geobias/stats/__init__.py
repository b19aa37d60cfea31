"""Estimates with uncertainty, independent of any benchmark."""
