"""How a reply becomes a number.

`geobias.probes.reading` finds the model's own answer, without thinking, debris or self-talk, and
knows "I don't have data". Between the two:

expected       what the question says about its answer: kind, unit, plausible range, year, country
units          units, rates and scale words as replies write them
numerals       numbers in digits of any script, and their conversion to the unit asked for
number_words   numbers without digits, and shares
years          which numbers are years, by their context and never by their size; cited sources
roles          what a number in the text is for: the answer, a denominator, a list marker …
wholes         which number is about the whole that was asked for, by the words around it
choice         which of several candidates is the answer
reply          all of these, joined
"""

from geobias.probes.worldbench.reading.reply import Outcome, Reading, read_reply

__all__ = ["Outcome", "Reading", "read_reply"]
