"""Engines of other projects that drive the trials of geobias: Inspect AI and Ray.

Both are optional extras, so no other package of geobias imports these modules.
"""
