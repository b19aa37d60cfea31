"""A rating by the probabilities of its digits.

"6.5" is one of many ratings that a model was about to give. The digit before the point has
probabilities, and the one after it has some too, given the first that was written. The expected
rating is the mean of the first digit, plus a tenth of the mean of the second: what the second would
be after another first digit is not known, and is taken to be the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from geobias.probes.ratings.reading import HIGHEST
from geobias.trials.probabilities import Alternatives, weigh

DIGITS = tuple("0123456789")


def expected_rating(places: Sequence[Alternatives], rating: float | None) -> float | None:
    """None unless the probabilities are those of the `rating` that was read from the text.

    A reply of "10" begins with a 1 that is no rating, and one of "7 of 10 people" with a 7 that is
    none either: what was read must begin with the digit that was weighed.
    """
    whole = weigh(places, DIGITS)
    if whole is None or rating is None:
        return None
    written = [place[0][0].strip() for place in places]
    if written[whole.place] != str(int(rating)):
        return None
    after = whole.place + 1
    tenths = 0.0
    if after < len(places) and written[after] == ".":
        decimals = weigh(places[after + 1 :], DIGITS)
        if decimals is None or decimals.place:
            return None
        tenths = _mean(decimals.probabilities)
    elif after < len(places) and written[after][:1].isdigit():
        return None
    return min(HIGHEST, _mean(whole.probabilities) + tenths / 10)


def _mean(chances: dict[str, float]) -> float:
    return sum(int(digit) * chance for digit, chance in chances.items())
