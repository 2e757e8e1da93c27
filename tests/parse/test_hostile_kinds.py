"""Hostile files of every kind: set aside with a reason or read in part, in bounded time and memory."""

import json
import random
import re
import time
import tracemalloc
from collections.abc import Callable

import pytest

from notesd.model import Note, NotePath
from notesd.parse.kinds import KINDS, read_file

TEXTS = sorted(suffix for suffix, kind in KINDS.items() if kind.read is not None)

PLACE = {"x": 1, "y": 1, "width": 2, "height": 2}
SOUND = {
    ".canvas": json.dumps(
        {
            "nodes": [
                {"id": "g", "type": "group", "x": 0, "y": 0, "width": 9, "height": 9, "label": "Group"},
                {"id": "a", "type": "text", "text": "# Card\n\nwords [[Link]]", **PLACE},
                {"id": "b", "type": "file", "file": "A.md", "subpath": "#Part", **PLACE},
                {"id": "c", "type": "link", "url": "https://example.org", **PLACE},
            ],
            "edges": [{"id": "e", "fromNode": "a", "toNode": "b", "fromEnd": "arrow", "label": "leads to"}],
        },
        indent=1,
    ),
    ".ipynb": json.dumps(
        {
            "nbformat": 4,
            "metadata": {},
            "cells": [
                {"cell_type": "raw", "source": "---\ntitle: T\n---"},
                {"cell_type": "markdown", "source": ["# Head\n", "words"]},
                {"cell_type": "code", "source": ["x = 1\n", "x"], "outputs": [{"text": ["1"]}]},
            ],
            "worksheets": [
                {
                    "cells": [
                        {"cell_type": "heading", "level": 2, "source": "Old"},
                        {"input": "y", "cell_type": "code"},
                    ]
                }
            ],
        },
        indent=1,
    ),
    ".base": 'filters:\n  and:\n    - file.inFolder("A")\n    - status != "done"\n'
    "views:\n  - type: table\n    name: V\n    order: [file.name, note.x]\n",
    ".excalidraw.md": "---\nexcalidraw-plugin: parsed\n---\n# Excalidraw Data\n## Text Elements\n"
    "One ^a\n\n%%\n## Drawing\n```json\n{}\n```\n%%\n",
    ".excalidraw": '{"elements": [{"type": "text", "text": "Box", "link": "[[A]]"}, {"isDeleted": true}]}',
    ".org": "#+TITLE: T\n:PROPERTIES:\n:ID: 1\n:END:\n* TODO [#A] H :a:\n"
    "| a | b |\n#+BEGIN_SRC sh\nls\n#+END_SRC\n- [[file:x.org][x]]\n",
    ".txt": "---\ntitle: T\n---\nwords\n\nmore\n",
    ".mdx": 'import X from "x"\n\n# H\n\n<X a="b">t</X>\n\n{/* c */}\n',
    ".qmd": "---\ntitle: T\n---\n```{r, echo=FALSE}\n#| label: x\nplot(x)\n```\n::: {.note}\nt\n:::\n",
    ".md": "---\ntitle: T\n---\n# H\n\n```compressed-json\nN4K\n```\n",
}
"""A sound file of each kind; others are of the kind of one of them."""

VALUES: tuple[object, ...] = (
    *(None, True, 0, -1, 1e308, 10**400, "", "x", "\ud800", "\0", "[[" * 50),
    *([], {}, [[]], {"text": {}}, ["a", 1, None]),
)


def check(note: Note, path: NotePath, lines: int) -> None:
    """See that a note is one: valid text, lines within the file, something in each passage."""
    json.dumps(str(note)).encode()
    str(note).encode()
    assert note.path == path
    assert note.title
    assert "\0" not in str(note)
    for passage in note.observations:
        assert 1 <= passage.line_start <= passage.line_end <= lines
        assert passage.text.strip()
    for heading in note.headings:
        assert 1 <= heading.level <= 6
        assert 1 <= heading.line <= lines
    for link in note.links:
        assert 1 <= link.line <= lines
    for problem in note.problems:
        assert problem.reason


def read(text: str, suffix: str) -> Note:
    """Read a text as a file of a kind, and see that it is sound."""
    path = NotePath(f"Folder/File name{suffix}")
    note = read_file(text, path)
    check(note, path, re.sub("\r\n?", "\n", text).count("\n") + 1)
    return note


@pytest.mark.parametrize("suffix", TEXTS)
@pytest.mark.parametrize("seed", range(4))
def test_any_damage_leaves_a_note(suffix: str, seed: int) -> None:
    """A hundred damaged files of each kind are read or set aside; nothing raises."""
    chance = random.Random(f"{suffix} {seed}")
    for _ in range(100):
        read(damaged(SOUND.get(suffix) or SOUND[".qmd" if suffix == ".rmd" else ".md"], chance), suffix)


def damaged(text: str, chance: random.Random) -> str:
    """Damage a text: signs, stretches, nesting."""
    for _ in range(chance.randint(1, 8)):
        at = chance.randint(0, len(text))
        way = chance.randrange(5)
        if way == 0:
            text = text[:at] + chance.choice('{}[]":,\\\n\0\ud800\ufffe*#-`|+:%$<>\t\r') + text[at:]
        elif way == 1:
            text = text[:at] + text[at + chance.randint(1, 30) :]
        elif way == 2:
            text = text[:at] + text[at : at + 40] * chance.randint(2, 30) + text[at:]
        elif way == 3:
            text = text[:at] + chance.choice('[{("`*:#-') * chance.randint(1, 300) + text[at:]
        else:
            other = SOUND[chance.choice(sorted(SOUND))]
            text = text[:at] + other[: chance.randint(0, len(other))]
    return text.encode("utf-8", "replace").decode()


@pytest.mark.parametrize("suffix", [".canvas", ".excalidraw", ".ipynb"])
def test_every_field_may_be_of_a_wrong_type(suffix: str) -> None:
    """Each value of a sound file is replaced by each odd one; the rest is read."""
    sound = json.loads(SOUND[suffix])
    for way in ways(sound):
        for value in VALUES:
            read(json.dumps(replaced(sound, way, value)), suffix)


def ways(value: object, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the way to each value within another."""
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [above, *(way for key, inner in entries for way in ways(inner, (*above, key)))]


def replaced(value: object, way: tuple[str | int, ...], other: object) -> object:
    """Return a copy of a value with another one at the end of a way."""
    if not way:
        return other
    if isinstance(value, dict):
        return {
            key: replaced(inner, way[1:], other) if key == way[0] else inner for key, inner in value.items()
        }
    assert isinstance(value, list)
    return [replaced(inner, way[1:], other) if at == way[0] else inner for at, inner in enumerate(value)]


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".canvas", "[" * 200_000),
        (".canvas", '{"nodes":' + "[" * 200_000),
        (".canvas", '{"nodes":[' + '{"a":' * 200_000),
        (".ipynb", '{"metadata":' + '{"a":' * 200_000),
        (".ipynb", '{"cells":[{"source":' + "[" * 200_000),
        (".base", "a: " + "[" * 200_000),
        (
            ".base",
            "a: &a [x]\nb: &b [*a, *a, *a]\n"
            + "".join(f"k{n}: &k{n} [{', '.join(['*b'] * 9)}]\n" for n in range(999)),
        ),
        (".base", "a: &a\n  b: *a\n"),
        (".canvas", '{"nodes":[{"x":' + "9" * 1_000_000),
        (".ipynb", "NaN"),
    ],
    ids=[
        "deep list",
        "deep nodes",
        "deep object",
        "deep metadata",
        "deep source",
        "deep YAML",
        "aliases",
        "cycle",
        "digits",
        "NaN",
    ],
)
def test_what_cannot_be_read_is_set_aside_with_a_reason(suffix: str, text: str) -> None:
    """It is known by its name, and one sentence says why."""
    note = read(text, suffix)

    assert [problem.kind for problem in note.problems] == ["unparsable"]
    assert note.problems[0].reason.startswith(f"Folder/File name{suffix} is known by its name only: ")
    assert (note.title, note.observations, note.entity_type) == ("File name", (), KINDS[suffix].name)


def nodes(count: int, node: Callable[[int], dict[str, object]]) -> str:
    """Return a canvas of some nodes."""
    return json.dumps(
        {"nodes": [{"id": str(number), **node(number)} for number in range(count)], "edges": []}
    )


CIRCLE = {
    "nodes": [{"id": str(number), "type": "file", "file": f"{number}.md"} for number in range(2_000)],
    "edges": [
        {"fromNode": str(one), "toNode": str((one + step) % 2_000), "label": "next", "fromEnd": "arrow"}
        for step in (1, -1, 0)
        for one in range(2_000)
    ],
}

COSTLY: dict[str, tuple[str, Callable[[], str]]] = {
    "circles of edges": (".canvas", lambda: json.dumps(CIRCLE)),
    "groups in groups": (
        ".canvas",
        lambda: nodes(9_000, lambda n: {"type": "group", "label": "g", "width": 9 + n, "height": 9}),
    ),
    "cards of brackets": (".canvas", lambda: nodes(300, lambda _: {"type": "text", "text": "[[a](" * 1_000})),
    "one huge card": (".canvas", lambda: nodes(1, lambda _: {"type": "text", "text": "[" * 5_000_000})),
    "million nodes": (".canvas", lambda: '{"nodes":[' + ",".join(["{}"] * 1_000_000) + "]}"),
    "million cells": (".ipynb", lambda: '{"cells":[' + ",".join(["{}"] * 1_000_000) + "]}"),
    "million lines": (
        ".ipynb",
        lambda: '{"cells":[{"cell_type":"code","source":[' + ",".join(['"x\\n"'] * 1_000_000) + "]}]}",
    ),
    "huge output": (
        ".ipynb",
        lambda: '{"cells":[{"cell_type":"code","outputs":["' + "A" * 5_000_000 + '"],"source":"x"}]}',
    ),
    "drawers": (".org", lambda: ":a:\n" * 200_000),
    "blocks": (".org", lambda: "#+begin_src\n" * 200_000),
    "stars": (".org", lambda: "* a\n" * 100_000),
    "org brackets": (".org", lambda: "[[a" * 500_000),
    "blanks": (".org", lambda: " " * 3_000_000),
    "tags": (".org", lambda: "* " + ":a" * 1_000_000),
    "blank text": (".txt", lambda: " " * 5_000_000),
    "blank lines": (".txt", lambda: " \n" * 1_000_000),
    "almost base64": (".txt", lambda: ("Aa1" * 25 + "\n") * 50_000 + "é"),
    "statements": (".mdx", lambda: "import {\n\n" * 100_000),
    "comments": (".mdx", lambda: "{/*" * 300_000),
    "short codes": (".qmd", lambda: "{{<" * 300_000),
    "fences": (".qmd", lambda: "```{r}\n#|\n" * 100_000),
    "drawing": (
        ".excalidraw.md",
        lambda: "---\nexcalidraw-plugin: parsed\n---\n# Excalidraw Data\n" + "# Drawing\n\n" * 100_000,
    ),
    "expressions": (".base", lambda: "filters: '" + "link(" * 20_000 + "'\n"),
    "many filters": (".base", lambda: "filters: [" + ", ".join(["hasTag(x)"] * 20_000) + "]"),
}


@pytest.mark.parametrize("name", COSTLY)
def test_the_cost_grows_with_the_length_alone(name: str) -> None:
    """No run of any sign takes time out of proportion to its length."""
    suffix, write = COSTLY[name]
    text = write()
    began = time.process_time()
    read(text, suffix)

    assert time.process_time() - began < 20


def test_a_string_of_a_hundred_megabytes_needs_little_more() -> None:
    """What is skipped is not kept: outputs of a notebook, and what a canvas has beside nodes and edges."""
    for suffix, head in (
        (".ipynb", '{"cells":[{"cell_type":"code","outputs":["'),
        (".canvas", '{"other":["'),
    ):
        tail = (
            '"],"source":"kept"}]}' if suffix == ".ipynb" else '"],"nodes":[{"type":"text","text":"kept"}]}'
        )
        text = head + "A" * 100_000_000 + tail
        tracemalloc.start()
        note = read_file(text, NotePath(f"x{suffix}"))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

        assert [one.text for one in note.observations] == ["kept"]
        assert peak < 250_000_000
