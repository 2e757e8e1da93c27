"""How are the marks inside a paragraph found: wiki-links, math, footnotes, and where each stands?

Each rule has markdown-it's signature: it looks at ``state.pos``, pushes tokens and moves on, or returns
False. ``located`` wraps markdown-it's own rules so that their tokens know their place: ``meta["pos"]``
of the first token and ``meta["end"]`` of the last are offsets in the source.
"""

import re
from collections.abc import Callable

from markdown_it import rules_inline
from markdown_it.rules_inline import StateInline

from notesd.parse.wikilinks import read_brackets

InlineRule = Callable[[StateInline, bool], bool]

_SIGNS = re.compile(r"[\n!$&*<\[\\\]^_`~]")
"""Where a rule below may begin; ``]`` ends a label."""

_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,100}\]")


def text(state: StateInline, silent: bool) -> bool:
    """Take everything up to the next sign that may begin a rule."""
    found = _SIGNS.search(state.src, state.pos, state.posMax)
    stop = found.start() if found else state.posMax
    if stop == state.pos:
        return False
    if not silent:
        state.append_pending(state.src[state.pos : stop])
    state.pos = stop
    return True


def located(rule: InlineRule) -> InlineRule:
    """Wrap a rule of markdown-it so that its tokens know where they stand in the source."""

    def run(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        made = state.tokens[count:]
        if made:
            first = made[1] if made[0].type == "text" and len(made) > 1 else made[0]
            first.meta["pos"] = start
            made[-1].meta["end"] = state.pos
        return True

    return run


def last(state: StateInline, mark: str) -> int:
    """Return the last offset of a mark in the source, remembered while the same source is read."""
    known: tuple[str, int] | None = state.env.get(mark)
    if known is None or known[0] is not state.src:
        known = state.env[mark] = (state.src, state.src.rfind(mark))
    return known[1]


def wikilink(state: StateInline, silent: bool) -> bool:
    """Read ``[[target|shown]]`` and ``![[embed]]``; every sign in them is part of the name."""
    start = state.pos
    embed = state.src[start] == "!"
    opening = start + embed
    if not state.src.startswith("[[", opening) or last(state, "]]") < opening:
        return False
    shown_first = not embed and bool(state.env.get("shown first"))
    found = read_brackets(state.src, opening, state.posMax, shown_first=shown_first)
    if found is None:
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        token.meta = {"pos": start, "embed": embed, "brackets": found}
    state.pos = found.end
    return True


def math(state: StateInline, silent: bool) -> bool:
    """Read ``$...$`` with no blank inside the dollars and no digit after, or ``$$...$$``."""
    source, start, limit = state.src, state.pos, state.posMax
    if source[start] != "$":
        return False
    run = 1
    while start + run < limit and source[start + run] == "$":
        run += 1
    stop = -1
    if run <= 2:  # noqa: PLR2004 -- one dollar or two; more are text
        stop = _display_end(state) if run == 2 else _math_end(state)  # noqa: PLR2004 -- see above
    if stop < 0:
        if not silent:
            state.append_pending(source[start : start + run])
        state.pos = start + run
        return True
    if not silent:
        token = state.push("math_inline", "", 0)
        token.content = source[start:stop]
        token.meta = {"pos": start, "end": stop}
    state.pos = stop
    return True


def _display_end(state: StateInline) -> int:
    if last(state, "$$") < state.pos + 2:
        return -1
    close = state.src.find("$$", state.pos + 2, state.posMax)
    return close + 2 if close > state.pos + 2 else -1


def _math_end(state: StateInline) -> int:
    """Return the end of ``$...$``, -1 when the next dollar closes nothing: TeX has none inside a formula."""
    source, start, limit = state.src, state.pos, state.posMax
    if start + 2 >= limit or source[start + 1].isspace():
        return -1
    close = source.find("$", start + 2, limit)
    while close > 0 and source[close - 1] == "\\":
        close = source.find("$", close + 1, limit)
    if close < 0 or source[close - 1].isspace() or source[close + 1 : close + 2].isdigit():
        return -1
    return close + 1


def footnote(state: StateInline, silent: bool) -> bool:
    """Read a footnote's mark ``[^name]``, and the opening ``^[`` of one written in place.

    The text of the latter is read like any other; only its bracket must not open a link.
    """
    source, start = state.src, state.pos
    if source.startswith("^[", start) and not source.startswith("^[[", start):
        if not silent:
            state.append_pending("^[")
        state.pos = start + 2
        return True
    found = _FOOTNOTE.match(source, start, state.posMax) if source.startswith("[^", start) else None
    if found is None:
        return False
    if not silent:
        state.push("footnote_mark", "", 0)
    state.pos = found.end()
    return True


def link(state: StateInline, silent: bool) -> bool:
    """Read a Markdown link; gives up at once where none can follow."""
    if state.src[state.pos] != "[" or not _label_may_close(state):
        return False
    return _link(state, silent)


def image(state: StateInline, silent: bool) -> bool:
    """Read a Markdown image; gives up at once where none can follow."""
    if not state.src.startswith("![", state.pos) or not _label_may_close(state):
        return False
    return _image(state, silent)


_link = located(rules_inline.link)
_image = located(rules_inline.image)


def _label_may_close(state: StateInline) -> bool:
    mark = "]" if "references" in state.env else "]("
    return last(state, mark) > state.pos
