"""What is left out: dot names, what editors leave behind, and what the configuration says."""

import pytest

from notesd.errors import ConfigError
from notesd.files.ignore import Ignore, Rule


@pytest.mark.parametrize(
    "path",
    [
        ".obsidian/x.md",
        "a/.trash/b.md",
        ".hidden.md",
        "a/.a.md.tmp",
        ".syncthing.a.md.tmp",
        ".stversions/a.md",
        ".git/HEAD",
        ".#a.md",
        ".goutputstream-X1",
        "a.md~",
        "#a.md#",
        "4913",
        "a.md___jb_tmp___",
        "x/.a.md.kate",
        "a.sync-conflict-20261129-101010-ABCDEFG.md",
        "a.md.orig",
        "a.swp",
        "node_modules/p/README.md",
        "x/node_modules/README.md",
    ],
)
def test_always_left_out(path: str) -> None:
    """Hidden names, editors' temporary files and sync copies are never notes nor attachments."""
    assert Ignore().file(path)


@pytest.mark.parametrize(
    "path",
    [
        "a.md",
        "a/b.md",
        "4913.md",
        "C# basics.md",
        "#tag.md",
        "node_modules.md",
        "orig",
        "a.original",
        "a~b.md",
        "sync-conflict.md",
        "v1.2.md",
        "a.sync-conflict-notes.md",
    ],
)
def test_ordinary_names_stay(path: str) -> None:
    """Names that only look a little like those are kept."""
    assert not Ignore().file(path)


RULES = [
    pytest.param("drafts/", "drafts/a.md", True, id="folder"),
    pytest.param("drafts/", "x/drafts/a.md", True, id="folder at any depth"),
    pytest.param("drafts/", "drafts", False, id="a folder's pattern spares a file"),
    pytest.param("drafts", "x/drafts", True, id="name at any depth"),
    pytest.param("drafts", "x/drafts/a.md", True, id="name of a folder"),
    pytest.param("/drafts", "drafts/a.md", True, id="from the root"),
    pytest.param("/drafts", "x/drafts/a.md", False, id="only from the root"),
    pytest.param("a/b", "a/b/c.md", True, id="slash inside means from the root"),
    pytest.param("a/b", "x/a/b/c.md", False, id="slash inside, deeper"),
    pytest.param("*.tmp.md", "x/a.tmp.md", True, id="star"),
    pytest.param("a/*.md", "a/b/c.md", False, id="a star stops at slashes"),
    pytest.param("a/**", "a/b/c.md", True, id="everything below"),
    pytest.param("a/**", "a", False, id="everything below, not the thing"),
    pytest.param("a/**/z.md", "a/z.md", True, id="no folder between"),
    pytest.param("a/**/z.md", "a/b/c/z.md", True, id="folders between"),
    pytest.param("**/z.md", "a/z.md", True, id="any folder"),
    pytest.param("**/z.md", "z.md", True, id="any folder, none"),
    pytest.param("**/b/z.md", "a/b/z.md", True, id="any folder before a path"),
    pytest.param("x/**/b/z.md", "b/z.md", False, id="any folder, wrong start"),
    pytest.param("day?.md", "day1.md", True, id="one character"),
    pytest.param("day?.md", "day12.md", False, id="one character only"),
    pytest.param("[ab].md", "b.md", True, id="set"),
    pytest.param("[!ab].md", "b.md", False, id="negated set"),
    pytest.param("[z-a].md", "[z-a].md", True, id="a range the wrong way round"),
    pytest.param("[abc.md", "[abc.md", True, id="an open bracket"),
    pytest.param("a+(b).md", "a+(b).md", True, id="signs of regular expressions"),
    pytest.param("a+(b).md", "aab.md", False, id="signs of regular expressions are signs"),
    pytest.param("caf\u00e9/", "cafe\u0301/a.md", True, id="composed pattern, decomposed name"),
    pytest.param("Drafts/", "drafts/a.md", False, id="case counts"),
]


@pytest.mark.parametrize(("pattern", "path", "expected"), RULES)
def test_patterns(pattern: str, path: str, *, expected: bool) -> None:
    """Patterns mean what they mean to git."""
    assert Ignore((pattern,)).file(path) == expected


def test_folders() -> None:
    """A folder is left out by itself or by what is above it; the root never is."""
    ignore = Ignore(("drafts/", "a/b"))
    assert ignore.directory("drafts")
    assert ignore.directory("drafts/x")
    assert ignore.directory("a/b/c")
    assert ignore.directory(".git/objects")
    assert not ignore.directory("a")
    assert not ignore.directory("")


@pytest.mark.parametrize("pattern", ["", "/", "!a.md"])
def test_patterns_that_cannot_be_meant(pattern: str) -> None:
    """An empty pattern would leave everything out; bringing things back is not offered."""
    with pytest.raises(ConfigError, match="ignore pattern"):
        Ignore((pattern,))


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a.md", True), ("a.MD", True), ("a/b.Md", True), ("a.markdown", True), ("a.txt", False), ("md", False)],
)
def test_is_note(path: str, *, expected: bool) -> None:
    """Notes end in .md or .markdown, in any case, where nothing else is said."""
    assert Ignore().is_note(path) == expected


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("a/b.md", None),
        ("archive.md", None),
        (".hidden.md", Rule("dot", ".*", ".hidden.md")),
        ("a/.trash/b/c.md", Rule("dot", ".*", "a/.trash")),
        ("x/node_modules/p/README.md", Rule("default", "node_modules/", "x/node_modules")),
        ("a/b.md~", Rule("default", "*~", "a/b.md~")),
        ("archive/2020/a.md", Rule("configured", "archive/", "archive")),
        ("a/b.tmp.md", Rule("configured", "*.tmp.md", "a/b.tmp.md")),
        ("archive/.x/a.tmp.md", Rule("configured", "archive/", "archive")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_rule_is_named(path: str, rule: Rule | None) -> None:
    """Whoever asks why a file is left out hears the rule, the pattern and what it fits."""
    ignore = Ignore(("archive/", "*.tmp.md"))

    assert ignore.rule(path) == rule
    assert ignore.file(path) == (rule is not None)


def test_extensions_say_what_is_a_note() -> None:
    """Those alone, in any case, also one of two parts."""
    ignore = Ignore((), (".canvas", ".excalidraw.md", ".org"))

    assert [
        name for name in ("a.Canvas", "a.excalidraw.md", "a.md", "x/a.org", "org") if ignore.is_note(name)
    ] == [
        "a.Canvas",
        "a.excalidraw.md",
        "x/a.org",
    ]


NAME_ONLY = [
    ("Papers/", "Papers/a.md", True),
    ("Papers/", "Papers/2031/b.pdf", True),
    ("Papers/", "Work/Papers/c.md", True),
    ("/Papers/", "Work/Papers/c.md", False),
    ("Papers/", "Papers.md", False),
    ("*.pdf", "x/y/z.pdf", True),
    ("*.pdf", "x/y/z.md", False),
    ("Clippings/**/*.md", "Clippings/2031/web.md", True),
    ("Clippings/**/*.md", "Clippings/2031/web.pdf", False),
    ("draft?.md", "a/draft1.md", True),
    ("Café/", "Cafe\u0301/menu.md", True),
    ("Papers/", ".hidden/a.md", False),
]


@pytest.mark.parametrize(("pattern", "path", "unread"), NAME_ONLY)
def test_what_a_pattern_of_name_only_fits_is_no_note(pattern: str, path: str, unread: bool) -> None:
    """A folder stands for all in it; what is left out is another question."""
    ignore = Ignore(extensions=(".md", ".pdf"), name_only=("nothing", pattern))
    assert ignore.is_note(path) is not unread
    assert [rule.pattern for rule in ignore.unread(path)] == [pattern] * unread
    assert ignore.file(path) is path.startswith(".")
