"""In which languages are the notes of a folder written that nobody has read yet?"""

import contextlib
from collections import Counter

from notesd.errors import SourceError
from notesd.files.links import target_of
from notesd.files.read import decode, read_note
from notesd.files.scan import Scan
from notesd.parse.kinds import is_document
from notesd.parse.languages import chosen, language_of

_SAMPLE_NOTES = 200
_SAMPLE_BYTES = 8_000


def choose_stemmer(mode: str, root: str, found: Scan) -> str:
    """Settle ``auto``: guess the languages of a folder from some notes spread over it.

    Once all notes have been read the index is given those that they have. Returned with commas between;
    ``none`` cuts no endings at all.
    """
    if mode != "auto":
        return {"porter": "en"}.get(mode, mode)
    paths = sorted(path for path in found.notes if not is_document(path))
    step = max(1, len(paths) // _SAMPLE_NOTES)
    votes: Counter[str] = Counter()
    for path in paths[::step]:
        with contextlib.suppress(SourceError, OSError):
            target = target_of(found.targets, path)
            base, below = target.place(path) if target else (root, path)
            text, _ = decode(read_note(base, below, _SAMPLE_BYTES).data)
            if language := language_of(text):
                votes[language] += step
    return ",".join(chosen(votes))
