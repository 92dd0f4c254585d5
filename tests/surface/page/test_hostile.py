"""Hostile requests: every route, however it is asked, refuses whoever is not the page in the user's browser.

The routes are read from the application, so that a new one is covered without a word here.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tacit.surface.page.app import ROUTES
from tacit.surface.page.guard import ENTRANCE, FORM_LIMIT, HEADERS
from tacit.surface.page.session import DataSet

from .conftest import UPLOAD_LIMIT, Answer, Served

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
REFUSED = (403, 421)


@pytest.fixture
def target(served: Served) -> Iterator[DataSet]:
    """A data set that hostile requests would like to read or remove."""
    session = served.session
    folder = session.new_folder()
    name = folder.name
    (folder / "data.csv").write_text("age,disease\n41,flu\n")
    data = session.add(DataSet(name, "patients.csv", folder, str(folder / "data.csv"), 18, "table"))
    yield data
    session.data.pop(name, None)
    shutil.rmtree(folder, ignore_errors=True)


def every_route(data: DataSet) -> list[tuple[str, str]]:
    """Each route with each method it takes, at the address of a data set that is there."""
    places = {"{data}": data.id, "{job}": data.id, "{name}": "page.css", "{file}": "release.zip"}
    found = []
    for route in ROUTES:
        path = route.path
        for place, value in places.items():
            path = path.replace(place, value)
        assert "{" not in path, f"{route.path} needs a value here"
        found += [(method, path) for method in sorted(route.methods or ()) if method != "HEAD"]
    return found


def snapshot(served: Served) -> Any:
    """Everything that a request could change."""
    files = sorted(str(path) for path in served.folder.rglob("*"))
    return files, list(served.session.data), list(served.session.jobs.all), served.admission.token


def checked(served: Served, answer: Answer) -> Answer:
    """The answer, which tells nothing and keeps the browser to the page's own rules."""
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert "set-cookie" not in answer.headers
    assert served.admission.secret.encode() not in answer.body
    return answer


def without(headers: dict[str, str], *names: str, **changed: str) -> dict[str, str]:
    kept = {name: value for name, value in headers.items() if name not in names}
    return kept | {name.replace("_", "-"): value for name, value in changed.items()}


def test_only_its_own_name_is_a_host(served: Served, target: DataSet) -> None:
    port, before = served.admission.port, snapshot(served)
    hosts = (
        *("evil.example", f"evil.example:{port}", "127.0.0.1", "localhost", f"127.0.0.1:{port}.evil.example"),
        *(f"localhost:{port + 1}", f"LOCALHOST.:{port}", f"0.0.0.0:{port}", f"[::1]:{port}", ""),
    )
    for method, path in every_route(target):
        for host in hosts:
            answer = served.ask(
                method, path, without(served.credentials, host=host), b"" if method == "POST" else None
            )
            assert checked(served, answer).status in (400, 421), (method, path, host)
    assert snapshot(served) == before


def test_nothing_without_the_cookie(served: Served, target: DataSet) -> None:
    before = snapshot(served)
    for method, path in every_route(target):
        for cookie in (
            None,
            "",
            f"{served.admission.cookie}=guess",
            f"other={served.admission.secret}",
            "\x7f;=;",
        ):
            headers = without(served.credentials, "cookie")
            if cookie is not None:
                headers["cookie"] = cookie
            answer = served.ask(method, path, headers, b"{}" if method == "POST" else None)
            assert checked(served, answer).status == 403, (method, path, cookie)
    assert snapshot(served) == before


def test_changes_come_from_the_page_alone(served: Served, target: DataSet) -> None:
    port, before = served.admission.port, snapshot(served)
    foreign: list[dict[str, str]] = [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{port + 1}"},
        {"origin": f"https://127.0.0.1:{port}"},
        {"origin": f"http://localhost:{port}"},  # a name of this server, but not the one it was asked by
        {"origin": served.address, "sec-fetch-site": "cross-site"},
        {"origin": served.address, "sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
        {},
    ]
    for method, path in every_route(target):
        if method != "POST":
            continue
        for told in foreign:
            headers = without(served.credentials, "origin") | told | {"content-type": "application/json"}
            assert checked(served, served.ask(method, path, headers, b"{}")).status == 403, (path, told)
    assert snapshot(served) == before


def test_other_sites_may_not_even_read(served: Served, target: DataSet) -> None:
    for method, path in every_route(target):
        for site in ("cross-site", "same-site"):
            headers = without(served.credentials, "origin", sec_fetch_site=site)
            answer = served.ask(method, path, headers, b"{}" if method == "POST" else None)
            assert checked(served, answer).status == 403, (method, path)


def test_other_methods_are_refused(served: Served, target: DataSet) -> None:
    before = snapshot(served)
    taken = every_route(target)
    for path in {path for _, path in taken}:
        allowed = {method for method, taken_path in taken if taken_path == path}
        allowed |= {"HEAD"} if "GET" in allowed else set()
        for method in set(METHODS) - allowed:
            answer = served.ask(method, path, served.credentials)
            assert checked(served, answer).status == 405, (method, path)
    assert snapshot(served) == before


def test_what_is_asked_for_changes_nothing(served: Served, target: DataSet) -> None:
    before = snapshot(served)
    for method, path in every_route(target):
        for asked in ("GET", "HEAD") if method == "GET" else ():
            answer = served.ask(asked, path, without(served.credentials, "origin"))
            assert checked(served, answer).status in (200, 400, 403, 404), path
    assert snapshot(served) == before


def test_too_much_is_refused(served: Served, target: DataSet) -> None:
    before = snapshot(served)
    for method, path in every_route(target):
        if method != "POST":
            continue
        limit = UPLOAD_LIMIT if path.endswith(("/data", "/hierarchy-file")) else FORM_LIMIT
        address = f"{path}?column=age" if path.endswith("/hierarchy-file") else path
        headers = served.credentials | {"content-type": "application/json", "x-file-name": "big.csv"}
        for size in (str(limit + 1), "9" * 40, "-1", "many"):
            answer = served.ask(method, address, headers | {"content-length": size})
            assert answer.status in (400, 413), (path, size)
        target.columns = [{"name": "age"}]
        piecewise = served.ask(method, address, headers, b" " * (limit + 1), chunked=True)
        assert piecewise.status == (404 if path.startswith("/jobs") else 413), path
    assert snapshot(served) == before


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/static/../app.py",
            "/static/..%2fapp.py",
            "/static/%2e%2e/app.py",
            "/static/page.css%00.py",
            "/static/",
        ),
        *(
            "/data/..",
            "/data/%2e%2e%2f%2e%2e",
            "/jobs/..%2f..%2fdata",
            "/etc/passwd",
            "//evil.example/",
            "/\\evil",
        ),
        *(
            "/data/{data}/../../jobs",
            "/jobs/{data}/files/..%2flock",
            "/jobs/{data}/files/%2fetc%2fpasswd",
            "/.git/config",
        ),
    ],
)
def test_no_way_out_of_the_folder(served: Served, target: DataSet, path: str) -> None:
    answer = served.ask("GET", path.replace("{data}", target.id), without(served.credentials, "origin"))
    assert checked(served, answer).status in (404, 405)


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("..%2F..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("%2Fetc%2Fcron.d%2Fjob.csv", "job.csv"),
        ("C%3A%5CUsers%5Cme%5Cfile.csv", "file.csv"),
        ("a%00b%0Ac.csv", "a b c.csv"),
        ("%3Cimg%20src%3Dx%3E.csv", "<img src=x>.csv"),
        (".." + "%2E" * 3, "....."),
        ("x" * 3000 + ".dat", "x" * 119 + "…"),
    ],
)
def test_the_server_names_files_itself(served: Served, told: str, shown: str) -> None:
    headers = served.credentials | {"x-file-name": told, "content-type": "application/octet-stream"}
    answer = served.ask("POST", "/data", headers, b"age,disease\n41,flu\n42,flu\n")
    assert answer.status == 201
    data = served.session.data[json.loads(answer.body)["location"].removeprefix("/data/")]
    assert data.name == shown
    assert data.look is not None
    path = data.folder / data.path
    assert path.parent == data.folder and path.name in ("data", "data.csv", "data.dat")
    assert path.stat().st_mode & 0o777 == 0o600 and data.folder.stat().st_mode & 0o777 == 0o700
    removed = served.ask(
        "POST", f"/data/{data.id}/remove", headers | {"content-type": "application/json"}, b"{}"
    )
    assert removed.status == 200 and not data.folder.exists()


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b'"x"', b"{", b'{"name": 3}', b'{"name": ["a"]}', b"[" * 100_000, b"\xff\xfe"],
)
def test_forms_that_are_none(served: Served, target: DataSet, body: bytes) -> None:
    before = snapshot(served)
    headers = served.credentials | {"content-type": "application/json"}
    for method, path in every_route(target):
        if method == "POST" and not path.endswith(("/data", "/hierarchy-file")):
            assert served.ask(method, path, headers, body).status in (400, 404), path
    assert (
        served.ask("POST", "/samples", served.credentials | {"content-type": "text/plain"}, body).status
        == 400
    )
    assert snapshot(served) == before


def test_the_token_opens_once(served: Served) -> None:
    headers = {"host": f"localhost:{served.admission.port}"}
    before, served.admission.token = served.admission.token, "right"
    try:
        assert served.ask("GET", f"{ENTRANCE}?token=wrong", headers).status == 403
        assert served.ask("HEAD", f"{ENTRANCE}?token=right", headers).status == 403
        entered = served.ask("GET", f"{ENTRANCE}?token=right", headers)
        assert entered.status == 303 and entered.headers["location"] == "/"
        cookie = entered.headers["set-cookie"]
        assert cookie.startswith(served.cookie)
        assert {"HttpOnly", "Path=/"} <= set(cookie.split("; ")) and "samesite=strict" in cookie.lower()
        again = served.ask("GET", f"{ENTRANCE}?token=right", headers)
        assert again.status == 403 and "set-cookie" not in again.headers
    finally:
        served.admission.token = before
