"""How do all spaces hear of changes, and what if they hear nothing?

One watcher serves all folders. Now and then it is looked after: it has to say that it is well, and to hear of
a change made on purpose (``pulse``); otherwise it is begun anew, and each folder is in doubt.
"""

import functools
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from notesd.files.watch import POLLING, Watcher
from notesd.ingest.ingest import Progress
from notesd.model import NotePath
from notesd.space import pulse
from notesd.space.condition import WatchState
from notesd.space.pulse import Pulse
from notesd.space.space import Space

PULSE_S: Final = 5.0
"""How long a change made on purpose may take to be heard of."""

log = logging.getLogger("notesd")


class _Anew:
    """Has a space watched anew when another folder stands there."""

    def __init__(self, watch: Callable[[str], None], name: str) -> None:
        self._watch, self._name = watch, name

    def changed(self, generation: int, paths: Sequence[NotePath] | None, /) -> None:
        """No matter."""

    def progressed(self, now: Progress, /) -> None:
        """No matter."""

    def replaced(self) -> None:
        self._watch(self._name)


class Watching:
    """The watcher of all spaces."""

    def __init__(
        self, spaces: Mapping[str, Space], state: str, on_watched: Callable[[Space], None] = lambda _: None
    ) -> None:
        """Nothing is watched yet; until then, and whenever in doubt, a walk finds what happened.

        Args:
            spaces: What is to be watched, by name.
            state: The state folder.
            on_watched: Told of each space that begins to be watched.
        """
        self._spaces = spaces
        self._on_watched = on_watched
        self._watcher: Watcher | None = None
        self._pulse = Pulse(state)
        self._anew: dict[str, _Anew] = {}
        """Who listens for each space."""
        self._lock = threading.Lock()
        """Held while the watcher is begun, looked after or closed."""
        self._closed = threading.Event()

    def look_after(self) -> None:
        """Begin to watch; from then on, begin anew when the watcher is ill. It may take some seconds."""
        with self._lock:
            if self._closed.is_set():
                return
            watcher = self._watcher or self._begin()
            illness = self._illness(watcher)
            if not illness:
                return
            log.warning("the watcher is started again: %s", illness)
            watcher.restart()
            while not self._closed.is_set() and (deafness := self._deafness(watcher)):
                watcher.restart(not_again=deafness)  # it has just begun: another way will do better

    def welcome(self, space: Space) -> None:
        """Follow one more of the spaces; without a watcher, the next one does."""
        with self._lock:
            if self._watcher:
                self._follow(self._watcher, space)

    def dismiss(self, name: str) -> None:
        """Follow a space no more."""
        with self._lock:
            if self._watcher:
                self._watcher.remove(name)

    def close(self) -> None:
        """Watch no more."""
        self._closed.set()
        self._pulse.heard()  # nobody need wait for it any more
        with self._lock:
            if self._watcher:
                self._watcher.close()

    def _begin(self) -> Watcher:
        """Follow the folders by events."""
        self._watcher = watcher = Watcher(self._on_dirty)
        try:
            self._pulse.begin(watcher)
            for space in list(self._spaces.values()):
                self._follow(watcher, space)
        except BaseException:
            self._watcher = None
            watcher.close()
            raise
        return watcher

    def _follow(self, watcher: Watcher, space: Space) -> None:
        name = space.name
        space.hear(self._anew.setdefault(name, _Anew(self._watch_anew, name)))
        space.watch_state = functools.partial(self._state, name)
        space.hears_all = functools.partial(self._hears_all, name)
        watcher.add(name, space.path, space.ignore, space.place.links)
        space.mark(None)
        self._on_watched(space)

    def _on_dirty(self, name: str, path: str | None) -> None:
        if name == pulse.NAME:
            self._pulse.heard()
        elif space := self._spaces.get(name):  # else it has just left
            space.mark(path)

    def _watch_anew(self, name: str) -> None:
        """Another folder stands where the root was."""
        space, watcher = self._spaces.get(name), self._watcher
        if watcher and space:
            watcher.remove(name)
            watcher.add(name, space.path, space.ignore, space.place.links)
            space.mark(None)

    def _state(self, name: str) -> WatchState:
        watcher = self._watcher
        if watcher is None:
            return WatchState()
        used, limit = watcher.watches()
        kind = watcher.kinds().get(name, POLLING)
        lost = watcher.overflows.get(name)
        return WatchState(
            kind, self._pulse.last, watcher.healthy(), used, limit, watcher.shortfall(),
            overflows=lost.count if lost else 0, overflowed=lost.last if lost else None,
        )  # fmt: skip

    def _hears_all(self, name: str) -> bool:
        watcher = self._watcher
        kind = watcher.kinds().get(name, POLLING) if watcher else POLLING
        return watcher is not None and kind != POLLING and not watcher.shortfall()

    def _illness(self, watcher: Watcher) -> str | None:
        """What is wrong with the watcher, by its own word or because it does not hear us; None: nothing."""
        return watcher.healthy() or self._deafness(watcher)

    def _deafness(self, watcher: Watcher) -> str | None:
        """Make a change and say that it was not heard of; None: it was, or no events are to be expected."""
        if watcher.kinds().get(pulse.NAME, POLLING) == POLLING or self._pulse.beats(PULSE_S):
            return None
        return f"a change in the state folder was not heard of within {PULSE_S:g} s"
