"""What judges reply, in the nine languages, and what it means.

A "no" that is read as a "yes" sends the guesser to the wrong half of the world, so denials and
refusals are most of these tables.
"""

from __future__ import annotations

import pytest

from geobias.atlas.entities import LANGUAGES
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.replies import read_verdict

SAID = {
    "en": {
        "yes": "Yes.|**Yes**|Answer: Yes|Definitely.|Of course.|That's right.|It is true|I think so"
        "|I can't say the name, but yes|Yes, but only partly|It is.|No doubt|Yes, it is not small",
        "no": "No|Absolutely not.|Certainly not.|Of course not.|Definitely not|That's not right."
        "|That isn't correct.|It isn't true|Not entirely correct|It is not.|She is not|He wasn't"
        "|Right now, no|Right, no.|Indeed it is not|The answer is no.|Yes/No: No|That is incorrect"
        "|true or false? false|Sorry, no|It never was|Isn't it a food? No",
        "maybe": "Dunno|No one knows|Maybe not|Not necessarily|It is not known|Right, I'm not sure",
        "refusal": "I'm sorry, I cannot answer that.|I can't answer this",
        "unread": "(Yes/No/Dunno)|Yes, No or Dunno|Yes or no|Bananas",
    },
    "es": {
        "yes": "Sí|Si|Sí, pero|Claro|Claro que sí|Desde luego|Es correcto|Es cierto|Lo es|Sin duda",
        "no": "No|No se encuentra en África.|No se trata de un animal|Por supuesto que no"
        "|Eso no es cierto|Efectivamente, no|No es cierto|No lo es|En absoluto|No es correcto"
        "|Claro que no|Claro, no lo es|No, se sabe que es de Perú|Nunca fue político|Lo siento, no",
        "maybe": "No sé.|No lo sé|NO SÉ|No sé si es de Asia|No se|No se sabe|Quizás no"
        "|No sabría decir|Nadie lo sabe",
        "refusal": "Lo siento, no puedo responder a eso",
        "unread": "(Sí/No/No sé)|Sí o no",
    },
    "fr": {
        "yes": "Oui|Si|Oui, mais|Certainement|C'est exact|C'est le cas|Bien sûr|Tout à fait"
        "|Sans aucun doute",
        "no": "Non|Ce n'est pas vrai|Ce n'est pas exact|Ce n'est pas correct|Ce n’est pas le cas"
        "|Certainement pas|Bien sûr que non|Effectivement non|Exact, ce n'est pas lui"
        "|Pas vraiment|Ce n'est pas possible|Si je comprends bien la question, non"
        "|Non, ce n'est pas|Il n'est pas africain|Désolé, non",
        "maybe": "Je ne sais pas|Peut-être pas|Pas nécessairement|On ne sait pas|Je ne suis pas sûr"
        "|Aucune idée",
        "refusal": "Je suis désolé, je ne peux pas répondre",
        "unread": "(Oui/Non/Peut-être)|Oui ou non|Si la question",
    },
    "ja": {
        "yes": "はい|はい、そうです|そうです|その通り|もちろんです|正しいです|間違いありません"
        "|はい、日本人です",
        "no": "いいえ|もちろん違います|もちろんいいえ|正しいとは言えません|正しくありません"
        "|正しくない|違う|違いますね|そうではない|ではないです|「いいえ。」|そうですね、いいえ"
        "|いいえ、彼は日本人ではありません|アジアにはありません|申し訳ありません、違います",
        "maybe": "わかりません|ええと、わかりません|多分そうです|どちらとも言えません"
        "|日本人かもしれません|必ずしもそうとは限りません",
        "refusal": "申し訳ありませんが、お答えできません",
        "unread": "（はい/いいえ/わかりません）|はいかいいえ",
    },
    "zh": {
        "yes": "是|是的，他是|对|没错|当然是|他是|正确|毫无疑问",
        "no": "不是|不是的|他不是|他不是演员|不，他不是|答案是不是|是否为亚洲国家？不是|否。"
        "|当然不是|它不在欧洲|没有|对，不是|并非如此|对不起，不是",
        "maybe": "对此我不清楚|不太清楚|不好说|不太确定|不知道|可能是|我不确定|没人知道",
        "refusal": "对不起，我无法回答|对不起，我不能回答这个问题。|对不起|抱歉，无法回答",
        "unread": "（是/不是/不知道）|有人这么说|会不会是|能否换个问题|非洲",
    },
    "tr": {
        "yes": "Evet|EVET|Evet, öyle|Aynen öyle|Doğru|Tabii ki|Evet ama|Hiç şüphe yok",
        "no": "Hayır|HAYIR|Hayir|Kesinlikle değil|Kesinlikle hayır|Tabii ki hayır|Tabii ki değil"
        "|Elbette hayır|Doğru değildir|değildir|Öyle değil|Bu doğru değil|Tam olarak doğru değil"
        "|Yok|Hayır, değil.|Maalesef hayır|Asya'da değil",
        "maybe": "Bilmiyorum|BELKİ|Emin değilim|Bilgim yok|Bir bilgi yok|Kesin değil",
        "refusal": "Üzgünüm, cevap veremem",
        "unread": "(Evet/Hayır/Belki)|Evet mi hayır mı",
    },
    "hi": {
        "yes": "हाँ|हां|हॉं|जी हां|जी|हाँ, लेकिन|यह सही है|बिल्कुल|कोई शक नहीं",
        "no": "नहीं|नही|जी, नहीं।|जी नहीं|बिल्कुल भी नहीं|सच नहीं|बेशक नहीं|यह सच नहीं है"
        "|यह सही नहीं है|वह भारतीय नहीं है|नहीं, वह नहीं है|सही जवाब: नहीं|माफ़ कीजिए, नहीं",
        "maybe": "पता नहीं।|मुझे नहीं पता|मुझे इसके बारे में पता नहीं है|शायद नहीं|निश्चित नहीं|मैं नहीं जानता",
        "refusal": "क्षमा करें, मैं जवाब नहीं दे सकता",
        "unread": "(हाँ/नहीं/शायद)|हाँ या नहीं",
    },
    "ar": {
        "yes": "نعم|نَعَم.|أجل|اجل|بلى|بالتأكيد|بالطبع|هذا صحيح|صحيح|نعم، هو كذلك|لا شك في ذلك"
        "|أعتقد ذلك|نعم، ولكن|«نعم.»",
        "no": "لا|لا.|كلا|كلا، ليس كذلك|ليس كذلك|هذا غير صحيح|غير صحيح|ليس صحيحاً|بالطبع لا"
        "|بالتأكيد لا|طبعا لا|لا، ليس في أفريقيا|إنه ليس من آسيا|ليست امرأة|لم يكن سياسيًا"
        "|لا يقع في أوروبا|على الإطلاق|عذرًا، لا|صحيح، ليس هو|هل هو طعام؟ لا",
        "maybe": "ربما|ربّما|لا أعرف|لا اعرف|لا أعلم.|لا أدري|لست متأكدًا|لست متأكداً|لا أحد يعلم"
        "|ليس بالضرورة|من الممكن|نعم ولا|غير معروف|ربما لا",
        "refusal": "عذرًا، لا أستطيع الإجابة عن ذلك|آسف، لا يمكنني الإجابة",
        "unread": "(نعم/لا/لا أعرف)|نعم أو لا|موز",
    },
    "pt": {
        "yes": "Sim|SIM.|Sim, mas|Claro|Claro que sim|Com certeza|Exato|Exacto|Correto|Correcto"
        "|É verdade|Isso mesmo|Sem dúvida|Acho que sim|De facto, sim|De fato",
        "no": "Não|Nao|NÃO.|Claro que não|Com certeza não|Não é verdade|Isso não é verdade"
        "|Não é correto|Não se encontra em África|De modo nenhum|De jeito nenhum|Nunca foi político"
        "|Desculpe, não|Exatamente, não|Não, não fica na Ásia|Incorreto|Incorrecto|Também não"
        "|Não é",
        "maybe": "Não sei.|Nao sei|NÃO SEI|Não se sabe|Talvez|Talvez não|Não tenho a certeza"
        "|Não tenho certeza|Ninguém sabe|Nem sempre|Se calhar|Não necessariamente|Sim e não",
        "refusal": "Desculpe, não posso responder|Sinto muito, não posso responder a isso",
        "unread": "(Sim/Não/Não sei)|Sim ou não|Bananas",
    },
}
ROWS = [
    (code, reply, meant)
    for code, meanings in SAID.items()
    for meant, replies in meanings.items()
    for reply in replies.split("|")
]


@pytest.mark.parametrize("code", SAID)
def test_a_reply_means_what_it_says(code: str) -> None:
    replies = {reply: meant for own, reply, meant in ROWS if own == code}
    read = {reply: read_verdict(reply, load_language(code)) for reply in replies}
    assert {reply: found.answer or found.kind for reply, found in read.items()} == replies


def test_every_language_has_a_fair_sample_of_replies() -> None:
    for code in LANGUAGES:
        assert sum(row[0] == code for row in ROWS) >= 25
