"""How the guesser's and the judge's replies are read."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from geobias.atlas.entities import LANGUAGES
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.questions import parse_question
from geobias.probes.geo20q.replies import gives_up, is_yes_no, read_verdict, turn_of


def names_tower(text: str) -> bool:
    return "Eiffel Tower" in text


@pytest.mark.parametrize(
    ("code", "reply", "answer", "kind"),
    [
        ("en", "Yes.", "yes", "plain"),
        ("en", "**Yes**", "yes", "plain"),
        ("en", "Dunno.", "maybe", "plain"),
        ("en", "I don't know.", "maybe", "plain"),
        ("en", "<think>It is in Asia: yes?</think>\n\nNo.", "no", "plain"),
        ("en", "No, it is not a food.", "no", "ramble"),
        ("en", "The answer is no.", "no", "ramble"),
        ("en", "Is it in Asia? No.", "no", "ramble"),
        ("en", "Yes/No/Dunno", "", "unread"),
        ("en", "I'm sorry, I cannot answer that.", "", "refusal"),
        ("en", "Bananas are tasty.", "", "unread"),
        ("es", "Sí.", "yes", "plain"),
        ("es", "Si", "yes", "plain"),
        ("es", "No sé.", "maybe", "plain"),
        ("es", "Lo siento, como modelo de lenguaje…", "", "refusal"),
        ("fr", "Non.", "no", "plain"),
        ("fr", "Je ne sais pas.", "maybe", "plain"),
        ("fr", "Oui, c'est un monument.", "yes", "ramble"),
        ("tr", "HAYIR.", "no", "plain"),
        ("tr", "Bilmiyorum.", "maybe", "plain"),
        ("hi", "हाँ।", "yes", "plain"),
        ("hi", "नहीं।", "no", "plain"),
        ("hi", "पता नहीं।", "maybe", "plain"),
        ("zh", "不是。", "no", "plain"),
        ("zh", "是的，它是。", "yes", "plain"),
        ("zh", "这不是食物", "no", "ramble"),
        ("zh", "抱歉，无法回答。", "", "refusal"),
        ("ja", "いいえ。", "no", "plain"),
        ("ja", "わかりません。", "maybe", "plain"),
        ("ja", "いいえ、食べ物ではありません。", "no", "ramble"),
    ],
)
def test_a_judges_reply_is_read(code: str, reply: str, answer: str, kind: str) -> None:
    found = read_verdict(reply, load_language(code), names_tower)
    assert (found.answer, found.kind) == (answer, kind)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_words_that_a_language_tells_its_judge_to_say_are_read_as_such(code: str) -> None:
    language = load_language(code)
    for prompts in (language.people, language.things):
        for answer in ("yes", "no", "maybe"):
            found = read_verdict(prompts.answer_word(answer), language, names_tower)
            assert (found.answer, found.kind) == (answer, "plain")


def test_a_reply_that_holds_the_name_is_a_leak() -> None:
    assert read_verdict("No. The Eiffel Tower is no food.", load_language("en"), names_tower).leak
    assert not read_verdict("No. Towers are no food.", load_language("en"), names_tower).leak


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        ("Is it alive?", "Is it alive?"),
        ("1. Is it alive?\nYes.\n2. Is it big?", "Is it alive?"),
        ("Sure! Let's play.\n\n**Is it alive?**", "Is it alive?"),
        ("Is it alive? Yes. Is it big? No.", "Is it alive?"),
        ('"Is it alive?"', "Is it alive?"),
        ("Question 3: Is it alive?", "Is it alive?"),
        ("<think>Is it alive? Perhaps.</think>\nIs it big?", "Is it big?"),
        ("Final guess:\nThe Nile", "Final guess: The Nile"),
        ("The Nile\nIt is long", "The Nile"),
        ("Is it alive?<|im_end|>", "Is it alive?"),
    ],
)
def test_a_turn_is_the_first_question_of_a_reply(reply: str, asked: str) -> None:
    turn = turn_of(reply, load_language("en"))
    assert turn is not None
    assert turn.question == asked


@pytest.mark.parametrize("reply", ["", " \n", "...", "<think>Is it", "**", "?"])
def test_a_reply_without_words_of_its_own_is_no_turn(reply: str) -> None:
    assert turn_of(reply, load_language("en")) is None


def test_a_guess_before_the_question_mark_counts_and_later_ones_do_not() -> None:
    turn = turn_of("It's the Eiffel Tower. Right? Or the Nile?", load_language("en"))
    assert turn is not None
    assert "Eiffel" in turn.text
    assert "Nile" not in turn.text


def test_a_japanese_question_may_end_without_a_question_mark() -> None:
    turn = turn_of("それは生き物ですか。はい。", load_language("ja"))
    assert turn is not None
    assert turn.question == "それは生き物ですか。"


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
    plain, doubtful = (turn_of(said[code], language) for said in (GIVING_UP, IN_DOUBT))
    assert plain is not None
    assert doubtful is not None
    assert gives_up(plain, language) == "yes"
    assert gives_up(doubtful, language) == "doubtful"


def test_whoever_asks_a_yes_no_question_goes_on_playing() -> None:
    turn = turn_of("I'm sorry, I have no idea. Is it a tree?", load_language("en"))
    assert turn is not None
    assert gives_up(turn, load_language("en")) == "no"


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        ("Alright!\n\nThe Eiffel Tower.", "The Eiffel Tower."),
        ("Thank you.\nI see.\nIs it big", "Is it big"),
        ("Hmm.\nI give up.", "I give up."),
        ("Alright!\nLet me think.", "Alright!"),
    ],
)
def test_lines_that_neither_ask_nor_name_are_passed_over(reply: str, asked: str) -> None:
    turn = turn_of(reply, load_language("en"), names_tower)
    assert turn is not None
    assert turn.question == asked


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
        ("es", "¿Abandono escolar es el tema?", "doubtful"),
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
    turn = turn_of(said, load_language(code))
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
        ("pt", "Essa pessoa é brasileira?", True),
        ("pt", "Fica em África", True),
        ("pt", "Seria alguém que canta?", True),
        ("pt", "O que é?", False),
        ("pt", "De que país é?", False),
        ("pt", "Pode dar-me uma pista?", False),
        ("pt", "Onde fica?", False),
        ("en", "Is it alive?", True),
        ("en", "The person is male?", True),
        ("en", "What is it?", False),
        ("en", "Hello there", False),
        ("es", "¿La persona es un hombre?", True),
        ("es", "¿Dónde vive?", False),
        ("fr", "La personne est-elle une femme ?", True),
        ("fr", "Où vit-il ?", False),
        ("tr", "Bu kişi hayatta mıdır", True),
        ("tr", "Nerede?", False),
        ("hi", "क्या वह जीवित है?", True),
        ("hi", "वह कौन है?", False),
        ("zh", "它是活的吗？", True),
        ("zh", "它在哪里？", False),
        ("ja", "それは食べ物ですか。", True),
        ("ja", "それは何ですか？", False),
    ],
)
def test_a_yes_no_question_is_told_from_an_open_one(code: str, question: str, asks: bool) -> None:
    assert is_yes_no(question, load_language(code)) == asks
    assert parse_question(question, code).yes_no == asks


@given(st.text(), st.sampled_from(LANGUAGES))
def test_no_reply_makes_the_readers_fail(reply: str, code: str) -> None:
    language = load_language(code)
    read_verdict(reply, language, names_tower)
    turn = turn_of(reply, language)
    assume(turn is not None)
    assert turn is not None
    assert "\n" not in turn.question
    assert turn.question.strip()
    gives_up(turn, language)
    is_yes_no(turn.question, language)
