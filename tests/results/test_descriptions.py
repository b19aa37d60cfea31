"""What a viewer marks in a reply."""

from __future__ import annotations

from geobias.results.descriptions import marked_part


def test_what_a_reader_quoted_marks_nothing_in_the_reply() -> None:
    record = {"span_start": 0, "span_end": 4, "read_by": "rules"}
    assert marked_part(record) == (0, 4)
    assert marked_part(record | {"read_by": "reader"}) is None
