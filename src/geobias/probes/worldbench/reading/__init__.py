"""How a reply becomes a number: one idea per module, joined in `reply`.

`geobias.probes.first_answer` first finds the model's own answer, without thinking, debris or
self-talk; `geobias.probes.refusals` knows "I don't have data"; between them

expected       what the question says about its answer: kind, unit, plausible range, year, country
units          units of measure as replies write them, and how they convert; `rates` likewise
numerals       numbers in digits of any script; `separators` and `scales` say what they stand for
number_words   "twenty-three", "half"; `han_numbers` and `shares` ("1 in 5") likewise; `ranges`
years          which numbers are years, by their context and never by their size
roles          what a number in the text is for: the answer, a denominator, a list marker …
choice         which of several candidates is the answer
rivals         parts and the whole, rounded and exact, year by year; by the words of `segments`
conversion     from the unit that was said to the one asked for
latex          commands around numbers
citations      who is cited, and for which year
"""

from geobias.probes.worldbench.reading.reply import Outcome, Reading, read_reply

__all__ = ["Outcome", "Reading", "read_reply"]
