"""Whether a reply without a number abstains: *I don't know*, *N/A*, *暂无数据*."""

from __future__ import annotations

import re

#: A reply that is nothing but this, once quotes and markup are gone, abstains.
_WHOLE = frozenset(
    [
        "n/a",
        "na",
        "n.a.",
        "n.a",
        "null",
        "none",
        "nan",
        "unknown",
        "unavailable",
        "undefined",
        "—",
        "–",
        "-",
        "--",
        "---",
        "?",
        "??",
        "undisclosed",
        "нет",
        "unbekannt",
        "inconnu",
        "desconocido",
        "desconocida",
        "desconhecido",
        "sconosciuto",
        "未知",
        "不明",
        "不詳",
        "無",
        "无",
        "不知道",
        "idk",
        "tbd",
        "tba",
        "#n/a",
        "bilinmiyor",
        "अज्ञात",
        "مجهول",
        "k.a.",
        "n.d.",
        "s/d",
        "nd",
        "x",
    ]
)
_STRIPPED = " \t\r\n.!*_`\"'“”«»()[]{}:;,。！"

_PHRASES = re.compile(
    "|".join(
        (
            # English: lacking, unable, unknown, unpublished, and sending the asker elsewhere.
            r"\b(?:do not|don'?t|does not|doesn'?t|did not|didn'?t|cannot|can'?t|can not|could not"
            r"|couldn'?t|isn'?t|aren'?t|not) (?:\w+ ){0,3}?(?:have|know|known|provide|access|report"
            r"|reported|answer|find|found|available|determine|determined|publish|published|possible"
            r"|able|give|assist|help|disclose|exist|recall|offer|applicable|sure|certain|guess"
            r"|verify|confirm|say|comment|share|fulfil|collect|include|cover)",
            r"\b(?:unable|decline|refuse|hesitate) to\b",
            r"\bno (?:\w+ ){0,3}(?:data|information|figures?|statistics|records?|answer|idea|value"
            r"|estimates?|knowledge|access)\b",
            r"\b(?:lack|insufficient|missing|without) (?:\w+ ){0,2}(?:data|information)\b",
            r"\b(?:data|information|figure|value|number|statistic|rate|answer)s?\b(?:[^.\n]{0,40}?)"
            r"\b(?:unavailable|unknown|missing|not available|not known|undisclosed|n/a)\b",
            r"[:=] ?(?:na|nan|none|null|n\.a\.)\W*\Z",
            r"\bn/a\b|\bnot available\b|\bnot applicable\b|\bunknown\b|\bunavailable\b|\brather not\b",
            r"\bi(?:'m| am) (?:very |so |really )?(?:sorry|afraid)\b|\bi apologi[sz]e\b"
            r"|\bunfortunately\b",
            r"\b(?:please|recommend|suggest|advise|should) (?:\w+ )?(?:check|consult|refer|visit"
            r"|consulting|checking|visiting|referring|contact)",
            r"\b(?:can|could) only (?:answer|provide|give)\b",
            r"\bno (?:longer|official|reliable)\b|\bneed more (?:context|information|details)\b"
            r"|\bi have no idea\b|\bnot enough (?:data|information)\b",
            # Spanish, Portuguese, Italian, French, German, Dutch.
            r"\bno (?:lo )?(?:tengo|dispongo|sé|puedo|hay|existen|cuento)\b|\bno disponible"
            r"|\bsin datos\b|\blo siento\b|\bdesconozco\b",
            r"\bnão (?:\w+ )?(?:tenho|sei|posso|há|existe|disponí|dispon|consigo)"
            r"|\bnão disponí|\bsem dados\b|\bdesculpe\b",
            r"\bnon (?:disponibil|lo so|ho |dispongo)|\bnessun dato\b",
            r"\bje ne (?:sais|peux|dispose|connais)|\bje n'ai pas\b|\bnon disponible"
            r"|\bpas de données"
            r"|\baucune (?:donnée|information)|\bdésolé",
            r"\bich weiß (?:es )?nicht|\bkeine (?:daten|angaben?|information|ahnung)"
            r"|\bnicht verfügbar"
            r"|\bkann (?:ich )?(?:\w+ )?nicht\b|\bleider\b|\bweet ik niet|\bgeen gegevens"
            r"|\b(?:inga|ingen) data\b|\bvet inte\b",
            # Other languages of many of the countries asked about.
            r"нет данных|не знаю|неизвестн|данные отсутствуют|не могу|нет информации|к сожалению",
            r"无数据|沒有數據|没有(?:相关|可靠|确切)?(?:的)?(?:数据|信息|资料)|暂无|不知道|无法(?:提供|回答)|抱歉|不清楚|(?:数据|信息)(?:不可用|缺失|不详)|无(?:相关|可用)",
            r"データ(?:が|は)(?:あり|ない)|わかりません|分かりません|不明です|申し訳|お答えでき",
            r"जानकारी नहीं|डेटा (?:उपलब्ध )?नहीं|उपलब्ध नहीं|नहीं पता|मालूम नहीं|क्षमा करें",
            r"لا توجد|لا أعرف|لا اعرف|غير متوفر|غير متاح|لا يوجد|ليس لدي|لا أملك|آسف",
            r"نمی ?دانم|موجود نیست",
            r"bilmiyorum|veri (?:yok|bulunm)|mevcut değil|bilgim yok|üzgünüm",
            r"tidak (?:ada|tahu|tersedia|memiliki|dapat)|maaf|không (?:có|biết)|xin lỗi",
            r"\bsina\b|\bsijui\b|hakuna|자료 없음|모르|데이터가 없|알 수 없|정보가 없|죄송",
            r"তথ্য নেই|জানি না|উপলব্ধ নয়|ไม่มีข้อมูล|ไม่ทราบ|brak danych|nie wiem|δεν γνωρίζω",
        )
    )
)
#: A refusal says so early; characters.
_REACH = 600
_ANSWER_FIELD = re.compile(r"[{\[\s]*[\"']?(?:final )?answer[\"']?\s*[:=]\s*")


def abstains(low_text: str) -> bool:
    """Whether `low_text` (normalised, in lower case) says that it gives no answer."""
    field = _ANSWER_FIELD.match(low_text)
    whole = low_text[field.end() :] if field else low_text
    if whole.strip(_STRIPPED) in _WHOLE or whole.strip(_STRIPPED + "?—–-") == "n/a":
        return True
    # Normalising makes the curly apostrophe of "don’t" a plain one.
    return _PHRASES.search(low_text, 0, _REACH) is not None
