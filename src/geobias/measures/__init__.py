"""Measures: a probe says what is averaged over what, and everything that is shown follows.

measure      what a probe declares
frames       rows as Polars frames, and work that is cached for each
questions    the rows of a measure: one for each question, adjusted for its item
estimates    means, groups, contrasts, and how missing answers could change them
countries    every country's number, and which countries differ from the others
methods      the same conclusion by other methods
over_models  the same numbers over several models, which are one more kind of unit
wordings     how much of the spread is due to the wording of questions
grouping     the columns by which anything can be tabled
comparing    changes between two runs
planning     what a run of some size can show
words        metrics, verdicts and sentences
drawing      the map, and the groups as dots
showing_models  metrics, tables and sentences over several models
"""
