"""Which parameters does each method take, and what is wrong with those it got?

One struct a method. The description of each field is the end of the sentence "has to be ...",
so what a client reads and what is checked stand on the same line.
"""

import difflib
import re
import sys
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct

from notesd.errors import InvalidParams
from notesd.search.dates import DateRange, parse_range

MAX_LIMIT = 1000
MAX_OFFSET = 100_000
_LINES = re.compile(r"([0-9]{0,9})\.\.([0-9]{0,9})")
_SHOWN = 60
"""Characters of a wrong value that an error repeats."""

Flag = Annotated[bool, Meta(description="true or false")]
OptionalFlag = Annotated[bool | None, Meta(description="true or false")]
Text = Annotated[str, Meta(description="a text")]
OptionalText = Annotated[str | None, Meta(description="a text")]
Names = Annotated[str | list[str] | None, Meta(description="a text or a list of texts")]
NoteName = Annotated[str, Meta(description="the name, alias, id or path of a note")]
OptionalNoteName = Annotated[str | None, Meta(description="the name, alias, id or path of a note")]
Range = Annotated[
    str | None,
    Meta(description='a text like "2024-01-01..2024-12-31", open on either side, or "7d", "last week"'),
]
Limit = Annotated[
    Annotated[int, Meta(ge=1, le=MAX_LIMIT)] | None, Meta(description=f"a whole number from 1 to {MAX_LIMIT}")
]
Offset = Annotated[int, Meta(ge=0, le=MAX_OFFSET, description=f"a whole number from 0 to {MAX_OFFSET}")]
PageCursor = Annotated[str | None, Meta(description="a text that an answer gave as its next cursor")]
Wait = Annotated[
    bool | Annotated[int, Meta(ge=0, le=3_600_000)],
    Meta(description="true, false or a number of milliseconds from 0 to 3600000"),
]


class _Strict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Given by name, and nothing but what is named here."""

    audience: Annotated[Literal["agent", "user"], Meta(description='"agent" or "user"')] = "user"
    """For ``agent``, private notes are as if they were not there."""


class NoParams(_Strict, frozen=True):
    """A method without parameters of its own: ``ping``."""


class SpaceParams(_Strict, frozen=True, kw_only=True):
    """``status``, ``subscribe``."""

    space: Names = None
    """None: all spaces."""


class PagedParams(SpaceParams, frozen=True, kw_only=True):
    """``check``, ``export``."""

    cursor: PageCursor = None
    """None: the first page; so too for the others."""


class PropertiesParams(PagedParams, frozen=True, kw_only=True):
    """``properties``."""

    name: OptionalText = None
    """The property whose values are wanted; None: all properties."""


class NamesParams(SpaceParams, frozen=True, kw_only=True):
    """``names``."""

    kind: Annotated[Literal["note", "tag"], Meta(description='"note" or "tag"')]
    begins: Text = ""
    """How they begin, case and accents aside."""
    limit: Limit = None
    """None: as many as an answer may hold."""


class FilterParams(_Strict, frozen=True, kw_only=True):
    """What narrows the notes that may answer; a note has to pass all of it."""

    space: Names = None
    folder: OptionalText = None
    """Path below the space's folder."""
    tag: Names = None
    """A parent tag matches its children; several have to be there all."""
    type: OptionalText = None
    created: Range = None
    modified: Range = None
    limit: Limit = None
    """None: as configured."""
    offset: Offset = 0


class SearchParams(FilterParams, frozen=True, kw_only=True):
    """``search``."""

    query: Annotated[str, Meta(description="a text to search for")]
    rel: OptionalText = None
    """Only notes with a typed relation of this name."""
    mode: Annotated[
        Literal["hybrid", "lexical", "semantic"] | None,
        Meta(description='"hybrid", "lexical" or "semantic"'),
    ] = None
    vector_search: OptionalFlag = None
    """None: as configured; so too for the next two."""
    graph_boost: OptionalFlag = None
    limbic: Annotated[
        Literal["off", "shadow", "ab", "on"] | None, Meta(description='"off", "shadow", "ab" or "on"')
    ] = None
    explain: Flag = False
    why: OptionalNoteName = None
    wait: Wait = False
    """True or milliseconds: first see to it that what was saved before is known."""
    record: Flag = True
    stream: Flag = False


class FeedParams(FilterParams, frozen=True, kw_only=True):
    """``feed``."""

    q: OptionalText = None
    sort: Annotated[
        Literal["-modified", "modified", "-created", "created"],
        Meta(description='"modified" or "created", newest first with a "-" before it'),
    ] = "-modified"
    wait: Wait = False


class OpenParams(_Strict, frozen=True, kw_only=True):
    """``open``."""

    notes: Annotated[str | list[str], Meta(description="a list of names, aliases, ids or paths of notes")]
    space: Names = None
    record: Flag = True
    lines: Annotated[str | None, Meta(description='a text like "120..180", open on either side')] = None
    """Only passages and own links that touch these lines of the file."""
    part: OptionalText = None
    """Only what stands under this heading; ``A > B`` for one below another."""
    text: Flag = False
    """The file's own text, line by line, in the place of the passages."""
    max_chars: Annotated[
        Annotated[int, Meta(ge=1, le=1 << 24)] | None, Meta(description="a whole number from 1 to 16777216")
    ] = None
    """Characters of passages in one answer, at least one passage; None: as many as fit."""
    cursor: PageCursor = None


class LinksParams(_Strict, frozen=True, kw_only=True):
    """``links``."""

    note: NoteName
    space: Names = None
    direction: Annotated[
        Literal["both", "out", "in", "outgoing", "incoming"],
        Meta(description='"both", "outgoing" or "incoming"'),
    ] = "both"
    depth: Annotated[int, Meta(ge=1, le=5, description="a whole number from 1 to 5")] = 1
    cursor: PageCursor = None


class RelatedParams(_Strict, frozen=True, kw_only=True):
    """``related``."""

    note: NoteName
    space: Names = None
    limit: Limit = None


class RescanParams(_Strict, frozen=True, kw_only=True):
    """``rescan``."""

    space: Names = None
    wait: Flag = False
    vectors: Flag = False
    """Also embed every note anew."""
    confirm: Flag = False
    """All that is missing is deleted, however much it is."""


class ForgetParams(_Strict, frozen=True, kw_only=True):
    """``forget``: one of the first three, or ``all`` alone; what names nothing erases nothing."""

    space: Names = None
    note: OptionalNoteName = None
    before: Annotated[str | None, Meta(description='a date like "2024-01-31"')] = None
    all: Flag = False
    """Erase everything that is recorded."""


_Constant = Annotated[float, Meta(ge=0, le=10)]
_Constants = Annotated[
    Annotated[list[_Constant], Meta(min_length=1, max_length=50)] | None,
    Meta(description="a list of 1 to 50 numbers from 0 to 10"),
]


class TuneParams(_Strict, frozen=True, kw_only=True):
    """``tune``."""

    space: Names = None
    action: Annotated[
        Literal["analyze", "tune", "set", "revert"],
        Meta(description='"analyze", "tune", "set" or "revert"'),
    ] = "analyze"
    gamma: Annotated[_Constant | None, Meta(description="a number from 0 to 10")] = None
    beta_sal: Annotated[_Constant | None, Meta(description="a number from 0 to 10")] = None
    gamma_range: _Constants = None
    """Values of GAMMA to try; None: the usual ones; so too for the next."""
    beta_sal_range: _Constants = None


Params = TypeVar("Params", bound=Struct)


def read(params: Raw, kind: type[Params]) -> Params:
    """Read the parameters of a request.

    Types are strict: ``"10"`` is no number and ``true`` is no 1. A parameter that may be left
    out may also be null.

    Args:
        params: JSON text of an object or an array.
        kind: The struct of the method.

    Raises:
        InvalidParams: The parameters came as an array; one is unknown, missing or of the wrong
            kind. The sentence names it and says what was expected.
    """
    try:
        try:
            found: Params = _decoder(kind).decode(params)
        except msgspec.ValidationError as error:
            raise _explain(params, kind) or InvalidParams(f"wrong parameters: {error}") from None
    except RecursionError:
        raise InvalidParams("the parameters are nested too deep") from None
    return found


def see_what_is_meant(asked: ForgetParams) -> None:
    """See to it that nothing is erased by what was left out, as a script's unset variable is.

    Raises:
        InvalidParams: Nothing is named, something empty, or everything and a part of it.
    """
    named = {name: getattr(asked, name) for name in ("note", "space", "before")}
    for name, value in named.items():
        parts = [value] if isinstance(value, str) else value
        if parts is not None and not (parts and all(part.strip() for part in parts)):
            raise InvalidParams(
                f'the parameter "{name}" is empty, so nothing was forgotten: name what to forget', param=name
            )
    given = [name for name, value in named.items() if value is not None]
    if asked.all and given:
        raise InvalidParams(
            f'"all" and "{given[0]}": give one of them; nothing was forgotten', param=given[0]
        )
    if not asked.all and not given:
        raise InvalidParams(
            'say what to forget: "note", "space", "before", or "all": true for everything', param="all"
        )


def today() -> date:
    """Return the day that it is here."""
    return datetime.now().astimezone().date()


def span(name: str, text: str | None) -> DateRange | None:
    """Understand a range given as a parameter.

    Raises:
        InvalidParams: It is no range of dates.
    """
    if text is None or text.strip() == "..":
        return None
    span = parse_range(text, today())
    if span is None:
        raise InvalidParams(
            f"{name} is {text[:60]!r}; expected dates like 2024-01-01..2024-12-31, "
            'either side open, or words like "today", "7d" and "last week"'
        )
    return span


def moment(name: str, text: str) -> float:
    """Read a date or time, in seconds since 1970; without an offset it is meant here.

    Raises:
        InvalidParams: It is none.
    """
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise InvalidParams(
            f'the parameter "{name}" has to be a date like "2024-01-31", not "{text[:_SHOWN]}"', param=name
        ) from None


def lines(name: str, text: str | None) -> range:
    """Read a range of lines, both ends in it; all of them for None.

    Raises:
        InvalidParams: It is none.
    """
    found = _LINES.fullmatch(text.strip()) if text is not None else None
    if text is not None and (found is None or text.strip() == ".."):
        raise InvalidParams(
            f'the parameter "{name}" has to be lines like "120..180", not "{text[:_SHOWN]}"', param=name
        )
    first, last = (found[1], found[2]) if found else ("", "")
    return range(int(first or 0), int(last) + 1 if last else sys.maxsize)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that a misspelt one was meant to be, None when none is near."""
    found = difflib.get_close_matches(word[:80], list(known), n=1, cutoff=0.6)
    return found[0] if found else None


@lru_cache(maxsize=64)
def _decoder(kind: type[Params]) -> msgspec.json.Decoder[Params]:
    """Return the decoder of a struct."""
    return msgspec.json.Decoder(kind)


def _explain(params: Raw, kind: type[Struct]) -> InvalidParams | None:
    """Find the first parameter that cannot be used and say why; None when each alone can."""
    if bytes(params).startswith(b"["):
        return InvalidParams("parameters are given by name, in an object; a list says nothing about them")
    given: Mapping[str, Raw] = msgspec.json.decode(params, type=dict[str, Raw])
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for name in given:
        if name not in fields:
            return _unknown(name, fields)
    for name, field in fields.items():
        expected = _expected(field.type)
        if name not in given:
            if field.required:
                return InvalidParams(
                    f'the parameter "{name}" is missing: {expected}', param=name, expected=expected
                )
            continue
        try:
            msgspec.json.decode(given[name], type=field.type)
        except msgspec.ValidationError:
            return InvalidParams(
                f'the parameter "{name}" has to be {expected}, not {_shown(given[name])}',
                param=name,
                expected=expected,
            )
    return None


def _unknown(name: str, known: Iterable[str]) -> InvalidParams:
    """Say that a parameter is unknown, and which is nearest or, where none is near, which there are."""
    names = sorted(known)
    meant = nearest(name, names)
    shown = name[:_SHOWN]
    if meant:
        return InvalidParams(
            f'unknown parameter "{shown}": did you mean "{meant}"?', param=shown, nearest=meant, known=names
        )
    there_are = "it takes " + ", ".join(names) if names else "it takes none"
    return InvalidParams(f'unknown parameter "{shown}": {there_are}', param=shown, known=names)


def _expected(annotation: object) -> str:
    """Return the description of a field's type."""
    for meta in getattr(annotation, "__metadata__", ()):
        if isinstance(meta, Meta) and meta.description:
            return meta.description
    return "another value"


def _shown(value: Raw) -> str:
    """Return the beginning of a value as it was written."""
    text = bytes(value).decode()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def texts(value: str | list[str] | None) -> tuple[str, ...]:
    """Every text of a parameter that takes one or several."""
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)
