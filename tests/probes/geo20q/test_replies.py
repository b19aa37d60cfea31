"""How the guesser's and the judge's replies are read."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from geobias.atlas.entities import LANGUAGES
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.questions import parse_question
from geobias.probes.geo20q.replies import gives_up, is_yes_no, read_answer, turn_of
from geobias.trials import Reply


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_words_that_a_language_tells_its_judge_to_say_are_read_as_such(code: str) -> None:
    language = load_language(code)
    for prompts in (language.people, language.things):
        for answer in ("yes", "no", "maybe"):
            assert read_answer(prompts.answer_word(answer), language) == answer


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        ("Is it alive?", "Is it alive?"),
        ("Is it alive?\nYes.\nIs it big?", "Is it alive?"),
        ("Sure! Let's play.\n\n**Is it alive?**", "Is it alive?"),
        ("Is it alive? Yes. Is it big? No.", "Is it alive?"),
        ('"Is it alive?"', "Is it alive?"),
        ("<think>Is it alive? Perhaps.</think>\nIs it big?", "Is it big?"),
        ("Final guess:\nThe Nile", "Final guess: The Nile"),
        ("Is it alive?<|im_end|>", "Is it alive?"),
        ("Thank you.\nI see.\nIs it big", "Thank you. I see. Is it big"),
    ],
)
def test_a_turn_is_the_first_question_of_a_reply(reply: str, asked: str) -> None:
    turn = turn_of(Reply(reply))
    assert turn is not None
    assert turn.question == asked


@pytest.mark.parametrize("reply", ["", " \n", "...", "<think>Is it", "**", "?"])
def test_a_reply_without_words_of_its_own_is_no_turn(reply: str) -> None:
    assert turn_of(Reply(reply)) is None


def test_a_guess_before_the_question_mark_counts_and_later_ones_do_not() -> None:
    turn = turn_of(Reply("It's the Eiffel Tower. Right? Or the Nile?"))
    assert turn is not None
    assert "Eiffel" in turn.text
    assert "Nile" not in turn.text


GIVING_UP = {
    "en": "I give up.",
    "hi": "मैं हार मानता हूँ।",
    "zh": "我放弃。",
    "es": "Me rindo.",
    "ja": "降参です。",
    "tr": "Pes ediyorum.",
    "fr": "J’abandonne.",
    "ar": "أنا أستسلم.",
    "pt": "Desisto.",
}
IN_DOUBT = {
    "en": "I'm stuck and have no idea.",
    "hi": "मुझे नहीं पता।",
    "zh": "我毫无头绪。",
    "es": "No tengo idea.",
    "ja": "分かりません。",
    "tr": "Hiçbir fikrim yok.",
    "fr": "Aucune idée.",
    "ar": "ليس لدي أي فكرة.",
    "pt": "Não faço ideia.",
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_giving_up_is_understood_in_every_language(code: str) -> None:
    language = load_language(code)
    plain, doubtful = (turn_of(Reply(said[code])) for said in (GIVING_UP, IN_DOUBT))
    assert plain is not None
    assert doubtful is not None
    assert gives_up(plain, language) == "yes"
    assert gives_up(doubtful, language) == "doubtful"


def test_whoever_asks_a_yes_no_question_goes_on_playing() -> None:
    turn = turn_of(Reply("I'm sorry, I have no idea. Is it a tree?"))
    assert turn is not None
    assert gives_up(turn, load_language("en")) == "no"


@pytest.mark.parametrize(
    ("code", "said", "gave_up"),
    [
        ("en", "Is the person known for the line 'I quit'?", "no"),
        ("en", "I won't say I give up! Is it a lake?", "no"),
        ("en", "I give up. What is it?", "yes"),
        ("en", "I give up, what is it?", "yes"),
        ("tr", "Bulamıyorum ama bir göl mü?", "no"),
        ("fr", "Je ne trouve pas facile, est-ce un lac ?", "no"),
        ("ja", "降参ではありません。湖ですか？", "no"),
        ("ja", "降参です。それは何ですか？", "yes"),
        ("es", "Me rindo. ¿Qué es?", "yes"),
        ("zh", "我放弃。是什么？", "yes"),
        ("zh", "我放棄。是什麼？", "yes"),
        ("ar", "أستسلم. ما هو؟", "yes"),
        ("ar", "هل استسلم هذا القائد في الحرب؟", "no"),
        ("pt", "Desisto. O que é?", "yes"),
        ("pt", "E agora desisto.", "yes"),
        ("pt", "Não consigo adivinhar ainda. É um lago?", "no"),
    ],
)
def test_words_of_giving_up_in_a_yes_no_question_end_no_game(
    code: str, said: str, gave_up: str
) -> None:
    turn = turn_of(Reply(said))
    assert turn is not None
    assert gives_up(turn, load_language(code)) == gave_up


@pytest.mark.parametrize(
    ("code", "question", "asks"),
    [
        ("en", "Could you give me a hint?", False),
        ("en", "In what country is it?", False),
        ("en", "Is it known for what it did?", True),
        ("en", "Is it a country where cocoa grows?", True),
        ("en", "What a game! Is it alive?", True),
        ("es", "¿De qué continente es?", False),
        ("es", "¿Crees que es de Asia?", True),
        ("es", "¿Nació donde hace frío?", True),
        ("fr", "Dans quel pays est-ce ?", False),
        ("fr", "C'est quoi ?", False),
        ("fr", "Est-ce un lac ou une mer ?", True),
        ("hi", "यह क्या है?", False),
        ("hi", "क्या यह भारत में है?", True),
        ("ja", "何か食べ物ですか？", True),
        ("ja", "彼は誰かと結婚していますか？", True),
        ("ja", "日本の何処ですか？", False),
        ("zh", "它是不是食物", True),
        ("zh", "有什么特别用途吗？", True),
        ("tr", "Hangi ülkede?", False),
        ("ar", "هل هو شخص حي؟", True),
        ("ar", "هَل هو على قيد الحياة", True),
        ("ar", "من أوروبا؟", True),
        ("ar", "من هو؟", False),
        ("ar", "في أي بلد يقع؟", False),
        ("ar", "هل يمكنك أن تعطيني تلميحًا؟", False),
        ("pt", "É uma pessoa viva?", True),
        ("pt", "Fica em África", True),
        ("pt", "Seria alguém que canta?", True),
        ("pt", "O que é?", False),
        ("pt", "De que país é?", False),
        ("pt", "Pode dar-me uma pista?", False),
        ("en", "The person is male?", True),
        ("en", "Hello there", False),
        ("es", "¿La persona es un hombre?", True),
        ("fr", "La personne est-elle une femme ?", True),
        ("tr", "Bu kişi hayatta mıdır", True),
        ("hi", "वह कौन है?", False),
        ("zh", "它是活的吗？", True),
        ("ja", "それは食べ物ですか。", True),
    ],
)
def test_a_yes_no_question_is_told_from_an_open_one(code: str, question: str, asks: bool) -> None:
    assert is_yes_no(question, load_language(code)) == asks
    assert parse_question(question, code).yes_no == asks


@given(st.text(), st.sampled_from(LANGUAGES))
def test_no_reply_makes_the_readers_fail(reply: str, code: str) -> None:
    language = load_language(code)
    read_answer(reply, language)
    turn = turn_of(Reply(reply))
    assume(turn is not None)
    assert turn is not None
    assert "\n" not in turn.question
    assert turn.question.strip()
    gives_up(turn, language)
    is_yes_no(turn.question, language)


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
def test_a_reply_is_read_as_it_is_meant_or_not_at_all(code: str) -> None:
    rows = [(reply, meant) for own, reply, meant in ROWS if own == code]
    read = [read_answer(reply, load_language(code)) for reply, _ in rows]
    meant = [meant if meant in ("yes", "no", "maybe") else "" for _, meant in rows]
    misread = [
        row for row, answer, one in zip(rows, read, meant, strict=True) if answer not in ("", one)
    ]
    assert misread == []
    assert sum(map(bool, read)) >= 0.5 * sum(map(bool, meant))
