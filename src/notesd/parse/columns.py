"""Which words does the full-text index keep of a note, and in which column?

What ranks are stems, so that all forms of a word count as one. The words as they are written are kept
beside them, each once: words in quotes, the order between forms and the vocabulary ask for those.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

from msgspec import Struct

from notesd.model import Note
from notesd.parse.characters import DENSE, fold, split_texts
from notesd.parse.joined import DIALLED, joined_forms
from notesd.parse.languages import languages_told
from notesd.parse.stems import stems, stems_by_writing
from notesd.parse.terms import folded_text, signs
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
    dialled = "\n".join(address for address in note.addresses if address.startswith(DIALLED))
    forms = [
        *joined_forms(f"{note.title}\n{names}\n{body}\n{dialled}"),
        *_days(f"{note.created or ''}\n{body}"),
    ]
    texts = [
        *(note.title, " ".join((names, *named)), note.entity_type or ""),
        *(headings, "\n".join(note.tags), said),
        *(folder, "\n".join(note.addresses), "\n".join(forms)),
    ]
    folded = fold("\0".join([text.replace("\0", " ") for text in texts]))
    columns = split_texts(folded_text(folded).lower())
    columns[5] += columns[3]
    own, told = (
        languages_told(f"{note.title}\n{body}", languages, _beginning(folded)) if languages else (None, None)
    )
    cut = stems_by_writing(told or languages[0], languages) if languages else None
    name, other, kind, heads, tags, text, folders, links, ways = (
        " ".join(map(cut.__getitem__, tokens) if cut is not None else tokens) for tokens in columns
    )
    # Where it cannot be told in which language of the space a note is written, it may be any of them.
    further = _further(columns, cut, languages[1:]) if cut is not None and not told else []
    spoken = (told,) if told else languages
    columns[-1] += further
    written = Written(
        *(_once(columns[:2]), _once(columns[2:6] + columns[7:]), _once(columns[6:7])), " ".join(spoken)
    )
    ways = " ".join((ways, *further))
    marks = " ".join(signs("\n".join((note.title, *aliases, body))))
    return Columns(name, other, kind, heads, tags, text, folders, links, ways, marks, own or "", written)


def _days(text: str) -> list[str]:
    """Return the words that stand for the days that a text names."""
    return [day_token(day) for found in written_days(text) for day in found.days]


def _beginning(folded: str) -> str:
    """Return the title, the text and the headings of what ``columns_of`` puts together."""
    title, _, _, headings, _, said, _ = folded.split("\0", 6)
    return f"{title}\n{said}\n{headings}"


def _further(columns: Sequence[Sequence[str]], cut: Mapping[str, str], languages: Sequence[str]) -> list[str]:
    """Return the stems that the words of a note have in some more languages, in order."""
    if not languages:
        return []
    words = set().union(*columns)
    found = {stem for language in languages for stem in stems(list(words), language)}
    return sorted(found.difference(words, map(cut.__getitem__, words)))


def _once(columns: Sequence[Sequence[str]]) -> str:
    """Return each word once; of writing without blanks every part stands in the other columns already."""
    words = dict.fromkeys(chain.from_iterable(columns))
    text = " ".join(words)
    return text if text.isascii() else " ".join([word for word in words if not DENSE.match(word)])
