"""Which note does a request mean? The one place where names become notes.

A name, an alias, an id or a path below its space's folder may mean notes of several spaces; the one that is
spelt exactly so comes first. What means nothing so may be a wiki-link, or begin with the name of a space:
``SPACE/PATH``. An absolute path means that file, whichever way leads to it, and nothing else; an address
``note://SPACE/PATH`` means that note of that space.
"""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from notesd.errors import AmbiguousNote, NotesdError, UnknownNote
from notesd.files.paths import decode_name, encode_name
from notesd.index import attachments, notes
from notesd.index.store import Reader
from notesd.model import NotePath
from notesd.parse.filenames import parted
from notesd.parse.wikilinks import bare
from notesd.resolve.find import nearest
from notesd.resolve.names import compose, is_note_name, last_part, without_extension
from notesd.search.conditions import paths_named
from notesd.serve import freshness
from notesd.serve.spaces import Spaces
from notesd.space.space import Space

MOST_FILES = 20_000
"""Names of files that are compared with a name that nothing answers to."""
COMPARED = 200
"""Characters of a name that are compared with the titles, and repeated in a sentence."""
_ADDRESS = re.compile(r"note://(?P<space>[^/?#]+)/+(?P<path>[^?#]+)")
_SHOWN, _NAMED = 20, 100
"""Notes that are named in a sentence, and in all, where several answer to a name."""


class Meant(NamedTuple):
    """A note that a name can mean."""

    space: Space
    path: NotePath
    exact: bool
    """It is spelt so, case and all."""

    @property
    def full_path(self) -> str:
        """Where its file is."""
        return f"{self.space.root}/{self.path}"


class Found(NamedTuple):
    """What a name can mean: one note, unless it is ambiguous or unknown."""

    notes: list[Meant]
    degraded: list[dict[str, str]]
    """Which spaces could not be asked, as answers say it."""


async def meant(spaces: Spaces, names: str | list[str] | None, name: str) -> Found:
    """Return what a name can mean in the chosen spaces, as far as they can be asked.

    Raises:
        UnknownSpace: See ``Spaces.chosen``.
        StoreError, Busy: No space can be asked.
    """
    if address := _ADDRESS.match(name):
        chosen = [one for one in spaces.chosen(names) if one.name == unquote(address["space"])]
        path = unquote(address["path"])
        return await _asked(spaces, [chosen[0].name], path) if chosen else Found([], [])
    if is_absolute(name):
        chosen = spaces.chosen(names)
        names = await spaces.run(lambda: [one.name for one in chosen if within(one, name)])
        if not names:
            return Found([], [])
    found = await _asked(spaces, names, name)
    if not found.notes and bare(name) != name:
        name = bare(name)
        found = await _asked(spaces, names, name)
    if not found.notes and not is_absolute(name):
        for space in spaces.chosen(names):
            below = name.strip().removeprefix(f"{space.name}/")
            if below != name.strip() and not is_absolute(below):
                return await _asked(spaces, [space.name], below)
    return found


async def _asked(spaces: Spaces, names: str | list[str] | None, name: str) -> Found:
    heard = await spaces.each(names, lambda reader, space: _in_space(reader, space, name))
    found = [one for _, some in heard.answers for one in some]
    exact = [one for one in found if one.exact]
    return Found(exact or found, heard.told())


async def only(
    spaces: Spaces, names: str | list[str] | None, name: str
) -> tuple[Meant, list[dict[str, str]]]:
    """Return the one note that a name means, and which spaces could not be asked for another.

    Raises:
        UnknownNote: There is none.
        AmbiguousNote: There are several.
    """
    found, degraded = await meant(spaces, names, name)
    if len(found) == 1:
        return found[0], degraded
    raise several(name, found) if found else await unknown(spaces, names, name)


def several(name: str, found: Sequence[Meant]) -> NotesdError:
    """Say that a name means more than one note, and where each of them is."""
    shown = ", ".join(f"{one.full_path} (space {one.space.name})" for one in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    sentence = f"{name[:COMPARED]!r} can mean {shown}{more}; name one by its path"
    near = [one.full_path for one in found[:_NAMED]]
    return AmbiguousNote(sentence, note=name[:COMPARED], nearest=near)


async def unknown(spaces: Spaces, names: str | list[str] | None, name: str) -> NotesdError:
    """Say that nothing is called so, and whether the indexes are complete enough to be sure of it."""
    shown = name[:COMPARED]
    if outside := await _outside(spaces, names, name):
        return UnknownNote(f"{shown!r} {outside}", note=shown, nearest=[])
    near, index = await _nearest(spaces, names, name)
    hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
    sentence = f"no note is called {shown!r}{hint}{freshness.unsure(index)}"
    return UnknownNote(sentence, note=shown, nearest=near, index=index)


async def missing(
    spaces: Spaces, names: str | list[str] | None, name: str, found: Sequence[Meant]
) -> dict[str, Any]:
    """Describe a name that no single note answers to, as ``open`` lists it."""
    error = several(name, found) if len(found) > 1 else await unknown(spaces, names, name)
    return {"note": name, "nearest": error.data["nearest"], "reason": error.message}


async def _outside(spaces: Spaces, names: str | list[str] | None, name: str) -> str:
    """Say, of an absolute path that leads into none of the chosen spaces, where they are; else nothing."""
    chosen = spaces.chosen(names)
    if not is_absolute(name) or await spaces.run(lambda: any(within(one, name) for one in chosen)):
        return ""
    folders = ", ".join(f"{one.root} (space {one.name})" for one in chosen)
    return f"lies in none of the folders of notes that were asked: {folders}"


async def _nearest(
    spaces: Spaces, names: str | list[str] | None, name: str
) -> tuple[list[str], Mapping[str, Any]]:
    """Return the titles most like a name that nothing answers to, and how complete the indexes are."""

    def look(reader: Reader, space: Space) -> tuple[list[str], freshness.State]:
        return titles_near(reader, name), freshness.state_of(reader, space)

    heard = await spaces.each(names, look)
    states = {space.name: state for space, (_, state) in heard.answers}
    states |= {one.space.name: freshness.unknown(one.gap) for one in heard.unasked}
    near = [title for _, (some, _) in heard.answers for title in some]
    return list(dict.fromkeys(near))[:3], freshness.joined(states)


def titles_near(reader: Reader, name: str) -> list[str]:
    """Return the titles of a space, or names of its files, most like a name that nothing answers to."""
    title = without_extension(last_part(name)) if is_absolute(name) else name
    candidates = [*notes.titles(reader)]
    if parted(last_part(title))[1]:  # it ends as files do
        candidates += attachments.names(reader, MOST_FILES)
    return nearest(title[:COMPARED], candidates)


def is_absolute(name: str) -> bool:
    """Whether a name is the path of a file from the root of all."""
    return name.startswith("/")


def within(space: Space, name: str) -> list[NotePath]:
    """Return what an absolute path can be below a folder, the likeliest first; nothing: it leads elsewhere.

    As it is written, then with the links among its folders followed, then also with itself followed. Nothing
    is opened for it.

    Args:
        space: Whose folder it is; what followed links in it lead to counts as well.
        name: The path; ``..`` and links in it are understood as the system does.
    """
    raw = encode_name(name)
    if b"\0" in raw:
        return []
    folder, file = os.path.split(raw)
    ways = [os.path.join(os.path.realpath(folder), file), os.path.realpath(raw)]
    if b".." not in raw.split(b"/"):  # after a link, it leads elsewhere than it looks
        ways.insert(0, os.path.normpath(raw))
    tops = [(space.root, "")]
    tops += [(target.real, target.path) for target in space.place.links.targets.values()]
    found: dict[NotePath, None] = {}
    for way in ways:
        parts = decode_name(way).split("/")
        for top, called in tops:
            above = compose(decode_name(os.fsencode(top)).rstrip("/")).split("/")
            if [compose(part) for part in parts[: len(above)]] == above:
                below = [*([called] if called else []), *parts[len(above) :]]
                if below:
                    found[NotePath("/".join(below))] = None
    return list(found)


def written(space: Space, name: str) -> list[str]:
    """Return the paths in a space that a name spells, whether or not anything is there."""
    return [*within(space, name)] if is_absolute(name) else [name.strip().removeprefix("./")]


def paths_in(reader: Reader, space: Space, name: str) -> list[NotePath]:
    """Return the notes that a name can mean in one space, the likeliest first; where there is none, files.

    Args:
        reader: Of its index.
        space: Whose index it is.
        name: As people and programs give it.
    """
    if not is_absolute(name):
        return paths_named(reader, name) or [one.path for one in attachments.called(reader, name)]
    return [path for written in within(space, name) if (path := _at(reader, written))][:1]


def _in_space(reader: Reader, space: Space, name: str) -> list[Meant]:
    """Return what a name can mean in one space."""
    paths = paths_in(reader, space, name)
    if is_absolute(name):
        return [Meant(space, path, exact=True) for path in paths]
    return [Meant(space, path, exact=_is_exact(reader, path, name.strip())) for path in paths]


def _at(reader: Reader, path: NotePath) -> NotePath | None:
    """Return the indexed note or file at a path, accents composed or not; ``.md`` may be left out."""
    for written in (path,) if is_note_name(path) else (path, NotePath(f"{path}.md")):
        if exact := notes.by_path(reader, written):
            return exact.path
        for other in paths_named(reader, written):
            if compose(other) == compose(written):
                return other
    file = attachments.by_path(reader, path)
    return file.path if file else None


def _is_exact(reader: Reader, path: NotePath, name: str) -> bool:
    """Whether a note or a file is called so to the letter, not only but for case and blanks."""
    wanted = compose(name.removeprefix("./"))
    spelt = {compose(path), compose(last_part(path))}
    known = notes.by_path(reader, path)
    stem = without_extension if known else lambda one: one.rpartition(".")[0]
    if wanted in spelt | {stem(one) for one in spelt}:
        return True
    return known is not None and wanted in {
        compose(one.strip()) for one in (known.title, *notes.aliases(reader, known.id))
    }
