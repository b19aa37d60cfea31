"""The three benchmarks in miniature, on twelve countries: does everything work end to end?

Each country is placed on its continent (what a model knows), sits in a compartment with another
traveller (what it assumes), and is searched for by yes-or-no questions (how it reasons). A minute
shows whether model, key and settings are right, and whether the model can be measured at all. It
is too small for conclusions about bias.
"""

from geobias.probes.pilot.trials import PilotRecord, plan

__all__ = ["PilotRecord", "plan"]
