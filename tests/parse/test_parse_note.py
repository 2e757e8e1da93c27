"""Whole notes: any text is read in bounded time, and what is found stands where it says."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notesd.model import Note, NotePath, Problem
from notesd.parse import parts
from notesd.parse.note import parse_note

PATH = NotePath("Folder/Note v1.2.md")

MARKDOWN = [
    "word", "[[x]]", "![[y.png]]", "[[a|b]]", "[t](u.md)", "![i](j.png)", "[r][k]", "\n[k]: v.md\n",
    "#tag", " ", "\n", "\n\n", "- ", "> ", "1. ", "    ", "\t", "| a | b |\n|---|---|\n| c | d |\n",
    "# ", "===\n", "---\n", "`", "```\n", "$", "$$", "%%", "<!--", "-->", "<div>", "<b>", "</b>",
    "key:: ", "[k:: ", "(k:: ", ")", "]", "**", "_", "~~", "\\", "&#10;", "[^1]", "\n[^1]: ", "^[",
    " ^id", "+++\n", "title: x\n", "\u00a0", "é", "語", "\ufdd0", "\x0b", "\f", "\u2028", "😀",
]  # fmt: skip

texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(MARKDOWN), max_size=30).map("".join))


def read(text: str) -> Note:
    """Read a text as a note."""
    return parse_note(text, PATH)


@settings(max_examples=500)
@given(texts)
def test_any_text_is_a_note(text: str) -> None:
    """Nothing raises; lines lie within the file, in order, and every passage says something."""
    note = read(text)
    last = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1

    for passage in note.observations:
        assert 1 <= passage.line_start <= passage.line_end <= last
        assert passage.text.strip()
    for link in note.links:
        assert 1 <= link.line <= last
    for heading in note.headings:
        assert 1 <= heading.line <= last
    assert note.title


@given(texts, st.sampled_from(["\r\n", "\r"]))
def test_line_ends_make_no_difference(text: str, end: str) -> None:
    """Windows and old Mac line ends give the same note."""
    text = text.replace("\r", "")

    assert read(text) == read(text.replace("\n", end))


@given(
    st.lists(st.sampled_from(["plain", "word,", "(x)", "é", "語", "5%", "a-b", "\n", "«q»"]), max_size=12),
    st.lists(
        st.text("abcé語 0123-_.,'&+=@", min_size=1, max_size=12).map(str.strip).filter(bool), max_size=5
    ),
)
def test_every_link_in_plain_text_is_found(words: list[str], targets: list[str]) -> None:
    """Whatever stands around it, a wiki-link in ordinary text is found, in order."""
    words += [""] * len(targets)
    text = "".join(f"{word} [[{target}]]" for word, target in zip(words, targets, strict=False))
    text += " ".join(words[len(targets) :])

    assert [link.raw for link in read("x " + text).links] == targets


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: T\n---\n# H\n", "T"),
        ("---\ntitle: [a, b]\n---\n", "a, b"),
        ("---\ntitle: '  '\n---\n# H\n", "H"),
        ("---\ntitle: {a: b}\n---\n# H\n", "H"),
        ("---\ntitle: |\n  two\n  lines\n---\n", "two lines"),
        ("## S\n# H\n# I\n", "H"),
        ("#\n\n# H\n", "H"),
        ("> # Q\n\n- # L\n", "Note v1.2"),
        ("", "Note v1.2"),
        ("\ufefftext", "Note v1.2"),
        ("# A [[B|c]] `d` ![e](f) ~~g~~[^1] \\* &amp; <b>h</b> ^id\n", "A c d e g * & h"),
    ],
)
def test_the_title(text: str, title: str) -> None:
    """Front matter, else the first level-1 heading, else the file's name."""
    assert title == read(text).title


@pytest.mark.parametrize("text", ["# T <!-- x -->", "# <!-- x --> T", "T <!-- x -->\n===\n"])
def test_a_comment_is_no_part_of_a_heading(text: str) -> None:
    """Nobody sees it, so nobody calls the note so."""
    note = read(text)
    assert (note.title, [heading.text for heading in note.headings]) == ("T", ["T"])


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#a*b* #c**d** #e~~f~~ #g<b>h</b> #i[j](k)", ("a", "c", "e", "g", "i")),
        ("*#a* **#b** ~~#c~~ <u>#d</u> [#e](f) ***#g***", ("a", "b", "c", "d", "e", "g")),
        ("x**#a** x<b>#b</b> x[#c](d) **x**#e", ()),
    ],
)
def test_marks_end_a_tag_and_hide_none(text: str, tags: tuple[str, ...]) -> None:
    """A mark of emphasis, a link or an element is no letter, at either end of a tag."""
    assert tags == read(text).tags


def test_an_item_is_a_relation_with_its_first_paragraph_only() -> None:
    """What an item goes on with is a sentence of its own, but may be a field."""
    note = read("- one [[A]]\n\n  two [[B]]\n\n  three:: [[C]]\n- four\n  - five [[D]]\n\n  six [[E]]\n")
    assert [link.relation for link in note.links] == ["one", None, "three", "five", None]


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("<!-- [[A]] --> [[B]] <!--\n[[C]]\n--> [[D]]\n[[E]]", "BDE"),
        ("<!-- a --> <!-- b\n\n[[C]] --> <!-- [[D]]\n\n--> [[E]]\n\n[[F]]", "EF"),
        ("> <!-- a --> [[B]] <!--\n> [[C]] -->\n> [[D]]", "BD"),
        ("<!-- a --> <!-- never closed\n[[A]]", "A"),
    ],
)
def test_comments_that_share_a_line(text: str, links: str) -> None:
    """One begins where another ends: both hide what is in them, and nothing behind them."""
    assert list(links) == [link.raw for link in read(text).links]


def test_a_name_without_extension_is_a_title() -> None:
    """A path that has no dot is not cut."""
    assert parse_note("", NotePath("a/b")).title == "b"


def test_names_and_flags() -> None:
    """Ids are further names, the first of them the stable key; flags take every spelling."""
    note = read("---\nslug: s\nuid: 7\nid: 007\nindex: No\nembed: n\nprivate: ON\n---\n")

    assert (note.names, note.stable_key) == (("007", "7", "s"), "007")
    assert (note.index, note.embed, note.private) == (False, False, True)


@pytest.mark.parametrize(
    "head",
    [
        "private: 1", "private: t", "private: true,", "PRIVATE: Yes",
        "title: x\n  private: true\nfoo: [", "{private: true}\naliases: [a]",
        'foo: "unclosed\n PRIVATE: yes', "- private: true", "# my head\n- title: x\n- private: yes",
        "base: &base\n  private: true\n<<: *base", "private: vrai", "private: Ja", "private: はい",
        "meta: {private: true}", "a: [{b: {private: on}}]", "private: yes, for now", "private: [true]",
    ],
)  # fmt: skip
def test_a_note_is_private_however_that_is_written(head: str) -> None:
    """In front matter that cannot be read too, wherever it stands there."""
    assert read(f"---\n{head}\n---\nA secret.\n").private


@pytest.mark.parametrize(
    "text",
    [
        '{"private": true}\n', '{\n  "title": "x", "meta": {"a": 1},\n  "private": true\n}\n',
        ';;;\n"private": true\n;;;\n',
        "\n---\nprivate: true\n---\n", " ---\nprivate: true\n---\n", "----\nprivate: true\n----\n",
        "---\nprivate:true\n---\n", "---\nprivate:\u00a0true\n---\n", "---\nprivate\uff1atrue\n---\n",
        "---\nmeta: {private: [{agents: true}]}\n---\n", "---\nprivate: true\u200b\n---\n",
        "---\nprivate: \u2714\ufe0f\n---\n", "---\nprivate: {agents: true}\n---\n",
        "---\n" + "a: b\n" * 20_000 + "c: [\nprivate: true\n---\n",
    ],
)  # fmt: skip
def test_what_was_meant_as_front_matter_makes_a_note_private(text: str) -> None:
    """As other tools read it, as it is pasted, or as a keyboard of another script writes it."""
    assert read(f"{text}A secret.\n").private


@pytest.mark.parametrize(
    "text",
    [
        "---\nprivate: false\n---\n", "---\nprivate: [work, home]\n---\n", "---\nprivate:\n---\n",
        "---\nmeta: {private: no}\n---\n", "---\n- private: no\n---\n", "---\nabout: private true\n---\n",
        "---\n- one\n---\nprivate: true\n", "---\nprose, - private: true\n---\n", "---\nprivate: nein\n---\n",
        "- private: true\n", "private:: no\n", "---\ntags: [private]\n---\n",
        '{"private": false}\n', '{"private": null}\n',
        "{{date}}\nprivate: true\n", "---\nThis is private: keep out\n---\n",
        "\n---\nprivate: no\n---\n", "---\nprivate:no\n---\n",
        "---\nprivate: {agents: false}\n---\n",
    ],
)  # fmt: skip
def test_a_note_that_asks_for_nothing_is_not_private(text: str) -> None:
    """Words of the same spelling in other places are no wish."""
    assert not read(f"{text}Nothing secret.\n").private


@pytest.mark.parametrize("field", ["private:: true", "A line.\n\n- private:: yes\n", "Here (private:: oui)."])
def test_a_field_of_the_text_makes_a_note_private(field: str) -> None:
    """As a property of Logseq or Dataview."""
    assert read(f"{field}\nA secret.\n").private


def test_flags_have_defaults() -> None:
    """A word that is no flag changes nothing."""
    note = read("---\nindex: perhaps\nprivate: perhaps\n---\n")

    assert (note.index, note.embed, note.private, note.stable_key) == (True, True, False, None)


def test_problems_of_reading_come_first() -> None:
    """What was wrong with the file is kept, what is wrong with its text is added."""
    earlier = Problem("not_utf8", "Bytes.", 3)
    note = parse_note("---\na: b: c\n---\n", PATH, problems=(earlier,))

    assert [problem.kind for problem in note.problems] == ["not_utf8", "frontmatter"]


def test_nul_vanishes() -> None:
    """A NUL byte does not part a word."""
    assert read("wal\0nut [[T]]").observations[0].text == "walnut T"


def test_long_properties_are_cut() -> None:
    """A long value becomes several passages on its lines."""
    note = read("---\nabout: " + "word " * 1000 + "\n---\n")

    assert [(passage.line_start, passage.line_end) for passage in note.observations] == [(2, 2)] * 3


def test_large_tables_are_cut_into_rows() -> None:
    """Fifty rows make a passage, with their own lines."""
    note = read("| a | b |\n|---|---|\n" + "| [[T]] | x |\n" * 99)

    assert [(p.line_start, p.line_end) for p in note.observations] == [(1, 51), (52, 101)]
    assert [link.line for link in note.links] == list(range(3, 102))


def test_deep_outlines_are_read_and_absurd_ones_keep_their_words() -> None:
    """Links forty lists and hundred quotes deep are found; deeper lines are still passages."""
    lists = "".join("  " * depth + f"- w{depth}\n" for depth in range(300)) + "  " * 300 + "- [[Deepest]] z\n"

    note = read(
        "".join("  " * depth + "- x\n" for depth in range(40))
        + "  " * 40
        + "- [[T]]\n\n"
        + "> " * 100
        + "[[U]]"
    )
    assert [link.raw for link in note.links] == ["T", "U"]
    deep = read(lists + "\n[r]: u.md\n\n# After\n\n    [[No]]\n\n[r] [[V]]\n")
    assert {f"w{depth}" for depth in range(300)} <= {
        word for p in deep.observations for word in p.text.split()
    }
    assert [link.raw for link in deep.links] == ["Deepest", "u.md", "V"]
    assert [heading.line for heading in deep.headings] == [305]
    assert [p.line_start for p in deep.observations] == [*range(1, 302), 307, 309]


def test_lazy_lines_below_deep_quotes_are_read() -> None:
    """A paragraph goes on below a hundred quotes for as long as it likes, and costs little."""
    begun = time.process_time()
    note = read("> " * 100 + "a\n" + "a\n" * 10_000 + "[[T]] #t\n\n[[U]]\n")
    assert [(link.raw, link.line) for link in note.links] == [("T", 10_002), ("U", 10_004)]
    assert note.tags == ("t",)
    assert time.process_time() - begun < 20


def test_many_absurd_outlines_keep_their_words() -> None:
    """Reading starts anew a few times, then every line is kept by itself."""
    monster = "".join("  " * depth + f"- w{depth}\n" for depth in range(100)) + "\n# H [[T]]\n"
    note = read("[r]: u.md\n\n" + monster * 8)

    assert [link.raw for link in note.links] == ["T"] * 8
    assert len([passage for passage in note.observations if "w99" in passage.text]) == 8


def test_a_deep_stack_costs_no_word() -> None:
    """Where the caller has left little of Python's stack, lines are read one by one."""

    def below(depth: int) -> Note:
        return below(depth - 1) if depth else read("> " * 90 + "word [[T]]\n\nmore\n")

    import sys

    note = below(sys.getrecursionlimit() - 120 - stack_depth())
    assert [link.raw for link in note.links] == ["T"]
    assert [passage.text for passage in note.observations] == ["word T", "more"]


def stack_depth() -> int:
    """Return how many frames there are."""
    import sys

    depth = 0
    while True:
        try:
            sys._getframe(depth)
        except ValueError:
            return depth
        depth += 1


def test_words_beyond_the_limit_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A note that would take minutes is read in part; the rest can be found, and it is said."""
    monkeypatch.setattr(parts, "MAX_PART", 1000)
    monkeypatch.setattr(parts, "MAX_COST", 20_000)
    note = read("".join(f"- [[L{number}]]\n\n" for number in range(1000)))

    assert [problem.kind for problem in note.problems] == ["too_long"]
    assert 10 < len(note.links) < 1000
    assert note.observations[-1].text.endswith("[[L999]]")
    assert note.observations[-1].line_end >= 1999


UNITS = [
    "[", "![", ">", "[[", "`", "*", "_a", "**a ", "<", "&", "$", "%%", "[a](", "(a:: ", "[a:: ", "#a ",
    "~~", "^[", "[^a]", "\\", "$a ", "$$a\n\n", "|", "- ", "<a ", "<!--", '<a x="', "](", "[a]: b\n",
    "[[a|", "[[a\\]", "`a``", "](x)", "a::[[b]]\n", "- a [[b]] (\n", "> a\n\n", "a\n", "[^a]: ",
    "- $$a\n", "==", "%%#a", "*[", "{{", "---\n", "~~~a\n",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_a_run_of_marks_is_read_in_linear_time(unit: str) -> None:
    """Four times the run takes about four times as long; words after it are still found."""

    def took(size: int) -> float:
        text = unit * (size // len(unit)) + "\n\nafter [[T]]\n"
        start = time.process_time()
        note = read(text)
        end = time.process_time()
        assert "after" in {word for passage in note.observations for word in passage.text.split()}
        return end - start

    # What else the machine does can only make a run longer: the shortest of several says most.
    assert any(took(40_000) < 12 * took(10_000) + 0.2 for _ in range(5))


@pytest.mark.parametrize(
    "text",
    [
        ">" * 100_000,
        "".join(" " * min(800, 2 * number) + "- a\n" for number in range(800)),
        "".join("> " * number + "a\n" for number in range(600)),
        "[" * 50_000 + "](x)" * 10_000,
        "![" * 20_000 + "](x)" * 5_000,
        "x" * 1_000_000,
        "![](data:image/png;base64," + "QUJD" * 100_000 + ")",
        "---\na: " + "[" * 50_000 + "\n---\n",
        "---\n" + "a: b\n" * 20_000 + "---\n",
        "".join("`" * number + "x" for number in range(1, 400)),
        "(a:: " * 10_000 + "[[x]]" + ")" * 10_000,
        "|" + "a|" * 3_000 + "\n|" + "-|" * 3_000 + "\n" + ("|" + "b|" * 3_000 + "\n") * 3,
    ],
    ids=[
        "quotes",
        "lists",
        "stairs",
        "labels",
        "pictures",
        "word",
        "base64",
        "flow",
        "keys",
        "ticks",
        "fields",
        "wide",
    ],
)
@pytest.mark.timeout(120)
def test_monsters_are_read(text: str) -> None:
    """What no person writes costs seconds at most."""
    assert read(text).title == "Note v1.2"
