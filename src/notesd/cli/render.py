"""How does an answer look, to a person and to a program?

Titles, paths and texts come from notes, and notes come from anywhere. In every format for people
a character that could command a terminal is shown as an escape instead; JSON keeps the true data,
written so that it is harmless too; only ``-0`` gives names as the bytes they are.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from notesd import errors

Answer = Mapping[str, object]
Account = Callable[[Answer], Sequence[str]]
"""What says in a few lines why a result stands where it stands."""

_FIRST_BYTE = 0xEF80
"""Daemon and client write the bytes 0x80.. of a name that is not UTF-8 as U+EF80.. ."""
_LAST_BYTE = 0xEFFF
_COMMANDS = frozenset(
    {
        *range(0x20),
        *range(0x7F, 0xA0),
        0x061C,
        0x200E,
        0x200F,
        *range(0x2028, 0x202F),
        *range(0x2066, 0x206A),
        0xFEFF,
    }
)
"""Controls, line and paragraph separators, and what turns the direction of writing."""


_SURROGATES = range(0xD800, 0xE000)
"""Halves of characters, which no encoding can write."""


class _Visible(dict[int, int | str]):
    """What ``str.translate`` puts in the place of each character, found out when first met."""

    def __missing__(self, code: int) -> int | str:
        shown: int | str = code
        if code in _COMMANDS:
            shown = f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004 - the last byte
        elif _FIRST_BYTE <= code <= _LAST_BYTE:
            shown = f"\\x{code - 0xEF00:02x}"
        elif code in _SURROGATES:
            shown = 0xFFFD
        self[code] = shown
        return shown


class _Escaped(dict[int, int | str]):
    """The same for JSON text, where controls below U+0020 are escaped already."""

    def __missing__(self, code: int) -> int | str:
        harmful = code in _COMMANDS and code not in {0x09, 0x0A, 0x0D}
        shown: int | str = f"\\u{code:04x}" if harmful or code in _SURROGATES else code
        self[code] = shown
        return shown


_VISIBLE = _Visible()
_ESCAPED = _Escaped()


class Style:
    """The marks around what stands out: escape sequences on a terminal, nothing or ``**`` elsewhere."""

    def __init__(
        self, *, colour: bool, links: bool = False, columns: int = 0, ago: Callable[[str], str] | None = None
    ) -> None:
        """Take what the output understands.

        Args:
            colour: Escape sequences for colours.
            links: Those for links (OSC 8).
            columns: Characters that fit into a line; 0: as many as there are.
            ago: Says how long ago a date is; None: dates are not said where nobody asked for them.
        """
        self._colour = colour
        self._links = links
        self.columns = columns
        self.ago = ago
        self.found = ("\x1b[1;33m", "\x1b[0m") if colour else ("**", "**")
        """Before and after a word that was searched for."""

    def bold(self, text: str) -> str:
        """Return a text that stands out."""
        return f"\x1b[1m{text}\x1b[0m" if self._colour and text else text

    def dim(self, text: str) -> str:
        """Return a text that stands back."""
        return f"\x1b[2m{text}\x1b[0m" if self._colour and text else text

    def fit(self, text: str, beside: int = 0) -> str:
        """Return a text that fits into a line beside so many other characters."""
        room = self.columns - beside
        return text if self.columns == 0 or len(text) <= max(room, 1) else f"{text[: max(room - 1, 0)]}…"

    def link(self, text: str, path: str) -> str:
        """Return a text that leads to a file, where the terminal has links."""
        if not self._links or not path.startswith("/"):
            return text
        plain = frozenset(b"/-._~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        address = "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in name_bytes(path))
        return f"\x1b]8;;file://{address}\x1b\\{text}\x1b]8;;\x1b\\"


def size(number: int) -> str:
    """Return a number of bytes for people: ``17 kB``, ``3.2 MB``."""
    amount, unit = float(number), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 1000:  # noqa: PLR2004 - that is what the units mean
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.0f} {unit}" if amount >= 10 or unit == "bytes" else f"{amount:.1f} {unit}"  # noqa: PLR2004 - two digits say enough


def clean(value: object) -> str:
    r"""Return a text that no terminal takes for a command, on one line.

    A control character is shown as ``\x1b``, a byte that is not UTF-8 in a name as ``\xe9``.
    """
    return str(value).translate(_VISIBLE)


def clean_lines(value: object) -> str:
    """Do the same and keep line ends."""
    return "\n".join(clean(line.expandtabs(4)) for line in str(value).split("\n"))


def flow(value: object) -> str:
    """Return a text on one line, runs of blanks as one."""
    return clean(" ".join(str(value).split()))


def as_json(value: object, *, indent: bool) -> str:
    """Return JSON that keeps the data and holds no character a terminal would act on."""
    text = json.dumps(value, ensure_ascii=False, indent=2 if indent else None)
    return text.translate(_ESCAPED)


def name_bytes(path: str) -> bytes:
    """Return the name a path has on disk."""
    raw = {code: code - _FIRST_BYTE + 0xDC80 for code in map(ord, path) if _FIRST_BYTE <= code <= _LAST_BYTE}
    return path.translate(raw).encode("utf-8", "surrogateescape")


def name_text(argument: str) -> str:
    """Return a name as the daemon writes it, from a word of the command line."""
    odd = range(0xDC80, 0xDD00)  # how Python hands over bytes that are no text
    raw = {code: code - odd.start + _FIRST_BYTE for code in map(ord, argument) if code in odd}
    return argument.translate(raw)


def hits(answer: Answer) -> list[Answer]:
    """Return the results of a search or feed."""
    return records(answer.get("results"))


def records(value: object) -> list[Answer]:
    """Return the objects in a list of an answer."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, Sequence) else []


def words(value: object) -> list[str]:
    """Return the texts in a list of an answer."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, Sequence) else []


def mapping(value: object) -> Answer:
    """Return an object of an answer, empty when there is none."""
    return value if isinstance(value, Mapping) else {}


def counted(number: object, one: str, many: str = "") -> str:
    """Return a number of an answer and what is counted, as messages say it."""
    return flow(errors.counted(number, one, many))


def duration(seconds: float) -> str:
    """Return a time as people say it: seconds, minutes, hours or days, the two largest of them."""
    if seconds < 10:  # noqa: PLR2004 - only there a tenth says something
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    left = round(seconds)
    parts: list[str] = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        number, left = divmod(left, size)
        if number or parts:
            parts.append(f"{number} {unit}" if number else "")
        if len(parts) == 2:  # noqa: PLR2004 - as said above
            break
    return " ".join(filter(None, parts))


def full_path(answer: Answer, hit: Answer) -> str:
    """Return the absolute path of a hit: its space's folder and its path in it."""
    root = mapping(answer.get("spaces")).get(str(hit.get("space")))
    path = str(hit.get("path", ""))
    return f"{root}/{path}" if isinstance(root, str) else path


def as_text(
    answer: Answer, style: Style, account: Account | None = None, dated: str = "", first: int = 1
) -> str:
    """Return the results as people read them: number, title, place, passage, tags.

    Args:
        answer: Of a search or feed.
        style: How to make things stand out.
        account: Also say why each stands where it stands.
        dated: The date to show, ``modified`` or ``created``; "": none.
        first: Number of the first result.
    """
    found = hits(answer)
    many = len({hit.get("space") for hit in found}) > 1
    blocks = []
    for number, hit in enumerate(found, first):
        path = full_path(answer, hit)
        lines = [*_hit_lines(hit, number, style, path=path, named=many, dated=dated)]
        if account:
            lines += [f"  {style.dim(line)}" for line in account(hit) if line]
        blocks.append("".join(f"{line}\n" for line in lines))
    return "\n".join(blocks)


def _hit_lines(
    hit: Answer, number: int, style: Style, *, path: str, named: bool, dated: str
) -> Iterable[str]:
    """Return the lines of one result; what its title says already is not said again."""
    name = flow(hit.get("name", ""))
    said = " (not looked at again yet)" if hit.get("stale") else ""
    said += " (far from the question)" if hit.get("evidence") == "low" else ""
    title = style.bold(style.fit(name, len(f"{number}. {said}")))
    yield f"{style.dim(f'{number}.')} {title}{style.dim(said)}"
    place = clean(hit.get("path", ""))
    if hit.get("line") and "linked_by" not in hit:  # a file has no lines to go to
        place += f":{hit['line']}"
    place = style.link(place, path)
    if named:
        place += f"  [{clean(hit.get('space', ''))}]"
    if date := flow(hit.get(dated) or "") if dated else "":
        place += f"  {moment(date)}"
    elif style.ago and (date := flow(hit.get("modified") or "")):
        place += f"  {style.dim(style.ago(date))}"
    heading = below(words(hit.get("heading")), name)
    yield f"  {place}" + (f"  {style.dim(heading)}" if heading else "")
    snippet = flow(hit.get("snippet") or "")
    if snippet and unmarked(snippet).lstrip("# ") != name:
        yield f"  {_marked(snippet, style)}"
    if linking := ", ".join(clean(path) for path in words(hit.get("linked_by"))):
        yield f"  {style.dim(f'linked by {linking}')}"
    if tags := " ".join(f"#{flow(tag)}" for tag in words(hit.get("tags"))):
        yield f"  {style.dim(tags)}"


def below(heading: Sequence[str], title: str) -> str:
    """Return the headings above a passage, without the note's own title, which stands first in many."""
    parts = [flow(part) for part in heading]
    return " > ".join(parts[1:] if parts[:1] == [title] else parts)


def moment(text: str) -> str:
    """Return a date and time as people write it: to the minute, without the zone."""
    return text[:16].replace("T", " ")


def unmarked(snippet: str) -> str:
    """Return a snippet without its marks."""
    return snippet.replace("<mark>", "").replace("</mark>", "")


def _marked(snippet: str, style: Style) -> str:
    """Return a snippet with its marks as the output shows them."""
    before, after = style.found
    return snippet.replace("<mark>", before).replace("</mark>", after)


def as_jsonl(answer: Answer) -> str:
    """Return one result a line, as JSON."""
    return "".join(f"{as_json(hit, indent=False)}\n" for hit in hits(answer))


def as_paths(answer: Answer, *, exact: bool, terminal: bool) -> bytes:
    """Return the absolute path of each result.

    Args:
        answer: Of a search or feed.
        exact: Each name as its bytes on disk with a NUL after it. Otherwise one a line, with
            controls shown as escapes, because a name may hold a line end.
        terminal: Then nothing is exact: bytes of a name could command it.
    """
    out = []
    for hit in hits(answer):
        path = full_path(answer, hit)
        if terminal:
            out.append(clean(path).encode() + b"\n")
        elif exact:
            out.append(name_bytes(path) + b"\0")
        else:
            out.append(_openable(path) + b"\n")
    return b"".join(out)


def as_vimgrep(answer: Answer, *, terminal: bool) -> bytes:
    """Return ``path:line:column:text`` for each result, for editors that jump to places."""
    out = []
    for hit in hits(answer):
        path = full_path(answer, hit)
        name = clean(path).encode() if terminal else _openable(path)
        text = flow(hit.get("snippet") or hit.get("name") or "")
        out.append(name + f":{hit.get('line') or 1}:1:{unmarked(text)}\n".encode())
    return b"".join(out)


def as_tsv(answer: Answer, *, terminal: bool) -> bytes:
    """Return path, line, title and passage of each result, with a tab between each two."""
    out = []
    for hit in hits(answer):
        path = full_path(answer, hit)
        name = clean(path).encode() if terminal else _openable(path)
        facts = (hit.get("line") or 1, hit.get("name", ""), unmarked(str(hit.get("snippet") or "")))
        out.append(b"\t".join((name, *(flow(fact).encode() for fact in facts))) + b"\n")
    return b"".join(out)


def _openable(path: str) -> bytes:
    """Return a path on one line: odd bytes as they are on disk, controls as escapes."""
    shown = {code: _VISIBLE[code] for code in map(ord, path) if not _FIRST_BYTE <= code <= _LAST_BYTE}
    return name_bytes(path.translate(shown))


def count(answer: Answer, first: int) -> str:
    """Return which of how many results these are, "" where they are all.

    Args:
        answer: Of a search or feed.
        first: Number of the first result.
    """
    total, last = answer.get("total"), first + len(hits(answer)) - 1
    if not isinstance(total, int) or total <= last or last < first:
        return ""
    return f"{first} to {last} of {total}; the next: --offset {last}"


def remarks(answer: Answer) -> list[str]:
    """Return what a reader of the results should know beside them: none found, not all looked at."""
    out = []
    index = mapping(answer.get("index"))
    left = mapping(index.get("pending")).get("files")
    if index.get("building"):
        waiting = f" ({counted(left, 'file')} to go)" if left else ""
        partly = f"the index is still being built{waiting}, so there may be more"
    elif left:
        waiting = "1 changed file is" if left == 1 else f"{left} changed files are"
        partly = f"{waiting} still to be read, so there may be more"
    else:
        partly = ""
    if not hits(answer):
        gaps = ", ".join(map(flow, words(index.get("gaps"))))
        if gaps or partly:
            out.append(f"nothing found; {f'{gaps}, so there may be more' if gaps else partly}")
        elif index.get("complete"):
            out.append(f"nothing found; the index is complete (generation {flow(index.get('generation'))})")
        else:
            out.append("nothing found")
    elif partly:
        out.append(partly)
    out += _corrected(answer)
    every = bool(answer.get("explain")) or not hits(answer)
    told = " ".join(words(index.get("gaps"))) if not hits(answer) else ""
    unmet = (item for item in records(answer.get("degraded")) if str(item.get("reason")) not in told)
    missing = (_missing(item, every=every) for item in unmet)
    return [*out, *filter(None, missing)]


def _corrected(answer: Answer) -> list[str]:
    """Return which words were taken for others, one sentence for each word that was typed."""
    meant: dict[str, list[str]] = {}
    for one in records(answer.get("corrected")):
        meant.setdefault(flow(one.get("from", "")), []).append(flow(one.get("to", "")))
    return [
        f"no note holds {typed}; did you mean {' or '.join(near)}? searched for that too"
        for typed, near in meant.items()
    ]


def _missing(item: Answer, *, every: bool) -> str:
    """Return what an answer lacks, in words; empty where a person need not hear it each time."""
    channel, reason = flow(item.get("channel", "")), flow(item.get("reason", ""))
    if item.get("space"):
        return f"not all was asked: {reason}"
    if channel in {"filter", "index"} or item.get("partly"):
        return reason
    if not item.get("lasting"):
        return f"without the {channel} channel: {reason}"
    # It is so for every question: people hear it when they ask, or when nothing was found.
    return f"in the {channel} channel: {reason}" if every else ""
