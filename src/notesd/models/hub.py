"""How do files of one commit come from the hub?

By huggingface_hub, which knows the user's mirror (``HF_ENDPOINT``), proxy, certificates and token. What is
ours: bytes are taken only when they are what the hub announced, and what has arrived is kept for a next run.

Nothing but ``notesd model install`` imports that library. Its import opens no connection and writes no file;
it is told to send no telemetry, to draw nothing, and to leave out its second protocol, which keeps a cache in
the user's home.
"""

import hashlib
import io
import os
import re
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final, TypeVar

from notesd.models.failures import DownloadFailed, ExtraMissing
from notesd.models.fetch import Progress
from notesd.models.manifest import digest, private

TRIES: Final = 5
"""In a row without a single new byte."""
PAUSE_S: Final = 0.5
"""Before the second try; longer each time."""
CHUNK: Final = 1 << 18
"""Bytes; of a line that breaks, the rest below one chunk is lost."""

_SETTINGS: Final = {
    "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_UPDATE_CHECK": "1",
}  # fmt: skip
_PASSING: Final = {408, 425, 429, 500, 502, 503, 504}
"""Statuses that may be other ones soon."""
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_HASH: Final = re.compile(r"[0-9a-f]{64}|[0-9a-f]{40}")
_SHA256_DIGITS: Final = 64
_SHOWN: Final = 300
"""Characters of what the library says."""

Result = TypeVar("Result")


def is_commit(revision: str) -> bool:
    """Say whether a revision of a repository is a commit, not a name that may move on."""
    return _COMMIT.fullmatch(revision) is not None


def download(repository: str, revision: str, path: str, target: str, progress: Progress | None = None) -> str:
    """Bring one file of a repository here.

    Args:
        repository: ``OWNER/NAME``.
        revision: A branch or a commit.
        path: Of the file in the repository.
        target: Where to; what arrives stands beside it, under its hash, until it is whole.
        progress: Told what arrives.

    Returns:
        The commit that the file is of.

    Raises:
        ExtraMissing: huggingface_hub is not installed.
        DownloadFailed: The hub does not have the file, or not now; or sends another commit, or other bytes,
            than it announced. What arrived is kept when the rest can be asked for later.
    """
    library, endpoint = _library(), os.environ.get("HF_ENDPOINT", "").rstrip("/") or None
    url = library.url(repository, path, revision=revision, endpoint=endpoint)
    about = _persist(url, lambda: library.metadata(url))
    if not is_commit(about.commit_hash or "") or not _HASH.fullmatch(about.etag or ""):
        raise DownloadFailed(
            f"{url}: the hub does not say what the file must be; get the model from another source",
            url=url,
        )
    if is_commit(revision) and about.commit_hash != revision:
        raise DownloadFailed(
            f"{url}: the hub sends commit {about.commit_hash} instead of {revision}; try again later", url=url
        )
    url = library.url(repository, path, revision=about.commit_hash, endpoint=endpoint)
    part = f"{target}.{about.etag}.part"
    found = ""
    for _ in range(2):  # a part that was damaged on the disk is found out at its end
        _fill(library, url, part, about.size, _told(progress, os.path.basename(target), about.size))
        found = _hash_of(part, about.etag)
        if found == about.etag:
            os.replace(part, target)
            return str(about.commit_hash)
        os.remove(part)
    raise DownloadFailed(
        f"{url} arrived twice, both times with other bytes than announced ({found} instead of {about.etag}); "
        "nothing of it was kept. Try again later, or get the model from another source",
        url=url,
    )


def _library() -> Any:  # noqa: ANN401 - what it is made of differs between its versions
    """Import what is needed of huggingface_hub."""
    os.environ.update(_SETTINGS)  # read when it is imported
    try:
        from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url  # noqa: PLC0415 - see the module's text
        from huggingface_hub.file_download import http_get  # noqa: PLC0415 - the same
        from huggingface_hub.utils import build_hf_headers, logging  # type: ignore[attr-defined]  # noqa: PLC0415 - the same
    except ImportError as error:
        raise ExtraMissing(
            f'huggingface_hub is not installed ({error}); run: pip install "notesd[semantic]"'
        ) from None
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # what is wrong is said once, in our message
    constants.DOWNLOAD_CHUNK_SIZE = CHUNK
    return SimpleNamespace(
        url=hf_hub_url, metadata=get_hf_file_metadata, get=http_get, headers=build_hf_headers
    )


def _fill(library: Any, url: str, part: str, size: int | None, tell: Callable[[int], None]) -> None:  # noqa: ANN401 - see _library
    """Ask for what is missing of a file."""
    with _Sink(part, size, tell, url) as sink:

        def go_on() -> None:
            sink.seek(0, os.SEEK_END)
            headers = {**library.headers(), "Accept-Encoding": "identity"}
            library.get(url, sink, resume_size=sink.tell(), headers=headers, expected_size=size)

        _persist(url, go_on, sink.tell)
        sink.flush()
        os.fsync(sink.fileno())


class _Sink(io.BufferedRandom):
    """A file that tells how far it is, and takes no more than it is meant to."""

    def __init__(self, path: str, size: int | None, tell: Callable[[int], None], url: str) -> None:
        super().__init__(io.FileIO(path, "a+", opener=private))
        self._size, self._tell, self._url = size, tell, url
        if size is not None and self.seek(0, os.SEEK_END) > size:
            self.truncate(0)

    def write(self, data: Any) -> int:  # type: ignore[explicit-override]  # noqa: ANN401 - 3.12 has both
        written = super().write(data)
        at = self.tell()
        if self._size is not None and at > self._size:
            self.truncate(0)
            raise DownloadFailed(f"{self._url} is larger than announced", url=self._url)
        self._tell(at)
        return written


def _persist(url: str, step: Callable[[], Result], arrived: Callable[[], int] = lambda: 0) -> Result:
    """Try a step until it is done, or brings nothing more."""
    failures = 0
    while True:
        before = arrived()
        try:
            return step()
        except DownloadFailed:
            raise
        except Exception as error:  # noqa: BLE001 - which ones there are depends on the library below that one
            status = getattr(getattr(error, "response", None), "status_code", None)
            failures = 1 if arrived() > before else failures + 1
            if failures >= TRIES or status not in {None, *_PASSING}:
                what = " ".join(str(error).split())[:_SHOWN] or type(error).__name__
                kept = "; what arrived is kept, run the same command again" if status is None else ""
                raise DownloadFailed(f"{url}: {what}{kept}", url=url) from None
            time.sleep(PAUSE_S * failures)


def _told(progress: Progress | None, name: str, size: int | None) -> Callable[[int], None]:
    return lambda at: progress(name, at, size) if progress else None


def _hash_of(path: str, like: str) -> str:
    """Hash a file the way that an announced hash was made: sha256, or git's of its content."""
    if len(like) == _SHA256_DIGITS:
        return digest(path)
    found = hashlib.sha1(b"blob %d\0" % os.path.getsize(path), usedforsecurity=False)
    with open(path, "rb") as source:
        while piece := source.read(CHUNK):
            found.update(piece)
    return found.hexdigest()
