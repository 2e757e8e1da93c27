"""What does one paragraph, heading or cell say: its plain text, its links and its tags?"""

import re
from html import unescape
from typing import Any, NamedTuple

from markdown_it.token import Token

from notesd.model import Kind, Style
from notesd.parse.blocks import Env, parse_inline
from notesd.parse.tags import BREAK, inline_tags
from notesd.parse.wikilinks import markdown_target, whole_wikilink

# Signs that stand for something in the text that fields and tags are looked for in, like ``BREAK``.
LINK = "\ufdd0"
"""A wiki-link."""
OPAQUE = "\ufdd1"
"""Anything that is not text: code, math, an escape, an address, an embed."""

# Every alternative of these three starts with one plain sign: then Python's engine skips to the next
# such sign instead of trying each place.
_MARKED = re.compile(r"\\|`|\*|\[\[|\]\(|\]\[|\[\^|\^\[|~~|<[a-zA-Z!/?]|&[#a-zA-Z]|_(?<!\w_)|_(?!\w)")
"""Signs without which a text is what it seems; ``[x]`` counts only where definitions exist."""

_LINKED = re.compile(r"\\|\[\[|\]\(|\]\[|\[\^|\^\[|<[a-zA-Z!/?]|&[#a-zA-Z]")
"""Signs that ask for the real rules; without them marks only shape the text."""

_EDGE = r"(?=[ \n!-)+-/:-@\[-^{-}]|\Z)"
"""What follows a mark that closes behind any sign: a blank, the end, or punctuation that is no mark."""

_SHAPING = re.compile(
    r"`(?<!``)(?P<code>[^`]+)`(?!`)"
    r"|\*(?<!\*\*)(?P<stars>\*{0,2})(?=[^\W_])(?P<starred>[^*`]+)(?:(?<=[^\W_])\*(?P=stars)(?!\*)|(?<!\s)\*(?P=stars)"
    + _EDGE
    + r")"
    r"|_(?<![^ \n!-/:-@\[-^{-~]_)(?P<lines>_{0,2})(?=[^\W_])(?P<lined>[^_`]+)(?<!\s)_(?P=lines)"
    + _EDGE
    + r"|~~(?<!~~~)(?=[^\W_])(?P<struck>[^~`]+)(?<!\s)~~"
    + _EDGE
)
"""Code and emphasis, unless they stand inside each other. Each alternative ends at the next such sign,
so a run of them costs linear time. What CommonMark would judge by more than the next signs is left to it."""

_TOUCHING = re.compile(r"[*~`]_|_[*~`]")
"""Marks of two kinds side by side: whether one of them counts hangs on the other."""

_LEFT = re.compile(r"\*|``|~~|_(?<!\w_)|_(?!\w)")
"""Marks that are still there when ``_SHAPING`` has been taken off: the rules have to judge the text."""

_SHORTCUT = re.compile(r"\[[^\[\]]")
_TAG = re.compile(r"<[^<>]*>")
_LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


class Found(NamedTuple):
    """One link of a paragraph."""

    raw: str
    target: str
    style: Style
    kind: Kind
    line: int
    """Line in the paragraph, from 0."""
    at: int
    """Offset in ``Reading.scan``."""


class Reading(NamedTuple):
    """What one paragraph says."""

    text: str
    """As a reader sees it; lines end where they end in the source."""
    lines: tuple[int, ...]
    """Line in the paragraph, from 0, on which each line of ``text`` starts."""
    scan: str
    """The text with signs for what is not text."""
    links: tuple[Found, ...]
    tags: tuple[str, ...]


def read_inline(content: str, env: Env, *, heading: bool = False) -> Reading:
    """Read the text inside a block.

    Args:
        content: The text as markdown-it hands it over.
        env: Holds the link definitions of the note.
        heading: It is a name: marks of emphasis are taken off by the rules even where nothing else hangs
            on them, and words of comments are left out.
    """
    if "references" in env and _SHORTCUT.search(content):
        return _Reader(content, heading=heading).read(parse_inline(content, env))
    text = content
    if "\n" in content:
        text = "\n".join([line.strip(" \t") for line in content.split("\n")])
    if _MARKED.search(content) or "$" in content:
        shaped = None if heading or _needs_rules(content) else _SHAPING.sub(_unshaped, text)
        if shaped is None or "::" in shaped or _LEFT.search(shaped):
            return _Reader(content, heading=heading).read(parse_inline(content, env))
        text = shaped
    tags = tuple(inline_tags(text)) if "#" in text else ()
    return Reading(text, tuple(range(text.count("\n") + 1)), text, (), tags)


def _needs_rules(content: str) -> bool:
    """Say whether more than the shape of a text may hang on its marks.

    Tags and fields are looked for in ``Reading.scan``, where marks stand for themselves; marks within math
    are none; and code that goes over the end of a line is one line to the reader.
    """
    if "#" in content or "::" in content or _LINKED.search(content) or _TOUCHING.search(content):
        return True
    if content.count("$") > 1:
        return True
    return "\n" in content and "`" in content and any(line.count("`") % 2 for line in content.split("\n"))


def _unshaped(found: re.Match[str]) -> str:
    """Return what a mark of code or emphasis is put around; code gives up one blank at each end, if both."""
    code = found["code"]
    if code is None:
        return found["starred"] or found["lined"] or found["struck"]
    if code[0] == code[-1] == " " and code.strip(" "):
        return code[1:-1]
    return code


class _Reader:
    """Walks the tokens of one paragraph."""

    def __init__(self, content: str, *, heading: bool = False) -> None:
        self._content = content
        self._heading = heading
        self._shown: list[str] = []
        self._scan: list[str] = []
        self._length = 0
        self._line = 0
        self._lines = [0]
        self._links: list[Found] = []
        self._address = False

    def read(self, tokens: list[Token]) -> Reading:
        for token in tokens:
            kind = token.type
            if kind == "text":
                self._text(token.content)
            elif kind in ("softbreak", "hardbreak"):
                self._line += 1
                self._lines.append(self._line)
                self._say("\n", "\n")
            else:
                self._other(token, kind)
                if "end" in token.meta and "\n" in self._content:
                    self._line = self._content.count("\n", 0, token.meta["end"])
        scan = "".join(self._scan)
        tags = tuple(inline_tags(scan)) if "#" in scan else ()
        return Reading("".join(self._shown), tuple(self._lines), scan, tuple(self._links), tags)

    def _text(self, text: str) -> None:
        if self._address:
            self._say(text, OPAQUE)
        else:
            self._say(text, text)

    def _other(self, token: Token, kind: str) -> None:
        if kind == "wikilink":
            self._wikilink(token.meta)
        elif kind == "link_open":
            self._say("", BREAK)
            if token.info == "auto":
                self._address = True
            else:
                self._markdown(token.attrs.get("href"), "link", token.meta["pos"])
        elif kind == "image":
            self._markdown(token.attrs.get("src"), "embed", token.meta["pos"])
            self._say(_picture_name(token), OPAQUE)
        elif kind in ("code_inline", "math_inline"):
            self._say(token.content.replace("\n", " "), OPAQUE)
        elif kind == "text_special":
            self._say(" " if token.content == "\n" else token.content, OPAQUE)
        elif kind == "html_inline":
            self._html(token.content)
        elif token.nesting:
            self._address = False
            self._say("", BREAK)
        elif kind == "footnote_mark":
            self._say("", OPAQUE)

    def _say(self, shown: str, scan: str) -> None:
        self._shown.append(shown)
        self._scan.append(scan)
        self._length += len(scan)

    def _found(self, raw: str, target: str, style: Style, kind: Kind, place: int) -> None:
        line = self._content.count("\n", 0, place)
        self._links.append(Found(raw, target, style, kind, line, self._length))

    def _wikilink(self, meta: dict[str, Any]) -> None:
        link = meta["brackets"]
        kind: Kind = "embed" if meta["embed"] else "link"
        self._found(link.raw, link.target, "wiki", kind, meta["pos"])
        shown = link.raw if meta["embed"] else link.shown
        self._say(shown, OPAQUE if meta["embed"] else LINK)

    def _markdown(self, destination: str | float | None, kind: Kind, place: int) -> None:
        raw = str(destination or "").strip()
        within = whole_wikilink(raw)
        if within:  # ``[x]([[T]])``
            self._found(within[0].raw, within[0].target, "wiki", kind, place)
            return
        target = markdown_target(raw)
        if target:
            self._found(raw, target, "markdown", kind, place)

    def _html(self, tag: str) -> None:
        if tag.startswith("<!--"):  # its words stay findable, its marks do not count
            words = "" if self._heading else tag[4:].removesuffix("-->").replace("\n", " ")
            self._say(words, OPAQUE)
        elif _LINE_BREAK.match(tag):
            self._say(" ", " ")
        else:
            self._say("", BREAK)


def _picture_name(token: Token) -> str:
    """Return what stands for a picture: its description, else its file's name."""
    words = token.content.split()
    source = str(token.attrs.get("src") or "")
    if not words and not source.startswith("data:"):
        words = source.rpartition("/")[2].split()
    return " ".join(words)


def strip_html(source: str) -> str:
    """Return the words of an HTML block, line for line: no tags, comment marks or attributes."""
    text = source.replace("<!--", " ").replace("-->", " ")
    text = _TAG.sub(lambda tag: "\n" * tag[0].count("\n"), text)
    if "&" not in text:
        return text
    return "\n".join([" ".join(unescape(line).split("\n")) for line in text.split("\n")])
