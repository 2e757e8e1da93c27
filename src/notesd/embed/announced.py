"""What does a hub say of a file before its bytes come?

The bytes of large files come from other hosts, and the hub itself says what they must be: their sha256
(``X-Linked-ETag``), or for small ones git's hash of the content (``ETag``), and which commit they are of
(``X-Repo-Commit``). Only what the host says that was asked counts: whoever it sends us to cannot vouch for
his own bytes.
"""

import hashlib
import http.client
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from email.message import Message
from typing import IO, Final

from notesd.embed.failures import DownloadFailed
from notesd.embed.manifest import digest

_SHA256: Final = re.compile(r'(?:W/)?"?([0-9a-f]{64})"?')
_GIT: Final = re.compile(r'(?:W/)?"?([0-9a-f]{40})"?')
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_CHUNK: Final = 1 << 20


class Announced(urllib.request.HTTPRedirectHandler):
    """Follows redirects, never from https to http, and keeps what the first host says of the file."""

    def __init__(self, url: str, *, vouched: bool) -> None:
        """Nothing is known yet.

        Args:
            url: What is asked for.
            vouched: Bytes of another host are taken only when this one has said what they must be.
        """
        self._url, self._vouched = url, vouched
        self._origin = _origin(url)
        self.hash = ""
        """``sha256:`` or ``git:`` and hexadecimal digits; "" when nothing was said."""
        self.commit = ""
        """Of the repository; "" when nothing was said."""

    def hear(self, url: str, headers: Message) -> None:
        """Take in the headers of an answer; those of other hosts are passed over."""
        if _origin(url) != self._origin:
            return
        if commit := _COMMIT.fullmatch(headers.get("X-Repo-Commit", "")):
            self.commit = commit[0]
        if linked := _SHA256.fullmatch(headers.get("X-Linked-ETag", "")):
            self.hash = f"sha256:{linked[1]}"
        elif not self.hash and commit and (blob := _GIT.fullmatch(headers.get("ETag", ""))):
            self.hash = f"git:{blob[1]}"

    def redirect_request(  # type: ignore[explicit-override]  # 3.12 has it
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        """Say where to go on, or raise what forbids it."""
        if req.type == "https" and not newurl.startswith("https:"):
            raise urllib.error.HTTPError(
                newurl, code, "redirect away from https", http.client.HTTPMessage(), fp
            )
        self.hear(req.full_url, headers)
        if self._vouched and not self.hash and _origin(newurl) != self._origin:
            host = urllib.parse.urlsplit(newurl).netloc
            raise DownloadFailed(
                f"{self._url} is sent by {host}, and nothing says what the file must be; "
                "get the model from another source",
                url=self._url,
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]  # typeshed wants HTTPMessage


def is_commit(revision: str) -> bool:
    """Say whether a revision of a repository is a commit, not a name that may move on."""
    return _COMMIT.fullmatch(revision) is not None


def hash_of(path: str, like: str) -> str:
    """Hash a file the way that an announced hash was made."""
    if not like.startswith("git:"):
        return f"sha256:{digest(path)}"
    found = hashlib.sha1(b"blob %d\0" % os.path.getsize(path), usedforsecurity=False)
    with open(path, "rb") as source:
        while piece := source.read(_CHUNK):
            found.update(piece)
    return f"git:{found.hexdigest()}"


def _origin(url: str) -> tuple[str, str]:
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.netloc
