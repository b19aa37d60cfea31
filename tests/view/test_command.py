"""`geobias view` as a process: started, asked, ended with Ctrl-C."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
from pathlib import Path

from tests.cli.commands import geobias, start
from tests.waiting import PATIENCE


def test_it_prints_its_address_names_a_bad_file_and_ends(runs: Path, tmp_path: Path) -> None:
    (runs / "bad.geobias").write_bytes(b"nothing")
    process = start(
        "view", str(runs), "--no-browser", cwd=tmp_path, GEOBIAS_CACHE=str(tmp_path / "cache")
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.match(r"http://127\.0\.0\.1:(\d+)/(\?secret=\S{40,}) ", line)
    assert found, line
    connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=PATIENCE)
    for path, status in (("/", 401), (f"/{found[2]}", 200)):
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == status
        answer.read()
    connection.close()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (0, "")
    assert ("bad.geobias" in err, err.count("\n")) == (True, 1)
    assert {path.suffix for path in runs.iterdir()} == {".geobias"}


def test_a_port_that_is_taken_is_a_sentence(runs: Path, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        code, _, err = geobias("view", str(runs), "--port", port, "--no-browser", cwd=tmp_path)
    assert code == 2
    assert f"port {port} cannot be used" in err


def test_without_the_extra_it_says_what_to_install(runs: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "uvicorn.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'uvicorn'\", name='uvicorn')\n"
    )
    path = os.pathsep.join([str(broken), os.environ.get("PYTHONPATH", "")])
    code, _, err = geobias("view", str(runs), "--no-browser", cwd=tmp_path, PYTHONPATH=path)
    assert code == 2
    assert err.count("\n") == 1
    assert "pip install 'geobias[view]'" in err
