"""A file arrives whole or not at all, however often the line breaks; nothing is fetched twice."""

import hashlib
import os
import re
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from notesd.models.failures import DownloadFailed
from notesd.models.fetch import NotThere, fetch

DATA = bytes(range(256)) * 4000
SHA = hashlib.sha256(DATA).hexdigest()


@dataclass
class Site:
    """What a server serves, and how badly."""

    data: bytes = DATA
    etag: str = '"one"'
    break_after: list[int] = field(default_factory=list)
    """Bytes after which each of the next answers ends."""
    statuses: list[int] = field(default_factory=list)
    """What the next requests are refused with."""
    ranges: bool = True
    wrong_range: bool = False
    redirect: str = ""
    asked: list[str | None] = field(default_factory=list)
    """The Range header of each request."""
    url: str = ""


@pytest.fixture
def site() -> Iterator[Site]:
    """Serve one file over HTTP."""
    served = Site()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]  # 3.12 has it
            """Say nothing."""

        def do_GET(self) -> None:
            answer(self, served)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}/file"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield served
    server.shutdown()
    server.server_close()


def answer(handler: BaseHTTPRequestHandler, site: Site) -> None:
    """Serve one request as the site is made to."""
    wanted = handler.headers.get("Range")
    site.asked.append(wanted)
    if site.statuses:
        handler.send_error(site.statuses.pop(0))
        return
    if site.redirect and handler.path == "/file":
        handler.send_response(302)
        handler.send_header("Location", site.redirect)
        handler.end_headers()
        return
    start = int(wanted[6:-1]) if wanted and site.ranges else 0
    if handler.headers.get("If-Range", site.etag) != site.etag:
        start = 0
    if start > len(site.data):
        handler.send_error(416)
        return
    body = site.data[start:]
    handler.send_response(206 if start else 200)
    if start:
        told = start + site.wrong_range
        handler.send_header("Content-Range", f"bytes {told}-{len(site.data) - 1}/{len(site.data)}")
    handler.send_header("Content-Length", str(len(body)))
    handler.send_header("ETag", site.etag)
    handler.end_headers()
    handler.wfile.write(body[: site.break_after.pop(0)] if site.break_after else body)


def get(site: Site, folder: Path, **more: object) -> bytes:
    """Fetch the file and return what came."""
    path = folder / "model.onnx"
    fetch(site.url, str(path), pause_s=0.001, **more)  # type: ignore[arg-type]  # facts of several kinds
    assert sorted(os.listdir(folder)) == ["model.onnx"]
    return path.read_bytes()


def test_a_file_arrives(site: Site, tmp_path: Path) -> None:
    """Its bytes, readable by its owner alone, and the progress on the way."""
    told: list[tuple[str, int, int | None]] = []

    assert get(site, tmp_path, sha256=SHA, size=len(DATA), progress=lambda *each: told.append(each)) == DATA
    assert told[-1] == ("model.onnx", len(DATA), len(DATA))
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert stat.S_IMODE(os.stat(tmp_path / "model.onnx").st_mode) == 0o600


@pytest.mark.parametrize("known", [{"sha256": SHA}, {}], ids=["hash known", "hash unknown"])
def test_a_broken_line_is_taken_up_where_it_broke(site: Site, tmp_path: Path, known: dict[str, str]) -> None:
    """Each further request asks for the rest only."""
    site.break_after = [300_000, 200_000]

    assert get(site, tmp_path, **known) == DATA
    assert site.asked == [None, "bytes=300000-", "bytes=500000-"]


def test_the_next_run_goes_on(site: Site, tmp_path: Path) -> None:
    """What arrived before the program ended is not fetched again."""
    site.break_after = [400_000]
    site.statuses = []
    path = str(tmp_path / "model.onnx")

    def stop(_: str, done: int, __: int | None) -> None:
        if done >= 300_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(site.url, path, progress=stop)
    there = os.path.getsize(f"{path}.part")
    assert get(site, tmp_path) == DATA
    assert there > 0
    assert site.asked[-1] == f"bytes={there}-"


def test_another_file_in_the_meantime(site: Site, tmp_path: Path) -> None:
    """When the server has another version by now, all of it is fetched: never a mix of two."""
    site.break_after = [300_000]

    def change(_: str, done: int, __: int | None) -> None:
        if done >= 200_000:
            site.data, site.etag = DATA[::-1], '"two"'

    assert get(site, tmp_path, progress=change) == DATA[::-1]


def test_a_part_of_another_address_is_not_used(site: Site, tmp_path: Path) -> None:
    """Half a file from one mirror is worth nothing for another one."""
    path = tmp_path / "model.onnx"
    (tmp_path / "model.onnx.part").write_bytes(b"x" * 1000)
    (tmp_path / "model.onnx.part.tag").write_text(
        '{"url": "http://elsewhere/", "validator": "a"}', encoding="utf-8"
    )

    assert get(site, tmp_path) == DATA
    assert path.exists()


@pytest.mark.parametrize(
    "server",
    [
        pytest.param({"ranges": False}, id="that cannot resume"),
        pytest.param({"wrong_range": True}, id="that sends another part"),
    ],
)
def test_a_server(site: Site, tmp_path: Path, server: dict[str, bool]) -> None:
    """Servers that cannot do what was asked make it slower, not wrong."""
    site.break_after = [300_000]
    for name, value in server.items():
        setattr(site, name, value)

    assert get(site, tmp_path, sha256=SHA) == DATA


def test_passing_refusals_are_waited_for(site: Site, tmp_path: Path) -> None:
    """Too many requests, or a server that restarts: the file comes a little later."""
    site.statuses = [503, 429, 500]

    assert get(site, tmp_path) == DATA


def test_a_dead_line_is_given_up(site: Site, tmp_path: Path) -> None:
    """After five tries without a byte the message says what to do, and the part stays."""
    site.break_after = [100_000, 0, 0, 0, 0, 0]

    with pytest.raises(DownloadFailed, match=r"after 100000 of 1024000 bytes; what arrived is kept"):
        get(site, tmp_path)
    assert os.path.getsize(tmp_path / "model.onnx.part") == 100_000


@pytest.mark.parametrize(("status", "error"), [(404, NotThere), (410, NotThere), (403, DownloadFailed)])
def test_final_refusals_are_final(site: Site, tmp_path: Path, status: int, error: type[Exception]) -> None:
    """A file that is not there is not asked for again."""
    site.statuses = [status]

    with pytest.raises(error, match=str(status)):
        get(site, tmp_path)
    assert len(site.asked) == 1


def test_corrupt_bytes_are_fetched_once_more(site: Site, tmp_path: Path) -> None:
    """A wrong hash costs one more download; wrong twice, and nothing is kept."""
    site.data = DATA[:-1] + b"?"

    with pytest.raises(DownloadFailed, match="arrived twice"):
        get(site, tmp_path, sha256=SHA)
    assert site.asked == [None, None]
    assert os.listdir(tmp_path) == []


def test_a_corrupt_part_heals(site: Site, tmp_path: Path) -> None:
    """A part that was damaged on the disk is found out at the end and fetched anew."""
    site.break_after = [500_000, 0, 0, 0, 0, 0]
    with pytest.raises(DownloadFailed):
        get(site, tmp_path, sha256=SHA)
    with open(tmp_path / "model.onnx.part", "r+b") as part:
        part.write(b"damage")

    assert get(site, tmp_path, sha256=SHA) == DATA


def test_a_file_larger_than_promised(site: Site, tmp_path: Path) -> None:
    """A server cannot fill the disk."""
    with pytest.raises(DownloadFailed, match="larger than expected"):
        get(site, tmp_path, size=1000)
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_there_is_not_fetched(site: Site, tmp_path: Path) -> None:
    """The right file is left alone, the wrong one replaced."""
    (tmp_path / "model.onnx").write_bytes(DATA)
    assert get(site, tmp_path, sha256=SHA) == DATA
    assert site.asked == []

    (tmp_path / "model.onnx").write_bytes(b"old")
    assert get(site, tmp_path, sha256=SHA) == DATA


def test_addresses_of_this_machine(tmp_path: Path) -> None:
    """A local file is copied; a folder, a FIFO or nothing is refused at once."""
    source, target = tmp_path / "a file", str(tmp_path / "copy")
    source.write_bytes(DATA)
    fetch(source.as_uri(), target, sha256=SHA)
    assert Path(target).read_bytes() == DATA

    os.mkfifo(tmp_path / "fifo")
    for name, error in (("fifo", DownloadFailed), ("", DownloadFailed), ("nothing", NotThere)):
        with pytest.raises(error):
            fetch((tmp_path / name).as_uri(), str(tmp_path / "x"))


@pytest.mark.parametrize("url", ["ftp://host/file", "data:text/plain,x", "model.onnx"])
def test_other_addresses(url: str, tmp_path: Path) -> None:
    """Nothing but https, http and file is followed."""
    with pytest.raises(DownloadFailed, match=re.escape(url)):
        fetch(url, str(tmp_path / "x"))


def test_nobody_there(tmp_path: Path) -> None:
    """A host that does not answer is a message, not a traceback."""
    with pytest.raises(DownloadFailed, match="refused"):
        fetch("http://127.0.0.1:9/file", str(tmp_path / "x"), pause_s=0.001)
