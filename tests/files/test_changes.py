"""A note goes only when we looked and it was not there."""

from notesd.files.changes import Changes, diff
from notesd.files.scan import RootId, Scan
from notesd.model import NotePath, Problem, Stamp

A, B, C = NotePath("a.md"), NotePath("s/b.md"), NotePath("s/t/c.md")
PIC = NotePath("s/pic.png")
OLD = Stamp(10, 5, 5, 1, 1)
STORED = {A: OLD, B: OLD, C: OLD}
PROBLEM = Problem("unreadable", "no")


def seen(
    *,
    notes: dict[NotePath, Stamp] | None = None,
    files: set[NotePath] | None = None,
    unlisted: tuple[str, ...] = (),
    odd: tuple[NotePath, ...] = (),
) -> Scan:
    """Build a scan."""
    return Scan(
        notes=notes or {},
        files=files or set(),
        unlisted=dict.fromkeys(unlisted, PROBLEM),
        odd=dict.fromkeys(odd, PROBLEM),
        root=RootId(1, 1),
        folders=1,
        dendron=False,
    )


def test_nothing_changed() -> None:
    """Equal stamps ask for nothing."""
    changes = diff(seen(notes=dict(STORED), files={PIC}), STORED, {PIC})
    assert changes == Changes((), (), (), (), ())
    assert not changes


def test_any_field_of_a_stamp_counts() -> None:
    """An older time, another inode, a change time alone: all are changes."""
    for stamp in (
        Stamp(11, 5, 5, 1, 1),
        Stamp(10, 4, 5, 1, 1),
        Stamp(10, 5, 6, 1, 1),
        Stamp(10, 5, 5, 2, 1),
        Stamp(10, 5, 5, 1, 2),
    ):
        assert diff(seen(notes={A: stamp}), {A: OLD}, set()).read == (A,)


def test_new_and_gone() -> None:
    """What appears is read, what is proven absent goes, in order of path."""
    changes = diff(
        seen(notes={C: OLD, B: OLD, A: OLD}, files={PIC}),
        {NotePath("z.md"): OLD, NotePath("y.md"): OLD},
        set(),
    )
    assert changes.read == (A, B, C)
    assert changes.removed == ("y.md", "z.md")
    assert changes.files_added == (PIC,)


def test_what_could_not_be_listed_is_kept() -> None:
    """A folder that could not be listed keeps its notes and attachments, however deep."""
    changes = diff(seen(notes={A: OLD}, unlisted=("s",)), STORED, {PIC})
    assert changes.kept == (B, C)
    assert changes.removed == ()
    assert changes.files_removed == ()


def test_a_note_that_could_not_be_looked_at_is_kept() -> None:
    """An error for one file keeps that file alone."""
    changes = diff(seen(notes={A: OLD}, unlisted=(B,)), STORED, set())
    assert changes.kept == (B,)
    assert changes.removed == (C,)


def test_a_folder_with_a_similar_name_is_not_kept() -> None:
    """Only whole path parts count."""
    assert diff(seen(unlisted=("s",)), {NotePath("sx/a.md"): OLD}, set()).removed == ("sx/a.md",)


def test_odd_things_are_no_notes() -> None:
    """A note that became a FIFO or a link goes, even below a folder that was listed in part."""
    assert diff(seen(odd=(B,), unlisted=("s",)), {B: OLD}, set()).removed == (B,)


def test_a_part_judges_only_itself() -> None:
    """A scan of a part removes nothing outside of it; the path itself belongs to it."""
    other = NotePath("s/tx.md")
    stored = STORED | {NotePath("s/t"): OLD, other: OLD}
    changes = diff(seen(), stored, {PIC, NotePath("s/t/p.png")}, below="s/t")
    assert changes.removed == ("s/t", C)
    assert changes.files_removed == ("s/t/p.png",)
