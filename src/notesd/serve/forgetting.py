"""What of the record of use does a request mean to have erased, and is it gone?"""

import functools
from typing import Any

from notesd.errors import Busy, NotesdError, StoreError
from notesd.index import keys
from notesd.model import NotePath
from notesd.serve import naming, params
from notesd.serve.spaces import Spaces
from notesd.space.space import Space
from notesd.usage.forget import Forgotten, Scope
from notesd.usage.record import Record


class Forgetting:
    """Erases what was recorded, of notes and spaces that may be gone themselves."""

    def __init__(self, spaces: Spaces, record: Record) -> None:
        self._spaces = spaces
        self._record = record

    async def forget(self, asked: params.ForgetParams) -> dict[str, Any]:
        """Erase what is meant of the record, and prove it.

        Raises:
            InvalidParams: It does not say what is meant.
            UnknownNote: Neither an index nor the record knows the note.
            Busy: Somebody else is at the record; nothing was erased.
            StoreError: The record cannot be written; nothing was erased.
        """
        params.see_what_is_meant(asked)
        before = None if asked.before is None else params.moment("before", asked.before)
        kept = frozenset(space.key for space in self._spaces.chosen(None))
        if asked.note is not None:
            scopes = [await self._noted(asked.note, asked.space, before)]
        elif asked.space is None:
            scopes = [Scope(None, None, before, kept)]
        else:
            scopes = [Scope(key, None, before, kept) for key in await self._space_keys(asked.space)]
        every = [await self._spaces.run(functools.partial(self._forget, scope)) for scope in scopes]
        return {
            "erased": {
                part: sum(getattr(one, part) for one in every)
                for part in ("notes", "pairs", "searches", "copies")
            },
            "left": sum(one.left for one in every),
            "proved": all(one.proved for one in every),
        }

    def _forget(self, scope: Scope) -> Forgotten:
        try:
            return self._record.forget(scope)
        except Busy:
            raise Busy("the record of use is busy, nothing was erased; try again") from None
        except NotesdError as error:
            raise StoreError(f"nothing was erased: {error.message}") from None

    async def _space_keys(self, names: str | list[str]) -> list[str]:
        """Keys of spaces, also of some that are not configured any more.

        Raises:
            UnknownSpace: Neither the configuration nor the record knows it.
        """
        keys: list[str] = []
        for name in [names] if isinstance(names, str) else names:
            gone: list[str] = []
            if name not in self._spaces.by_name:
                gone = await self._spaces.run(functools.partial(self._record.spaces_named, name))
            keys += gone or [space.key for space in self._spaces.chosen(name)]
        return keys

    async def _noted(self, name: str, space: str | list[str] | None, before: float | None) -> Scope:
        """What is recorded of one note.

        Raises:
            UnknownNote, AmbiguousNote: None or several answer to the name.
        """
        found, degraded = await naming.meant(self._spaces, space, name)
        if degraded:  # perhaps another one is meant, and what is erased cannot be had back
            raise StoreError(degraded[0]["reason"])
        if len(found) > 1:
            raise naming.several(name, found)
        keys_of = {one.space: await self._keys(one.space, one.path) for one in found} or {
            one: await self._recorded(one, name) for one in self._spaces.chosen(space)
        }
        scopes = [(one, Scope(one.key, frozenset(known), before)) for one, known in keys_of.items() if known]
        if not scopes:
            raise await naming.unknown(self._spaces, space, name)
        if len(scopes) > 1:
            raise naming.several(name, [naming.Meant(one, NotePath(name), exact=True) for one, _ in scopes])
        return scopes[0][1]

    async def _keys(self, space: Space, path: NotePath) -> set[str]:
        rows = await self._spaces.read(space, lambda reader, _: keys.traces(reader, "path", [path]))
        return {key for key, *_ in rows}

    async def _recorded(self, space: Space, name: str) -> set[str]:
        """Stable keys under which the record knows a note that is gone, by its key or path."""
        traces = await self._spaces.run(functools.partial(self._record.traces, space.key))
        meant = await self._spaces.run(lambda: naming.written(space, name))
        return {one.key for one in traces if one.path in meant or one.key == name}
