"""Does a text decline: does it say that it does not know, or will not say?

Sayings are looked for as they are, in lower case. Nobody can list them all. A reply that declines
in other words and states no figure is unread, and is asked again.
"""

from __future__ import annotations

_WHOLE = frozenset(
    [
        "n/a",
        "na",
        "n.a",
        "none",
        "null",
        "nan",
        "unknown",
        "unavailable",
        "undefined",
        "idk",
        "?",
        "-",
        "--",
        "—",
        "…",
        "未知",
        "不明",
        "不知道",
        "unbekannt",
        "inconnu",
        "desconocido",
        "desconhecido",
        "неизвестно",
        "bilinmiyor",
        "अज्ञात",
        "غير",
    ]
)
"""A reply that is nothing else declines."""

SAYINGS = tuple(
    saying
    for line in (
        "n/a|not applicable|unknown|unavailable|i'm sorry|i am sorry|i apologi|afraid|unfortunately"
        "|i don't|i do not|i can't|i cannot|i can not|cannot provide|can't provide|cannot answer"
        "|can't answer|cannot determine|unable to|not able to|i lack|i have no|i'm not sure"
        "|i am not sure|not certain|no data|no information|no reliable|no official|no figure"
        "|no estimate|no record|not have|don't have|doesn't have|not available|isn't available"
        "|not specified|not known|not publicly|not published|not reported|not found|not possible"
        "|impossible to|insufficient data|insufficient information|not enough data|lack of data"
        "|does not indicate|decline to|refuse to|prefer not|won't|will not|as an ai|no idea"
        "|not appropriate|inappropriate|beyond my knowledge|outside my knowledge|missing data"
        "|server refusal|not comfortable|not going to|should not be rated|couldn't find"
        "|could not find|wasn't able|data is missing|data are missing|there is no",
        "nemám|nemohu|nelze|omlouvám|bohužel|není mi znám|mi není znám|není znám|není uveden"
        "|není veřejn|není k dispozici|není v mém|nevím|neznám|není jasn|nedokážu|bez přístupu"
        "|nevybavuji|neobsahuj|není možné|není bez",
        "no tengo|no dispongo|no sé|no puedo|no hay datos|no está disponible|sin datos|lo siento"
        "|desconozco|não tenho|não sei|não posso|não há dados|não consigo|não dispon|desculpe"
        "|je ne sais|je ne peux|je n'ai pas|je ne dispose|pas de données|pas disponible|désolé",
        "ich weiß nicht|weiß ich nicht|keine daten|nicht verfügbar|nicht bekannt|leider"
        "|нет данных|не знаю|не могу|к сожалению|неизвестн",
        "无数据|没有数据|没有相关|没有可靠|没有确切|暂无|不知道|无法|抱歉|不清楚|データがない|わかりません"
        "|分かりません|不明です|申し訳|お答えでき",
        "जानकारी नहीं|डेटा नहीं|उपलब्ध नहीं|पता नहीं|मालूम नहीं|क्षमा|لا توجد|لا أعرف|غير متوفر|غير متاح|لا يوجد"
        "|ليس لدي|لا أملك|آسف|bilmiyorum|veri yok|mevcut değil|bilgim yok|üzgünüm|bilgi yok",
    )
    for saying in line.split("|")
)


def declines(text: str) -> bool:
    """Whether a text says that it gives no answer."""
    low = text.casefold().replace("’", "'")
    whole = low.strip(" \t\r\n.!*_`\"'()[]{}:")
    return not whole or whole in _WHOLE or any(saying in low for saying in SAYINGS)


_OWN = tuple(
    [
        "i can't",
        "i cannot",
        "i can not",
        "i'm sorry",
        "i am sorry",
        "i won't",
        "i will not",
        "i'm not able",
        "i am not able",
        "i'm unable",
        "i am unable",
        "i decline",
        "i must decline",
        "i refuse",
        "i don't feel comfortable",
        "as an ai",
        "i do not hold",
        "i don't have personal",
        "not comfortable",
        "server refusal",
        "无法回答",
        "抱歉",
        "lo siento",
        "não posso",
        "no puedo responder a",
        "je ne peux pas",
        "üzgünüm",
        "क्षमा",
        "申し訳",
        "آسف",
        "omlouvám",
    ]
)


def refuses(text: str) -> bool:
    """Whether it is the model who will not choose, and not the text that does not tell."""
    low = text[:160].casefold().replace("’", "'")
    return any(saying in low for saying in _OWN)
