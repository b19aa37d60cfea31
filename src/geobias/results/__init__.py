"""The vocabulary of results: plain data that probes fill and report, view and cli render.

findings      metrics, tables, sections, sentences, economies
screens       is it measurable at all?
charts        kinds of charts; `figures`: a probe's figures, and helpers to make them
changes       from one run to another
checks        what people check by hand, and what they found
descriptions  what a trial looks like to a reader
tabling       frames as tables
formatting    numbers as text; `text`: text from elsewhere, made safe
"""
