"""Which stemmer suits the notes there are?"""

import contextlib

from notesd.errors import SourceError
from notesd.files.read import decode, read_note
from notesd.files.scan import Scan
from notesd.parse.languages import language_of
from notesd.parse.stopwords import STOPWORDS

_SAMPLE_NOTES = 200
_SAMPLE_BYTES = 20_000
_PLURAL_S = frozenset({"en", "es", "pt", "fr", "ca"})


def choose_stemmer(mode: str, root: str, found: Scan) -> str:
    """Settle ``auto`` by the language of some notes spread over the folder, told by their stop words.

    ``porter`` where most notes are in a language that makes plurals with -s: its first step takes
    that off, and English gains 0.03 nDCG@10 by the others. Spanish questions gained 0.011 and 0.001
    by it, quotations from a Spanish garden lost 0.005. Notes without any stop word do not vote.
    """
    if mode != "auto":
        return mode
    paths = sorted(found.notes)
    votes = {True: 0, False: 0}
    for path in paths[:: max(1, len(paths) // _SAMPLE_NOTES)]:
        with contextlib.suppress(SourceError, OSError):
            text, _ = decode(read_note(root, path, _SAMPLE_BYTES).data)
            language = language_of(text)
            if language in STOPWORDS:
                votes[language in _PLURAL_S] += 1
    return "porter" if votes[True] > votes[False] else "none"
