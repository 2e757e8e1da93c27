"""Every way notesd can fail, drawn as one tree.

NotesdError
  UserError             the request cannot be served as it was put; exit 2, never a traceback
    ConfigError         a key or value of config.toml, of the environment or of the command line
    InvalidParams       a parameter of a request: missing, unknown or of the wrong kind
    UnknownSpace        no space has this name
    UnknownNote         no note answers to this name
    AmbiguousNote       several notes answer to this name
  SourceError           one file of a notes folder; it is reported and the run goes on
    Unreadable          the system did not let us read it
    NotRegular          a FIFO, socket, device or link stands where a note is expected
    Unparsable          it is not what its name says, or costs more to read than it may: known by its name
  SpaceUnavailable      the folder of a space is missing, unreadable or suddenly empty
    MassDeletion        most of a space's notes are missing in a way that need not be a deletion
  StoreError            the state folder or a database in it
    StoreLocked         another daemon owns this state folder
    StoreCorrupt        a database is damaged; the index is rebuilt
    StoreFull           no room left, or the disk is read-only
    UsageNewer          the record of use was written by a later version
    VectorsMissing      sqlite-vec, in which vectors are kept, cannot be loaded
    BadVector           a vector that would come out as the best answer to everything, or cannot be stored
  ModelError            an embedding model (drawn in models.failures, which only those import who use one)
    ModelMissing        it is not installed
    ModelBad            its files are not what they should be
    ExtraMissing        the extra notesd[semantic] is not installed
    DownloadFailed      a source does not have it, or not now
      NotThere          the source says that there is no such file
    TextRefused         it fails on this text
    ModelDown           its process cannot be had
  ProtocolError         a frame that is not a JSON-RPC request
    TooLarge            a request line longer than the limit
  TooCostly             a request took all the work that it may, and had no answer by then
  ServiceFailed         the service manager of the system does not do what it was asked
  StaleCursor           what the earlier pages of an answer are of has changed since
  NoDaemon              no daemon could be reached or started
  Busy                  come back later

Each message says what happened, to which file, key or name, and what to do.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would cost every client some milliseconds
if TYPE_CHECKING:
    from typing import ClassVar


def counted(number: object, one: str, many: str = "") -> str:
    """Return a number and what is counted, as messages say it; ``many`` where an s is not all of it."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


class NotesdError(Exception):
    """notesd failed in a way it knows."""

    code: ClassVar[int] = -32000
    """JSON-RPC error code."""
    kind: ClassVar[str] = "internal"
    """Stable ``data.kind`` of the JSON-RPC error."""
    exit_status: ClassVar[int] = 1
    """Exit status of the command line."""

    def __init__(self, message: str, **data: object) -> None:
        """Keep the sentence for people and the facts for programs."""
        super().__init__(message)
        self.message = message
        self.data = data


class UserError(NotesdError):
    """The request cannot be served as it was put."""

    code = -32001
    kind = "user_error"
    exit_status = 2


class ConfigError(UserError):
    """A setting is unknown, malformed or out of range."""

    code = -32002
    kind = "config_error"


class InvalidParams(UserError):
    """A parameter is missing, unknown or of the wrong kind."""

    code = -32602
    kind = "invalid_params"


class UnknownSpace(UserError):
    """No space has this name."""

    code = -32003
    kind = "unknown_space"


class UnknownNote(UserError):
    """No note answers to this name."""

    code = -32004
    kind = "unknown_note"
    exit_status = 1


class AmbiguousNote(UserError):
    """Several notes answer to this name."""

    code = -32005
    kind = "ambiguous_note"
    exit_status = 1


class SourceError(NotesdError):
    """One file of a notes folder cannot be used as it is."""

    code = -32010
    kind = "source_error"


class Unreadable(SourceError):
    """The system did not let us read the file."""

    code = -32011
    kind = "unreadable"


class NotRegular(SourceError):
    """Something that is not a regular file stands where a note is expected."""

    code = -32012
    kind = "not_regular"


class Unparsable(SourceError):
    """The file is not what its name says, or costs more to read than it may; the reason is one sentence.

    Such a file is known by its name alone.
    """

    code = -32013
    kind = "unparsable"


class SpaceUnavailable(NotesdError):
    """The folder of a space is missing, unreadable or suddenly empty."""

    code = -32020
    kind = "root_unavailable"


class MassDeletion(SpaceUnavailable):
    """Most of a space's notes are missing in a way that need not be a deletion."""

    code = -32021
    kind = "mass_deletion"

    @classmethod
    def of(cls, number: int, root: str) -> MassDeletion:
        """Say that so many notes are missing in a folder."""
        return cls(f"{counted(number, 'note is', 'notes are')} missing in {root}")


class StoreError(NotesdError):
    """The state folder or a database in it cannot be used."""

    code = -32030
    kind = "store_error"


class StoreLocked(StoreError):
    """Another daemon owns this state folder."""

    code = -32031
    kind = "store_locked"


class StoreCorrupt(StoreError):
    """A database is damaged."""

    code = -32032
    kind = "store_corrupt"


class StoreFull(StoreError):
    """There is no room left, or the disk is read-only."""

    code = -32033
    kind = "store_full"


class UsageNewer(StoreError):
    """The record of use was written by a later version of notesd; nothing was changed in it."""

    code = -32036
    kind = "usage_newer"


class VectorsMissing(StoreError):
    """The extension in which vectors are kept is not installed or cannot be loaded."""

    code = -32034
    kind = "vectors_missing"


class BadVector(StoreError):
    """A vector is not of the model's size, not finite, or zero; nothing of it was stored."""

    code = -32035
    kind = "bad_vector"


class ProtocolError(NotesdError):
    """A frame is not a JSON-RPC request."""

    code = -32600
    kind = "invalid_request"


class TooLarge(ProtocolError):
    """A request line is longer than the limit."""

    code = -32040
    kind = "too_large"


class TooCostly(NotesdError):
    """A request took all the work that it may, and had no answer by then."""

    code = -32052
    kind = "too_costly"


class ServiceFailed(NotesdError):
    """The service manager of the system does not do what it was asked."""

    code = -32054
    kind = "service_failed"


class StaleCursor(NotesdError):
    """What the earlier pages of an answer are of has changed since; the first page is to be had anew."""

    code = -32053
    kind = "stale_cursor"
    exit_status = 75


class NoDaemon(NotesdError):
    """No daemon could be reached or started."""

    code = -32050
    kind = "no_daemon"
    exit_status = 69


class Busy(NotesdError):
    """The daemon cannot do this now; the same request may succeed later."""

    code = -32051
    kind = "busy"
    exit_status = 75
