"""Geo20Q+: how a model reasons its way to people and things from every part of the world."""
