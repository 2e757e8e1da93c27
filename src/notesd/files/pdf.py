"""What does a PDF say? Its text by page, within a budget of processor time, memory, pages and characters.

The library (pypdfium2, the extra ``notesd[pdf]``) is native code that reads what strangers wrote. So this is
called only in a process that parses and may be lost: see ``files.worker`` and ``files.pool``.
"""

import contextlib
import importlib.util
import resource
import signal
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import structs

from notesd.errors import counted
from notesd.model import Note, NotePath, Problem
from notesd.parse.kinds import name_only
from notesd.parse.pages import read_pages

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

MAX_BYTES: Final = 128 << 20
"""A longer file is known by its name alone: the table of its parts stands at its end."""
MEMORY_BYTES: Final = 512 << 20
"""Address space that reading one document may add to the process."""
PROCESSOR_S: Final = 10.0
"""Processor time for a document where the process itself has no limit."""
MAX_PAGES: Final = 5_000
"""Pages that count."""
MAX_CHARACTERS: Final = 2_000_000
"""Characters of all pages that count."""
MAX_PAGE: Final = 200_000
"""Characters of one page that count."""
MAX_FAILED: Final = 50
"""After so many pages in a row that cannot be read the rest is left."""
_NEEDS_PASSWORD: Final = 4
"""``FPDF_ERR_PASSWORD``."""


def has_reader() -> bool:
    """Whether the extra is installed, without which PDFs are known by their names alone."""
    return importlib.util.find_spec("pypdfium2") is not None


def read_pdf(data: bytes, path: NotePath) -> Note:
    """Say what a PDF says, as far as the budget goes.

    One that cannot be read is known by its name, and a problem says why: ``encrypted``, ``no_text``,
    ``unparsable`` or ``extra_missing``.

    Args:
        data: The whole file.
        path: Where it lies; its name is the title.

    Raises:
        MemoryError: It takes more memory than it may.
    """
    if not has_reader():
        return name_only(path, (_unread(path, "extra_missing", "to have its text, install notesd[pdf]"),))
    with _memory_limited():
        return _read(data, path, time.process_time() + _processor_s())


def _unread(path: NotePath, kind: str, why: str) -> Problem:
    return Problem(kind, f"{path} is known by its name only: {why}.")


def _read(data: bytes, path: NotePath, until_s: float) -> Note:
    from pypdfium2 import PdfDocument, PdfiumError  # noqa: PLC0415 -- not in the daemon's process

    try:
        document = PdfDocument(data)
    except PdfiumError as error:
        # The code may be that of an earlier document: not every failure sets it.
        if error.err_code == _NEEDS_PASSWORD and b"/Encrypt" in data:
            why = "it is encrypted; save it without a password to have its text"
            return name_only(path, (_unread(path, "encrypted", why),))
        return name_only(path, (_unread(path, "unparsable", "it is no PDF, or a broken one"),))
    with contextlib.closing(document):
        count = len(document)
        pages: list[tuple[int, str]] = []
        problems = tuple(_pages(document, path, until_s, pages))
        about = document.get_metadata_dict(skip_empty=True)
    if not problems and not any(text.strip() for _, text in pages):
        on = f"there is no text on its {counted(count, 'page')}, as with scans"
        why = f"{on}; have the text recognised (OCR) and save it again"
        problems = (_unread(path, "no_text", why),)
    return structs.replace(read_pages(pages, path, about), problems=problems)


def _pages(
    document: "PdfDocument", path: NotePath, until_s: float, found: list[tuple[int, str]]
) -> Iterator[Problem]:
    """Take the text of the pages, as far as the budget goes; say what is left out, and why."""
    count = len(document)
    size, failed, in_a_row = 0, 0, 0
    for number in range(min(count, MAX_PAGES)):
        if size > MAX_CHARACTERS or time.process_time() > until_s or in_a_row >= MAX_FAILED:
            break
        text = _page(document, number)
        in_a_row = in_a_row + 1 if text is None else 0
        failed += text is None
        size += len(text or "")
        found.append((number + 1, text or ""))
    if len(found) < count:
        which = f"only the first {len(found):,} of {count:,} pages"
        reason = f"Of {path} {which} are read; split it into several documents to have all of it."
        yield Problem("too_long", reason)
    if failed:
        reason = f"{counted(failed, 'page')} of {path} cannot be read; the text of the others is found."
        yield Problem("unparsable", reason)


def _page(document: "PdfDocument", number: int) -> str | None:
    """Return the text of a page, from 0; None when it cannot be read."""
    from pypdfium2 import PdfiumError  # noqa: PLC0415 -- not in the daemon's process

    try:
        with contextlib.closing(document[number]) as page, contextlib.closing(page.get_textpage()) as words:
            if words.count_chars() > MAX_PAGE:
                return str(words.get_text_range(0, MAX_PAGE))
            return str(words.get_text_bounded())
    except (PdfiumError, AssertionError, IndexError, ValueError):
        return None


def _processor_s() -> float:
    """Return the processor time after which no further page is begun: half of what the process has left."""
    return signal.getitimer(signal.ITIMER_PROF)[0] / 2 or PROCESSOR_S


@contextlib.contextmanager
def _memory_limited() -> Iterator[None]:
    """Let the process take only so much more memory meanwhile, where the system can tell what it has."""
    before, most = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.suppress(OSError, ValueError):
        with open("/proc/self/statm", "rb") as source:
            mine = int(source.read().split()[0]) * resource.getpagesize()
        limit = mine + MEMORY_BYTES
        if most in {resource.RLIM_INFINITY, -1} or limit < most:
            resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    try:
        yield
    finally:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (before, most))
