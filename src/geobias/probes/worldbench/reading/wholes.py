"""Which number is about the whole that was asked for: not a part of it, nor the total where each
person's share is asked, nor another figure of the same kind.

*Urban 94%, rural 68%, total 76.5%* · *17.6 Mt, or 0.31 t per capita* · *45% of electricity, but 17%
of final energy consumption*. Only replies with several numbers come here. The words around a number
decide: between two numbers they are split at the first sign or word that turns to something new;
where there is none, they belong to the number before, unless they lead up to the next one.
"""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec

from geobias.probes.worldbench.reading.expected import Expected

_PARTING_SIGNS = re.compile(r"[,;(|\n\t•]|[.:!?](?=\s)|(?<=\s)[–—-](?=\s)")
_TURNS = re.compile(
    _PARTING_SIGNS.pattern
    + r"|\b(?:and|but|while|whereas|or|so|with|versus|vs|which|giving|though|although|y|pero|et"
    r"|mais|und|aber|e|mas|и|а)\b"
)
_LEADS_UP = re.compile(r"(?:[:=]|\b(?:is|was|are|at|of|to|has|have|about|only|i\.e\.))\W{0,5}$")
#: A bracket right behind a number speaks of it: "24% (electricity)".
_OWN_BRACKET = re.compile(r"[%\s]{0,3}(?:[a-z°²]{1,10} )?\([^()0-9]{1,40}\)")
#: How far words belong to a number, in characters.
_REACH = 90


class Segment(msgspec.Struct, gc=False):
    """The words before and after a number, up to where they turn to something else."""

    before: str
    after: str

    def __contains__(self, word: str) -> bool:
        return word in self.before or word in self.after


def segments(low_text: str, spans: list[tuple[int, int]]) -> list[Segment]:
    """The words of each of the numbers at `spans`, which stand in order."""
    # "urban 100 rural 99.7 total 99.9": the text begins with a word and ends with a number.
    labels_first = not low_text[spans[-1][1] :].strip(" %.\n)") and bool(
        low_text[: spans[0][0]].strip()
    )
    edges = [
        0,
        *(_parting(low_text, a[1], b[0], labels_first=labels_first) for a, b in pairwise(spans)),
    ]
    found: list[Segment] = []
    for index, (start, end) in enumerate(spans):
        opening = max(edges[index], start - _REACH)
        sentence = max(low_text.rfind("\n", opening, start), low_text.rfind(". ", opening, start))
        opening = max(opening, sentence + 1)
        closing = edges[index + 1] if index + 1 < len(spans) else len(low_text)
        after = low_text[end : min(closing, end + _REACH)]
        bracket = _OWN_BRACKET.match(after)
        turn = _TURNS.search(after, bracket.end() if bracket else 3)
        found.append(Segment(low_text[opening:start], after[: turn.start()] if turn else after))
    return found


def _parting(low_text: str, end: int, start: int, *, labels_first: bool) -> int:
    gap = low_text[end:start]
    if len(gap) > 400:
        return start - _REACH
    bracket = _OWN_BRACKET.match(gap)
    own = bracket.end() if bracket else 0
    turn = _PARTING_SIGNS.search(gap, own)
    if turn is None:
        # "11.7 nurses and midwives and 2.3 physicians"
        turn = next(iter(list(_TURNS.finditer(gap, own))[-1:]), None)
    if turn is not None:
        return end + turn.start()
    if bracket:
        return end + own
    return end if labels_first or _LEADS_UP.search(gap) else start


_GROUP = re.compile(
    r"\b(?:(?P<men>men|males?|man|boys|männ(?:er|lich)\w*|weiblich\w*|masculin\w*|féminin\w*|frauen|hombres|mujeres|hommes|homens|mulheres"
    r"|uomini"
    r"|donne)|(?P<women>women|females?|girls|femmes)"
    r"|(?P<place>urban|rural|urbana?|rurale?s?|städt\w*|ländlich\w*|cities|towns|villages"
    r"|mountains|countryside|coast|desert|north|south|highlands|lowlands"
    r"|capital|(?:the )?[a-z]+ region)"
    r"|(?P<age>youth|young|jugendlich\w*|jóvenes|jeunes|jovens|teenagers?|elderly|seniors"
    r"|under[- ](?:five|5|25)s?|neonatal|infant|child"
    r"|age[ds]? (?:group )?[0-9]+|15 ?[-–] ?24|(?:primary|secondary|tertiary) (?:education|school)"
    r"|at age)|(?P<other>healthy|hale|foreign(?:ers)?|nationals|immigrants|disability[- ]free"
    r"|inequality[- ]adjusted|expected years|remaining"
    r"|senate|upper house"
    r"|upload\w*|nurses|midwives|dentists|summers?|winters?|hottest|coldest|warmest"
    r"|nights?))\b|\((?:m|f)\)|(?P<slavic>мужчин|женщин|男性|女性|男|女|城市|农村|юнош)"
)
_MONTH = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
)
_TOTAL = re.compile(
    r"\b(?:total|overall|both(?: sexes)?|combined|national(?:ly)?|nationwide|altogether|in all|as a"
    r" whole|whole|annual(?:ly)?|yearly|the year|year(?=\W*$)|entire"
    r"|all(?=[:)]| (?:adults|people|ages"
    r"|sexes|workers))|everyone|insgesamt|gesamt|total[es]?|en tout"
    r"|au total|ensemble|im schnitt)\b|в целом|всего|合计|总计|总体|全国|平均"
)
#: Words that say "all of it" whatever the parts are called: "Terai 24 °C, whole country 8.1 °C".
_COUNTRYWIDE = re.compile(
    r"\b(?:(?:whole|entire) (?:country|nation)|country as a whole|nation(?:al|wide) average"
    r"|nationwide|nationally|countrywide)\b"
)
_MEAN = re.compile(r"\b(?:average|averaging|averages|mean|durchschnitt|promedio|moyenne|média)\b")
_ELSEWHERE = re.compile(
    r"\b(?:world|global|regional|oecd|eu|european|african|asian|continent|neighbou?r|worldwide)"
)
_EACH_AFTER = re.compile(
    r"[^.;,\n(0-9]{0,34}?(?:\b(?:per|a|for (?:each|every)) (?:(?P<worker>person employed|worker"
    r"|employee|employed person|person in employment)|capita|person|head|inhabitant|citizen"
    r"|cápita)|/ ?(?:capita|person|head|cap\b|inhabitant)|\beach\b|\bpro kopf"
    r"|\bpar (?:habitant|tête)"
    r"|\bpor (?:habitante|persona|pessoa)|на (?:душу|человека)|一人当たり|人均)"
)
_EACH_BEFORE = re.compile(
    r"(?:\bper (?:(?P<worker>person employed|worker|employee|employed person)|capita|person|head"
    r"|inhabitant|cápita)|\bpro kopf|\bpar habitant|人均)(?:\W{0,3}(?:\w+\W{1,3}){0,6})?$"
)
_SUM_WORDS = re.compile(
    r"\b(?:total|totals|totall?ing|overall|in all|altogether|country(?:'s|-wide)?|nation(?:al"
    r"|wide)?)\b"
)
_WORD = re.compile(r"[a-z]{3,}")
#: Words of a question that say nothing about its topic.
_DULL = frozenset((
    "the", "for", "and", "per", "total", "percent", "percentage", "number", "amount", "average",
    "annual", "measured", "rate", "ratio", "country", "value", "values", "share", "proportion",
    "level", "current", "latest", "that", "has", "are",
))  # fmt: skip
#: Other topics that stand beside the shipped ones, for callers who give no phrase.
_OTHER_TOPIC = re.compile(
    r"\b(?:electricity|strom\w*|power(?! parity)|hydropower|underemployment|greenhouse|ghg"
    r"|participation|(?<!un)employment rate"
    r"|inflation|growth|budget|(?:government|public|state) (?:spending|budget|outlays)"
    r"|(?:total )?(?:government|public) expenditures?|fossil)\b"
)
#: Where a phrase ends to name its thing: "unemployment as a percent of …".
_HEAD_ENDS = re.compile(r" (?:as|in|per|measured|that|at|held)\b")
_OF_WHICH = re.compile(r"\bof (?:which|that|this)\b")
_OF_GDP = re.compile(r"[%\s]{0,3}(?:percent |per cent )?of (?:the )?(?:country's )?gdp\b")

_OF_GDP_BEFORE = re.compile(r"\b(?:of|to) gdp\W{0,3}(?:is |was |at |about )?$")


def groups_named(segment: Segment, expected: Expected) -> set[str]:
    """Parts of the population or of the country that a number's words name."""
    found: set[str] = set()
    if expected.quantity in ("temperature", "length"):
        found.update(match[0] for match in _MONTH.finditer(f"{segment.before} {segment.after}"))
    asked = set(_WORD.findall(expected.phrase)) if expected.phrase else ()
    for words in (segment.before, segment.after):
        for match in _GROUP.finditer(words):
            said = match[0].strip()
            if asked and any(word[:5] == said[:5] for word in asked):
                continue
            found.add(said)
    return found


def about_the_whole(segment: Segment) -> bool:
    words = segment.before + " " + segment.after
    if _ELSEWHERE.search(words):
        return False
    return bool(_TOTAL.search(words) or _MEAN.search(words))


def part_points(said: list[Segment], expected: Expected) -> tuple[list[float], list[bool]]:
    """Points for each number where a reply speaks of parts, and which numbers are parts' own."""
    named = [groups_named(segment, expected) for segment in said]
    if not expected.phrase and not any(
        group in ("men", "male", "males", "man", "boys") for groups in named for group in groups
    ):
        # "Women hold 35.3%" may be what was asked about.
        named = [{g for g in groups if not _is_woman(g)} for groups in named]
    parts = [bool(groups) for groups in named]
    if not any(parts):
        return [6.0 if _COUNTRYWIDE.search(segment.before) else 0.0 for segment in said], parts
    points: list[float] = []
    for index, segment in enumerate(said):
        whole = about_the_whole(segment)
        if whole and not (parts[index] and not _TOTAL.search(segment.before[-30:])):
            # An average among its parts is the answer, not a comparison.
            mean = _MEAN.search(segment.before) is not None
            points.append(9.0 if mean else 4.0)
            parts[index] = False
        else:
            points.append(-4.0 if parts[index] else 0.0)
    return points, parts


def _is_woman(group: str) -> bool:
    return group in ("women", "female", "females", "girls", "femmes", "child", "infant")


def head_points(said: list[Segment], expected: Expected, scales: list[float]) -> list[float]:
    """Points for amounts per head, or in total, as is asked."""
    if not (expected.per or expected.total):
        return [0.0] * len(said)
    points: list[float] = []
    for segment, scale in zip(said, scales, strict=True):
        each = _EACH_AFTER.match(segment.after) or _EACH_BEFORE.search(segment.before)
        if not expected.per:
            points.append(-5.0 if each else 0.0)
            continue
        gained = 0.0
        if each:
            worker = bool(each["worker"])
            gained += 4.0
            if expected.per == "worker":
                gained += 2.0 if worker else -7.0
        elif _SUM_WORDS.search(segment.before) or _SUM_WORDS.search(segment.after):
            gained -= 6.0
        if scale >= 1e6:
            gained -= 4.0
        points.append(gained)
    return points


def topic_points(said: list[Segment], expected: Expected) -> list[float]:
    """Points for numbers whose words are the question's own."""
    texts = [f"{segment.before} {segment.after}" for segment in said]
    if expected.kind == "share":
        gdp = [
            bool(_OF_GDP.match(segment.after) or _OF_GDP_BEFORE.search(segment.before))
            for segment in said
        ]
        if any(gdp) and not all(gdp) and (not expected.phrase or "gdp" in expected.phrase):
            return [6.0 if one else 0.0 for one in gdp]
    other = [
        any(
            match[0] not in expected.phrase
            for match in _OTHER_TOPIC.finditer(text)
            if match[0] != "fossil" or expected.kind == "share"
        )
        for text in texts
    ]
    points = [-2.5 if one and not all(other) else 0.0 for one in other]
    if not expected.phrase:
        return points
    head = _HEAD_ENDS.split(expected.phrase, maxsplit=1)[0]
    heads = {word[:6] for word in _WORD.findall(head)}
    wanted = {word[:6] for word in _WORD.findall(expected.phrase)} - {w[:6] for w in _DULL}
    if not wanted:
        return [0.0] * len(said)
    shares: list[float] = []
    for text in texts:
        own = wanted & {word[:6] for word in _WORD.findall(text)}
        named = _OF_WHICH.search(text)  # "592,000 km², of which land 580,367"
        shares.append(
            sum(3.0 if word in heads else 1.0 for word in own) + 3.0 * bool(own and named)
        )
    most = max(shares)
    return [
        point + (2.5 * share / most if most else 0.0)
        for point, share in zip(points, shares, strict=True)
    ]
