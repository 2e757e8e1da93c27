"""The notes around a note, in the shapes of the protocol, and which signals had a say."""

from typing import Any, Literal

from notesd.errors import NotesdError, StoreError, UnknownNote
from notesd.index import attachments, notes
from notesd.index.store import Reader
from notesd.model import NotePath
from notesd.rank.related import Together
from notesd.search import related
from notesd.serve import freshness
from notesd.space.space import Space
from notesd.space.vectors import SpaceVectors

State = Literal["ok", "off", "building", "unavailable"]


def answer(
    reader: Reader, space: Space, path: NotePath, limit: int, vectors: SpaceVectors,
    evidence: tuple[float, float], together: Together | None, demote: tuple[str, ...] = (),
) -> dict[str, Any]:  # fmt: skip
    """Answer ``related`` for one note of one space.

    Args:
        reader: The space's index.
        space: Where the note is; only its notes are looked at.
        path: The note.
        limit: Results at most.
        vectors: Of that space, whether anybody wants them or not.
        evidence: As for a search by meaning.
        together: What was used together with a note; raises where that cannot be told now. None: nobody
            recorded it.
        demote: Folders whose notes come later.

    Raises:
        UnknownNote: The note has gone since its path was found, or is a file.
    """
    note = notes.by_path(reader, path)
    if note is None:
        raise _unknown(reader, path)
    meaning, reason = _meaning(vectors)
    use, together, unheard = _use(note, together)
    ready = vectors if meaning in {"ok", "building"} and vectors.store else None
    try:
        found = related.related(reader, note, related.Wish(limit, ready, evidence, together, demote))
    except NotesdError as error:
        if ready is None:
            raise
        # The vectors lie in a file of their own: whatever is wrong with it, the other signals answer.
        meaning, reason, ready = "unavailable", error.message, None
        if isinstance(error, StoreError):
            vectors.report(error)
        found = related.related(reader, note, related.Wish(limit, None, evidence, together, demote))
    if ready and meaning == "ok" and not found.has_vectors:
        meaning = "unavailable"
        reason = f"{path} has no vectors: it is empty, private, set aside or asks for none"
    why = {"meaning": reason, "use": unheard}
    unmet = [{"channel": channel, "reason": reason} for channel, reason in why.items() if reason]
    if space.fault:
        unmet.append({"channel": "index", "reason": space.fault.reason})
    paths = [hit["path"] for hit in found.results]
    stale = freshness.stale(space, paths, notes.known_at(reader, paths))
    return {
        "note": {"name": note.title, "path": note.path, "space": space.name},
        "results": [{"space": space.name, **hit, "stale": hit["path"] in stale} for hit in found.results],
        "channels": {"meaning": meaning, "links": "ok", "tags": "ok", "use": use},
        "degraded": unmet,
        "index": freshness.joined({space.name: freshness.state_of(reader, space)}),
        "took_ms": found.took_ms,
        "spaces": {space.name: space.root},
    }


def _unknown(reader: Reader, path: NotePath) -> UnknownNote:
    """Say that what stood at a path is a file, or not there any more."""
    if attachments.by_path(reader, path):
        sentence = f"{path} is no note, and only links to it are known; `links` tells which notes link to it"
    else:
        sentence = f"no note is called {path!r} any more; ask again by another name"
    return UnknownNote(sentence, note=path, nearest=[])


def _use(note: notes.StoredNote, together: Together | None) -> tuple[State, Together | None, str]:
    """Ask beforehand what was used together with a note: how that went, what tells it, and why not."""
    if together is None:
        return "off", None, ""
    try:
        companions = together(note.key)
    except NotesdError as error:
        return "unavailable", None, error.message
    return "ok", lambda _: companions, ""


def _meaning(vectors: SpaceVectors) -> tuple[State, str]:
    """Whether stored vectors can be asked, and why not or not all of them; no model has to run for it."""
    state = vectors.state
    if not vectors.wanted:
        return "off", ""
    if vectors.whole:
        return "ok", ""
    if vectors.store is None and state.state == "unavailable":
        return "unavailable", state.reason
    because = f" ({state.reason})" if state.state == "unavailable" else ""
    return "building", f"building search index: not all notes are known by their meaning yet{because}"
