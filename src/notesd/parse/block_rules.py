"""Which blocks do notes know beyond CommonMark: display math, footnotes, tables, and prose found fast?

Each rule has markdown-it's signature: it looks at the lines from ``start`` on, pushes tokens and moves
``state.line``, or returns False. With ``silent`` it only says whether it would match.
"""

import re
from collections.abc import Callable

from markdown_it import rules_block
from markdown_it.rules_block import StateBlock

BlockRule = Callable[[StateBlock, int, int, bool], bool]

_SILENT = True
"""Asks a rule whether it would match."""

_PROSE = re.compile(
    r"""[^\x00-\x7f]|[A-Za-z!"'(/@%^{}.,;?&\\)\]=:]|\*\*?(?=[^\s*])|_(?=[^\W_])|`(?!``)|\$(?!\$)|~(?!~~)"""
    r"""|\[\[|\[[^\[\]\\]*\](?!:)|[0-9]{1,9}(?![0-9.)])"""
)
"""A line that begins so begins no list, quote, fence, rule, heading, definition or HTML."""

DEEP_QUOTE = 12
"""Levels of other blocks around a quote from which on it may have only so many lines:"""
DEEP_QUOTE_LINES = 1000

_LABELLED = re.compile(r"\[[^\[\]]*\]:[ \t]*!?\[\[")

_PIPE = re.compile(r"(?<!\\)\|")


def blockquote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a quote.

    Each level of quotes in quotes asks about each line that may belong to it, also the lazy ones without
    ``>``. Deep down not all of them are asked about; a paragraph goes on all the same.
    """
    if state.level >= DEEP_QUOTE:
        end = min(end, start + DEEP_QUOTE_LINES)
    return rules_block.blockquote(state, start, end, silent)


def html_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read HTML; where a comment ends and another begins in the same line, that one belongs to it."""
    if not rules_block.html_block(state, start, end, silent):
        return False
    if silent:
        return True
    token = state.tokens[-1]
    while token.content.startswith("<!--") and token.content.rfind("<!--") > token.content.rfind("-->"):
        last = state.line
        while _goes_on(state, last, end) and "-->" not in state.src[state.bMarks[last] : state.eMarks[last]]:
            last += 1
        if not _goes_on(state, last, end):
            break
        state.line = last + 1
        token.map = [start, state.line]
        token.content = state.getLines(start, state.line, state.blkIndent, keepLastLF=True)
    return True


def _goes_on(state: StateBlock, line: int, end: int) -> bool:
    """Say whether a line can still belong to what began in its list item."""
    return line < end and state.sCount[line] >= state.blkIndent


def math(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read ``$$`` up to a line that ends with ``$$``; blank lines may stand between.

    A formula that opens and closes in one line is left to the inline rule, and one that never closes
    is text.
    """
    begin = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("$$", begin) or state.is_code_block(start):
        return False
    if "$$" in state.src[begin + 2 : state.eMarks[start]]:
        return False
    line = start + 1
    while line < end:
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            return False
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
        if "$$" in text:
            if not text.rstrip().endswith("$$"):
                return False
            break
        line += 1
    else:
        return False
    if silent:
        return True
    token = state.push("math_block", "", 0)
    token.map = [start, line + 1]
    token.content = state.getLines(start, line + 1, state.blkIndent, keepLastLF=False)
    state.line = line + 1
    return True


def footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read ``[^name]: text``; what is indented by four below it belongs to it.

    Must run before references, which would take the note's text for a destination.
    """
    begin, limit = state.bMarks[start] + state.tShift[start], state.eMarks[start]
    if not state.src.startswith("[^", begin) or state.is_code_block(start):
        return False
    close = state.src.find("]:", begin + 3, limit)
    if close < 0 or any(sign in " \t]" for sign in state.src[begin + 2 : close]):
        return False
    if silent:
        return True
    state.push("footnote_open", "", 1).map = lines = [start, 0]
    saved = (state.bMarks[start], state.tShift[start], state.sCount[start], state.parentType)
    body = close + 2
    position, column = body, state.sCount[start] + body - begin
    first = column
    while position < limit and state.src[position] in " \t":
        column += 4 - column % 4 if state.src[position] == "\t" else 1
        position += 1
    # The rest of the line is read as if it stood alone, at the indent of what follows.
    state.bMarks[start], state.tShift[start] = body, position - body
    state.blkIndent += 4
    state.sCount[start] = state.blkIndent + min(column - first, 3)
    state.parentType = "footnote"
    if position >= limit and start + 1 < end and state.isEmpty(start + 1):
        state.line = start + 1
    else:
        state.md.block.tokenize(state, start, end)
    state.blkIndent -= 4
    state.bMarks[start], state.tShift[start], state.sCount[start], state.parentType = saved
    state.line = max(state.line, start + 1)
    lines[1] = state.line
    state.push("footnote_close", "", -1)
    return True


def table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a GFM table into one token; ``meta["rows"]`` holds a line and its cells for each row.

    markdown-it's own rule judges the head. Its rows are eight tokens and more each, which we have no
    use for, and it drops cells beyond the head's; here the row is then kept as one cell, for the
    cause is often the pipe of a ``[[target|shown]]``.
    """
    if state.src.find("|", state.bMarks[start] + state.tShift[start], state.eMarks[start]) < 0:
        return False
    if not rules_block.table(state, start, end, _SILENT):
        return False
    if silent:
        return True
    parent, state.parentType = state.parentType, "table"
    interrupting = state.md.block.ruler.getRules("blockquote")
    head = _cells(_source(state, start))
    rows = [(start, head)]
    line = start + 2
    while line < end and state.sCount[line] >= state.blkIndent and not state.is_code_block(line):
        source = _source(state, line)
        if not source or (source[0] != "|" and any(rule(state, line, end, _SILENT) for rule in interrupting)):
            break
        cells = _cells(source)
        if len(cells) > len(head):
            cells = [source.strip("| \t").replace("\\|", "|")]
        rows.append((line, cells))
        line += 1
    state.parentType = parent
    token = state.push("table", "table", 0)
    token.map = [start, line]
    token.meta = {"rows": rows}
    state.line = line
    return True


def _source(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip(" \t")


def _cells(source: str) -> list[str]:
    """Cut a row at its pipes; an escaped one belongs to its cell."""
    escaped = "\\" in source
    cells = _PIPE.split(source) if escaped else source.split("|")
    if cells and not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return [(cell.replace("\\|", "|") if escaped else cell).strip(" \t") for cell in cells]


def reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a link definition; ``[word]: [[T]]`` is none, however CommonMark takes it."""
    begin = state.bMarks[start] + state.tShift[start]
    if state.src[begin] != "[" or _LABELLED.match(state.src, begin, state.eMarks[start]):
        return False
    return rules_block.reference(state, start, end, silent)


def plain(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read at once what can only be a paragraph by its first sign.

    Nine of ten blocks of a note are, and asking every rule about them is half the cost of parsing.
    """
    if not _is_prose(state, start) or state.sCount[start] - state.blkIndent > 3:  # noqa: PLR2004 -- CommonMark: four blanks make code
        return False
    return prose(state, start, end, silent)


def _is_prose(state: StateBlock, line: int) -> bool:
    """Say whether a line cannot begin anything but a paragraph."""
    begin, limit = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    return _PROSE.match(state.src, begin, limit) is not None and state.src.find("|", begin, limit) < 0


def prose(state: StateBlock, start: int, end: int, _silent: bool) -> bool:
    """Read a paragraph or an underlined heading in one pass.

    Does what markdown-it's ``lheading`` and ``paragraph`` do one after the other, but asks the other
    rules only about lines that may begin a block. It interrupts nothing, so it is never asked silently.
    """
    parent, state.parentType = state.parentType, "paragraph"
    level = 0
    line = start + 1
    while line < state.lineMax and not state.isEmpty(line):
        indent = state.sCount[line] - state.blkIndent
        if indent > 3:  # noqa: PLR2004 -- deeper lines only continue the text
            line += 1
            continue
        if indent >= 0 and line < end:
            level = _underline(state, line)
            if level:
                break
        # A negative indent marks a line that a quote has taken as a lazy continuation.
        if state.sCount[line] >= 0 and not _is_prose(state, line) and _interrupted(state, line, end):
            break
        line += 1
    state.parentType = parent
    text = state.getLines(start, line, state.blkIndent, keepLastLF=False).strip(" \t\n")
    state.line = line + 1 if level else line
    if level:
        state.push("heading_open", f"h{level}", 1).map = [start, state.line]
    token = state.push("inline", "", 0)
    token.content, token.map = text, [start, line]
    if level:
        state.push("heading_close", f"h{level}", -1)
    return True


def _interrupted(state: StateBlock, line: int, end: int) -> bool:
    """Ask the rules that may begin with the first sign of a line whether they end the paragraph."""
    rules: dict[str, tuple[BlockRule, ...]] = state.env["interrupting"]
    sign = state.src[state.bMarks[line] + state.tShift[line]]
    stop = end if line < end else state.lineMax
    return any(rule(state, line, stop, _SILENT) for rule in rules.get(sign) or rules[""])


def _underline(state: StateBlock, line: int) -> int:
    """Return the level of heading that a line underlines, 0 when it is no underline."""
    begin = state.bMarks[line] + state.tShift[line]
    sign = state.src[begin]
    if sign not in "=-" or state.src[begin : state.eMarks[line]].rstrip(" \t").strip(sign):
        return 0
    return 1 if sign == "=" else 2
