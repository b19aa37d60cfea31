"""What every reader of replies shares: which part is the model's own first answer, and whether a
reply without an answer declines (*I don't know*, *N/A*, *暂无数据*).

A reply may hold a thinking block, tokens of a chat template, an echo of the question, and further
turns in which the model asks and answers itself. Nothing is cut out: what is not answer is blanked
with spaces, so that places stay those of the original.
"""

from __future__ import annotations

import re

import msgspec

#: Characters looked at from the start and from the end of a long answer. Answers come first or
#: last; the bound keeps the time per reply the same for any length.
HEAD, TAIL = 800, 600
#: A number this near to the cut may lack digits or its scale word.
_EDGE = 24
#: How far back from the end of a long reply the end of its thinking is searched.
_THOUGHT_REACH = 60_000

_THOUGHT_ENDS = (
    "</think>", "</thinking>", "</thought>", "</reasoning>", "[/THINK]", "◁/think▷",
    "<|channel|>final<|message|>", "<|end_of_thought|>",
)  # fmt: skip
_THOUGHT_STARTS = re.compile(
    r"<think>|<thinking>|<thought>|<reasoning>|\[THINK\]|◁think▷|<\|channel\|>analysis"
)


class Answer(msgspec.Struct, gc=False):
    """The part of a reply that is answer, and where it stands.

    `text` is the head and the tail of it, joined by a line break when the answer is longer than
    both. `unfinished` marks a thought that never ended: it answers only where it says so.
    """

    text: str
    offset: int
    unfinished: bool
    #: Characters left out after the head; 0 when the whole answer is here.
    skipped: int

    def whole(self, start: int, end: int) -> bool:
        """Whether what stands there is complete: not cut at the end of the head or tail."""
        return not self.skipped or end < HEAD - _EDGE or start > HEAD + _EDGE

    def place(self, index: int) -> int:
        """Where `index` of `text` stands in the reply."""
        return self.offset + index + (self.skipped - 1 if self.skipped and index > HEAD else 0)


def own_answer(reply: str) -> Answer:
    """The reply after its thinking, if it has any, cut to what is read."""
    start, end, unfinished = 0, len(reply), False
    if len(reply) > HEAD or any(mark in reply for mark in "<[◁"):
        start, end, unfinished = _after_thought(reply)
    if end - start <= HEAD + TAIL:
        return Answer(reply[start:end], start, unfinished, 0)
    text = reply[start : start + HEAD] + "\n" + reply[end - TAIL : end]
    return Answer(text, start, unfinished, end - start - HEAD - TAIL)


def _after_thought(reply: str) -> tuple[int, int, bool]:
    reach = max(0, len(reply) - _THOUGHT_REACH)
    ended = 0
    for mark in _THOUGHT_ENDS:
        place = reply.rfind(mark, reach)
        if place >= 0:
            ended = max(ended, place + len(mark))
    if ended and reply[ended : ended + 200].strip():
        return ended, len(reply), False
    started = _THOUGHT_STARTS.search(reply, 0, HEAD)
    if started is None:
        return 0, len(reply), bool(ended)
    if reply[: started.start()].strip():
        return 0, started.start(), False
    return started.end(), len(reply), True


_ROLE_START = r"(?:(?<=\n)|\A)[ \t>*#]*"
_USER = (
    r"\[user\]:?|<\|user\|>|<\|im_start\|>user|<\|start_header_id\|>user<\|end_header_id\|>"
    r"|<start_of_turn>user|\[inst\]|<\|prompter\|>|<human>:?"
    + rf"|{_ROLE_START}(?:user|human|question|q|instruction|input|next question)\s?:"
    + rf"|{_ROLE_START}(?:q|question) ?[0-9]{{1,2}}\s?:(?=[^\n?]{{0,300}}\?)"
    r"|#{2,3} ?(?:instruction|input|human|user|question)\b:?"
)
_MODEL = (
    r"\[model\]:?|\[assistant\]:?|<\|assistant\|>|<\|im_start\|>assistant|\[/inst\]"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>|<start_of_turn>model|<bot>:?"
    + rf"|{_ROLE_START}(?:gpt4 correct )?(?:assistant|model|a|bot|ai|chatbot)\s?:"
    r"|#{2,3} ?(?:response|assistant|answer|output)\b:?"
)
_TURN = re.compile(rf"({_USER})|({_MODEL})")
_DEBRIS = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|<(?:eos|bos|pad|unk|mask|end_of_turn|start_of_turn|0x[0-9a-f]{2})>"
    r"|</?[a-z][a-z_ -]{0,20}/?>|\[/?inst\]|<</?sys>>|https?://[^\s)\]]{1,300}|www\.[^\s)\]]{1,300}"
    r"|~~[^~\n]{1,80}~~|\[/?(?:user|model|assistant|think)\]"
)
_ASKS = re.compile(
    r"\b(?:what|how|which|who|where|when|can you|could you|do you|does|is there|cuál|cuánto"
    r"|cuántos|qué|quel|quelle|combien|wie|was ist|qual|quanto|quantos|какой|какова|сколько)\b"
)
#: The rest of an echoed instruction.
_TOLD = re.compile(
    r"\s*(?:do not answer[^.!?\n0-9]{0,90}[.!]"
    r"|[^.!?\n0-9]{0,40}only (?:provide|answer)[^.!?\n0-9]{0,40}[.!])"
)
_STOPS = re.compile(r"[.!?\n]\s")
_OPENINGS = re.compile(r"^\W*(?:sounds good, will do\.?|sure[!,.]?|certainly[!,.]?|okay[,.!]?)")


class Piece(msgspec.Struct, gc=False):
    """A stretch of the answer between two questions, with the question it follows."""

    start: int
    end: int
    question: str


def blanked(low_text: str) -> str:
    """`low_text` with template tokens, tags and addresses as spaces."""
    if not any(mark in low_text for mark in ("<", "[", "www.", "://", "~~")):
        return low_text
    return _DEBRIS.sub(lambda match: " " * (match.end() - match.start()), low_text)


def pieces(low_text: str) -> list[Piece]:
    """What stands between the questions, in order.

    A question is a user's turn, or a sentence that starts with a question word and ends in "?".
    """
    questions = _questions(low_text)
    if not questions:
        return [Piece(0, len(low_text), "")]
    found: list[Piece] = []
    start, question = 0, ""
    for begin, end in questions:
        if begin > start:
            found.append(Piece(start, begin, question))
        start, question = max(start, end), low_text[begin:end]
    found.append(Piece(start, len(low_text), question))
    return found


def _questions(low_text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    if any(mark in low_text for mark in "<[:#"):
        turns = list(_TURN.finditer(low_text))
        for index, turn in enumerate(turns):
            if turn[1] is None:
                spans.append(turn.span())
                continue
            follows = turns[index + 1] if index + 1 < len(turns) else None
            if follows is not None and follows[2] is not None:
                spans.append((turn.start(), follows.end()))
            else:
                limit = follows.start() if follows else len(low_text)
                asked = low_text.rfind("?", turn.end(), limit)
                line = low_text.find("\n", turn.end(), limit)
                end = asked + 1 if asked >= 0 else (line if line >= 0 else limit)
                spans.append((turn.start(), end))
    after = 0
    mark = low_text.find("?")
    while mark >= 0 and len(spans) < 60:
        begin = after
        for stop in _STOPS.finditer(low_text, after, mark):
            begin = stop.end()
        asks = _ASKS.search(low_text, begin, mark)
        if asks:
            end = mark + 1
            told = _TOLD.match(low_text, end)
            spans.append((asks.start(), told.end() if told else end))
        after = mark + 1
        mark = low_text.find("?", after)
    return sorted(spans)


def opening_blanked(low_text: str) -> str:
    """`low_text` without the courtesy that opens it (*Sounds good, will do.*)."""
    return _OPENINGS.sub(lambda match: " " * len(match[0]), low_text, count=1)


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
_NOT = re.compile(
    r"(?:\b(?:do|does|did|ca|could|is|are|was|were|will|would|has|have)n'?t|\bcannot|\bnot)"
    r" (?:\w+ ){0,3}?(?:have|know|known|provide|access|report|reported|answer|find"
    r"|found|available|determine|determined|publish|published|possible|able|give|assist|help"
    r"|disclose"
    r"|exist|recall|offer|sure|certain|guess|verify|confirm|say|comment|share|fulfil|collect"
    r"|include"
    r"|cover|enough|something|look|retrieve|obtain|browse|supply)"
)
_NO = re.compile(
    r"\bno (?:\w+ ){0,3}(?:data|information|figures?|numbers?|statistics|records?|answer|idea|value"
    r"|estimates?|knowledge|access)\b|[:=] ?(?:na|nan|none|null|n\.a\.)\W*\Z"
)
_NONE_IN_CHINESE = re.compile(
    "(?:没有|沒有|缺乏|無)[^。，,.0-9]{0,4}[0-9年至到-]{0,12}[^。，,.0-9]{0,6}(?:数据|數據|信息|资料|统计)"
)
_ELSEWHERE = re.compile(
    r"\b(?:please|recommend|suggest|advise|should) (?:\w+ )?(?:check|consult|refer|visit|contact)"
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
    early = low_text[:_REACH]
    if any(saying in early for saying in _SAYINGS):
        return True
    return bool(
        (("not" in early or "n't" in early or "nt " in early) and _NOT.search(early))
        or _NO.search(early)
        or _ELSEWHERE.search(early)
        or (not early.isascii() and _NONE_IN_CHINESE.search(early))
    )
