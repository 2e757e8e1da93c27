"""Which kind of file is this, and who reads it? One table, and one door for every kind."""

from collections.abc import Callable
from typing import Final, NamedTuple

from msgspec import structs

from notesd.errors import Unparsable
from notesd.model import Note, NotePath, Problem
from notesd.parse.bases import read_base
from notesd.parse.canvas import read_canvas
from notesd.parse.dialects import read_mdx, read_quarto
from notesd.parse.excalidraw import is_excalidraw, read_excalidraw, read_scene
from notesd.parse.note import may_be_private, parse_note, plain_text
from notesd.parse.notebook import read_notebook
from notesd.parse.org import read_org
from notesd.parse.plain import read_plain


class Kind(NamedTuple):
    """One kind of file."""

    name: str
    """Type of its notes unless they say another; empty: they are notes like any other."""
    read: Callable[[str, NotePath], Note] | None = None
    """Reads its text; None: it is no text, and what reads it runs only in a process of its own
    (``files.pdf``)."""
    document: bool = False
    """It is rather kept than written by who keeps notes, and as long as a book: its words are counted apart
    from those of notes."""


KINDS: Final[dict[str, Kind]] = {
    ".md": Kind("", parse_note),
    ".markdown": Kind("", parse_note),
    ".mdx": Kind("", read_mdx),
    ".qmd": Kind("", read_quarto),
    ".rmd": Kind("", read_quarto),
    ".txt": Kind("", read_plain),
    ".org": Kind("", read_org),
    ".canvas": Kind("canvas", read_canvas),
    ".base": Kind("base", read_base),
    ".excalidraw.md": Kind("excalidraw", read_excalidraw),
    ".excalidraw": Kind("excalidraw", read_scene),
    ".ipynb": Kind("notebook", read_notebook),
    ".pdf": Kind("pdf", document=True),
}
"""Kinds by suffix, small letters; of two that fit the longer one counts."""


def suffix_of(path: str) -> str:
    """Return the suffix of a file of a known kind, in small letters; empty for others."""
    name = path.rpartition("/")[2].casefold()
    last = name.rfind(".")
    double = name[name.rfind(".", 0, max(last, 0)) :] if last > 0 else ""
    return next((one for one in (double, name[last:]) if last >= 0 and one in KINDS), "")


def is_document(path: str) -> bool:
    """Say whether the words of a file are counted apart from those of notes."""
    suffix = suffix_of(path)
    return bool(suffix) and KINDS[suffix].document


def read_file(
    text: str, path: NotePath, *, dendron: bool = False, problems: tuple[Problem, ...] = ()
) -> Note:
    """Say everything that one file of text says, whatever its kind.

    Never raises for what the file holds: what cannot be read of a kind is a note of its name alone, with a
    problem that says why. A file of no known kind is read as a plain text.

    Args:
        text: The decoded file.
        path: Where it lies.
        dendron: Of Markdown: the folder is a Dendron workspace.
        problems: What was wrong already when the file was read.
    """
    kind = KINDS.get(suffix_of(path), KINDS[".txt"])
    try:
        if kind.read is parse_note and is_excalidraw(text):  # whatever its name
            kind = KINDS[".excalidraw.md"]
        if kind.read is None:
            raise Unparsable("it is no text")  # noqa: TRY301 -- one way out
        note = (
            parse_note(text, path, dendron=dendron)
            if kind.read is parse_note
            else kind.read(plain_text(text), path)
        )
    except Unparsable as error:
        reason = f"{path} is known by its name only: {error.message}."
        # Nobody has understood it, so its wish is taken in any case.
        note = structs.replace(name_only(path, (Problem(error.kind, reason),)), private=may_be_private(text))
    # Of what is no note vectors are made only where it asks for them.
    return structs.replace(
        note,
        embed=note.embed and (says_embed(note) or not kind.name),
        entity_type=note.entity_type or kind.name or None,
        problems=(*problems, *note.problems),
    )


def says_embed(note: Note) -> bool:
    """Say whether a file has a wish of its own about vectors, whatever it is."""
    return any(key.casefold() == "embed" for key, _ in note.properties)


def name_only(path: NotePath, problems: tuple[Problem, ...] = ()) -> Note:
    """Return a note of which nothing but the name is known."""
    name = path.rpartition("/")[2]
    suffix = suffix_of(path)
    kind = KINDS[suffix].name if suffix else ""
    title = name[: -len(suffix)] if suffix else name.rpartition(".")[0]
    return Note(path, title or name, entity_type=kind or None, problems=problems)
