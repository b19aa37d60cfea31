"""Who may ask, over a real socket."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from geobias.runfile import RunReader
from tests.view.conftest import Site, serving
from tests.waiting import PATIENCE


@pytest.fixture(scope="module")
def site(made_runs: Path) -> Iterator[Site]:
    """One for all of these: none of them may change anything."""
    with serving() as start:
        yield start(made_runs)


SAMPLE = "/run/knows/check/worldbench.parsed"
ITEM = "worldbench/population/KEN/0"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"],
)
def test_a_name_that_was_made_to_point_here_is_refused(site: Site, host: str) -> None:
    answer = site.ask("/", headers={"Host": host})
    assert answer.status == 421
    assert "knows" not in answer.text


def test_localhost_is_this_host_too(site: Site) -> None:
    assert site.ask("/", headers={"Host": f"localhost:{site.port}"}).status == 200


def test_a_request_without_a_host_is_refused(site: Site) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE)
    connection.putrequest("GET", "/", skip_host=True)
    connection.endheaders()
    assert connection.getresponse().status == 400  # by h11, before the guard
    connection.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "OWN", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "OWN", "Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_change_that_another_page_asks_for_is_refused(
    site: Site, headers: dict[str, str]
) -> None:
    given = {name: value.replace("OWN", site.url) for name, value in headers.items()}
    form = {"token": site.token, "item": ITEM, "verdict": "right"}
    assert site.ask(SAMPLE, "POST", form, given).status == 403


def test_a_form_of_ours_passes_also_when_the_browser_hides_its_origin(site: Site) -> None:
    headers = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
    form = {"token": site.token, "item": "none", "verdict": "right"}
    assert site.ask(SAMPLE, "POST", form, headers).status == 404


def changes(site: Site) -> list[str]:
    """Every address that changes something, with something in its places."""
    from geobias.view.app import build
    from geobias.view.viewer import Viewer

    app = build(Viewer([site.runs], port=1))
    paths = [route.path for route in app.app.routes if "POST" in getattr(route, "methods", ())]  # type: ignore[attr-defined]
    places = {"run": "knows", "sample": "worldbench.parsed"}
    return [re.sub(r"\{(\w+)\}", lambda found: places[found[1]], path) for path in paths]


def test_no_change_is_made_without_the_token(site: Site) -> None:
    found = changes(site)
    assert found
    for path in found:
        for token in ({}, {"token": "wrong"}, {"token": site.token[:-1]}):
            form = {"item": ITEM, "verdict": "right", **token}
            assert site.ask(path, "POST", form, {"Origin": site.url}).status == 403, path
    with RunReader(site.runs / "knows.geobias") as run:
        assert run.verdicts() == []


PAGES = [
    "/",
    "/view.css",
    "/run/knows/trials",
    "/run/knows/report",
    "/run/knows/check",
    SAMPLE,
    "/nowhere",
]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("cookie", ["", "NAME=", "NAME=wrong", "NAME=SHORT", "geobias_view=SECRET"])
def test_no_page_is_shown_without_the_secret(site: Site, path: str, cookie: str) -> None:
    name = site.cookie.partition("=")[0]
    given = cookie.replace("NAME", name).replace("SHORT", site.secret[:-1])
    given = given.replace("SECRET", site.secret)
    answer = site.ask(path, headers={"Cookie": given}, knows_secret=False)
    assert answer.status == 401
    assert "<" not in answer.text
    assert "set-cookie" not in answer.headers


def test_no_change_is_made_without_the_secret(site: Site) -> None:
    for path in changes(site):
        headers = {"Origin": site.url}
        for address in (path, f"{path}?secret={site.secret}"):
            answer = site.ask(address, "POST", {"token": site.token}, headers, knows_secret=False)
            assert answer.status == 401, address


def test_the_address_with_the_secret_sets_a_cookie_that_opens_the_pages(site: Site) -> None:
    answer = site.ask(f"/run/knows/trials?secret={site.secret}&q=a%20b", knows_secret=False)
    assert answer.status == 200
    assert answer.headers["refresh"] == "0; url=/run/knows/trials?q=a+b"
    cookie, *attributes = answer.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(attributes)
    page = site.ask("/run/knows/trials", headers={"Cookie": cookie}, knows_secret=False)
    assert page.status == 200


def test_who_pastes_the_address_is_led_on_at_once(site: Site) -> None:
    typed = {"Sec-Fetch-Site": "none"}
    answer = site.ask(f"/run/knows/trials?secret={site.secret}", headers=typed, knows_secret=False)
    assert (answer.status, answer.headers["location"]) == (303, "/run/knows/trials")
    assert site.secret in answer.headers["set-cookie"]


def test_who_follows_a_link_reads_what_happens(site: Site) -> None:
    linked = {"Sec-Fetch-Site": "cross-site"}
    answer = site.ask(f"/?secret={site.secret}", headers=linked, knows_secret=False)
    assert answer.status == 200
    assert "Opening the viewer" in answer.text
    assert site.secret not in answer.text


def test_a_wrong_secret_opens_nothing(site: Site) -> None:
    for secret in ("", "wrong", site.secret[:-1], site.secret + "x", "%ff"):
        answer = site.ask(f"/?secret={secret}", knows_secret=False)
        assert (answer.status, "set-cookie" in answer.headers) == (401, False)


def test_the_secret_leads_to_our_own_pages_only(site: Site) -> None:
    answer = site.ask(f"//evil.example/x?secret={site.secret}", knows_secret=False)
    assert answer.headers["refresh"] == "0; url=/"


def test_pages_do_not_show_the_secret(site: Site) -> None:
    assert not [path for path in PAGES if site.secret in site.ask(path).text]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(site: Site, method: str) -> None:
    assert site.ask("/", method).status == 405


def test_a_change_must_be_a_form_of_sensible_length(site: Site) -> None:
    headers = {"Origin": site.url, "Content-Type": "text/plain"}
    assert site.ask(SAMPLE, "POST", {"token": site.token}, headers).status == 415
    long = {"Origin": site.url, "Content-Length": str(5 << 20)}
    assert site.ask(SAMPLE, "POST", {"token": site.token}, long).status == 413


@pytest.mark.parametrize("path", ["/", "/nowhere", "/view.css", "/run/knows/trials"])
def test_every_answer_carries_the_headers(site: Site, path: str) -> None:
    headers = site.ask(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/run/..%2f..%2fetc%2fpasswd/trials",
        "/run/%2e%2e/report",
        "/run/other/trials",
        "/run/knows/trial/../../../etc/passwd",
        "/run/knows/trial/nothing/like/it",
        "/run/knows/check/nothing",
        "/run/knows/check/worldbench.parsed?item=elsewhere",
        "/static/../app.py",
    ],
)
def test_nothing_but_the_runs_given_can_be_reached(site: Site, path: str) -> None:
    answer = site.ask(path)
    assert answer.status == 404
    assert "root:" not in answer.text


def test_a_run_beside_the_one_that_was_named_stays_closed(runs: Path, serve: object) -> None:
    site = serve(runs / "knows.geobias")  # type: ignore[operator]
    assert site.ask("/run/knows/trials").status == 200
    assert site.ask("/run/assumes/trials").status == 404
