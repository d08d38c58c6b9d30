"""Downloads are checked; what goes wrong is one sentence."""

from __future__ import annotations

import contextlib
import hashlib
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mlfs import DataError
from mlfs.datasets.fetching import download_file, is_whole
from mlfs.datasets.listing import ADDRESS, File

CONTENT = bytes(range(256)) * 1000
PLACE = ("someone/data", "0" * 40, "a.arff")


class Server:
    """A server of some files, some of which it cuts off."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cut: dict[str, int] = {}

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        content = self.files.get(request.path)
        if content is None:
            request.send_error(404, "Not Found")
            return
        request.send_response(200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        stop = self.cut.pop(request.path, len(content))
        with contextlib.suppress(OSError):  # the client may have heard enough
            request.wfile.write(content[:stop])
        request.close_connection = True


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    served = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.answer(self)

        def log_message(self, *_: Any) -> None:
            return

    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=web.serve_forever, args=(0.01,))
    thread.start()
    monkeypatch.setenv(ADDRESS, f"http://127.0.0.1:{web.server_port}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield served
    web.shutdown()
    thread.join()
    web.server_close()


def file(*places: tuple[str, str, str], content: bytes = CONTENT) -> File:
    return File("a.arff", places or (PLACE,), len(content), hashlib.sha256(content).hexdigest())


def at(place: tuple[str, str, str]) -> str:
    return "/" + "/".join(place)


def test_a_file_arrives_whole(server: Server, tmp_path: Path) -> None:
    server.files[at(PLACE)] = CONTENT
    path = download_file(file(), tmp_path / "new")
    assert path.read_bytes() == CONTENT
    assert is_whole(path, file())
    assert [one.name for one in path.parent.iterdir()] == ["a.arff"]


def test_a_damaged_file_is_replaced_without_a_word(server: Server, tmp_path: Path) -> None:
    server.files[at(PLACE)] = CONTENT
    (tmp_path / "a.arff").write_bytes(CONTENT[:-1] + b"x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert download_file(file(), tmp_path).read_bytes() == CONTENT


def test_what_was_cut_off_is_not_kept(server: Server, tmp_path: Path) -> None:
    server.files[at(PLACE)] = CONTENT
    server.cut[at(PLACE)] = 100_000
    with pytest.raises(DataError, match=r"a\.arff: .*retrieval incomplete"):
        download_file(file(), tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert download_file(file(), tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize("content", [CONTENT[::-1], CONTENT * 3, CONTENT[:9]])
def test_other_content_is_not_kept(server: Server, tmp_path: Path, content: bytes) -> None:
    server.files[at(PLACE)] = content
    with pytest.raises(DataError, match=r"SHA256 checksum of a\.arff \(.*differs from expected"):
        download_file(file(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_copy_with_the_same_content_is_tried(server: Server, tmp_path: Path) -> None:
    other = ("another/data", "1" * 40, "b.arff")
    with pytest.raises(DataError, match=r"a\.arff: HTTP Error 404: Not Found; .*b\.arff: HTTP E"):
        download_file(file(PLACE, other), tmp_path)
    server.files[at(other)] = CONTENT
    assert download_file(file(PLACE, other), tmp_path).read_bytes() == CONTENT


def test_an_address_where_nobody_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ADDRESS, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(DataError, match=r"a\.arff: .*Connection refused"):
        download_file(file(), tmp_path)


def test_a_folder_that_cannot_be_written(server: Server, tmp_path: Path) -> None:
    server.files[at(PLACE)] = CONTENT
    (tmp_path / "data").write_text("a file")
    with pytest.raises(DataError, match=r"cannot write to .*data': .*MLFS_DATA names another"):
        download_file(file(), tmp_path / "data")
