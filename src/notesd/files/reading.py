"""One file in, everything the index wants of it out."""

import hashlib
import time

from msgspec import Struct, structs

from notesd.errors import SourceError
from notesd.files import pdf
from notesd.files.links import Target
from notesd.files.read import Content, decode, has_mark, read_note
from notesd.model import Note, NotePath, Observation, Problem, Stamp
from notesd.parse.columns import Columns, columns_of
from notesd.parse.kinds import KINDS, name_only, read_file, says_embed, suffix_of
from notesd.parse.note import may_be_private

RACY_NS = 2_000_000_000
"""A file changed this shortly before it was read may change again without its stamp showing it:
file systems keep times as coarsely as two seconds. A time in the future is nobody's last write."""

_PLAIN_PASSAGE = 2_000
"""Characters in a passage of a note that is taken as plain text."""

_HEAD_BYTES = 8_192
"""Where a file that is no text shows it."""

_PROVISIONAL = b"not parsed\0"
"""Makes a digest that no file has."""


class Limits(Struct, frozen=True, gc=False, array_like=True):
    """How a file is to be read."""

    max_bytes: int
    dendron: bool
    """The folder is a Dendron workspace: its links are written the other way round."""
    languages: tuple[str, ...] = ()
    """Of the space, the commonest first; see ``parse.columns``."""
    embed: tuple[str, ...] = ()
    """What the names of files of other kinds end with that get vectors, too, in small letters."""


class Job(Struct, frozen=True, gc=False, array_like=True):
    """One file to read."""

    path: NotePath
    digest: bytes | None
    """Of the bytes the index knows; equal bytes are not parsed again."""
    target: Target | None = None
    """The followed link behind which the file lies."""


class Reading(Struct, frozen=True, gc=False, array_like=True):
    """What came of it: a note, or ``same``, or ``absent``, or a problem that keeps the old one."""

    path: NotePath
    stamp: Stamp | None = None
    racy: bool = False
    digest: bytes = b""
    note: Note | None = None
    columns: Columns | None = None
    passages: bytes | None = None
    """Of the note, packed (``parse.packing``), which has none itself then; None: it has them."""
    same: bool = False
    """The bytes are those that the index knows."""
    absent: bool = False
    """The file is not there any more."""
    problem: Problem | None = None
    """It could not be read."""
    provisional: bool = False
    """The words are kept for now; it is to be parsed when it is met next."""


def is_known(data: bytes, digest: bytes) -> bool:
    """Whether a note of this digest was made from these bytes."""
    return digest in (_digest(data), _digest(_PROVISIONAL + data))


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()[:16]


def read_one(root: str, job: Job, limits: Limits, *, plain: str = "", provisional: bool = False) -> Reading:
    """Read and parse one file; whatever is wrong with it is in the answer.

    Args:
        root: Absolute folder of the space.
        job: What to read.
        limits: How to read it.
        plain: Why the text is not to be parsed but kept word by word; empty: parse it.
        provisional: It is to be read again when it is met next, and parsed then, even if it is the same.
    """
    began = time.time_ns()
    try:
        if job.target and not job.target.stands():
            reason = f"{job.path} lies behind a link that leads elsewhere now; it is looked at again"
            return Reading(job.path, problem=Problem("unreadable", reason))
        base, below = job.target.place(job.path) if job.target else (root, job.path)
        content = read_note(base, below, pdf.MAX_BYTES if needs_process(job.path) else limits.max_bytes)
    except (FileNotFoundError, NotADirectoryError):
        return Reading(job.path, absent=True)
    except SourceError as error:
        return Reading(job.path, problem=Problem(error.kind, error.message))
    digest = _digest(content.data)
    racy = any(abs(began - when) < RACY_NS for when in (content.stamp.mtime_ns, content.stamp.ctime_ns))
    if provisional and digest != job.digest:
        racy, digest = True, _digest(_PROVISIONAL + content.data)
    if digest == job.digest:
        return Reading(job.path, content.stamp, racy, digest, same=True, provisional=provisional)
    note = (
        _note_of_bytes(job.path, content, plain)
        if needs_process(job.path)
        else _note(job.path, content, limits, plain)
    )
    if job.path.lower().endswith(limits.embed) and not says_embed(note):
        note = structs.replace(note, embed=True)
    columns = columns_of(note, limits.languages)
    return Reading(job.path, content.stamp, racy, digest, note, columns, provisional=provisional)


def needs_process(path: NotePath) -> bool:
    """Whether a file is no text, and is read only in a process that may be lost."""
    kind = KINDS.get(suffix_of(path))
    return kind is not None and kind.read is None


def what_is_kept(path: NotePath) -> str:
    """Say what is found of a file that cannot be parsed."""
    return "it is known by its name only" if _is_no_prose(path) else "its words are found, its links are not"


def _is_no_prose(path: NotePath) -> bool:
    """Whether what stands in a file is not what it says, as with JSON."""
    kind = KINDS.get(suffix_of(path))
    return kind is not None and bool(kind.name)


def _note_of_bytes(path: NotePath, content: Content, plain: str) -> Note:
    if plain:
        return name_only(path, (Problem("parse_failed", plain),))
    if content.truncated:
        reason = f"{path} is longer than {pdf.MAX_BYTES:,} bytes; it is known by its name only"
        return name_only(path, (Problem("too_large", reason),))
    return pdf.read_pdf(content.data, path)


def _note(path: NotePath, content: Content, limits: Limits, plain: str) -> Note:
    if suffix_of(path) not in KINDS and b"\0" in content.data[:_HEAD_BYTES] and not has_mark(content.data):
        return name_only(path, (Problem("unparsable", f"{path} is known by its name only: it is no text."),))
    text, problems = decode(content.data)
    if content.truncated:
        reason = (
            f"{path} is longer than {limits.max_bytes:,} bytes, only its head is indexed; "
            "split the note or raise index.max_file_bytes"
        )
        problems = (*problems, Problem("too_large", reason))
    if plain:
        return _plain_note(path, text, (*problems, Problem("parse_failed", plain)))
    return read_file(text, path, dendron=limits.dendron, problems=problems)


def _plain_note(path: NotePath, text: str, problems: tuple[Problem, ...]) -> Note:
    """A note nobody could parse: its words are found, its links are not."""
    private = may_be_private(text)  # nobody has understood it, so its wish is taken in any case
    if _is_no_prose(path):
        return structs.replace(name_only(path, problems), private=private)
    passages = []
    line = 1
    for start in range(0, len(text), _PLAIN_PASSAGE):
        piece = text[start : start + _PLAIN_PASSAGE]
        last = line + piece.count("\n")
        passages.append(Observation(piece, line, last, (), "raw"))
        line = last
    return structs.replace(name_only(path, problems), observations=tuple(passages), private=private)
