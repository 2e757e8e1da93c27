"""Which words does the full-text index keep of a note, and in which column?

What ranks are stems, so that all forms of a word count as one. The words as they are written are kept
beside them, each once: words in quotes, the order between forms and the vocabulary ask for those.
"""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from notesd.model import Note
from notesd.parse.characters import DENSE
from notesd.parse.joined import joined_forms
from notesd.parse.languages import languages_told
from notesd.parse.stems import stems, stems_by_writing
from notesd.parse.terms import index_text, signs
from notesd.parse.written_days import day_token, written_days

_TOKEN: Final = re.compile(r"[^\x00-/:-@\[-`{-\x7f]+")


class Written(Struct, frozen=True, gc=False, array_like=True):
    """The words of a note as they are written, each once."""

    names: str
    """Of the title and the aliases."""
    words: str
    """Of what the note says."""
    folders: str
    """Of the folders it lies in."""
    languages: str
    """Code of the language that the note is written in, or of those that it may be."""


class Columns(Struct, frozen=True, gc=False, array_like=True):
    """One text a column, ready for the tokenizer."""

    name: str
    aliases: str
    type: str
    headings: str
    tags: str
    body: str
    folders: str
    addresses: str
    forms: str
    """Other ways of writing names and numbers."""
    signs: str
    language: str
    """Code of the language that it is written in, whatever its space; empty where that cannot be told."""
    written: Written


def columns_of(note: Note, languages: Sequence[str] = ()) -> Columns:
    """Prepare a note's words.

    The file's name stands beside the aliases when it is not the title: people search for both.

    Args:
        note: The note.
        languages: Of its space, the commonest first; a note whose language cannot be told, or is none of
            them, is taken to be written in the first. None: words are kept as they are written.
    """
    folder, _, file = note.path.rpartition("/")
    aliases = list(note.aliases)
    stem = file.rpartition(".")[0]
    if stem.casefold() != note.title.casefold():
        aliases.append(stem)
    headings = "\n".join(h.text for h in note.headings)
    # Headings are text too: +0.006 on titles.
    body = "\n".join([*(o.text for o in note.observations), headings])
    names = "\n".join(aliases)
    named = _days(f"{note.title}\n{stem}")
    forms = [*joined_forms(f"{note.title}\n{names}\n{body}"), *_days(f"{note.created or ''}\n{body}")]
    texts = [
        *(note.title, " ".join((names, *named)), note.entity_type or ""),
        *(headings, "\n".join(note.tags), body),
        *(folder, "\n".join(note.addresses), "\n".join(forms)),
    ]
    columns = [_tokens(text) for text in texts]
    words = list({token for tokens in columns for token in tokens})
    cut, further, spoken, own = _stems(words, f"{note.title}\n{body}", languages)
    columns[-1] += further
    name, other, kind, heads, tags, text, folders, links, ways = (
        " ".join([cut.get(token, token) for token in tokens]) for tokens in columns
    )
    said = signs("\n".join((note.title, *aliases, body)))
    written = Written(
        _once(columns[:2]), _once(columns[2:6] + columns[7:]), _once(columns[6:7]), " ".join(spoken)
    )
    return Columns(name, other, kind, heads, tags, text, folders, links, ways, " ".join(said), own, written)


def _days(text: str) -> list[str]:
    """Return the words that stand for the days that a text names."""
    return [day_token(day) for found in written_days(text) for day in found.days]


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(index_text(text).lower())


def _stems(
    words: Sequence[str], text: str, languages: Sequence[str]
) -> tuple[dict[str, str], list[str], Sequence[str], str]:
    """Return the stem of each word of a note, those that it has in other languages, the languages, its own.

    Where it cannot be told in which language of the space a note is written, it may be any of them.
    """
    if not languages:
        return {}, [], (), ""
    own, told = languages_told(text, languages)
    cut = stems_by_writing(words, told or languages[0], languages)
    others = () if told else languages[1:]
    further = {stem for language in others for stem in stems(words, language)}
    return cut, sorted(further.difference(words, cut.values())), (told,) if told else languages, own or ""


def _once(columns: Sequence[Sequence[str]]) -> str:
    """Return each word once; of writing without blanks every part stands in the other columns already."""
    words = dict.fromkeys(token for tokens in columns for token in tokens)
    return " ".join([word for word in words if word.isascii() or not DENSE.match(word)])
