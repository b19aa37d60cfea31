"""Plain data for results. Probes fill it in, and `report`, `view` and `cli` render it.

findings      metrics, tables, sections, sentences, economies and screens
tables        frames as tables, metrics from estimates, cells as text
verdicts      the first statement of a section, and its agreement with other methods
charts        kinds of charts
figures       the figures of a probe, and functions to make them
changes       changes between two runs
descriptions  how a reader sees a trial, and what reviewers check by hand
formatting    numbers as text; foreign text, made safe
"""
