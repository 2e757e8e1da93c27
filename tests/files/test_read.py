"""Reading one file is bounded, never leaves the space, and always gives valid text."""

import errno
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.errors import NotRegular, SourceError, Unreadable
from notesd.files.read import Content, decode, read_note
from notesd.model import NotePath, Stamp

MAX = 1 << 20


def read(root: Path, path: str, max_bytes: int = MAX) -> Content:
    """Read a note of a folder."""
    return read_note(str(root), NotePath(path), max_bytes)


def test_a_note(tmp_path: Path) -> None:
    """The bytes and the stamp of the file come back."""
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "a.md").write_bytes(b"text\r\n")
    found = os.lstat(tmp_path / "s" / "a.md")
    stamp = Stamp(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)
    assert read(tmp_path, "s/a.md") == Content(b"text\r\n", stamp, truncated=False)


def test_an_empty_note(tmp_path: Path) -> None:
    """An empty file is a good note."""
    (tmp_path / "a.md").touch()
    assert read(tmp_path, "a.md").data == b""


@pytest.mark.parametrize(
    ("size", "data", "truncated"),
    [(9, b"0123456789"[:9], False), (10, b"0123456789", False), (11, b"0123456789", True)],
)
def test_the_limit(tmp_path: Path, size: int, data: bytes, *, truncated: bool) -> None:
    """A file of exactly the limit is whole; of a longer one the head is read."""
    (tmp_path / "a.md").write_bytes(b"0123456789ABC"[:size] if size > 10 else b"0123456789"[:size])
    content = read(tmp_path, "a.md", 10)
    assert (content.data, content.truncated) == (data, truncated)


def test_a_head_ends_with_a_whole_character(tmp_path: Path) -> None:
    """Cutting a file in two makes no broken character."""
    for size in range(1, 13):
        (tmp_path / "a.md").write_bytes("aé€😀é€😀".encode())
        text, problems = decode(read(tmp_path, "a.md", size).data)
        assert "aé€😀é€😀".startswith(text)
        assert problems == ()


def test_ten_sparse_gigabytes(tmp_path: Path) -> None:
    """Only the head of a giant is read."""
    with open(tmp_path / "big.md", "wb") as file:
        file.truncate(10 << 30)
    content = read(tmp_path, "big.md", 1000)
    assert (len(content.data), content.truncated) == (1000, True)


def test_a_file_whose_size_lies() -> None:
    """Files such as those of /proc say 0 bytes and hold more."""
    if os.path.exists("/proc/self/status"):
        assert read(Path("/proc/self"), "status").data.startswith(b"Name:")


def test_odd_things_never_block(tmp_path: Path) -> None:
    """A FIFO, a socket and a link are refused at once."""
    os.mkfifo(tmp_path / "fifo.md")
    (tmp_path / "real.md").write_text("secret", encoding="utf-8")
    (tmp_path / "link.md").symlink_to("real.md")
    (tmp_path / "loop.md").symlink_to("loop.md")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)
        server.bind("sock.md")
        os.chdir(here)
    (tmp_path / "zero.md").symlink_to("/dev/zero")
    for name in ("fifo.md", "link.md", "loop.md", "sock.md", "zero.md"):
        with pytest.raises(NotRegular):
            read(tmp_path, name)
    with pytest.raises(NotRegular, match="a device"):
        read(Path("/dev"), "zero")


def test_what_is_not_there(tmp_path: Path) -> None:
    """Nothing, a folder, and whatever leads out of the space are all not there."""
    (tmp_path / "v" / "d.md").mkdir(parents=True)
    (tmp_path / "secret.md").touch()
    (tmp_path / "v" / "out").symlink_to("..")
    (tmp_path / "v" / "a.md").touch()
    for path in (
        "gone.md",
        "gone/a.md",
        "a.md/b.md",
        "d.md",
        "../secret.md",
        "out/secret.md",
        "/etc/passwd",
        "a\0",
        "",
    ):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "v", path)


def test_a_space_that_is_gone(tmp_path: Path) -> None:
    """A note of a vanished space is not a note that vanished."""
    with pytest.raises(Unreadable, match="is not there"):
        read(tmp_path / "gone", "a.md")


@pytest.mark.parametrize("code", [errno.EACCES, errno.EMFILE, errno.EIO, errno.ESTALE])
@pytest.mark.parametrize("call", ["open", "read"])
def test_what_the_system_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, call: str
) -> None:
    """Not being allowed to read is said, and is no absence."""
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    real = getattr(os, call)

    def refused(what: Any, *args: Any, **kwargs: Any) -> Any:
        if what == b"a.md" or call == "read":
            raise OSError(code, os.strerror(code))
        return real(what, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refused)
        with pytest.raises(Unreadable, match="kept") as caught:
            read(tmp_path, "a.md")
    assert isinstance(caught.value, SourceError)
    assert caught.value.data == {"path": "a.md"}


TEXTS = [
    pytest.param(b"", "", id="empty"),
    pytest.param("é 😀".encode(), "é 😀", id="UTF-8"),
    pytest.param(b"\xef\xbb\xbfa", "a", id="UTF-8 mark"),
    pytest.param("\ufeffGröße\r\n".encode("utf-16-le"), "Größe\n", id="UTF-16 little"),
    pytest.param("\ufeffGröße\r\n".encode("utf-16-be"), "Größe\n", id="UTF-16 big"),
    pytest.param("\ufeffGröße".encode("utf-32-le"), "Größe", id="UTF-32 little"),
    pytest.param("\ufeffGröße".encode("utf-32-be"), "Größe", id="UTF-32 big"),
    pytest.param("\ufeff\0ab".encode("utf-16-le"), "ab", id="UTF-16 that begins with NUL"),
    pytest.param(b"wal\0nut", "walnut", id="NUL"),
    pytest.param(b"a\r\nb\rc\nd", "a\nb\nc\nd", id="line ends"),
    pytest.param(b"a\r\0\nb", "a\nb", id="NUL between"),
    pytest.param("a\u2028b\x0bc\x0cd\x85".encode(), "a\u2028b\x0bc\x0cd\x85", id="what ends no line"),
]


@pytest.mark.parametrize(("data", "text"), TEXTS)
def test_decode(data: bytes, text: str) -> None:
    """Marks, NULs and line ends are gone, nothing else is touched, nothing is complained of."""
    assert decode(data) == (text, ())


def test_decode_says_where_bytes_are_no_text() -> None:
    """What cannot be decoded becomes U+FFFD, and the first place is named."""
    text, (problem,) = decode(b"one\r\ntwo\rcaf\xe9 [[T]]\n\xff")
    assert text == "one\ntwo\ncaf\ufffd [[T]]\n\ufffd"
    assert (problem.kind, problem.line) == ("not_utf8", 3)
    assert "line 3" in problem.reason
    assert "UTF-8" in problem.reason


def test_decode_broken_utf16() -> None:
    """Half a character at the end of UTF-16 is reported and costs nothing else."""
    text, (problem,) = decode("\ufeffab".encode("utf-16-le") + b"\x00\xd8c")
    assert text.startswith("ab")
    assert problem.kind == "not_utf8"


@given(st.binary(max_size=40))
def test_any_bytes_become_valid_text(data: bytes) -> None:
    """Whatever a file holds, the text can be written as UTF-8 and has one kind of line end."""
    text, _ = decode(data)
    text.encode("utf-8")
    assert "\0" not in text
    assert "\r" not in text
