"""Measures: a probe declares what is averaged over what; this package computes and words the rest.

measure      what a probe declares
frames       rows as Polars frames, and work that is cached for each
questions    one row for each question, adjusted for the difficulty of its item
estimates    means, groups, contrasts, and how missing answers could change them
countries    the number of every country, and which countries differ from the others
methods      the primary conclusion, checked by other methods
over_models  means and contrasts over several models, with models as a further kind of unit
wordings     how much of the spread is due to the wording of questions
grouping     the columns by which a measure can be tabled
comparing    changes between two runs
planning     the power of a run of a given size
words        metrics, verdicts and sentences
drawing      the map, and the groups as dots
showing_models  metrics, tables and sentences over several models
"""
