"""Writing a run file, and what its manifest says of costs and of whose records there are."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import BadRunFile
from geobias.runfile import Manifest, RunReader, RunWriter
from geobias.runfile.manifest import belongs_to
from geobias.trials import Ask, Dialogue, Message, Record, Reply
from tests.defined import defined

MANIFEST = Manifest(
    geobias="0",
    created="now",
    probes={"p": {"repeats": 1}},
    models={"model": "m"},
    planned={"p": 2},
)


def open_new(folder: Path, manifest: Manifest = MANIFEST) -> RunWriter:
    return RunWriter.open(folder / "run.geobias", manifest)


def answer(writer: RunWriter, dialogue: Dialogue, text: str, role: str = "model") -> Reply:
    ask = Ask(dialogue=dialogue, role=role)
    reply = Reply(text, tokens_in=5, tokens_out=2, model="m-1", digest=ask.digest("m"))
    writer.save_reply(ask, reply)
    return reply


def test_a_reply_is_found_at_once_and_after_closing(tmp_path: Path) -> None:
    writer = open_new(tmp_path)
    reply = answer(writer, Dialogue().user("q"), "r")
    assert writer.find(reply.digest) == reply
    writer.close()
    again = open_new(tmp_path)
    assert again.find(reply.digest) == reply
    again.close()


def test_a_transcript_is_rebuilt_by_walking_up(tmp_path: Path) -> None:
    writer = open_new(tmp_path)
    dialogue = Dialogue().system("s").user("one?")
    for turn in ("two?", "three?"):
        dialogue = dialogue.reply(answer(writer, dialogue, f"before {turn}")).user(turn)
    last = answer(writer, dialogue, "end")
    writer.save_record(Record(trial="t", probe="p", outcome="read"), [last.digest])
    writer.close()
    with RunReader(tmp_path / "run.geobias") as run:
        saved = defined(run.reply(last.digest))
        assert run.transcript(saved) == [*dialogue.messages(), Message("assistant", "end")]


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=6))
def test_any_text_comes_back_as_it_went_in(
    tmp_path_factory: pytest.TempPathFactory, turns: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("run")
    writer = open_new(folder)
    dialogue = Dialogue()
    for question, text in turns:
        dialogue = dialogue.user(question)
        said = text.encode(errors="replace").decode()  # what a client lets through
        dialogue = dialogue.reply(answer(writer, dialogue, said))
    writer.close()
    with RunReader(folder / "run.geobias") as run:
        saved = defined(run.reply(dialogue.answers))
        assert run.transcript(saved) == dialogue.messages()


def test_what_stands_before_the_question_is_stored_once(tmp_path: Path) -> None:
    writer = open_new(tmp_path)
    opening = Dialogue().user("a long instruction").assistant("Sounds good.")
    for number in range(100):
        answer(writer, opening.user(f"question {number}"), "r")
    writer.close()
    with RunReader(tmp_path / "run.geobias") as run:
        assert list(run.query("SELECT count(*) FROM openings")) == [(1,)]


def test_a_long_game_stores_the_same_bytes_for_every_turn(tmp_path: Path) -> None:
    sizes = []
    for turns in (100, 1000):
        folder = tmp_path / str(turns)
        writer = open_new(folder)
        dialogue = Dialogue().user("first question")
        for _ in range(turns):
            reply = answer(writer, dialogue, "an answer of some length, as models give them")
            dialogue = dialogue.reply(reply).user("and then?")
        writer.close()
        sizes.append((folder / "run.geobias").stat().st_size / turns)
    assert sizes[1] <= sizes[0]


def test_records_come_back_in_the_order_in_which_they_were_finished(tmp_path: Path) -> None:
    writer = open_new(tmp_path)
    for name in ("b", "a", "c"):
        writer.save_record(Record(trial=name, probe="p", country="KEN", outcome="read"), [])
    writer.close()
    with RunReader(tmp_path / "run.geobias") as run:
        assert [row["trial"] for row in run.records()] == ["b", "a", "c"]
        assert run.done() == {"p": {"read": 3}}


def test_a_reader_that_stays_does_not_spoil_the_end_of_a_run(tmp_path: Path) -> None:
    writer = open_new(tmp_path)
    answer(writer, Dialogue().user("q"), "r")
    with RunReader(tmp_path / "run.geobias") as run:
        rows = run.query("SELECT * FROM manifest")
        next(rows)
        writer.close()
        rows.close()  # type: ignore[attr-defined]
    assert writer.failure is None


def test_a_copy_of_a_finished_run_is_whole_while_another_program_has_the_run_open(
    tmp_path: Path,
) -> None:
    writer = open_new(tmp_path)
    with RunReader(tmp_path / "run.geobias"):
        asked = answer(writer, Dialogue().user("q"), "r")
        writer.close()
        (tmp_path / "copy.geobias").write_bytes((tmp_path / "run.geobias").read_bytes())
    with RunReader(tmp_path / "copy.geobias") as copy:
        assert list(copy.query("SELECT text FROM replies")) == [(asked.text,)]


def test_replies_that_are_taken_back_are_gone_with_their_records(tmp_path: Path) -> None:
    writer = open_new(tmp_path)
    kept = answer(writer, Dialogue().user("good"), "r")
    writer.save_record(Record(trial="good", probe="p", outcome="read"), [kept.digest])
    early = answer(writer, Dialogue().user("early"), "r")
    writer.save_record(Record(trial="early", probe="p", outcome="read"), [early.digest])
    threading.Event().wait(0.3)  # until it is on disk
    late = answer(writer, Dialogue().user("late"), "r")
    writer.save_record(Record(trial="late", probe="p", outcome="read"), [late.digest])
    writer.forget([early.digest, late.digest])
    writer.close()
    with RunReader(tmp_path / "run.geobias") as run:
        assert [row["trial"] for row in run.records()] == ["good"]
        assert run.spent()["model"].calls == 1


def test_replies_to_ask_again_are_removed_and_counted_together_or_not_at_all(
    tmp_path: Path,
) -> None:
    writer = open_new(tmp_path)
    ask = Ask(dialogue=Dialogue().user("q"))
    cut = Reply("", "still_thinking", tokens_in=5, tokens_out=64, digest=ask.digest("m"))
    writer.save_reply(ask, cut)
    writer.save_record(Record(trial="t", probe="p", outcome="still_thinking"), [cut.digest])
    writer.close()
    with sqlite3.connect(tmp_path / "run.geobias") as file:  # stands for a kill in between
        file.execute(
            "CREATE TRIGGER kill BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'killed'); END"
        )
    for kills in (True, False):
        writer = open_new(tmp_path)
        if kills:
            with pytest.raises(BadRunFile, match="killed"):
                writer.ask_again("still_thinking")
            writer._execute("DROP TRIGGER kill")
        else:
            writer.ask_again("still_thinking")
        writer.close()
        with RunReader(tmp_path / "run.geobias") as run:
            assert run.failed_attempts() == ({} if kills else {"out of thought": 1})
            assert bool(run.reply(cut.digest)) is kills
            assert run.spent()["model"].tokens_out == 64


def test_a_row_that_cannot_be_written_ends_the_run_and_not_in_a_hang(tmp_path: Path) -> None:
    writer = open_new(tmp_path)
    answer(writer, Dialogue().user("q"), "a lone \ud800, which no client lets through")
    writer.close()
    assert "cannot write" in str(writer.failure)


def test_another_run_is_not_written_over(tmp_path: Path) -> None:
    open_new(tmp_path).close()
    other = Manifest(
        geobias="0", created="now", probes={"p": {"repeats": 5}}, models={"model": "m"}
    )
    with pytest.raises(BadRunFile, match="repeats: 1 there, 5 asked for"):
        open_new(tmp_path, other)
    assert [path.name for path in tmp_path.iterdir()] == ["run.geobias"]
    with RunReader(tmp_path / "run.geobias") as run:
        assert len(run.sessions()) == 1


def test_each_session_is_noted_with_what_it_did(tmp_path: Path) -> None:
    open_new(tmp_path).close({"calls": 3})
    open_new(tmp_path).close({"calls": 4})
    with RunReader(tmp_path / "run.geobias") as run:
        assert [session.counts for session in run.sessions()] == [{"calls": 3}, {"calls": 4}]


def manifest(**prices: tuple[float, float]) -> Manifest:
    models = {"model": "openai/gpt-4o", "judge": "somewhere/else"}
    return Manifest(geobias="0", created="", probes={}, models=models, prices=prices)


def test_a_role_costs_what_its_own_model_costs_or_else_what_the_model_does() -> None:
    plain, judged = manifest(model=(1.0, 2.0)), manifest(model=(1.0, 2.0), judge=(5.0, 6.0))
    assert plain.cost("guesser", 1_000_000, 1_000_000) == pytest.approx(3.0)
    assert judged.cost("judge", 1_000_000, 0) == 5.0
    assert plain.cost("judge", 1_000_000, 0) is None, "a model of its own, of unknown price"


@pytest.mark.parametrize(
    ("name", "among", "whose"),
    [
        ("geo20q_judge", ["geo20q"], "geo20q"),
        ("geo20q_judge", ["geo20q", "geo20q_judge"], "geo20q_judge"),
        ("my_own_probe_side", ["my_own_probe"], "my_own_probe"),
        ("geo20q", ["worldbench"], None),
        ("_", ["worldbench"], None),
        ("", ["worldbench"], None),
    ],
)
def test_records_belong_to_the_longest_name_they_begin_with(
    name: str, among: list[str], whose: str | None
) -> None:
    assert belongs_to(name, among) == whose
