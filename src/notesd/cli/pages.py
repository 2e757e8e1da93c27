"""What does the manual say? Its pages lie in the package, and are searched like notes."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

PAGES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "manual")
"""Folder of the pages."""
_BEST, _OF_FIRST = 3, 2
"""Pages that are told, and passages of the first of them."""
_BLANK = re.compile(r"\n{2,}")
_ITEM = re.compile(r"\n(?=(?:- |\| ))")
_RULE = re.compile(r"\|(?: ?-+ ?\|)+")
_UNSAFE = re.compile(r"[^\w ]+")


class Passage(NamedTuple):
    """A paragraph, an entry of a list or a row of a table."""

    page: str
    under: str
    """The heading that it stands under."""
    text: str


def pages() -> list[str]:
    """Return the name of every page, sorted."""
    return sorted(name.removesuffix(".md") for name in os.listdir(PAGES) if name.endswith(".md"))


def read(page: str) -> str:
    """Return the text of a page.

    Raises:
        OSError: There is none of this name.
    """
    with open(os.path.join(PAGES, f"{page}.md"), encoding="utf-8") as file:
        return file.read()


def passages() -> Iterator[Passage]:
    """Yield every passage of every page; the heads of tables and the blocks of code belong to none."""
    for page in pages():
        under = ""
        for block in _BLANK.split(read(page).strip("\n")):
            if block.startswith("#"):
                under = block.lstrip("# ")
            elif not block.startswith("```"):
                rows = _ITEM.split(block)
                if len(rows) > 1 and _RULE.fullmatch(rows[1]):
                    rows = rows[2:]
                yield from (Passage(page, under, row) for row in rows)


def answer(question: str) -> list[Passage]:
    """Return the passages that answer a question best, two of the best page and one of others.

    Args:
        question: Query text; words alone count.
    """
    from notesd.cli import run  # noqa: PLC0415 - who prints a page does not pay for it

    every = list(passages())
    notes = {
        f"{one.page}/{number}.md": f"# {_UNSAFE.sub(' ', one.under)}\n\n{one.text.replace('[[', '[')}\n"
        for number, one in enumerate(every)
    }
    paths = run.search_texts(notes, question, 10 * _BEST)
    found = [every[int(path.partition("/")[2].removesuffix(".md"))] for path in paths]
    first = [one for one in found if one.page == found[0].page][:_OF_FIRST]
    others = {one.page: one for one in reversed(found) if one.page != found[0].page}
    return [*first, *list(reversed(others.values()))[: _BEST - 1]]
