"""Which Markdown do notes speak? The rules in the order they are asked, and the two parsers they make.

markdown-it-py does the parsing. Blocks and the text inside them are parsed apart: most text holds no
mark worth asking about, and nesting costs differently in the two.
"""

from collections.abc import Callable, MutableMapping
from typing import Any

from markdown_it import MarkdownIt, rules_block, rules_inline
from markdown_it.ruler import Ruler
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from notesd.parse import block_rules, inline_rules

Env = MutableMapping[str, Any]

_ANYWHERE = ("paragraph", "reference", "blockquote", "list")
_NOT_LISTS = ("paragraph", "reference", "blockquote")
_ONLY_TEXT = ("paragraph", "reference")

BLOCK_RULES: tuple[tuple[str, block_rules.BlockRule, tuple[str, ...], str], ...] = (
    # name, rule, blocks that it may interrupt, signs it begins with when it does (empty: any)
    ("plain", block_rules.plain, (), ""),
    ("table", block_rules.table, _ONLY_TEXT, ""),
    ("code", rules_block.code, (), ""),
    ("fence", rules_block.fence, _ANYWHERE, "`~"),
    ("math", block_rules.math, _ANYWHERE, "$"),
    ("blockquote", block_rules.blockquote, _ANYWHERE, ">"),
    ("hr", rules_block.hr, _ANYWHERE, "-*_"),
    ("list", rules_block.list_block, _NOT_LISTS, "-*+0123456789"),
    ("footnote", block_rules.footnote, _ONLY_TEXT, "["),
    ("reference", block_rules.reference, (), ""),
    ("html_block", block_rules.html_block, _NOT_LISTS, "<"),
    ("heading", rules_block.heading, _NOT_LISTS, "#"),
    ("prose", block_rules.prose, (), ""),
)

INLINE_RULES: tuple[tuple[str, Callable[[StateInline, bool], bool]], ...] = (
    ("text", inline_rules.text),
    ("newline", rules_inline.newline),
    ("escape", rules_inline.escape),
    ("code", inline_rules.located(rules_inline.backtick)),
    ("math", inline_rules.math),
    ("wikilink", inline_rules.wikilink),
    ("footnote", inline_rules.footnote),
    ("strikethrough", rules_inline.strikethrough.tokenize),
    ("emphasis", rules_inline.emphasis.tokenize),
    ("link", inline_rules.link),
    ("image", inline_rules.image),
    ("autolink", rules_inline.autolink),
    ("html", inline_rules.located(rules_inline.html_inline)),
    ("entity", rules_inline.entity),
)

PAIR_RULES: tuple[tuple[str, Callable[[StateInline], None]], ...] = (
    ("balance", rules_inline.link_pairs),
    ("strikethrough", rules_inline.strikethrough.postProcess),
    ("emphasis", rules_inline.emphasis.postProcess),
    ("join", rules_inline.fragments_join),
)

BLOCK_DEPTH = 160
"""Levels of quotes, lists (two a level) and footnotes; each costs two frames of Python's stack.
Lines deeper than that are in no token."""

INLINE_DEPTH = 20
"""Levels of links in images in links; every further level costs time for each bracket of a run."""


class _Markdown(MarkdownIt):
    """markdown-it with our rules."""

    def __init__(self, depth: int) -> None:
        super().__init__("commonmark", {"maxNesting": depth})
        self.block.ruler = Ruler()
        for name, rule, interrupts, _ in BLOCK_RULES:
            self.block.ruler.push(name, rule, {"alt": list(interrupts)})
        self.inline.ruler = Ruler()
        for name, inline_rule in INLINE_RULES:
            self.inline.ruler.push(name, inline_rule)
        self.inline.ruler2 = Ruler()
        for name, pair_rule in PAIR_RULES:
            self.inline.ruler2.push(name, pair_rule)
        # Destinations stay as they were written: what they mean is decided by us, and nothing is
        # ever rendered from them.
        self.normalizeLink = _as_written  # type: ignore[method-assign]  # markdown-it means them to be replaced
        self.normalizeLinkText = _as_written  # type: ignore[method-assign,assignment]  # and it names its argument
        self.validateLink = _always  # type: ignore[method-assign]  # see above


def _as_written(url: str) -> str:
    return url


def _always(url: str) -> bool:
    del url
    return True


def _by_first_sign() -> dict[str, tuple[block_rules.BlockRule, ...]]:
    """Return the rules that may interrupt a paragraph by the sign its line begins with, ``""`` for others."""
    known = {sign for _, _, _, signs in BLOCK_RULES for sign in signs}
    return {
        sign: tuple(
            rule
            for _, rule, interrupts, signs in BLOCK_RULES
            if "paragraph" in interrupts and (not signs or (sign and sign in signs))
        )
        for sign in ("", *known)
    }


_INTERRUPTING = _by_first_sign()
_BLOCKS = _Markdown(BLOCK_DEPTH)
_INLINE = _Markdown(INLINE_DEPTH)


def parse_blocks(text: str, env: Env) -> list[Token]:
    """Return the block tokens of a text; ``inline`` tokens hold text that is still to be read.

    Link definitions are collected in ``env`` for ``parse_inline``.
    """
    tokens: list[Token] = []
    env["interrupting"] = _INTERRUPTING
    _BLOCKS.block.parse(text, _BLOCKS, env, tokens)
    return tokens


def parse_inline(content: str, env: Env) -> list[Token]:
    """Return the tokens of one paragraph, heading or cell."""
    return _INLINE.inline.parse(content, _INLINE, env, [])
