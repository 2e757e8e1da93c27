"""How do some notes of a space get their vectors: cut, encoded together, stored in one transaction?"""

import hashlib
import logging
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from notesd.embed.jobs import SetAside, Unavailable
from notesd.embed.passages import Passage, body_language, body_words, headings, outline, passages
from notesd.embed.process import EmbeddingProcess
from notesd.errors import BadVector
from notesd.index import links, notes
from notesd.index.store import Writer
from notesd.index.vector_cache import VectorCache
from notesd.index.vectors import Piece, VectorStore
from notesd.model import Note
from notesd.models.failures import ModelDown, TextRefused
from notesd.models.manifest import Granularity, Manifest
from notesd.space.vectors import SpaceVectors, Wanted

log = logging.getLogger("notesd")

SHORT_WORDS: Final = 40
"""A note with fewer words of body is embedded whole where others get an outline: it costs hardly more."""


class _Cut(NamedTuple):
    """What is to be embedded of a note."""

    wanted: Wanted
    words: int
    """Of its body."""
    language: str | None
    texts: Sequence[Passage]
    whole: bool
    """Not an outline only."""
    failed: str | None
    """Why there are no texts, or not all."""


class Embedder(Struct, frozen=True):
    """What makes vectors of notes: a model in its process, and what it made before."""

    process: EmbeddingProcess
    cache: VectorCache
    manifest: Manifest
    granularity: Granularity

    def embed(self, vectors: SpaceVectors, batch: Sequence[Wanted], *, outlines: bool = False) -> None:
        """Make and store the vectors of some notes; their texts go to the process together.

        Args:
            vectors: Those of the space.
            batch: The notes; one that has changed or gone since it was found missing is passed over.
            outlines: Of notes that are not short only title and headings.

        Raises:
            ModelDown: The process cannot be had.
            StoreError: Nothing was kept.
        """
        if vectors.store is None:
            return
        anew = vectors.making_anew
        cut = [found for wanted in batch if (found := self._cut(vectors, wanted, outlines=outlines))]
        texts = list(dict.fromkeys(passage.text for one in cut for passage in one.texts))
        made = dict(zip(texts, self._encode(texts, anew=anew), strict=True))
        with vectors.store.write() as writer:
            for one in cut:
                results = [(passage, made[passage.text]) for passage in one.texts]
                failures = [result.reason for _, result in results if isinstance(result, SetAside)]
                pieces = [
                    Piece(passage.position, _hash(passage.text), result, passage.line_start)
                    for passage, result in results
                    if isinstance(result, bytes)
                ]
                if not one.whole:
                    vectors.outline(writer, one.wanted, one.words, pieces, one.language)
                    continue
                failed = one.failed or next(iter(failures), None)
                stored = _store(vectors.store, writer, one._replace(failed=failed), pieces, anew=anew)
                vectors.remember(one.wanted, failed=not stored)

    def _cut(self, vectors: SpaceVectors, one: Wanted, *, outlines: bool) -> _Cut | None:
        """Cut a note into texts; None when it is another one than was found missing, or gone."""
        with vectors.space.reading() as reader:
            now = [Wanted(*row) for row in notes.embeddable(reader, one.key)]
            read = links.recall(reader, one.path) if now == [one] else None
        if read is None:
            return None
        note, failed = read.note, None
        words, language = body_words(note), body_language(note)
        if outlines and words >= SHORT_WORDS:
            return _Cut(one, words, language, outline(note), whole=False, failed=None)
        try:
            texts = self._texts(note)
        except TextRefused as error:
            texts, failed = (), error.message
        return _Cut(one, words, language, texts, whole=True, failed=failed)

    def _texts(self, note: Note) -> Sequence[Passage]:
        """All texts of a note.

        Raises:
            TextRefused: The process cannot count them.
        """
        known, count = self.manifest, self.process.count_tokens
        texts = passages(note, count, self.granularity, known.token_budget, known.max_tokens)
        return (*texts, *headings(note)) if self.granularity == "passages" else texts

    def _encode(self, texts: Sequence[str], *, anew: bool) -> list[bytes | SetAside]:
        """Vectors of some texts, from the cache where they were made before, unless they are wanted anew.

        Raises:
            ModelDown: The process cannot be had.
        """
        known = {} if anew else self.cache.get([_hash(text) for text in texts])
        fresh = [text for text in texts if _hash(text) not in known]
        made: dict[str, bytes | SetAside] = {}
        for text, result in zip(fresh, self.process.encode_passages(fresh), strict=True):
            if isinstance(result, Unavailable):
                raise ModelDown(result.reason)
            made[text] = result
        good = {_hash(text): result for text, result in made.items() if isinstance(result, bytes)}
        self.cache.put(good, replace=anew)
        return [known.get(_hash(text)) or made[text] for text in texts]


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()[:16]


def _store(store: VectorStore, writer: Writer, cut: _Cut, pieces: Sequence[Piece], *, anew: bool) -> bool:
    """Store what a note got, and why it did not get all; returns whether it did."""
    one, failed = cut.wanted, cut.failed
    try:
        store.put(writer, one.key, one.digest, cut.words, pieces, cut.language, anew=anew)
    except BadVector as error:
        failed = error.message
    if failed:
        store.set_aside(writer, one.key, one.digest, failed)
        log.warning("a note has no or not all of its vectors: %s: %s", one.path, failed)
    return failed is None
