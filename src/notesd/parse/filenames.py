"""Which words does the index keep of a file that is no note, and what kind of file is it?

Of its name and its folders alone: nobody reads it.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from notesd.parse.characters import fold, split_texts
from notesd.parse.joined import joined_forms
from notesd.parse.terms import folded_text, signs
from notesd.parse.written_days import day_token, written_days

KINDS: Final[Mapping[str, frozenset[str]]] = {
    kind: frozenset(extensions.split())
    for kind, extensions in (
        ("image", "apng avif bmp gif heic heif ico jfif jpeg jpg jxl png psd raw svg tif tiff webp xcf"),
        ("audio", "3ga aac aif aiff amr flac m4a mid midi mp3 oga ogg opus wav weba wma"),
        ("video", "3gp avi m4v mkv mov mp4 mpeg mpg ogv webm wmv"),
        ("document", "doc docx epub key mobi numbers odg odp ods odt pages pdf ppt pptx ps rtf xls xlsx"),
        ("archive", "7z bz2 gz rar tar tgz xz zip zst"),
    )
}
"""Kinds of files, each with the extensions that tell it."""
ATTACHMENT: Final = "attachment"
"""The type of every file that is no note."""
_LONGEST_EXTENSION: Final = 12


class NameWords(Struct, frozen=True, gc=False, array_like=True):
    """One text a column, ready for the tokenizer."""

    name: str
    folders: str
    forms: str
    """Other ways of writing it, and the days that it names."""
    signs: str


def name_words(path: str) -> NameWords:
    """Prepare the words of a file's path: those of its name with the extension, and of its folders."""
    folder, _, name = path.rpartition("/")
    stem, _ = parted(name)
    days = [day_token(day) for found in written_days(stem) for day in found.days]
    texts = (name, folder, "\n".join((*joined_forms(stem), *days)))
    columns = split_texts(folded_text(fold("\0".join(text.replace("\0", " ") for text in texts))).lower())
    own, folders, forms = (" ".join(words) for words in columns)
    return NameWords(own, folders, forms, " ".join(signs(stem)))


def parted(name: str) -> tuple[str, str]:
    """Return a file's name without its extension, and the extension: in small letters, without the dot."""
    stem, dot, extension = name.rpartition(".")
    if not (dot and stem and extension.isalnum() and len(extension) <= _LONGEST_EXTENSION):
        return name, ""
    return stem, extension.lower()


def kind_of(extension: str) -> str:
    """Return the kind of a file by its extension; ``file`` where that does not tell."""
    return next((kind for kind, extensions in KINDS.items() if extension in extensions), "file")


def extensions_of(wanted: str) -> frozenset[str]:
    """Return the extensions that a type of file means: those of a kind, or itself."""
    return KINDS.get(wanted, frozenset()) | {wanted.removeprefix(".")}
