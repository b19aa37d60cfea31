"""Whether a reply without a number declines: *I don't know*, *N/A*, *暂无数据*."""

from __future__ import annotations

from geobias.probes.lazy import regex

#: A reply that is nothing but this, once quotes and markup are gone, declines.
_WHOLE = {
    "n/a", "na", "n.a.", "n.a", "null", "none", "nan", "unknown", "unavailable", "undefined", "—",
    "–", "-", "--", "---", "?", "??", "undisclosed", "нет", "unbekannt", "inconnu", "desconocido",
    "desconocida", "desconhecido", "sconosciuto", "未知", "不明", "不詳", "無", "无", "不知道",
    "idk", "tbd", "tba", "#n/a", "bilinmiyor", "अज्ञात", "مجهول", "k.a.", "n.d.", "s/d", "nd",
    "x",
}  # fmt: skip
_STRIPPED = " \t\r\n.!*_`\"'“”«»()[]{}:;,。！"

#: Said anywhere in a reply without a number. Plain strings: looking for each in turn is many times
#: quicker than one large pattern.
_SAYINGS: tuple[str, ...] = tuple(
    saying
    for line in (
        # English
        "unknown|unavailable|undisclosed|n/a|not applicable|rather not|sorry|afraid|apolog|i lack"
        "|outside my knowledge|beyond my knowledge"
        "|unfortunately|unable to|decline to|refuse to|can only answer|can only provide"
        "|can only give|need more context|need more information|need more details|unsure|beats me"
        "|no comment|no longer|no official|no reliable|more details|insufficient data"
        "|insufficient information|lack of data|lack data|missing data|data missing|no idea"
        "|no way to|no way for",
        # Spanish, Portuguese, Italian
        "no tengo|no lo tengo|no dispongo|no sé|no lo sé|no puedo|no hay|no existen|no cuento"
        "|no disponible|no está disponible|sin datos|lo siento|desconozco|não tenho|não sei"
        "|não posso|não há|não existe|não dispon|não consigo|não estão dispon|não está dispon"
        "|sem dados|desculpe|non disponibil|non lo so|non ho|nessun dato|mi dispiace",
        # French, German, Dutch, Swedish, Polish, Greek
        "je ne sais|je ne peux|je ne dispose|je ne connais|je n'ai pas|non disponible"
        "|pas de données|pas disponible|aucune donnée|aucune information|désolé|weiß ich nicht"
        "|weiß nicht"
        "|weiß es nicht|keine daten|keine angabe|keine information|keine ahnung|nicht verfügbar"
        "|nicht bekannt|kann nicht|leider|weet ik niet|weet het niet|geen gegevens|inga data"
        "|ingen data|vet inte|brak danych|nie wiem|δεν γνωρίζω",
        # Russian, Chinese, Japanese, Korean
        "нет данных|не знаю|неизвестн|данные отсутствуют|не могу|нет информации|к сожалению"
        "|无数据|沒有數據|没有数据|没有相关|没有可靠|没有确切|没有信息|没有资料|暂无|不知道"
        "|无法提供|无法回答"
        "|抱歉|不清楚|不可用|无可用"
        "|データがあり|データはあり"
        "|データがない|データなし|わかりません|分かりません"
        "|不明です|申し訳|お答えでき|자료 없음|모르|데이터가 없|데이터 없음|알 수 없"
        "|정보가 없|죄송",
        # Hindi, Bengali, Arabic, Persian, Turkish, Indonesian, Vietnamese, Swahili, Thai
        "जानकारी नहीं|डेटा नहीं|उपलब्ध नहीं|नहीं पता|पता नहीं|मालूम नहीं|क्षमा करें"
        "|তথ্য নেই|জানি না|উপলব্ধ নয়"
        "|لا توجد|لا أعرف|لا اعرف|غير متوفر|غير متاح|لا يوجد|ليس لدي|لا أملك|آسف"
        "|نمی دانم|نمی‌دانم|موجود نیست"
        "|bilmiyorum|veri yok|veri bulunm|mevcut değil|bilgim yok|üzgünüm|tidak ada|tidak tahu"
        "|tidak tersedia|tidak memiliki|tidak dapat|maaf|không có|không biết|xin lỗi|sina takwimu"
        "|sina habari|sina data|sijui|hakuna|ไม่มีข้อมูล|ไม่ทราบ",
    )
    for saying in line.split("|")
)  # fmt: skip
_NOT = regex(
    r"(?:\b(?:do|does|did|ca|could|is|are|was|were|will|would|has|have)n'?t|\bcannot|\bnot)"
    r" (?:\w+ ){0,3}?(?:have|know|known|provide|access|report|reported|answer|find"
    r"|found|available|determine|determined|publish|published|possible|able|give|assist|help"
    r"|disclose"
    r"|exist|recall|offer|sure|certain|guess|verify|confirm|say|comment|share|fulfil|collect"
    r"|include"
    r"|cover|enough|something|look|retrieve|obtain|browse|supply)"
)
_NO = regex(
    r"\bno (?:\w+ ){0,3}(?:data|information|figures?|numbers?|statistics|records?|answer|idea|value"
    r"|estimates?|knowledge|access)\b|[:=] ?(?:na|nan|none|null|n\.a\.)\W*\Z"
)
_NONE_IN_CHINESE = regex(
    "(?:没有|沒有|缺乏|無)[^。，,.0-9]{0,4}[0-9年至到-]{0,12}[^。，,.0-9]{0,6}(?:数据|數據|信息|资料|统计)"
)
_ELSEWHERE = regex(
    r"\b(?:please|recommend|suggest|advise|should) (?:\w+ )?(?:check|consult|refer|visit|contact)"
)
#: A refusal says so early; characters.
_REACH = 600
_ANSWER_FIELD = regex(r"[{\[\s]*[\"']?(?:final )?answer[\"']?\s*[:=]\s*")


def abstains(low_text: str) -> bool:
    """Whether `low_text` (normalised, in lower case) says that it gives no answer."""
    field = _ANSWER_FIELD.match(low_text)
    whole = low_text[field.end() :] if field else low_text
    if whole.strip(_STRIPPED) in _WHOLE or whole.strip(_STRIPPED + "?—–-") == "n/a":
        return True
    # Normalising makes the curly apostrophe of "don’t" a plain one.
    early = low_text[:_REACH]
    if any(saying in early for saying in _SAYINGS):
        return True
    return bool(
        (("not" in early or "n't" in early or "nt " in early) and _NOT.search(early))
        or _NO.search(early)
        or _ELSEWHERE.search(early)
        or (not early.isascii() and _NONE_IN_CHINESE.search(early))
    )
