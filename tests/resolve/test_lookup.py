"""A link means the file that Obsidian would open, and the documented fallbacks after that."""

import pytest

from notesd.model import Kind, Link, NotePath, Style
from notesd.resolve.lookup import Entry, NameTable
from notesd.resolve.targets import understand

NFD_CAFE = "Cafe\u0301 Zu\u0308rich"
NFC_CAFE = "Caf\u00e9 Z\u00fcrich"


def link(target: str, style: Style = "wiki", kind: Kind = "link", raw: str | None = None) -> Link:
    """Build the link a parser would make of a target without a part."""
    return Link(
        raw=target if raw is None else raw, target=target, style=style, relation=None, kind=kind, line=1
    )


def note(path: str, title: str = "", aliases: tuple[str, ...] = (), names: tuple[str, ...] = ()) -> Entry:
    """Build a note's entry; its title is its file name unless given."""
    return Entry(NotePath(path), True, title or path.rpartition("/")[2][:-3], aliases, names)


def table(*files: str | Entry) -> NameTable:
    """Build a table of notes (``.md``) and attachments (anything else)."""
    return NameTable(
        file
        if isinstance(file, Entry)
        else note(file)
        if file.lower().endswith(".md")
        else Entry(NotePath(file), False)
        for file in files
    )


def case(name: str, source: str, target: str, files: list[str | Entry], expected: str | None) -> object:
    """One row of a table of expectations."""
    return pytest.param(source, target, files, expected, id=name)


WIKI = [
    case("R70 lower case", "n.md", "log", ["Log.md"], "Log.md"),
    case("R70 upper case", "n.md", "LOG", ["Log.md"], "Log.md"),
    case("R70 beyond ASCII", "n.md", "ÉTÉ", ["été.md"], "été.md"),
    case("R70 sharp s", "n.md", "STRASSE", ["straße.md"], "straße.md"),
    case("R70 decomposed file", "n.md", NFC_CAFE, [f"{NFD_CAFE}.md"], f"{NFD_CAFE}.md"),
    case("R70 decomposed link", "n.md", NFD_CAFE, [f"{NFC_CAFE}.md"], f"{NFC_CAFE}.md"),
    case("R70 folders too", "n.md", "PROJECTS/plan", ["Projects/Plan.md", "x/plan.md"], "Projects/Plan.md"),
    case("R71 up", "a/b/n.md", "../Up", ["a/Up.md", "Up.md"], "a/Up.md"),
    case("R71 here", "a/b/n.md", "./Side", ["a/b/Side.md", "Side.md"], "a/b/Side.md"),
    case("R71 up twice", "a/b/n.md", "../../Top", ["Top.md", "a/Top.md"], "Top.md"),
    case("R71 exact or nothing", "a/n.md", "./Side", ["Side.md"], None),
    case("R71 no fallback", "n.md", "./Boss", [note("ann.md", aliases=("Boss",))], None),
    case("R71 root", "a/n.md", "/shop/list", ["shop/list.md", "a/shop/list.md"], "shop/list.md"),
    case("R71 root or nothing", "n.md", "/attic/list", ["rooms/attic/list.md"], None),
    case("R71 leaves the folder", "a/n.md", "../../Secret", ["Secret.md"], None),
    case("R71 leaves the folder and returns", "a/n.md", "../../a/Secret", ["a/Secret.md"], None),
    case("R71 spelling of the way", "A/n.md", "./Side", ["a/Side.md", "A/Side.md"], "A/Side.md"),
    case("R71 with extension", "a/n.md", "../Up.md", ["Up.md"], "Up.md"),
    case("R71 dots in the middle", "n.md", "a/../b", ["b.md", "x/b.md"], "b.md"),
    case("R71 dots in the middle are no name", "n.md", "a/../b", ["x/b.md"], None),
    case("R71 dots at the end", "a/n.md", "..", ["a.md", "index.md"], None),
    case("R72 root path", "a/n.md", "Projects/Plan", ["Projects/Plan.md", "Plan.md"], "Projects/Plan.md"),
    case("R72 root beats beside", "a/n.md", "Note", ["a/Note.md", "Note.md"], "Note.md"),
    case("R72 name beside a folder", "n.md", "Travel", ["Travel.md", "Travel/Rome.md"], "Travel.md"),
    case("R73 anywhere", "a/b/n.md", "Far away", ["x/y/z/Far away.md"], "x/y/z/Far away.md"),
    case(
        "R73 end of a path", "n.md", "attic/list", ["rooms/attic/list.md", "list.md"], "rooms/attic/list.md"
    ),
    case("R73 whole parts of names", "n.md", "arbour", ["Harbour.md"], None),
    case("R73 whole parts of folders", "n.md", "ic/list", ["attic/list.md"], None),
    case(
        "R74 own folder",
        "long-folder/n.md",
        "Note",
        ["b/Note.md", "long-folder/Note.md"],
        "long-folder/Note.md",
    ),
    case(
        "R74 own folder, longer target",
        "rooms/n.md",
        "attic/list",
        ["b/attic/list.md", "rooms/attic/list.md"],
        "rooms/attic/list.md",
    ),
    case("R74 own folder by case", "A/n.md", "Note", ["a/Note.md", "A/Note.md"], "A/Note.md"),
    case("R74 shortest text", "n.md", "Note", ["aaaaaaa/Note.md", "z/b/Note.md"], "z/b/Note.md"),
    case(
        "R74 ancestors count for nothing",
        "aaaa/deep/n.md",
        "Note",
        ["aaaa/Note.md", "z/Note.md"],
        "z/Note.md",
    ),
    case("R74 length after spelling", "n.md", "note", ["bb/note.md", "a/Note.md"], "a/Note.md"),
    case("R74 spelling before alphabet", "n.md", "note", ["a/Note.md", "b/note.md"], "b/note.md"),
    case("R74 alphabet", "n.md", "Note", ["bb/Note.md", "aa/Note.md", "cc/Note.md"], "aa/Note.md"),
    case("R74 same spelling at the root", "n.md", "polish", ["Polish.md", "polish.md"], "polish.md"),
    case("R74 other spelling at the root", "n.md", "Polish", ["Polish.md", "polish.md"], "Polish.md"),
    case("R32 extension", "n.md", "Log.md", ["Log.md"], "Log.md"),
    case("R32 extension in capitals", "n.md", "Log.MD", ["x/Log.md"], "x/Log.md"),
    case("R32 file in capitals", "n.md", "Log", ["Log.MD"], "Log.MD"),
    case("R44 no decoding", "n.md", "A%20B", ["A B.md"], None),
    case("R44 a percent sign in the name", "n.md", "A%20B", ["A%20B.md"], "A%20B.md"),
    case("R77 version", "n.md", "v1.2", ["v1.md", "v1.2.md"], "v1.2.md"),
    case("R77 dotted name", "n.md", "proj.alpha", ["proj.md", "proj.alpha.todo.md"], None),
    case("R77 attachment", "n.md", "Plate 7.png", ["img/Plate 7.png"], "img/Plate 7.png"),
    case("R77 attachment without extension", "n.md", "Plate 7", ["img/Plate 7.png"], None),
    case("R77 attachment before a note about it", "n.md", "a.png", ["a.png.md", "x/a.png"], "a.png.md"),
    case("R77 both at the root", "n.md", "a.png", ["a.png.md", "a.png"], "a.png"),
    case("R77 note before a bare file", "n.md", "LICENSE", ["LICENSE", "LICENSE.md"], "LICENSE.md"),
    case("R77 note called like a note", "n.md", "a.md", ["a.md.md"], "a.md.md"),
    case("R78 nothing", "n.md", "Nobody wrote this", ["n.md"], None),
    case("R43 address", "n.md", "https://x.org/Port", ["x.org/Port.md", "Port.md"], None),
    case("R43 file address", "n.md", "file:///etc/passwd", ["passwd.md", "etc/passwd.md"], None),
    case("R43 mail", "n.md", "mailto:a@b.c", ["mailto:a@b.c.md"], None),
    case("R43 phone", "n.md", "tel:123", ["tel:123.md"], None),
    case("R43 a colon alone", "n.md", "Re: plans", ["Re: plans.md"], "Re: plans.md"),
    case("R43 a colon without a blank", "n.md", "12:30", ["12:30.md"], "12:30.md"),
    case("R43 a word that also is a scheme", "n.md", "News: today", ["News: today.md"], "News: today.md"),
    case("R34 itself", "a/n.md", "", [], "a/n.md"),
    case("R80 itself by name", "a/n.md", "n", ["a/n.md"], "a/n.md"),
    case("outside", "n.md", "../../etc/passwd", ["etc/passwd", "passwd.md"], None),
    case("outside, absolute", "n.md", "/etc/passwd", ["x/etc/passwd"], None),
    case("outside, Windows", "n.md", "C:\\x", ["x.md"], None),
    case("only slashes", "n.md", "//", ["index.md", "n.md"], None),
    case("NUL", "n.md", "a\0b", ["a.md", "ab.md"], None),
]


@pytest.mark.parametrize(("source", "target", "files", "expected"), WIKI)
def test_wiki(source: str, target: str, files: list[str | Entry], expected: str | None) -> None:
    """A wiki-link means this file, whichever order the files come in."""
    assert expected == table(*files).resolve(link(target), NotePath(source))
    assert expected == table(*reversed(files)).resolve(link(target), NotePath(source))


FALLBACKS = [
    case("alias", "n.md", "The Boss", [note("ann.md", aliases=("The Boss",))], "ann.md"),
    case("alias by case", "n.md", "the boss", [note("ann.md", aliases=("The Boss",))], "ann.md"),
    case("alias with a slash", "n.md", "TCP/IP", [note("net.md", aliases=("TCP/IP",))], "net.md"),
    case("file beats alias", "n.md", "Boss", ["zz/Boss.md", note("ann.md", aliases=("Boss",))], "zz/Boss.md"),
    case("title", "n.md", "Harbour Rules", [note("1.md", "Harbour Rules")], "1.md"),
    case("title with extension", "n.md", "Harbour Rules.md", [note("1.md", "Harbour Rules")], "1.md"),
    case(
        "file beats title", "n.md", "Watch", ["deep/er/Watch.md", note("a.md", "Watch")], "deep/er/Watch.md"
    ),
    case("title beats alias", "n.md", "W", [note("a.md", aliases=("W",)), note("zz.md", "W")], "zz.md"),
    case(
        "id beats title", "n.md", "x7k2p", [note("zz.md", names=("x7k2p",)), note("a.md", "x7k2p")], "zz.md"
    ),
    case("permalink", "n.md", "specs/rules", [note("D/R 2.md", names=("specs/rules",))], "D/R 2.md"),
    case(
        "permalink with slashes around",
        "n.md",
        "specs/rules",
        [note("r.md", names=("/specs/rules/",))],
        "r.md",
    ),
    case("R74 among titles: own folder", "q/n.md", "T", [note("a.md", "T"), note("q/bb.md", "T")], "q/bb.md"),
    case("R74 among titles: shortest", "n.md", "T", [note("bbb.md", "T"), note("zz.md", "T")], "zz.md"),
    case("R74 among titles: spelling", "n.md", "t", [note("a.md", "T"), note("b.md", "t")], "b.md"),
    case(
        "R74 among aliases: alphabet",
        "n.md",
        "T",
        [note("b.md", aliases=("T",)), note("a.md", aliases=("T",))],
        "a.md",
    ),
    case("dash for blank", "n.md", "harbour-rules", ["Harbour Rules.md"], "Harbour Rules.md"),
    case(
        "underscore for dash", "n.md", "Night_Watch_Plan", ["a/night-watch plan.md"], "a/night-watch plan.md"
    ),
    case("loose folders", "n.md", "my-notes/a_b", ["x/My Notes/a b.md", "other/a b.md"], "x/My Notes/a b.md"),
    case("loose title", "n.md", "night-watch", [note("nw.md", "Night Watch")], "nw.md"),
    case("no loose alias", "n.md", "night-watch", [note("nw.md", aliases=("Night Watch",))], None),
    case("no loose attachment", "n.md", "a-b.png", ["a b.png"], None),
    case("two fit", "n.md", "night-watch plan", ["night watch plan.md", "x/night_watch_plan.md"], None),
    case("one fits twice", "n.md", "night-watch", [note("Night Watch.md", "Night_Watch")], "Night Watch.md"),
    case("two fit, path and title", "n.md", "a-b", ["a b.md", note("c.md", "A_B")], None),
    case("a leading underscore is a name", "n.md", "index", ["_index.md"], None),
    case(
        "folder index", "n.md", "projects", ["projects/index.md", "projects/README.md"], "projects/index.md"
    ),
    case(
        "folder readme", "n.md", "crew/logs", ["crew/logs/README.md", "logs/other.md"], "crew/logs/README.md"
    ),
    case("folder by the end of its path", "n.md", "logs", ["crew/logs/readme.md"], "crew/logs/readme.md"),
    case("folder, exact before end", "n.md", "logs", ["a/logs/index.md", "logs/README.md"], "logs/README.md"),
    case("folder beside", "q/n.md", "logs", ["a/logs/index.md", "q/logs/index.md"], "q/logs/index.md"),
    case("folder with slash", "n.md", "projects/", ["projects.md", "projects/index.md"], "projects/index.md"),
    case("note with slash", "n.md", "projects/", ["projects.md"], "projects.md"),
    case("exact folder with slash", "a/n.md", "../b/", ["b/index.md", "b.md"], "b/index.md"),
    case("exact folder without slash", "a/n.md", "../b", ["b/index.md"], None),
    case(
        "note beats folder",
        "n.md",
        "projects",
        ["notes/projects.md", "projects/index.md"],
        "notes/projects.md",
    ),
    case("Logseq", "p/n.md", "ship/log", ["p/ship___log.md"], "p/ship___log.md"),
    case("Logseq, three parts", "n.md", "a/b/c", ["p/a___b___c.md"], "p/a___b___c.md"),
    case("Logseq, underscores touch", "n.md", "a/_b", ["a____b.md"], "a____b.md"),
    case("number", "n.md", "202401151030", ["202401151030 Watch.md", "20240115.md"], "202401151030 Watch.md"),
    case("number starts two", "n.md", "20240115", ["202401151030 a.md", "20240115 b.md"], None),
    case("number too short", "n.md", "2024011", ["20240115 b.md"], None),
    case("number too long", "n.md", "123456789012345", ["123456789012345 b.md"], None),
    case("number of an attachment", "n.md", "20240115", ["20240115 scan.pdf"], None),
    case(
        "number beats nothing else", "n.md", "20240115", ["20240115 a.md", note("b.md", "20240115")], "b.md"
    ),
]


@pytest.mark.parametrize(("source", "target", "files", "expected"), FALLBACKS)
def test_fallbacks(source: str, target: str, files: list[str | Entry], expected: str | None) -> None:
    """R75, R76: what no file name answers, further names answer in a fixed order."""
    assert expected == table(*files).resolve(link(target), NotePath(source))
    assert expected == table(*reversed(files)).resolve(link(target), NotePath(source))


MARKDOWN = [
    case("below", "a/n.md", "sub/Deep.md", ["a/sub/Deep.md", "sub/Deep.md"], "a/sub/Deep.md"),
    case("beside first", "a/n.md", "Port.md", ["Port.md", "a/Port.md"], "a/Port.md"),
    case("then the root", "a/b/n.md", "a/Quay.md", ["a/Quay.md", "z/a/Quay.md"], "a/Quay.md"),
    case("then anywhere", "n.md", "My Port.md", ["Sub/My Port.md"], "Sub/My Port.md"),
    case("dots stop", "a/n.md", "./Port.md", ["Port.md", "b/Port.md"], None),
    case("up", "a/n.md", "../Top.md", ["Top.md"], "Top.md"),
    case("out", "a/n.md", "../../Top.md", ["Top.md"], None),
    case("slash", "a/b/n.md", "/Port.md", ["Port.md", "a/b/Port.md"], "Port.md"),
    case("slash stops", "a/b/n.md", "/Port.md", ["a/b/Port.md"], None),
    case("no extension", "n.md", "Two Rivers", ["Two Rivers.md"], "Two Rivers.md"),
    case("whole path of an attachment", "n.md", "gone/pic.png", ["pic.png", "x/pic.png"], None),
    case("attachment", "n.md", "files/My paper.pdf", ["files/My paper.pdf"], "files/My paper.pdf"),
    case("percent sign", "n.md", "50%off.md", ["50%off.md"], "50%off.md"),
    case("dots in the middle", "a/n.md", "sub/../Port.md", ["Port.md", "a/Port.md"], "a/Port.md"),
    case("folder beside", "a/n.md", "sub/", ["sub/index.md", "a/sub/README.md"], "a/sub/README.md"),
    case("folder without slash", "a/n.md", "sub", ["sub/index.md", "a/sub/index.md"], "a/sub/index.md"),
    case("a blank that was encoded", "n.md", "a .md", ["a .md", "a.md"], "a .md"),
]


@pytest.mark.parametrize(("source", "target", "files", "expected"), MARKDOWN)
def test_markdown(source: str, target: str, files: list[str | Entry], expected: str | None) -> None:
    """R67: beside the note, from the root, then by name in the whole folder."""
    assert expected == table(*files).resolve(link(target, "markdown"), NotePath(source))
    assert expected == table(*reversed(files)).resolve(link(target, "markdown"), NotePath(source))


def test_markdown_address_is_judged_as_written() -> None:
    """An encoded colon belongs to a file name, a plain one to an address."""
    names = table("tel:1.md")
    assert names.resolve(link("tel:1.md", "markdown", raw="tel%3A1.md"), NotePath("n.md")) == "tel:1.md"
    assert names.resolve(link("tel:1.md", "markdown"), NotePath("n.md")) is None


@pytest.mark.parametrize("target", ["Paper", "paper", "Deep/Paper", "PAPER"])
def test_markdown_comes_before_other_kinds_of_notes(target: str) -> None:
    """The note on a document answers to the name of both; the document to its whole name, or alone."""
    both = table(note("Deep/Paper.md", "Paper"), note("Paper.pdf", "Paper"), note("x.canvas", "Paper"))
    titled = table(note("Deep/On paper.md", "Paper"), note("Paper.pdf", "Paper"))
    alone = table(note("Paper.pdf", "Paper"))

    assert both.resolve(link(target), NotePath("a.md")) == "Deep/Paper.md"
    assert titled.resolve(link("Paper"), NotePath("a.md")) == "Deep/On paper.md"
    assert both.resolve(link("Paper.pdf"), NotePath("a.md")) == "Paper.pdf"
    assert alone.resolve(link("Paper"), NotePath("a.md")) == "Paper.pdf"


def test_a_name_means_the_markdown_note_where_another_kind_is_called_so() -> None:
    """No name is ambiguous because a PDF or a canvas has it, too; two notes of one kind are both meant."""
    target = understand(link("Paper"))
    assert target is not None
    files = (note("Deep/Paper.md", "Paper"), note("Paper.pdf", "Paper"), note("x/Paper.pdf", "Paper"))

    assert table(*files).everyone(target) == ["Deep/Paper.md"]
    assert table(*files[1:]).everyone(target) == ["Paper.pdf", "x/Paper.pdf"]
