"""A note that says `index: false` leaves the index, and no trace in its files."""

from pathlib import Path

from notesd.files.ignore import Ignore
from notesd.index import notes
from notesd.ingest.follow import Follower
from notesd.settings import Config

SECRET = "xylophonically"


def test_no_byte_of_it_is_left(tmp_path: Path) -> None:
    """Words, title and links of the note are in no file of the state folder any more."""
    root = tmp_path / "notes"
    root.mkdir()
    for number in range(50):
        (root / f"n{number}.md").write_text(f"# Note {number}\n\nwords {number}\n")
    note = root / "diary.md"
    follower = Follower(str(root), str(tmp_path / "state"), Ignore(()), Config())
    follower.open()
    for version in range(3):
        note.write_text(f"# {SECRET} {version}\n\nI {SECRET} think of [[{SECRET}]] #tag{SECRET}\n")
        follower.scan()
    note.write_text("---\nindex: false\n---\nstill here\n")
    follower.scan()
    assert follower.store is not None
    assert notes.left_out(follower.store.peek()) == ["diary.md"]
    assert follower.store.peek().meta("unpurged") is None
    assert notes.count(follower.store.peek()) == 50
    follower.close()

    kept = [file for file in (tmp_path / "state").rglob("*") if file.is_file()]
    assert kept
    assert not [file for file in kept if SECRET.encode() in file.read_bytes()]
