"""Geo20Q+: how a model reasons its way to people and things from every part of the world."""

from geobias.probes.geo20q.record import GameRecord, JudgeRecord
from geobias.probes.geo20q.trials import plan

__all__ = ["GameRecord", "JudgeRecord", "plan"]
