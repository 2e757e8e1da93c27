"""Which notes have vectors, and how do the others get theirs?

One model and one embedding process serve all spaces, and one thread here feeds it: it looks every
moment whether an index has moved on, takes the notes whose text is not embedded yet, the most recently
changed first, and stores what comes back. Nothing waits for it: questions use what there is.
"""

import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence

from msgspec import structs

from notesd.duty import Duty, told
from notesd.embed.passages import HEADING_RULES, TEXT_RULES
from notesd.embed.process import EmbeddingProcess
from notesd.errors import Busy, NotesdError, StoreCorrupt, StoreError
from notesd.index import notes
from notesd.index.store import Reader
from notesd.index.vector_cache import VectorCache
from notesd.ingest.ingest import Progress
from notesd.model import NotePath
from notesd.models import manifest as manifests
from notesd.parse.languages import RULES as LANGUAGE_RULES
from notesd.settings import SearchConfig
from notesd.space.embedding import Embedder
from notesd.space.space import Space
from notesd.space.vectors import SpaceVectors, VectorState

log = logging.getLogger("notesd")

LOOK_S = 1.0
"""How often the thread looks whether an index has moved on."""
RETRY_S = 10.0
"""Pause after the process could not be had."""
DOUBT_S = 2.0
"""How often a model that is in doubt is looked at."""
SHY_S = 10.0
"""After a question was not answered in time, others do not wait for so long."""
TOGETHER = 16
"""Notes stored in one transaction."""


class _Wakes:
    """Wakes what makes vectors when notes have changed."""

    def __init__(self, wake: threading.Event) -> None:
        self._wake = wake

    def changed(self, _generation: int, _paths: Sequence[NotePath] | None, /) -> None:
        self._wake.set()

    def progressed(self, now: Progress, /) -> None:
        """No matter."""

    def replaced(self) -> None:
        """No matter."""


class Meaning:
    """The vectors of all spaces: a model, a process, a thread."""

    def __init__(self, spaces: Mapping[str, Space], settings: SearchConfig, models: str, state: str) -> None:
        """Nothing is loaded or started before ``start``.

        Args:
            spaces: Those that want vectors.
            settings: Which model, and how.
            models: Folder with one folder a model.
            state: The state folder.
        """
        self.spaces = {name: SpaceVectors(space) for name, space in spaces.items()}
        self._left: list[SpaceVectors] = []  # spaces of before: the thread lets go of them
        self._settings = settings
        self._folder = os.path.join(models, settings.model)
        self._state = state
        self._embedder: Embedder | None = None
        self._reason = "the embedding model is being looked for"
        self._shy_until = self._doubted_at = 0.0
        self._stopping, self._wake = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._duty = Duty("meaning")
        self._thread = threading.Thread(target=self._loop, name=self._duty.name, daemon=True)

    def want(self, name: str) -> SpaceVectors:
        """Say that meaning is asked for in a space: from now on its notes get vectors.

        The first such wish loads what it takes; the base install never needs any of it.
        """
        vectors = self.spaces[name]
        with self._lock:
            if not vectors.wanted:
                vectors.wanted = True
                vectors.space.hear(_Wakes(self._wake))
            if self._thread.ident is None and not self._stopping.is_set():
                self._thread.start()
        return vectors

    def welcome(self, space: Space) -> None:
        """Know one more space, or one anew; ``want`` says that it is to have vectors."""
        self.dismiss(space.name)
        self.spaces[space.name] = SpaceVectors(space)

    def dismiss(self, name: str) -> None:
        """Make no more vectors for a space, if it is there; questions under way may still know it."""
        if old := self.spaces.get(name):
            old.wanted = False
            self._left.append(old)
            self._wake.set()

    def close(self) -> None:
        """End the thread and the process."""
        self._stopping.set()
        self._wake.set()
        self._duty.end()
        if self._embedder:
            self._embedder.process.close()
        if self._thread.is_alive():
            self._thread.join(10)

    def duties(self) -> list[Duty]:
        """What is done here as long as the daemon lives: nothing before somebody asks for meaning."""
        made = self._embedder
        found = (self._duty if self._thread.ident else None, made.process.duty if made else None)
        return [duty for duty in found if duty]

    def embed_anew(self, name: str) -> None:
        """Make all vectors of a space again, the cache notwithstanding; those there are answer meanwhile."""
        self.want(name).anew = True
        self._wake.set()

    def set_aside(self, name: str, reader: Reader) -> list[tuple[NotePath, str]]:
        """Notes of a space that the model failed on, and why; from any thread."""
        vectors = self.spaces[name]
        store = vectors.store
        try:
            if store is None or not store.counts().set_aside:
                return []
            states = store.state()
        except Busy:
            return []  # it is being replaced
        except StoreError as error:
            vectors.report(error)
            return []
        reasons = {key: state.reason for key, state in states.items() if state.failed is not None}
        paths = {key: path for key, path, *_ in notes.embeddable(reader) if key in reasons}
        return sorted((path, reasons[key]) for key, path in paths.items())

    def check(self, name: str) -> list[str]:
        """What is wrong with the vectors of a space, a sentence each; from any thread.

        What is damaged is made anew.
        """
        vectors = self.spaces[name]
        state, store = self.state_of(name), vectors.store
        told = [state.reason] if state.state == "unavailable" else []
        if store is None:
            return told
        try:
            if damage := store.check():
                vectors.report(StoreError(f"the vectors are damaged ({damage[0]}); they are made anew"))
                return damage
            with vectors.space.reading() as reader:
                live = [row[0] for row in notes.embeddable(reader)]
            return told + store.strays(live)
        except Busy as error:
            return [*told, error.message]
        except StoreError as error:
            vectors.report(error)
            return [*told, error.message]

    def state_of(self, name: str) -> VectorState:
        """How the meaning of a space is to be had: what a question would meet; from any thread."""
        vectors = self.spaces[name]
        trouble = vectors.trouble or (self._embedder.process.trouble if self._embedder else "")
        if not trouble or not vectors.wanted:
            return vectors.state
        return structs.replace(vectors.state, state="unavailable", reason=trouble)

    def vector(self, question: str) -> bytes | tuple[str, bool]:
        """Return the vector of a question, or why there is none and whether it was only out of time."""
        if self._embedder is None:
            return self._reason, False
        process = self._embedder.process
        if time.monotonic() < self._shy_until:
            return "the embedding model did not answer a moment ago", True
        found = process.encode_query(question, self._settings.query_timeout_s)
        if isinstance(found, bytes):
            return found
        state = process.state()
        if state.reason:
            return state.reason, False
        if state.name != "loading":
            self._shy_until = time.monotonic() + SHY_S
        return found.reason, True

    @property
    def known(self) -> manifests.Manifest | None:
        """What is known of the model; None while it is being looked for."""
        return self._embedder.manifest if self._embedder else None

    @property
    def tokenizer(self) -> tuple[str | None, str]:
        """What cuts texts, None before the model was loaded, and why it is not what was configured."""
        ready = self._embedder.process.ready if self._embedder else None
        return (ready.tokenizer, ready.remark) if ready else (None, "")

    # ---- the thread --------------------------------------------------------------------------

    def _loop(self) -> None:
        try:
            self._duty.keep(self._take_turn)
        finally:
            _let_go([*self._left, *self.spaces.values()])
            if self._embedder:
                self._embedder.cache.close()

    def _take_turn(self) -> bool:
        """Do what there is to do and wait a moment; False when the daemon ends."""
        self._wake.clear()
        pause = LOOK_S
        try:
            pause = self._round()
        except Busy:
            pass  # an index is being replaced: look again
        except ImportError as error:
            pause = RETRY_S
            self._fail(f"the semantic extra is not installed ({error}): pip install 'notesd[semantic]'")
        except (NotesdError, OSError) as error:
            pause = RETRY_S
            self._fail(str(error))
        except Exception as error:
            self._fail(told(error).message)
            raise
        (self._stopping if pause == RETRY_S else self._wake).wait(pause)
        return not self._stopping.is_set()

    def _round(self) -> float:
        """Bring every space a step further, so that none waits for another; returns how long to pause."""
        left, self._left = self._left, []
        _let_go(left)
        if self._embedder is None:
            self._open_model()
        elif self._embedder.process.doubtful() and time.monotonic() > self._doubted_at + DOUBT_S:
            self._doubted_at = time.monotonic()
            self._embedder.process.warm_up()  # whether it can be had is known before somebody asks
        busy = [vectors for vectors in list(self.spaces.values()) if vectors.wanted and self._attend(vectors)]
        return 0.0 if busy else LOOK_S

    def _fail(self, reason: str) -> None:
        if reason != self._reason:
            log.warning("the semantic channel is not available: %s", reason)
        self._reason = reason
        for vectors in filter(lambda vectors: vectors.wanted, list(self.spaces.values())):
            self._stop_at(vectors, reason)

    def _stop_at(self, vectors: SpaceVectors, reason: str) -> None:
        """Nothing can be made for a space now; what is to be done is found again later."""
        vectors.look_again()
        vectors.state = structs.replace(
            vectors.state, state="unavailable", reason=reason, model=self._settings.model, per_s=None
        )

    def _open_model(self) -> None:
        known = manifests.read(self._folder)
        fingerprint = manifests.fingerprint(known, self._settings.granularity, TEXT_RULES)
        cache = VectorCache(os.path.join(self._state, "vectors"), fingerprint, known.dimensions)
        process = EmbeddingProcess(self._folder, known, idle_s=self._settings.model_idle_s)
        self._embedder = Embedder(process, cache, known, self._settings.granularity)
        process.warm_up()  # the first question is not to wait for the model

    def _attend(self, vectors: SpaceVectors) -> bool:
        """Bring one space a step further; returns whether there is more to do.

        What is wrong with its files does not concern other spaces.
        """
        known = self.known
        if known is None or time.monotonic() < vectors.not_before:
            return False
        try:
            vectors.mend()
            made_of = manifests.fingerprint(known, self._settings.granularity, TEXT_RULES)
            vectors.open(
                f"{made_of} {LANGUAGE_RULES} {HEADING_RULES}", known.dimensions, self._settings.model,
                companion=bool(known.companion),
            )  # fmt: skip
            return self._step(vectors)
        except StoreError as error:
            log.warning("the vectors of %s cannot be made: %s", vectors.space.name, error.message)
            if isinstance(error, StoreCorrupt):
                vectors.report(error)
            vectors.not_before = time.monotonic() + RETRY_S
            self._stop_at(vectors, error.message)
            return False

    def _step(self, vectors: SpaceVectors) -> bool:
        """Embed some notes of a space, and see now and then whether others are to come first."""
        if not vectors.todo or time.monotonic() - vectors.pace.began > LOOK_S:
            vectors.look()
        if vectors.store is None or vectors.state.state != "building":
            return False
        outlines = bool(vectors.unoutlined)
        if self._embedder and (batch := vectors.next_notes(TOGETHER)):
            self._embedder.embed(vectors, batch, outlines=outlines)
            vectors.tell_building()
            return True
        model = self._settings.model
        if not vectors.all_known:
            reason = "the index is being built"
            vectors.state = VectorState("building", reason, model, vectors.done, vectors.done)
            return False
        vectors.making_anew = False
        if not vectors.store.complete:
            vectors.store.finish()
        vectors.store.compact()
        vectors.state = VectorState("ready", "", model, vectors.done, vectors.done)
        return False


def _let_go(some: Sequence[SpaceVectors]) -> None:
    for store in filter(None, (vectors.store for vectors in some)):
        store.close()
