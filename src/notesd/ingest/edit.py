"""How are notes and files put into an index, and taken out of it, within one transaction?"""

from collections.abc import Iterable

from notesd.index import attachments, fulltext, links, notes
from notesd.index.store import Writer
from notesd.ingest.moves import Moves
from notesd.model import NotePath
from notesd.parse.columns import Columns


class Edit:
    """One transaction's worth: what it touched, and whose links have to be looked at again."""

    def __init__(self, moves: Moves | None = None, *, resolve: bool = True) -> None:
        """Begin.

        Args:
            moves: Which notes were moved here; None: none.
            resolve: Links are resolved after it, so it has to be known which names have changed.
        """
        self._moves = moves
        self._resolve = resolve
        self.keys: set[str] = set()
        self.sources: list[notes.NoteId] = []
        self.paths: list[NotePath] = []
        self._words: dict[notes.NoteId, fulltext.Words] = {}
        self._put: dict[NotePath, None] = {}

    def follow_files(self, writer: Writer, removed: Iterable[NotePath], added: Iterable[NotePath]) -> None:
        """Take files that are no notes out and in."""
        for path in removed:
            row = attachments.remove(writer, path)
            if row is not None:
                self.keys |= links.remove_entry(writer, -row)
        known: dict[attachments.FileId, NotePath] = {}
        for path in added:
            row = attachments.put(writer, path)
            if row is not None:
                known[row] = path
                self.keys |= links.put_names(writer, -row, links.attachment_entry(path), new=True)
        attachments.put_words(writer, known)

    def put(self, writer: Writer, read: notes.Read, columns: Columns) -> None:
        """Store a note, new or changed, with its links as they are written; ``put_words`` has to follow."""
        note = read.note
        old = notes.identity(writer, note.path)
        came_from = self._moves.source(read) if self._moves and not old else None
        old = notes.identity(writer, came_from) if came_from else old
        before = links.entry_at(writer, old[0]) if old and self._resolve else None
        after = links.entry_of(note)
        if came_from and old:
            notes.move(writer, old[0], note.path)
            self.paths.append(came_from)
        note_id, new = notes.put(writer, read, old[0] if old else None), old is None
        links.put_links(writer, note_id, note.links, new=new)
        if before != after:
            if not new:
                self.keys |= links.keys_of(writer, note_id)
            self.keys |= links.put_names(writer, note_id, after, new=new)
        self._words[note_id] = fulltext.Words(columns, new)
        self._put[note.path] = None
        self.sources.append(note_id)
        self.paths.append(note.path)

    def put_words(self, writer: Writer) -> None:
        """Index the words of the notes that were put, all at once.

        Every text that they were made of has been stored by then, so these can be, too.
        """
        notes.unskip(writer, [*self._put])
        self._put.clear()
        fulltext.put(writer, self._words)
        self._words.clear()

    def remove(self, writer: Writer, path: NotePath) -> bool:
        """Take a note out; says whether there was one."""
        writer.run("DELETE FROM skipped WHERE path = ?", (path,))
        known = notes.identity(writer, path)
        if known is None:
            return False
        self.keys |= links.remove_entry(writer, known[0])
        self._words.pop(known[0], None)
        self._put.pop(path, None)
        fulltext.remove(writer, known[0])
        notes.remove(writer, known[0])
        self.paths.append(path)
        return True
