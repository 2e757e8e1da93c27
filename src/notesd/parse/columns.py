"""Which words does the full-text index keep of a note, and in which column?"""

from msgspec import Struct

from notesd.model import Note
from notesd.parse.terms import index_text, signs


class Columns(Struct, frozen=True, gc=False, array_like=True):
    """One text a column, ready for the tokenizer."""

    name: str
    aliases: str
    type: str
    headings: str
    tags: str
    body: str
    signs: str


def columns_of(note: Note) -> Columns:
    """Prepare a note's words.

    The file's name stands beside the aliases when it is not the title: people search for both.
    """
    aliases = list(note.aliases)
    stem = note.path.rpartition("/")[2][: -len(".md")]
    if stem.casefold() != note.title.casefold():
        aliases.append(stem)
    headings = "\n".join(h.text for h in note.headings)
    body = "\n".join(
        [*(o.text for o in note.observations), headings]
    )  # headings are text too: +0.006 on titles
    tags = "\n".join(note.tags)
    return Columns(
        name=index_text(note.title),
        aliases=index_text("\n".join(aliases)),
        type=index_text(note.entity_type or ""),
        headings=index_text(headings),
        tags=index_text(tags),
        body=index_text(body),
        signs=" ".join(signs("\n".join((note.title, *aliases, body)))),
    )
