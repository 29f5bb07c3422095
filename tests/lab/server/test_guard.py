"""Access control: who may send requests, which paths and sizes are allowed, and the form of errors."""

from __future__ import annotations

import http.client
import os
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest

import autodiff_kit.lab.server as server_module
from autodiff_kit.lab.server import handlers
from autodiff_kit.lab.server.catalog import lesson_catalog

READ = [
    "syllabus", "progress", "search?q=tape", "exercises?no=01", "handin", "backups", "export", "export?format=csv",
]  # fmt: skip
WRITE: list[tuple[str, str, dict[str, Any]]] = [
    ("PATCH", "progress/01", {"rev": 0, "step": 1}),
    ("POST", "progress/reset", {"scope": "all"}),
    ("POST", "lessons/01/open", {}),
    ("PATCH", "exercises/jvp-1", {"hint_seen": 1}),
    ("POST", "handin", {"path": "work/exercises/01_jacobian_vector_products.ipynb", "sha256": "0" * 64}),
    ("POST", "backups", {"what": "all"}),
    ("POST", "backups/20261121-000000-all/restore", {}),
]
ROUTES = [("GET", path, None) for path in READ] + [*WRITE]
EXERCISE = "work/exercises/01_jacobian_vector_products.ipynb"
NO_HASH = "0" * 64
NEXT_LESSON = f"{len(lesson_catalog()):02}"  # the number after the last lesson's


@pytest.mark.parametrize("headers", [{}, {"Authorization": "token wrong"}, {"Cookie": "username=x; _xsrf=y"}])
@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
def test_a_request_without_login_gets_nothing(
    server: Any, method: str, path: str, body: Any, headers: dict[str, str]
) -> None:
    before = sorted(server.shown.rglob("*"))
    reply = server.ask(method, path, body, headers)
    assert (reply.status, reply.code) == (403, "login")
    assert sorted(server.shown.rglob("*")) == before


def cookies(server: Any) -> dict[str, str]:
    """Log in as a browser does, and return the cookies."""
    jar: dict[str, str] = {}
    for path in (f"/api/status?token={server_token()}", "/login"):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("GET", path)
        answer = connection.getresponse()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                jar[key] = rest.split(";")[0]
        connection.close()
    assert "_xsrf" in jar
    assert any(name.startswith("username") for name in jar)
    return jar


def server_token() -> str:
    return "a-token-for-tests"


@pytest.mark.parametrize(("method", "path", "body"), WRITE)
def test_a_cookie_alone_changes_nothing(server: Any, method: str, path: str, body: Any) -> None:
    jar = cookies(server)
    cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}
    assert server.ask("GET", "syllabus", headers=cookie).status == 200
    reply = server.ask(method, path, body, cookie)
    assert (reply.status, reply.code) == (403, "login")
    reply = server.ask(method, path, body, {**cookie, "X-XSRFToken": "wrong"})
    assert (reply.status, reply.code) == (403, "login")


def test_a_cookie_and_its_xsrf_token_do(server: Any) -> None:
    jar = cookies(server)
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items()), "X-XSRFToken": jar["_xsrf"]}
    assert server.ask("POST", "lessons/01/open", {}, headers).status == 200


def test_another_sites_page_gets_nothing(server: Any) -> None:
    jar = cookies(server)
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items()), "Origin": "https://elsewhere.org"}
    assert server.ask("GET", "syllabus", headers=headers).status in (403, 404)


OUTSIDE = [
    "../secret.ipynb", "work/../secret.ipynb", "work/exercises/../../secret.ipynb", "/etc/passwd", "~/secret.ipynb",
    "~root/x", "..\\secret.ipynb", "C:\\secret.ipynb", "\\\\host\\share", "secret.ipynb",
    "work/../../shown/secret.ipynb",
    "work/.autodiff_kit/learner.json", "work/./.autodiff_kit/progress.db", "//etc/passwd", "work/exercises/../..",
]  # fmt: skip
BAD = ["", "a\0b", "work/\0", "x" * 300, "work/" + "y" * 300 + ".ipynb", "a/" * 4000, "\ud800"]


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leaves_the_folder(server: Any, path: str) -> None:
    (server.shown / "secret.ipynb").write_text('{"cells": [], "metadata": {}}')
    for reply in (
        server.ask("GET", f"exercises?path={quote(path)}"),
        server.ask("POST", "handin", {"path": path, "sha256": NO_HASH}),
    ):
        assert (reply.status, reply.code) == (403, "outside"), reply.body
        assert b"root:" not in reply.body


@pytest.mark.parametrize("path", [*BAD, None, 3, ["work"], {"a": 1}, True])
def test_an_invalid_path(server: Any, path: object) -> None:
    reply = server.ask("POST", "handin", {"path": path, "sha256": NO_HASH})
    assert (reply.status, reply.code) == (400, "bad_path"), reply.body


@pytest.mark.parametrize("path", BAD[:-1])
def test_an_invalid_path_in_an_address(server: Any, path: str) -> None:
    reply = server.ask("GET", f"exercises?path={quote(path, safe='')}")
    # Tornado removes invalid characters from an address; the rest may be a valid name.
    assert reply.code in (("bad_path", "no_file", "outside") if "\0" in path else ("bad_path",)), reply.body


@pytest.mark.parametrize(
    "part",
    ["..", "%2e%2e", "..%2f..%2fetc", "%2fetc%2fpasswd", "%00", "a%00b", "x" * 4000, "%ff%fe", "20261121-1", "é"],
)
def test_no_name_in_an_address_leaves_the_folder(server: Any, part: str) -> None:
    part = quote(part, safe="%")
    for method, path in (
        ("POST", f"backups/{part}/restore"),
        ("PATCH", f"exercises/{part}"),
        ("PATCH", f"progress/{part}"),
        ("POST", f"lessons/{part}/open"),
    ):
        reply = server.ask(method, path, {"hint_seen": 1})
        assert reply.status in (400, 404, 405), (path, reply.body)
        assert reply.json["error"]["text"]
        assert reply.json["error"]["do"]


@pytest.mark.parametrize(
    "what", ["../x", NEXT_LESSON, "99", "", 1, None, ["all"], {"all": 1}, "a" * 5000, "01/..", "\0"]
)
def test_an_invalid_scope(server: Any, what: object) -> None:
    before = sorted(server.root.rglob("*"))
    for path, body in (("backups", {"what": what}), ("progress/reset", {"scope": what})):
        reply = server.ask("POST", path, body)
        assert reply.status in (400, 404), reply.body
        assert reply.code in ("bad_value", "no_lesson")
    assert sorted(server.root.rglob("*")) == before


def link(path: Path, to: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(to)


def test_a_link_out_of_the_folder_is_not_followed(server: Any) -> None:
    outside = server.shown / "outside.ipynb"
    shutil.copy(server.shown / EXERCISE, outside)
    link(server.root / "exercises" / "linked.ipynb", outside)
    (server.root / "exercises" / "far").symlink_to(server.shown.parent)
    try:
        for path in ("work/exercises/linked.ipynb", f"work/exercises/far/{server.shown.name}/outside.ipynb"):
            assert server.ask("GET", f"exercises?path={path}").code == "outside"
            assert server.ask("POST", "handin", {"path": path, "sha256": NO_HASH}).code == "outside"
    finally:
        (server.root / "exercises" / "linked.ipynb").unlink()
        (server.root / "exercises" / "far").unlink()


def test_a_link_inside_the_folder_is(server: Any) -> None:
    link(server.root / "mine.ipynb", server.shown / EXERCISE)
    try:
        reply = server.ask("GET", "exercises?path=work/mine.ipynb")
        assert (reply.status, reply.json["no"]) == (200, "01")
    finally:
        (server.root / "mine.ipynb").unlink()


@pytest.mark.parametrize("name", ["handin", ".autodiff_kit/backups", ".autodiff_kit", "notebooks", "exercises"])
def test_a_folder_that_is_a_link_out_is_not_written(server: Any, name: str, tmp_path: Path) -> None:
    kept = server.root / name
    aside = server.shown / "aside"
    if kept.exists():
        kept.rename(aside)
    kept.symlink_to(tmp_path)
    try:
        for method, path, body in (
            ("POST", "backups", {"what": "all"}),
            ("POST", "lessons/01/open", {}),
            ("PATCH", "progress/01", {"rev": 0, "step": 1}),
            ("GET", "handin", None),
            ("GET", "backups", None),
            ("POST", "handin", {"path": EXERCISE, "sha256": NO_HASH}),
        ):
            reply = server.ask(method, path, body)
            assert reply.status in (200, 201, 403, 404, 409), reply.body
        assert list(tmp_path.rglob("*")) == []
    finally:
        kept.unlink()
        if aside.exists():
            aside.rename(kept)


@pytest.mark.parametrize("body", [b"{", b"[]", b"3", b'"x"', b"null", b"\xff", b"[" * 100_000, b'{"rev": NaN'])
def test_a_body_that_is_not_an_object(server: Any, body: bytes) -> None:
    for method, path, _ in WRITE:
        reply = server.ask(method, path, body)
        assert (reply.status, reply.code) == (400, "bad_body"), reply.body


@pytest.mark.parametrize(
    "body",
    [
        {}, {"rev": -1}, {"rev": True}, {"rev": 1.5}, {"rev": "1"}, {"rev": 10**30}, {"rev": 0, "step": -1},
        {"rev": 0, "step": "x"}, {"rev": 0, "state": "new"}, {"rev": 0, "state": ["read"]}, {"rev": 0, "score": 9},
        {"rev": None, "step": 1},
    ],
)  # fmt: skip
def test_an_invalid_change(server: Any, body: dict[str, Any]) -> None:
    before = server.ask("GET", "progress").json["rev"]
    reply = server.ask("PATCH", "progress/01", body)
    assert (reply.status, reply.code) == (400, "bad_value"), reply.body
    assert server.ask("GET", "progress").json["rev"] == before


@pytest.mark.parametrize(
    "body",
    [{}, {"hint_seen": 0}, {"hint_seen": 4}, {"hint_seen": True}, {"hint_seen": "1"}, {"solution_seen": False},
     {"hint_seen": 1, "more": 2}, {"hint_seen": [1]}],
)  # fmt: skip
def test_an_invalid_hint(server: Any, body: dict[str, Any]) -> None:
    assert server.ask("PATCH", "exercises/jvp-1", body).code == "bad_value"


@pytest.mark.parametrize("since", ["x", "-1", "1.5", "", "9" * 40, "１"])
def test_an_invalid_revision(server: Any, since: str) -> None:
    reply = server.ask("GET", f"progress?since={quote(since)}")
    assert reply.status in (200, 400)
    assert reply.status == 200 or reply.code == "bad_query"


@pytest.mark.parametrize("query", ["", "q=", "q=%20", "q=" + "x" * 300, "q=%00", "q=%25_%27%3B--"])
def test_a_search_for_nothing(server: Any, query: str) -> None:
    reply = server.ask("GET", f"search?{query}")
    assert reply.code == "bad_query" if reply.status == 400 else reply.json["hits"] == []


@pytest.mark.parametrize(("method", "path"), [("PUT", "syllabus"), ("DELETE", "backups"), ("POST", "progress"),
                                              ("GET", "progress/01"), ("GET", "lessons/01/open"), ("PATCH", "handin"),
                                              ("DELETE", "progress/reset"), ("POST", "export")])  # fmt: skip
def test_a_method_that_a_route_does_not_have(server: Any, method: str, path: str) -> None:
    reply = server.ask(method, path, {} if method != "GET" else None)
    assert (reply.status, reply.code) == (405, "bad_method")


@pytest.mark.parametrize("path", ["", "nothing", "progress/", "syllabus/x", "lessons/01", "backups//restore"])
def test_an_address_that_does_not_exist(server: Any, path: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        reply = server.ask(method, path, {} if method != "GET" else None)
        assert (reply.status, reply.code) == (404, "no_route"), (method, path, reply.body)


def most_memory(server: Any) -> int:
    """Return the server's peak memory in bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory as Linux tells it")
def test_a_huge_request_is_refused_and_never_kept(server: Any) -> None:
    server.ask("POST", "handin", b" " * 11_000_000)
    before = most_memory(server)
    reply = server.ask("POST", "handin", b'{"path": "' + b"x" * 200_000_000 + b'"}')
    assert (reply.status, reply.code) == (413, "too_large")
    assert most_memory(server) - before < 50_000_000
    assert server.ask("GET", "syllabus").status == 200


def test_a_huge_request_in_pieces_is_refused_too(server: Any) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {"Authorization": f"token {server_token()}"}
    pieces = (b" " * 1_000_000 for _ in range(12))
    connection.request("POST", "/autodiff-kit/handin", pieces, headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_a_refused_request_says_that_its_connection_ends(server: Any) -> None:
    # Behind a hub's proxy the next request on that connection is somebody else's, and would fail.
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("POST", "/autodiff-kit/backups", b"{}")
    reply = connection.getresponse()
    assert (reply.status, reply.will_close) == (403, True)
    connection.close()


def test_a_pipe_blocks_no_thread(server: Any) -> None:
    pipe = server.root / "exercises" / "pipe.ipynb"
    os.mkfifo(pipe)
    try:
        for _ in range(6):
            reply = server.ask("GET", "exercises?path=work/exercises/pipe.ipynb")
            assert (reply.status, reply.code) == (404, "no_file")
    finally:
        pipe.unlink()


@pytest.mark.parametrize(
    "path", ["work/exercises/none.ipynb", "work/exercises", "work/notebooks/../exercises/no", "work"]
)
def test_a_file_that_is_not_there(server: Any, path: str) -> None:
    reply = server.ask("GET", f"exercises?path={path}")
    assert reply.code in ("no_file", "outside")
    assert reply.status in (403, 404)


def test_errors_have_one_shape(server: Any) -> None:
    reply = server.ask("POST", "lessons/88/open", {})
    assert reply.headers["content-type"].startswith("application/json")
    assert reply.json["message"] == reply.json["error"]["text"]
    assert set(reply.json["error"]) == {"code", "text", "do"}
    assert (reply.status, reply.code) == (404, "no_lesson")


def test_the_table_names_every_route_and_every_error() -> None:
    table = str(server_module.__doc__)
    app = SimpleNamespace(contents_manager=None, root_dir="/", web_app=SimpleNamespace(settings={"base_url": "/at/"}))
    paths = [path.removeprefix("/at/autodiff-kit/") for path, *_ in handlers.routes(app)]
    assert paths.pop() == ".*"
    for path in paths:
        word = path.replace(f"backups/{handlers.NAME_PATTERN}", "backups/ID").replace(
            f"exercises/{handlers.NAME_PATTERN}", "exercises/ID"
        )
        word = word.replace(handlers.NUMBER_PATTERN, "NO")
        assert re.search(rf"(GET|POST|PATCH) ``{re.escape(word)}[?`]", table), word
    source = "".join(path.read_text() for path in sorted(Path(str(server_module.__file__)).parent.glob("*.py")))
    raised = set(re.findall(r"""RequestError\(\s*(\d{3}),\s*"(\w+)\"""", source))
    raised |= set(re.findall(r"""\), (\d{3}), "(\w+)", """, source))
    assert len(raised) > 20
    for status, code in raised:
        rows = [row for row in table.splitlines() if row.startswith(status) or (status in row[:10])]
        assert any(f"``{code}``" in row for row in rows), (status, code)


def test_the_server_part_can_reach_no_other_machine() -> None:
    reached = ("socket", "urllib", "http", "ssl", "ftplib", "requests", "httpx", "aiohttp", "tornado.httpclient")
    for path in sorted(Path(str(server_module.__file__)).parent.glob("*.py")):
        imported = re.findall(r"^\s*(?:from|import) ([\w.]+)", path.read_text(), re.MULTILINE)
        assert not [name for name in imported if name in reached or name.partition(".")[0] in reached], path.name


def test_the_server_logged_no_traceback(server: Any) -> None:
    """An error in the kit would be a 500 with a traceback in the log; this file's requests caused none."""
    for method, path, body in ROUTES:
        assert server.ask(method, path, body).status < 500
