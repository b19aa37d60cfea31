"""Results that are kept are those of the very same arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from geobias.stats.remembering import remembered


def counting() -> tuple[list[Any], Callable[..., int]]:
    """The calls that were made, and a remembered function that makes them."""
    calls: list[Any] = []

    @remembered
    def work(*args: Any, **kwargs: Any) -> int:
        calls.append((args, kwargs))
        return len(calls)

    return calls, work


def far(value: float) -> np.ndarray[Any, Any]:
    """Two thousand numbers of which one in the middle, which no text of them shows, is given."""
    numbers = np.zeros(2000)
    numbers[1000] = value
    return numbers


LIKE = [
    (far(0.0), far(0.0)),
    (np.array(["a", None], dtype=object), np.array(["a", None], dtype=object)),
    (["a", None], ["a", None]),
    ((far(1.0), "x"), (far(1.0), "x")),
]
UNLIKE = [
    (far(0.0), far(1e-300)),
    (np.zeros(4), np.zeros((2, 2))),
    (np.zeros(1), np.zeros(1, dtype=np.int64)),
    (np.array(["a"], dtype=object), np.array(["b"], dtype=object)),
    ((far(0.0), "x"), (far(1.0), "x")),
    (["1"], [1]),
    (0.1, 0.1 + 2**-56),
    (None, "None"),
]


@pytest.mark.parametrize(("first", "second"), LIKE)
def test_equal_content_is_worked_out_once(first: Any, second: Any) -> None:
    calls, work = counting()
    assert work(first, by=second) == work(second, by=first) == 1
    assert len(calls) == 1


@pytest.mark.parametrize(("first", "second"), UNLIKE)
def test_other_content_is_worked_out_anew(first: Any, second: Any) -> None:
    _, work = counting()
    assert work(first) != work(second)
    assert work(by=first) != work(by=second)


def test_arguments_do_not_run_together() -> None:
    _, work = counting()
    assert work(1, 23) != work(12, 3)


def test_what_has_no_known_content_is_worked_out_each_time() -> None:
    calls, work = counting()
    for given in (pl.Series([1.0]), (pl.Series([1.0]),)):
        assert work(given) != work(given)
    assert len(calls) == 4


def test_two_functions_share_no_result() -> None:
    @remembered
    def one(_: float) -> str:
        return "one"

    @remembered
    def other(_: float) -> str:
        return "other"

    assert (one(0.5), other(0.5)) == ("one", "other")
