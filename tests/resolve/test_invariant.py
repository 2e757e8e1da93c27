"""Looking only at what shares a link's key gives the same answer as looking at everything."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from notesd.model import Link, NotePath, Style
from notesd.resolve.group import Group
from notesd.resolve.lookup import Entry, NameTable, entry_keys, link_key
from notesd.resolve.names import folder_of
from notesd.resolve.targets import understand

PIECES = [
    "a", "A", "b", " ", "-", "_", "___", ".", "..", ".md", ".MD", "index", "README", "é", "e\u0301", "ß",
    "SS", "20240115", "1030", ".png", "\u0345",
]  # fmt: skip
part = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join)
file_part = part.filter(lambda text: text not in {".", ".."})
folders = st.lists(file_part, max_size=2)
names = st.lists(part, min_size=1, max_size=3).map("/".join)
targets = st.one_of(
    st.tuples(st.sampled_from(["", "./", "../", "/"]), names, st.sampled_from(["", "/", ".md"])).map("".join),
    st.sampled_from(["", "..", "/", "http://a", "tel:1", "a//b", "index", "20240115"]),
)
styles: st.SearchStrategy[Style] = st.sampled_from(["wiki", "markdown"])


@st.composite
def links(draw: st.DrawFn) -> Link:
    """Draw any link."""
    target = draw(targets)
    return Link(target, target, draw(styles), None, "link", 1)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    """Draw a note or an attachment."""
    is_note = draw(st.booleans())
    last = draw(file_part) + (
        draw(st.sampled_from([".md", ".MD"])) if is_note else draw(st.sampled_from(["", ".png"]))
    )
    if not is_note and last.lower().endswith(".md"):
        last += ".x"
    path = NotePath("/".join([*draw(folders), last]))
    if not is_note:
        return Entry(path, is_note)
    further = st.lists(names, max_size=2).map(tuple)
    return Entry(path, is_note, draw(st.one_of(names, st.just(""))), draw(further), draw(further))


spaces = st.lists(entries(), max_size=8, unique_by=lambda entry: entry.path)


def by_looking_at_everything(files: list[Entry], link: Link, source: NotePath) -> NotePath | None:
    """Resolve without keys: one group that holds all files."""
    target = understand(link)
    if target is None:
        return None
    if not target.parts:
        return source
    found = Group(files).answer(target, folder_of(source), beside_first=link.style == "markdown")
    return found.path if found else None


def source_of(files: list[Entry]) -> NotePath:
    """Take the first note as the source of a link."""
    return next((entry.path for entry in files if entry.is_note), NotePath("a/n.md"))


@settings(max_examples=400)
@given(spaces, links())
@example([Entry(NotePath("a____b.md"), True)], Link("a/_b", "a/_b", "wiki", None, "link", 1))
@example([Entry(NotePath("x.md/index.md"), True)], Link("x.md", "x.md", "wiki", None, "link", 1))
@example([Entry(NotePath("a.md.md"), True)], Link("a.md", "a.md", "wiki", None, "link", 1))
def test_keys_lose_no_answer(files: list[Entry], link: Link) -> None:
    """Whatever a link means in a space, it shares its key with it."""
    source = source_of(files)
    expected = by_looking_at_everything(files, link, source)
    assert expected == NameTable(files).resolve(link, source)
    if expected is not None and link_key(link):
        assert any(link_key(link) in entry_keys(entry) for entry in files if entry.path == expected)
    sharing = [entry for entry in files if link_key(link) in entry_keys(entry)]
    assert expected == NameTable(sharing).resolve(link, source)


@settings(max_examples=400)
@given(spaces, spaces, links(), st.sets(st.integers(0, 7)))
def test_links_without_an_affected_key_mean_what_they_meant(
    before: list[Entry], fresh: list[Entry], link: Link, kept: set[int]
) -> None:
    """After a change only the links with an affected key need to be looked up again."""
    kept_files = [entry for at, entry in enumerate(before) if at in kept]
    paths = {entry.path for entry in kept_files}
    after = kept_files + [entry for entry in fresh if entry.path not in paths]
    # Renamed titles and aliases are the common change, so make some.
    after = [
        Entry(entry.path, True, entry.title, entry.aliases[1:], entry.names)
        if at % 3 == 0 and entry.is_note
        else entry
        for at, entry in enumerate(after)
    ]
    changed = set(before).symmetric_difference(after)
    if link_key(link) not in {key for entry in changed for key in entry_keys(entry)}:
        source = NotePath("a/n.md")
        assert NameTable(before).resolve(link, source) == NameTable(after).resolve(link, source)


@given(spaces, links())
def test_order_of_files_does_not_matter(files: list[Entry], link: Link) -> None:
    """Every run gives the same answer."""
    source = source_of(files)
    assert NameTable(files).resolve(link, source) == NameTable(reversed(files)).resolve(link, source)
