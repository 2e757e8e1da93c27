"""A note is cut by its headings: small sections together, long ones in parts, each told where it stands."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.embed.passages import (
    LONGEST_TOKENS,
    MOST_HEADINGS,
    OUTLINE_HEADINGS,
    Passage,
    body_language,
    body_words,
    headings,
    outline,
    passages,
)
from notesd.model import NotePath
from notesd.parse.note import parse_note


def words(texts: Sequence[str]) -> list[int]:
    """Count words where a model counts tokens."""
    return [len(text.split()) for text in texts]


def cut(text: str, path: str = "folder/Bread.md", granularity: str = "passages") -> tuple[Passage, ...]:
    """Cut the text of a file."""
    return passages(parse_note(text, NotePath(path)), words, granularity)  # type: ignore[arg-type]  # a literal


def texts(text: str, path: str = "folder/Bread.md") -> list[str]:
    """Return the texts of a file's passages."""
    return [passage.text for passage in cut(text, path)]


def some(count: int, name: str = "w") -> str:
    """Return a sentence of so many words."""
    return " ".join(f"{name}{at}" for at in range(count))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="an empty file"),
        pytest.param("---\ntags: []\n---\n", [], id="nothing but an empty property"),
        pytest.param("# Sourdough", ["Sourdough"], id="a title alone"),
        pytest.param("---\ntitle: Rye\n---\n", ["Rye"], id="a title in the front matter alone"),
        pytest.param("Flour and water.", ["Bread\nFlour and water."], id="one paragraph"),
        pytest.param("# Bread\n\nFlour.", ["Bread\nFlour."], id="a heading that repeats the title"),
        pytest.param("# Rye\n\n## Dough\n\nMix.", ["Rye > Dough\nMix."], id="where it stands"),
        pytest.param(
            "# Rye\n\nGood.\n\n## Dough\n\nMix.\n\n## Oven\n\nHot.",
            ["Rye\nGood.\nDough\nMix.\nOven\nHot."],
            id="small sections together, each under its heading",
        ),
        pytest.param(
            "# Rye\n\n## Dough\n\n### First\n\nMix.\n\n### Second\n\nWait.",
            ["Rye > Dough\nFirst\nMix.\nSecond\nWait."],
            id="what the headings share stands on top",
        ),
        pytest.param("# Plan\n\n## Buy\n\n## Bake", ["Plan\nBuy\nBake"], id="headings alone"),
        pytest.param("- Flour\n- Water", ["Bread\n- Flour\n- Water"], id="lists keep their marks"),
        pytest.param("---\nembed: false\n---\nSecret.", [], id="not to be embedded"),
        pytest.param("---\nprivate: true\n---\nSecret.", [], id="private"),
        pytest.param("---\nindex: false\n---\nSecret.", [], id="not even indexed"),
        pytest.param(
            "---\nstatus: draft\nsummary: How to bake a loaf of rye\n---\nMix.",
            ["Bread\nsummary: How to bake a loaf of rye\nMix."],
            id="properties that are sentences",
        ),
    ],
)
def test_what_gets_a_vector(text: str, expected: list[str]) -> None:
    """The texts of a note are these."""
    assert texts(text) == expected


def test_positions_and_lines() -> None:
    """Passages are numbered from 0 and know the lines they are from."""
    text = f"# Bread\n\n## One\n\n{some(290)}\n\n## Two\n\n{some(290)}\n\nmore"

    assert [(each.position, each.line_start, each.line_end) for each in cut(text)] == [(0, 5, 5), (1, 9, 11)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="an empty file"),
        pytest.param("Flour.", [], id="no headings"),
        pytest.param("# Bread\n\nFlour.", [], id="a heading that repeats the title"),
        pytest.param(
            "# Rye\n\nGood.\n\n## Dough\n\n### First\n\nMix.\n\n## Oven\n\nHot.",
            ["Rye > Dough", "Rye > Dough > First", "Rye > Oven"],
            id="each under those above it",
        ),
        pytest.param("# Rye\n\n## Log\n\na\n\n## Log\n\nb", ["Rye > Log"], id="one that is there twice"),
        pytest.param("# Rye\n\n## ---\n\n## 湯\n\na", ["Rye > 湯"], id="one that says nothing"),
        pytest.param("---\nprivate: true\n---\n# Rye\n\n## Dough", [], id="a private note"),
        pytest.param("---\nembed: false\n---\n# Rye\n\n## Dough", [], id="a note without vectors"),
    ],
)
def test_headings_get_a_vector_of_their_own(text: str, expected: list[str]) -> None:
    """Where each stands, from position -1 down; as long as there are no passages the title has one too."""
    note = parse_note(text, NotePath("folder/Bread.md"))
    found = headings(note)

    assert [each.text for each in found] == expected
    assert [each.position for each in found] == [-1 - at for at in range(len(expected))]
    lines = text.split("\n")
    assert all(each.text.rpartition(" > ")[2] in lines[each.line_start - 1] for each in found)
    whole = outline(note)
    assert whole[: len(found)] == found
    assert [each.text for each in whole[len(found) :]] == ([note.title] if passages(note, words) else [])
    assert len({each.position for each in whole}) == len(whole)


def test_of_very_many_headings_the_first_get_a_vector() -> None:
    """A list of changes with thousands is one note, not thousands."""
    text = "\n\n".join(f"## Version {at}\n\nfixed" for at in range(MOST_HEADINGS + 5))

    note = parse_note(text, NotePath("Changes.md"))

    assert len(headings(note)) == MOST_HEADINGS
    assert headings(note)[-1].text == f"Changes > Version {MOST_HEADINGS - 1}"
    assert [each.text for each in outline(note)] == [
        *(f"Changes > Version {at}" for at in range(OUTLINE_HEADINGS)), "Changes",
    ]  # fmt: skip


def test_sections_are_put_together_up_to_300_tokens() -> None:
    """The next section starts a passage of its own when it does not fit."""
    text = "# Bread\n" + "".join(f"\n## S{at}\n\n{some(140)}\n" for at in range(4))

    assert [passage.count("## ") + passage.count("S") for passage in texts(text)] == [2, 2]


def test_a_section_up_to_380_tokens_stays_whole() -> None:
    """Between 300 and 380 nothing is cut."""
    assert len(texts(f"# Bread\n\n{some(375)}")) == 1


def test_long_sections_are_cut_between_paragraphs() -> None:
    """A long section gives parts of about the same length, each under the same heading."""
    body = "\n\n".join(some(60, f"p{at}w") for at in range(12))

    found = texts(f"# Bread\n\n## Dough\n\n{body}")

    assert [text.splitlines()[0] for text in found] == ["Bread > Dough"] * len(found)
    assert [len(text.split()) // 60 for text in found] == [6, 6]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(" ".join(f"Sentence {at} ends here." for at in range(400)), id="sentences"),
        pytest.param(some(1500), id="no full stop"),
        pytest.param(
            "\n".join(f"| {at} | cell |" for at in range(3)) + "\n\n" + some(1000), id="a table before"
        ),
        pytest.param("```\n" + "\n".join(f"line {at} = {at}" for at in range(500)) + "\n```", id="code"),
        pytest.param("字" * 3000, id="no blanks at all"),
    ],
)
def test_no_text_is_longer_than_the_model_reads(body: str) -> None:
    """Whatever a block looks like, it is cut to fit, and nothing of it is lost."""

    def count(many: Sequence[str]) -> list[int]:
        return [sum(max(1, len(word) // 2) for word in text.split()) for text in many]

    note = parse_note(f"# Bread\n\n{body}", NotePath("Bread.md"))
    found = passages(note, count)
    kept = "".join(passage.text.partition("\n")[2] for passage in found)
    written = "".join(observation.text for observation in note.observations)

    assert max(count([passage.text for passage in found])) <= LONGEST_TOKENS + 3
    assert "".join(kept.split()) == "".join(written.split())


def test_a_model_that_takes_less_gets_shorter_passages() -> None:
    """With 256 tokens instead of 512 everything is half as long."""
    note = parse_note(f"# Bread\n\n{some(370)}", NotePath("Bread.md"))

    assert len(passages(note, words)) == 1
    assert [len(each.text.split()) for each in passages(note, words, max_tokens=256)] == [191, 181]


def test_the_snapshot_is_one_text() -> None:
    """With the other granularity a note has one vector."""
    (only,) = cut(f"# Bread\n\n{some(2000)}\n\nThe end.", granularity="snapshot")

    assert only.position == 0
    assert only.text.startswith("Bread | w0 w1")
    assert only.text.endswith("| The end.")
    assert cut("", granularity="snapshot") == ()


def test_a_title_cannot_fill_the_model() -> None:
    """The place of a passage is cut when it is absurdly long."""
    (only,) = cut(f"---\ntitle: {'x' * 3000}\n---\nBody.")

    assert only.text == f"{'x' * 240}\nBody."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("# Title\n", 0, id="no body"),
        pytest.param("# Title\n\none two three\n\n- four", 4, id="words"),
        pytest.param("日本語の文章です。", 4, id="two characters without blanks count as one word"),
        pytest.param("---\nstatus: draft\n---\n# Title", 0, id="properties are no body"),
    ],
)
def test_words_of_the_body(text: str, expected: int) -> None:
    """A note that is hardly more than its title can be told from others."""
    assert body_words(parse_note(text, NotePath("Bread.md"))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "---\nsource: the book of the hours\n---\nEl pan no es como el de la abuela.", "es", id="prose"
        ),
        pytest.param(
            "# Pan\n\nEl pan con la sal y los demás.\n\n```\nif the is of and the to\n```", "es", id="code"
        ),
        pytest.param("# The way of the baker\n\nRye.", "en", id="a title counts"),
        pytest.param("# Pan\n\n1.0.21", None, id="too little"),
    ],
)
def test_language_of_the_body(text: str, expected: str | None) -> None:
    """That of the prose, not of code or of properties."""
    assert body_language(parse_note(text, NotePath("Bread.md"))) == expected


@given(st.text("# \n-a.b字é>`[]|:", max_size=400))
def test_any_note_can_be_cut(text: str) -> None:
    """Positions follow each other and every word of an observation is in some passage."""
    note = parse_note(text, NotePath("Bread.md"))
    found = passages(note, words)
    everything = "".join("".join(passage.text for passage in found).split())

    assert [passage.position for passage in found] == list(range(len(found)))
    assert all("".join(each.text.split()) in everything for each in note.observations if each.kind != "raw")
