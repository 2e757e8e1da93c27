"""What does a line on the socket say, and how is it answered?

JSON-RPC 2.0 (https://www.jsonrpc.org/specification), one object a line. Ids and parameters stay
the bytes they came as: an id goes back exactly as it was written, however large or odd, and
parameters are read once, into the struct of their method.
"""

import json
import re
from collections.abc import Callable

import msgspec
from msgspec import Raw, Struct

from notesd.errors import NotesdError, ProtocolError

NULL = Raw(b"null")
"""The id of an answer to something that had none we could read."""

_LONGEST_NUMBER = 4300
"""Digits; Python itself refuses longer ones, because reading them takes quadratic time."""
_DIGITS = tuple(b"%d" % digit for digit in range(10))
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % (_LONGEST_NUMBER + 1))
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|u[dD][c-fC-F][0-9a-fA-F]{2}|.)",
    re.DOTALL,
)
_LONE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}\Z")


class NotJson(ProtocolError):
    """A line is not JSON, or not UTF-8."""

    code = -32700
    kind = "parse_error"


class UnknownMethod(NotesdError):
    """No method has this name."""

    code = -32601
    kind = "unknown_method"


class Internal(NotesdError):
    """The daemon failed in a way it does not know; its log says more."""

    code = -32603
    kind = "internal_error"


class Request(Struct, frozen=True, gc=False):
    """One request of a client."""

    id: Raw | None
    """JSON text of a string, a number or null; None: a notification, which is not answered."""
    method: str
    params: Raw
    """JSON text of an object or an array, ``{}`` when none were given."""


class _Envelope(Struct, frozen=True, gc=False):
    """The members of a request object, unread; empty where absent."""

    jsonrpc: Raw = Raw(b"")
    id: Raw = Raw(b"")
    method: Raw = Raw(b"")
    params: Raw = Raw(b"")


_envelopes = msgspec.json.Decoder(_Envelope)
_anything = msgspec.json.Decoder(Raw)
_text = msgspec.json.Decoder(str)


def decode(line: bytes) -> Request:
    r"""Read one line.

    A lone surrogate (``"\ud800"``), which JSON can write and Unicode text cannot hold, counts
    as U+FFFD; an id that holds one still goes back as it came.

    Args:
        line: Without its line end.

    Raises:
        NotJson: Not UTF-8, not JSON, nested too deep, or a number of more than 4,300 digits.
        ProtocolError: JSON that is no request.
    """
    envelope = _read(line)
    id_, method, params = bytes(envelope.id), bytes(envelope.method), bytes(envelope.params)
    if bytes(envelope.jsonrpc) != b'"2.0"':
        raise ProtocolError('this is no request: "jsonrpc" has to be "2.0"')
    if not method.startswith(b'"'):
        raise ProtocolError('this is no request: "method" has to be a string')
    if id_ and not _is_id(id_):
        raise ProtocolError('this is no request: "id" has to be a string, a number or null')
    if params and not params.startswith((b"{", b"[")):
        raise ProtocolError('this is no request: "params" has to be an object')
    return Request(Raw(id_) if id_ else None, _text.decode(method), envelope.params if params else Raw(b"{}"))


def salvage_id(line: bytes) -> Raw:
    """Return the id for the answer to a line that ``decode`` refused; null when it has none we can read."""
    try:
        found = bytes(_read(line).id)
    except ProtocolError:
        return NULL
    return Raw(found) if found and _is_id(found) else NULL


def encode_result(id_: Raw, value: object) -> bytes:
    """Return the line, with its line end, that answers a request.

    Args:
        id_: As in the request.
        value: Anything msgspec can write; a ``Raw`` is taken as JSON that is already written.
            Numbers that JSON cannot write (NaN, infinities) become null.

    Raises:
        TypeError: The value holds something that has no JSON form.
    """
    return _line({"jsonrpc": "2.0", "id": id_, "result": value})


def encode_part(value: object) -> Raw:
    """Return a part of an answer as it will be written, so that its size is known; as ``encode_result``."""
    return Raw(_json(value))


def encode_error(id_: Raw, error: NotesdError) -> bytes:
    """Return the line, with its line end, that says why a request failed.

    Every error has the one shape ``{"code", "message", "data": {"kind", ...}}``.
    """
    shape = {"code": error.code, "message": error.message, "data": {"kind": error.kind, **error.data}}
    return _line({"jsonrpc": "2.0", "id": id_, "error": shape}, odd=str)


def encode_notification(method: str, params: object) -> bytes:
    """Return the line, with its line end, that tells a client something it did not ask for just now."""
    return _line({"jsonrpc": "2.0", "method": method, "params": params})


def _read(line: bytes) -> _Envelope:
    """Split a line into its members.

    Raises:
        NotJson: As for ``decode``.
        ProtocolError: JSON, but no object.
    """
    if not line.isascii():
        try:
            line.decode()
        except UnicodeDecodeError as error:
            raise NotJson(f"the line is not UTF-8 (byte {error.start})") from None
    if (
        len(line) > _LONGEST_NUMBER
        and _LONG_NUMBER.search(line)
        and _LONG_NUMBER.search(_STRING.sub(b'""', line))
    ):
        raise NotJson(f"the line holds a number of more than {_LONGEST_NUMBER} digits")
    try:
        try:
            return _envelopes.decode(line)
        except msgspec.ValidationError:
            _anything.decode(line)
            raise ProtocolError("this is no request: an object is expected") from None
    except RecursionError:
        raise NotJson("the line is nested too deep") from None
    except msgspec.DecodeError as error:
        mended = _ESCAPE.sub(_without_lone, line)
        if mended == line:
            raise NotJson(f"the line is not JSON: {str(error).removeprefix('JSON is malformed: ')}") from None
    envelope = _read(mended)
    return (
        msgspec.structs.replace(envelope, id=_id_as_written(line))
        if b"\\" in bytes(envelope.id)
        else envelope
    )


def _without_lone(escape: re.Match[bytes]) -> bytes:
    """Return an escape sequence as it is, U+FFFD for a lone surrogate."""
    found = escape[0]
    return rb"\ufffd" if _LONE.match(found) else found


def _id_as_written(line: bytes) -> Raw:
    """Return the id of a line with lone surrogates by way of a parser that lets them pass."""
    try:
        return Raw(json.dumps(json.loads(line)["id"]).encode())
    except RecursionError:  # it allows a little less depth than the parser before it
        return NULL


def _is_id(raw: bytes) -> bool:
    """Whether this JSON text is a string, null or a number that is not beyond all bounds."""
    if raw.startswith(b'"') or raw == b"null":
        return True
    if not raw.startswith((b"-", *_DIGITS)):
        return False
    digits = raw.removeprefix(b"-").isdigit()
    return digits or float(raw) not in {float("inf"), float("-inf")}


def _line(message: dict[str, object], odd: Callable[[object], object] | None = None) -> bytes:
    """Write one message as one line; ``odd`` turns what has no JSON form into what has."""
    out = _json(message, odd)
    if b"\n" in out:  # from JSON that was written elsewhere; between tokens a space says the same
        out = out.replace(b"\n", b" ")
    return out + b"\n"


def _json(value: object, odd: Callable[[object], object] | None = None) -> bytes:
    """Write a value; a lone surrogate as U+FFFD."""
    try:
        return msgspec.json.encode(value, enc_hook=odd)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, builtin_types=(Raw,), enc_hook=odd)
        return msgspec.json.encode(_mend(plain))


def _mend(value: object) -> object:
    """Return a value of plain types with every lone surrogate as U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_mend(key): _mend(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mend(item) for item in value]
    return value
