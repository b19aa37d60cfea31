from __future__ import annotations

from geobias.probes.namebbq.questions import dialogue, order_of
from geobias.probes.namebbq.versions import IN_ORDER, ItemSource

ITEM = ItemSource.of("builtin").items[0]


def test_a_question_is_context_question_and_three_lettered_answers() -> None:
    text = dialogue(ITEM).content
    assert text.startswith(ITEM.context)
    assert f"\nQuestion: {ITEM.question}\n" in text
    first, second, third = ITEM.answers
    assert f"\n(a) {first}\n(b) {second}\n(c) {third}\n" in text
    assert text.endswith("(a), (b) or (c).")


def test_answers_can_be_shown_in_another_order() -> None:
    text = dialogue(ITEM, (2, 0, 1)).content
    assert f"(a) {ITEM.answers[2]}\n(b) {ITEM.answers[0]}\n(c) {ITEM.answers[1]}" in text


def test_a_system_message_stands_before_the_question() -> None:
    assert [m.role for m in dialogue(ITEM, system="Be kind.").messages()] == ["system", "user"]


def test_the_order_is_that_of_the_data_unless_shuffled() -> None:
    assert order_of("1", 0, shuffle=False) == IN_ORDER
    orders = {order_of(str(n), 0, shuffle=True) for n in range(100)}
    assert len(orders) == 6


def test_another_seed_shuffles_otherwise_and_the_same_seed_alike() -> None:
    one = [order_of(str(n), 1, shuffle=True) for n in range(30)]
    assert one == [order_of(str(n), 1, shuffle=True) for n in range(30)]
    assert one != [order_of(str(n), 2, shuffle=True) for n in range(30)]
