"""How does a file get here whole, however often the line breaks?

What has arrived stands in ``NAME.part``; the next try asks for the rest only, and takes it only when it is
the rest of the same file. A file gets its name when its size is right and its hash the one that is known,
so nothing half finished is ever taken for a model.
"""

import contextlib
import http.client
import os
import re
import stat
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from email.message import Message
from typing import IO, Final

import msgspec
from msgspec import Struct

from notesd.models.failures import DownloadFailed
from notesd.models.manifest import digest, private

Progress = Callable[[str, int, int | None], None]
"""What is being done, how many bytes of it are done, and of how many (None: nobody knows)."""

TRIES: Final = 5
"""In a row without a single new byte."""
PAUSE_S: Final = 0.5
"""Before the second try; longer each time."""
TIMEOUT_S: Final = 30.0
"""Silence of a server that counts as a broken line."""
LARGEST_BYTES: Final = 8 << 30

_CHUNK: Final = 1 << 16
_PASSING: Final = {408, 425, 429, 500, 502, 503, 504}
"""Statuses that may be other ones soon."""
_ABSENT: Final = {404, 410}
_RANGE: Final = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


class NotThere(DownloadFailed):
    """The source has no such file."""

    code = -32067
    kind = "not_there"


class _Tag(Struct, frozen=True):
    """Which version of which file a part belongs to."""

    url: str
    validator: str
    """ETag or date, as the server gave it; "" when it gave none."""


class _Broken(Exception):
    """The line broke; another try may help."""


def fetch(
    url: str,
    path: str,
    *,
    sha256: str | None = None,
    size: int | None = None,
    progress: Progress | None = None,
    pause_s: float = PAUSE_S,
) -> None:
    """Bring a file here.

    Args:
        url: ``https``, ``http`` or ``file``.
        path: Where to; a file that is there already is left alone, unless it is the wrong one.
        sha256: What it must be, when that is known.
        size: What it must be, when that is known.
        progress: Told what arrives.
        pause_s: Before the second try.

    Raises:
        NotThere: The source has no such file.
        DownloadFailed: It cannot be had now, or is another file than expected. What arrived is kept when
            the rest can be asked for later.
    """
    if os.path.isfile(path) and (not sha256 or digest(path) == sha256):
        return
    wrong = ""
    for _ in range(2):
        download = _Download(url, path, sha256 or "", size, progress)
        download.run(pause_s)
        wrong = download.keep()
        if not wrong:
            return
    raise DownloadFailed(
        f"{url} arrived twice, both times with other bytes than expected ({wrong}); nothing of it was kept. "
        "Try again later, or get the model from another source",
        url=url,
    )


class _Secure(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but never from https to http."""

    def redirect_request(  # type: ignore[explicit-override]  # 3.12 has it
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        if req.type == "https" and not newurl.startswith("https:"):
            raise urllib.error.HTTPError(
                newurl, code, "redirect away from https", http.client.HTTPMessage(), fp
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]  # typeshed wants HTTPMessage


class _Download:
    """One file on its way."""

    def __init__(self, url: str, path: str, wanted: str, size: int | None, progress: Progress | None) -> None:
        self._url, self._path, self._part, self._tag = url, path, f"{path}.part", f"{path}.part.tag"
        self._wanted, self._size, self._progress = wanted, size, progress

    def run(self, pause_s: float) -> None:
        """Try until all is there, or until nothing more comes."""
        scheme = urllib.parse.urlsplit(self._url).scheme
        if scheme not in {"https", "http", "file"}:
            raise DownloadFailed(f"{self._url}: only https, http and file can be fetched from", url=self._url)
        failures = 0
        while True:
            before = _length(self._part)
            try:
                return self._copy_file() if scheme == "file" else self._request()
            except (_Broken, OSError, http.client.HTTPException) as error:
                failures = 1 if _length(self._part) > before else failures + 1
                if failures >= TRIES:
                    what = str(error) or type(error).__name__
                    raise DownloadFailed(
                        f"{self._url}: {what}; what arrived is kept, run the same command again",
                        url=self._url,
                    ) from None
                time.sleep(pause_s * failures)

    def keep(self) -> str:
        """Give the file its name if it is the right one; else throw it away and say what is wrong."""
        wrong, length = "", _length(self._part)
        if self._size not in (None, length):
            wrong = f"{length} bytes instead of {self._size}"
        elif self._wanted and (found := digest(self._part)) != self._wanted:
            wrong = f"{found} instead of {self._wanted}"
        else:
            os.replace(self._part, self._path)
        self._forget()
        return wrong

    def _request(self) -> None:
        """Ask for what is missing."""
        start = self._resume_from()
        headers = {"User-Agent": "notesd", "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
            validator = self._read_tag().validator
            headers |= {"If-Range": validator} if validator else {}
        request = urllib.request.Request(self._url, headers=headers)  # noqa: S310 - run looked at the scheme
        try:
            answer = urllib.request.build_opener(_Secure).open(request, timeout=TIMEOUT_S)
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from None
        with answer:
            start, total = self._place(answer, start)
            validator = answer.headers.get("ETag") or answer.headers.get("Last-Modified") or ""
            with open(self._tag, "wb", opener=private) as sink:
                sink.write(msgspec.json.encode(_Tag(self._url, validator)))
            self._write(answer, start, total)

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        """Say what an error status means: try again, or give up."""
        error.close()
        what = f"{self._url}: {error.code} {error.reason}"
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            self._forget()
        elif error.code in _ABSENT:
            return NotThere(what, url=self._url)
        elif error.code not in _PASSING:
            return DownloadFailed(what, url=self._url)
        return _Broken(f"{error.code} {error.reason}")

    def _place(self, answer: http.client.HTTPResponse, start: int) -> tuple[int, int | None]:
        """Return where the bytes that come belong, and how many there are in all if the server says so."""
        length = answer.headers.get("Content-Length", "")
        if answer.status != http.HTTPStatus.PARTIAL_CONTENT:
            return 0, int(length) if length.isdecimal() else None
        found = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if not found or int(found[1]) != start:
            self._forget()
            raise _Broken("the server sent another part than it was asked for")
        return start, int(found[2]) if found[2] != "*" else None

    def _write(self, source: IO[bytes], start: int, total: int | None) -> None:
        """Append what comes; a line that ends early is a broken one."""
        at = start
        name = os.path.basename(self._path)
        with open(self._part, "r+b" if start else "wb", opener=private) as sink:
            sink.seek(start)
            while piece := source.read(_CHUNK):
                sink.write(piece)
                at += len(piece)
                if at > (self._size or LARGEST_BYTES):
                    self._forget()
                    raise DownloadFailed(f"{self._url} is larger than expected", url=self._url)
                if self._progress:
                    self._progress(name, at, self._size or total)
            sink.flush()
            os.fsync(sink.fileno())
        if total is not None and at < total:
            raise _Broken(f"the line broke after {at} of {total} bytes")

    def _copy_file(self) -> None:
        path = urllib.request.url2pathname(urllib.parse.urlsplit(self._url).path)
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise DownloadFailed(f"{path} is not a regular file", url=self._url)
            with open(path, "rb") as source:
                self._write(source, 0, os.path.getsize(path))
        except (FileNotFoundError, NotADirectoryError):
            raise NotThere(f"{path} does not exist", url=self._url) from None
        except PermissionError:
            raise DownloadFailed(f"{path} may not be read", url=self._url) from None

    def _resume_from(self) -> int:
        """Return how much of this file is here already; a part of unknown origin is worth nothing."""
        there = _length(self._part)
        tag = self._read_tag()
        if (
            tag.url != self._url
            or not (tag.validator or self._wanted)
            or there >= (self._size or LARGEST_BYTES)
        ):
            self._forget()
            return 0
        return there

    def _read_tag(self) -> _Tag:
        try:
            with open(self._tag, "rb") as source:
                return msgspec.json.decode(source.read(_CHUNK), type=_Tag)
        except (OSError, msgspec.DecodeError):
            return _Tag("", "")

    def _forget(self) -> None:
        for path in (self._part, self._tag):
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)


def _length(path: str) -> int:
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0
