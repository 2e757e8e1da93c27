"""Which words does the full-text index keep of a note, and in which column?

What ranks are stems, so that all forms of a word count as one. The words as they are written are kept
beside them, each once: words in quotes, the order between forms and the vocabulary ask for those.
"""

from collections.abc import Sequence
from itertools import chain

from msgspec import Struct

from notesd.model import Note
from notesd.parse.characters import DENSE, split_words
from notesd.parse.joined import joined_forms
from notesd.parse.languages import languages_told
from notesd.parse.stems import stems, stems_by_writing
from notesd.parse.terms import index_text, signs
from notesd.parse.written_days import day_token, written_days


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
    said = "\n".join(o.text for o in note.observations)
    # Headings are text too: +0.006 on titles.
    body = f"{said}\n{headings}" if said else headings
    names = "\n".join(aliases)
    named = _days(f"{note.title}\n{stem}")
    forms = [*joined_forms(f"{note.title}\n{names}\n{body}"), *_days(f"{note.created or ''}\n{body}")]
    texts = [
        *(note.title, " ".join((names, *named)), note.entity_type or ""),
        *(headings, "\n".join(note.tags), said),
        *(folder, "\n".join(note.addresses), "\n".join(forms)),
    ]
    columns = [_tokens(text) for text in texts]
    columns[5] += columns[3]
    words = list(set().union(*columns))
    cut, further, spoken, own = _stems(words, f"{note.title}\n{body}", languages)
    name, other, kind, heads, tags, text, folders, links, ways = (
        " ".join(map(cut.__getitem__, tokens) if cut else tokens) for tokens in columns
    )
    columns[-1] += further
    written = Written(
        *(_once(columns[:2]), _once(columns[2:6] + columns[7:]), _once(columns[6:7])), " ".join(spoken)
    )
    ways = " ".join((ways, *further))
    marks = " ".join(signs("\n".join((note.title, *aliases, body))))
    return Columns(name, other, kind, heads, tags, text, folders, links, ways, marks, own, written)


def _days(text: str) -> list[str]:
    """Return the words that stand for the days that a text names."""
    return [day_token(day) for found in written_days(text) for day in found.days]


def _tokens(text: str) -> list[str]:
    return split_words(index_text(text).lower()) if text else []


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
    words = dict.fromkeys(chain.from_iterable(columns))
    text = " ".join(words)
    return text if text.isascii() else " ".join([word for word in words if not DENSE.match(word)])
