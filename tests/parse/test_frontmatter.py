"""Front matter: where the block ends, what it holds, and what is wrong with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.parse import frontmatter
from notesd.parse.frontmatter import Value, read_properties


def values(text: str) -> dict[str, Value]:
    """Return the properties of a block by key."""
    return {entry.key: entry.value for entry in read_properties(text).properties}


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("1.10", "1.10"),
        ("007", "007"),
        ("yes", "yes"),
        ("2024-02-30", "2024-02-30"),
        ("1:30", "1:30"),
        ("0x1F", "0x1F"),
        ("!!str 1", "1"),
        ("! x", "x"),
        ("~", None),
        ("null", None),
        ("", None),
        ("'null'", "null"),
        ("[a, [b], {c: d}]", ["a", ["b"], {"c": "d"}]),
        ("[[Note]]", "[[Note]]"),
        ("[[a, b]]", "[[a, b]]"),
        ("[[a], [b]]", [["a"], ["b"]]),
        (">-\n  a\n  b", "a b"),
        ('"a\\tb"', "a\tb"),
        ("<% x %>", "<% x %>"),
    ],
)
def test_scalars_stay_as_typed(block: str, value: Value) -> None:
    """Only null is something else than its text; an unquoted link is one."""
    assert value == values(f"---\nkey: {block}\n---\n")["key"]


@pytest.mark.parametrize(
    "key", ["content", "handler", "metadata", "2024", "null", "yes", "1.5", "2024-01-01", "text", "encoding"]
)
def test_every_key_is_ordinary(key: str) -> None:
    """Keys that Python or YAML could take for something else are text."""
    assert values(f"---\n{key}: x\n---\n") == {key: "x"}


@pytest.mark.parametrize(
    ("text", "body", "line"),
    [
        ("---\na: b\n---\nbody", "body", 4),
        ("---  \na: b\n---\t\nbody", "body", 4),
        ("---\n---\nbody", "body", 3),
        ("---\n\n\n---\nbody", "body", 5),
        ("---\na: b\n---", "", 4),
        ("---\na: |\n  ---\n----\nb: c\n---\nbody", "body", 7),
        ("+++\na = 1\n+++\nbody", "body", 4),
        ("---\n{}\n---\nbody", "body", 4),
        ("---\n# remark\n---\nbody", "body", 4),
        ("---\n\n  # one\n# \x7f\n\n---\nbody", "body", 7),
        ("+++\n# remark\n+++\nbody", "body", 4),
    ],
)
def test_the_block_ends_at_its_fence(text: str, body: str, line: int) -> None:
    """Blanks may follow the fences; what follows the block starts in the right line."""
    head = read_properties(text)

    assert (body, line) == (text[head.body_start :], head.body_line)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        " ---\na: b\n---\n",
        "----\na: b\n----\n",
        "---x\n---\n",
        "\n---\na: b\n---\n",
        "---\ntext\n---\n",
        "---\n- a\n- b\n---\n",
        "---\n# remark\ntext\n---\n",
        "---\n\ntext\n",
        "---",
        "+++",
        "---\n> a: b\n",
        "---\n[[A]] x\n---\n",
        "---\n<% x %>\n---\n",
        "+++\nno end\n",
        "--- a\n---\n",
    ],
)
def test_everything_else_is_body(text: str) -> None:
    """A block that is no mapping belongs to the text, without a word of complaint."""
    head = read_properties(text)

    assert (head.properties, head.problems, head.body_start, head.body_line) == ((), (), 0, 1)


BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{key}: &{key} [{','.join(['*' + old] * 10)}]\n" for old, key in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    ("block", "line", "reason"),
    [
        ("title: Ann: boss", 2, "not YAML"),
        ("tags:\n\t- x", 3, "not YAML"),
        ("a: b\nc: @x", 3, "not YAML"),
        ("a: %x", 2, "not YAML"),
        ("a: `x`", 2, "not YAML"),
        ('a: "x', 3, "not YAML"),
        ("a: \x7f", 1, "not YAML"),
        ("a: [[A]], [[B]]", 2, "not YAML"),
        ("title: {{title}}", 2, "placeholders"),
        ("{{title}}", 2, "placeholders"),
        ("? [a]\n: b", 2, "stands for a key"),
        ("a: &x [*x]", 2, "holds itself"),
        ("a: " + "[" * 60 + "]" * 60, 2, "nested too deeply"),
        ("a: " + "[" * 5000, 1, "not YAML"),
        ("a: *nobody", 2, "not YAML"),
        (BOMB, 2, "too many values"),
        ("a: b\n" + "c" * frontmatter.MAX_BLOCK, 1, "longer than"),
    ],
)  # fmt: skip
def test_a_broken_block_is_left_out_and_reported(block: str, line: int, reason: str) -> None:
    """The problem says what and where; the words of the block are kept, the body goes on."""
    text = f"---\n{block}\n---\nbody"
    head = read_properties(text)

    assert head.properties == ()
    assert len(head.problems) == 1
    assert head.problems[0].kind == "frontmatter"
    assert reason in head.problems[0].reason
    assert head.problems[0].line == line or (line == 1 and "not YAML" in reason)
    assert f"{block}\n" == head.broken
    assert text[head.body_start :] == "body"


@pytest.mark.parametrize(
    ("block", "kept", "lines"),
    [
        ("a: 1\na: 2\nb: 3", {"a": "2", "b": "3"}, [3]),
        ("a: {b: 1, b: 2}", {"a": {"b": "1"}}, [2]),
        ("a: !!python/name:os.system x\nb: 3", {"a": None, "b": "3"}, [2]),
        ("a: [!include x, y]", {"a": [None, "y"]}, [2]),
    ],
)
def test_an_odd_value_costs_no_other(block: str, kept: dict[str, Value], lines: list[int]) -> None:
    """Keys written twice and unknown tags are reported, everything else is read."""
    head = read_properties(f"---\n{block}\n---\n")

    assert kept == {entry.key: entry.value for entry in head.properties}
    assert lines == [problem.line for problem in head.problems]


@pytest.mark.parametrize("text", ["---\ntitle: X\n\nbody", "---\nMy key:\nbody", "+++\na = 1\nbody"])
def test_a_block_that_never_ends_is_reported(text: str) -> None:
    """All of it is body; that it looks like properties is said."""
    head = read_properties(text)

    assert head.body_start == 0
    assert [problem.line for problem in head.problems] == [1]


def test_lines_of_properties_are_those_of_the_file() -> None:
    """Each property knows its first and last line."""
    found = read_properties(
        "---\n\na: 1\n# x\nb:\n  - 1\n  - 2\nc: [1,\n 2]\nd: |\n  x\n\ne:\n---\n"
    ).properties

    assert [(p.key, p.line, p.line_end) for p in found] == [
        ("a", 3, 3), ("b", 5, 7), ("c", 8, 9), ("d", 10, 12), ("e", 13, 13),
    ]  # fmt: skip


def test_toml_is_read_with_its_types() -> None:
    """Dates, numbers, flags, lists and tables become text."""
    text = "+++\na = 1\nb = 1.50\nc = true\nd = [2024-01-15, 10:30:00]\n[e]\nf = false\n+++\n"

    assert values(text) == {
        "a": "1",
        "b": "1.50",
        "c": "true",
        "d": ["2024-01-15", "10:30:00"],
        "e": {"f": "false"},
    }


@pytest.mark.parametrize(
    ("block", "line"), [("a = b", 2), ("x = 1\na =", 3), ("a = 1\na = 2", 3), ("a=" + "[" * 9999, 1)]
)
def test_broken_toml_is_reported(block: str, line: int) -> None:
    """As with YAML, with the line."""
    head = read_properties(f"+++\n{block}\n+++\nbody")

    assert [problem.kind for problem in head.problems] == ["frontmatter"]
    assert line == 1 or head.problems[0].line == line
    assert head.broken


def test_escapes_make_no_half_characters() -> None:
    """What no file can hold does not come out of an escape either."""
    head = read_properties('---\na: "\\ud800x"\n---\n')

    assert str(head.properties).encode("utf-8")


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@`,? \n\t", max_size=60))
def test_any_block_is_survived(block: str) -> None:
    """Whatever stands between the fences, there is an answer and the body is whole."""
    text = f"---\n{block}\n---\nbody\n"
    head = read_properties(text)

    assert text[head.body_start :].endswith("body\n")
    assert text[: head.body_start].count("\n") == head.body_line - 1
