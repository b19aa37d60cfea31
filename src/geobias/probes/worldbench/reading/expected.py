"""What a question says about the number that answers it.

An indicator may state its kind; else the name of its unit says it:

    count     people, or other things
    share     %, % of GDP
    rate      deaths per 100,000 live births: so many of a round number
    money     US$, PPP $, US$ per person
    measure   years, mm, km², tonnes per capita, kWh: a unit that `units` knows
    index     a score on a scale, or a coefficient
    number    anything else, such as births per woman
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from geobias.probes.worldbench.reading.units import Measure, named_unit


class Expected(msgspec.Struct, frozen=True, gc=False):
    """See `reply.read_reply`; `country` is in lower case, up to its first comma."""

    unit: str
    low: float | None = None
    high: float | None = None
    year: int | None = None
    country: str = ""
    kind: str = "number"
    measure: Measure | None = None
    #: What a rate is counted per; 100 for a share; else 0.
    base: float = 0.0
    #: What the unit itself counts in: a million for "US$ million".
    scale: float = 1.0
    #: "head", "worker" or "" for totals; of "" nothing is known where the unit is no amount.
    per: str = ""
    phrase: str = ""
    #: Whether a change or a balance is asked for, which may be below zero.
    signed: bool = False

    def fits(self, value: float) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    @property
    def whole_things(self) -> bool:
        """Whether figures count people, money or land, of which nobody writes three decimals."""
        return self.kind in ("count", "money") or (
            self.measure is not None and self.measure.name in _WHOLE_UNITS
        )

    @property
    def quantity(self) -> str:
        return self.measure.quantity if self.measure else ""

    @property
    def total(self) -> bool:
        """Whether a whole country's amount is asked for, and not one per head."""
        amount = self.quantity in ("mass", "energy", "volume")
        return (self.kind in ("count", "money") or amount) and not self.per


_WHOLE_UNITS = ("km²", "mm", "m", "kWh", "kcal", "m³")


class _Asked(msgspec.Struct, frozen=True, gc=False):
    kind: str
    measure: Measure | None = None
    base: float = 0.0
    scale: float = 1.0
    per: str = ""
    low: float | None = None
    high: float | None = None


_SHARE = re.compile(r"%|percent|per cent|share\b|proportion")
_RATE = re.compile(
    r"(?:per|/) ?(?:(100[, .]?000|10[, .]?000|1[, .]?000[, .]?000|1[, .]?000|100)\b|(thousand"
    r"|million))"
)
_MONEY = re.compile(
    r"\$|\bdollars?\b|\busd\b|\beuros?\b|€|£|\bpounds sterling\b|\byen\b|\brupees?\b|\byuan\b"
    r"|\bfrancs?\b|\bpesos?\b|\bkyat\b|\bwon\b|\bshillings?\b|\bnaira\b|\bkron[ae]r?\b|\bzloty\b"
    r"|\bruble\b|\brufiyaa\b|\bbaht\b|\bdong\b|\btaka\b|\bcurrency\b|\bgdp\b(?! )"
)
_INDEX = re.compile(
    r"\bindex\b|\bscore\b|\bpoints?\b|\bscale\b|\brating\b|\bcoefficient\b|\bgini\b"
)
_SCALE_RANGE = re.compile(
    r"(?<![0-9.])(-?[0-9]+(?:\.[0-9]+)?) ?(?:to|-|–|and) ?([0-9]+(?:\.[0-9]+)?)"
)
_PER = re.compile(
    r"(?:per|/) ?(?:(worker|employed|person employed|employee)|(capita|person|head|inhabitant"
    r"|people"
    r"|citizen|adult|household))\b"
)
_PEOPLE = re.compile(
    r"(?:people|persons?|inhabitants?|population|residents?|humans?)(?: .*)?", re.DOTALL
)
_SIGNED = re.compile(r"\b(?:growth|change|balance|net migration|increase|inflation|surplus)\b")
_UNIT_SCALE = re.compile(r"\b(thousand|million|billion|trillion)s?\b")
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SCALE_NAMES = {scale: name for name, scale in _SCALES.items()}
_LEADING = re.compile(
    r"(?:(?:thousand|million|billion|trillion|metric|average|mean|total|annual|number of|in|of)s?"
    r"(?: of)? )*"
)

#: A plausible range where nobody gave one, by the name of the unit.
_PLAUSIBLE: dict[str, tuple[float, float]] = {
    "years": (0.1, 120), "mm": (10, 15_000), "m": (-450, 9_000), "km²": (0.3, 2e7),
    "per woman": (0.2, 12), "°C": (-60, 60), "kcal": (500, 6_000), "Mbps": (0.05, 10_000),
    "µg/m³": (0.5, 500),
}  # fmt: skip
_PLAUSIBLE_EACH = {"tonnes": (0.0, 200.0), "kWh": (1.0, 100_000.0), "money": (20.0, 1e6)}


@lru_cache(maxsize=256)
def _asked(unit: str, phrase: str, kind: str) -> _Asked:
    name = unit.lower().strip()
    body = name[found.end() :] if (found := _LEADING.match(name)) else name
    kind = kind or _kind(name, body)
    rate = _RATE.search(name)
    scale = _SCALES[found[1]] if (found := _UNIT_SCALE.search(name)) and not rate else 1.0
    measure = _scaled(named_unit(body), scale) if kind == "measure" else None
    base = _base(rate) if kind == "rate" and rate else 100.0 if kind == "share" else 0.0
    each = _each(name, phrase) if kind in ("money", "measure") else ""
    low, high = _plausible(name, kind, measure, base, each=bool(each))
    return _Asked(kind, measure, base, scale, each, low, high)


def _each(name: str, phrase: str) -> str:
    said = _PER.search(name) or _PER.search(phrase)
    if said is not None:
        return "worker" if said[1] else "head"
    # The shipped indicator's unit, "constant 2017 PPP $", leaves out "per person employed".
    return "worker" if "ppp" in name else ""


def _base(rate: re.Match[str]) -> float:
    return float(re.sub(r"\D", "", rate[1])) if rate[1] else _SCALES[rate[2]]


def _scaled(measure: Measure | None, scale: float) -> Measure | None:
    """*million tonnes* is a unit of its own, a million tonnes each."""
    if measure is None or scale == 1.0:
        return measure
    name = f"{_SCALE_NAMES[scale]} {measure.name}"
    return Measure(measure.quantity, name, measure.factor * scale)


def _plausible(
    name: str, kind: str, measure: Measure | None, base: float, *, each: bool
) -> tuple[float | None, float | None]:
    """The range that the unit suggests where nobody gave one."""
    unit = measure.name if measure else kind
    if each and unit in _PLAUSIBLE_EACH:
        return _PLAUSIBLE_EACH[unit]
    if kind == "index":
        ends = _SCALE_RANGE.search(name)
        return (float(ends[1]), float(ends[2])) if ends else (None, None)
    if base:
        return (None if kind == "share" else 0.0, base)
    if "per woman" in name:
        unit = "per woman"
    return _PLAUSIBLE.get(unit, (None, None))


def _kind(name: str, body: str) -> str:
    tests = (
        ("share", _SHARE.match(name)),
        ("rate", _RATE.search(name)),
        ("index", _INDEX.search(name)),
        ("money", _MONEY.search(name)),
        ("measure", named_unit(body)),
        ("share", "%" in name or "percent" in name),
        ("count", _PEOPLE.fullmatch(body) and " per " not in name),
    )
    return next((kind for kind, passed in tests if passed), "number")


@lru_cache(maxsize=8192)
def expected_of(
    unit: str,
    low: float | None = None,
    high: float | None = None,
    year: int | None = None,
    country: str = "",
    phrase: str = "",
    kind: str = "",
) -> Expected:
    """What is asked, from the unit's name and what else is known; the same for many replies.

    Where the caller gives no end of the plausible range, the unit suggests both.
    """
    phrase = phrase.lower()
    country = country.lower().split(",")[0].strip()
    asked = _asked(unit, phrase, kind)
    if low is None and high is None:
        low, high = asked.low, asked.high
    return Expected(
        unit, low, high, year, country, asked.kind, asked.measure, asked.base, asked.scale,
        asked.per, phrase, _SIGNED.search(phrase) is not None,
    )  # fmt: skip
