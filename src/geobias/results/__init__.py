"""The vocabulary of results: plain data that probes fill and report, view and cli render.

findings      metrics, tables, sections, sentences, economies; screens: is it measurable at all?
tables        frames as tables, metrics from estimates, cells as text
verdicts      what a probe says first; does the conclusion hold when asked another way?
charts        kinds of charts; `figures`: a probe's figures, and functions to make them
changes       from one run to another
descriptions  what a trial looks like to a reader, and what people check by hand
formatting    numbers as text; text from elsewhere, made safe
"""
