"""In which languages are the notes there are written?"""

import contextlib
from collections import Counter

from notesd.errors import SourceError
from notesd.files.read import decode, read_note
from notesd.files.scan import Scan
from notesd.index import notes
from notesd.index.store import Reader, Store
from notesd.parse.languages import language_of
from notesd.parse.stems import ALGORITHMS

_SAMPLE_NOTES = 200
_SAMPLE_BYTES = 20_000
_RARE = 30
"""A language of fewer than one in so many notes does not count."""
_MOST_LANGUAGES = 6


def choose_stemmer(mode: str, root: str, found: Scan) -> str:
    """Settle ``auto``: the languages of some notes spread over the folder, the commonest first.

    A language counts when it is told of one in thirty of the notes that can be told, two at least where
    there are many; without any, English. Returned with commas between; ``none`` cuts no endings at all.
    """
    if mode != "auto":
        return {"porter": "en"}.get(mode, mode)
    paths = sorted(found.notes)
    votes: Counter[str] = Counter()
    for path in paths[:: max(1, len(paths) // _SAMPLE_NOTES)]:
        with contextlib.suppress(SourceError, OSError):
            text, _ = decode(read_note(root, path, _SAMPLE_BYTES).data)
            language = language_of(text)
            if language and language in ALGORITHMS:
                votes[language] += 1
    least = sum(votes.values()) / _RARE
    spoken = [
        language
        for language, number in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
        if number >= least
    ]
    return ",".join(spoken[:_MOST_LANGUAGES]) or "en"


def remember_choice(store: Store) -> None:
    """Remember from how many notes the stemmer was chosen."""
    with store.write() as writer:
        writer.set_meta("chosen_from", notes.count(writer))


def has_outgrown(reader: Reader) -> bool:
    """Whether there are twice or half as many notes as the stemmer was chosen from."""
    number, chosen = notes.count(reader), int(reader.meta("chosen_from") or 0)
    return number != 0 and not chosen / 2 < number < 2 * chosen
