"""Filters fold as the words do, are one set a kind, and say so when they name nothing."""

import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from notesd.index import notes
from notesd.index.store import Reader
from notesd.search import engine, why
from notesd.search.conditions import Asked, over
from notesd.search.query import Query, parse_query
from notesd.search.unheard import beyond, told

NOTES = {
    "Küche/Äpfel.md": (
        "---\ntags: [Über/Straße, 🎉, İzmir]\ntype: Rezept-Übung\naliases: [Œuvre]\n---\n"
        "lamp\n\ngehört zu:: [[Plain]]\n"
    ),
    "Plain.md": "---\ntags: [🎈]\n---\nlamp [[Äpfel]]\n",
    "kitchen/ＷＩＤＥ.md": "lamp #Ｆｕｌｌ\n",
}
APPLES, PLAIN, WIDE = NOTES


@pytest.fixture(scope="module")
def reader(indexed: Callable[[Mapping[str, str]], Reader]) -> Reader:
    """An index of notes whose names need folding."""
    return indexed(NOTES)


def asked(text: str, **more: object) -> Asked:
    return structs.replace(Asked(parse_query(text), 10), **more)


def found(reader: Reader, text: str, **more: object) -> set[str]:
    return {hit["path"] for hit in engine.search(reader, asked(text, **more)).hits}


@pytest.mark.parametrize(
    ("operator", "note"),
    [
        ("#uber", APPLES),
        ("#UBER/STRASSE", APPLES),
        ("tag:u\u0308ber/straße", APPLES),
        ("tag:uber/", APPLES),
        ("tag:izmir", APPLES),
        ("tag:IZMIR", APPLES),
        ("tag:ızmır", APPLES),
        ("#🎉", APPLES),
        ("#🎈", PLAIN),
        ("tag:full", WIDE),
        ("tag:ＦＵＬＬ", WIDE),
        ("type:rezept-ubung", APPLES),
        ("path:kuche/apf", APPLES),
        ("path:KU\u0308CHE", APPLES),
        ("path:wide", WIDE),
        ("title:apfel", APPLES),
        ("alias:oeuvre", APPLES),
        ("rel:gehort-ZU", APPLES),
        ("links:plain", APPLES),
        ("links:apfel", PLAIN),
        ("links:kuche/apfel.md", PLAIN),
        ("linked:apfel", PLAIN),
    ],
)
def test_a_filter_and_its_minus_fold_as_the_words_do(reader: Reader, operator: str, note: str) -> None:
    """However a name is typed it finds the note that has it, and with a minus that one alone is left out."""
    assert found(reader, f"lamp {operator}") == {note}
    assert found(reader, f"lamp -{operator}") == set(NOTES) - {note}


@pytest.mark.parametrize(
    "parameter",
    [
        {"tags": ("uber",)},
        {"tags": ("#ÜBER/strasse/",)},
        {"types": ("rezept-übung",)},
        {"relations": ("Gehört_Zu",)},
        {"folder": "kuche"},
        {"folder": "./KÜCHE/"},
        {"folder": unicodedata.normalize("NFD", "Küche")},
    ],
)
def test_a_parameter_folds_as_the_words_do(reader: Reader, parameter: Mapping[str, object]) -> None:
    """The same holds for what a request gives beside the text."""
    assert found(reader, "lamp", **parameter) == {APPLES}


def test_a_folder_written_exactly_is_that_folder(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """Where two folders differ in case alone, the one that is named is meant; another spelling means both."""
    reader = indexed({"A/x.md": "lamp", "a/y.md": "lamp", "B/z.md": "lamp"})

    assert found(reader, "lamp", folder="a") == {"a/y.md"}
    assert found(reader, "lamp", folder="A") == {"A/x.md"}
    assert found(reader, "lamp", folder="b") == {"B/z.md"}


def test_a_folder_is_named_in_full(reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An absolute path, one from home, one through a link: below the space's folder it is the same folder."""
    root = tmp_path / "home" / "notes"
    (root / "Küche").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root)
    monkeypatch.setenv("HOME", str(root.parent))
    there = [
        f"{root}/Küche",
        f"{root}/Küche/",
        "~/notes/Küche",
        f"{tmp_path}/link/kuche",
        f"{root}/x/../Küche",
    ]

    for folder in there:
        assert found(reader, "lamp", folder=folder, root=str(root)) == {APPLES}, folder
        assert found(reader, f'lamp path:"{folder}"', root=str(root)) == {APPLES}, folder
        assert found(reader, f'lamp -path:"{folder}"', root=str(root)) == set(NOTES) - {APPLES}, folder
    for whole in (str(root), f"{root}/", "~", "/", "."):
        assert found(reader, "lamp", folder=whole, root=str(root)) == set(NOTES), whole
    assert found(reader, "lamp", folder=f"{tmp_path}/elsewhere", root=str(root)) == set()
    assert found(reader, f"lamp links:{root}/Plain.md", root=str(root)) == {APPLES}


@pytest.mark.parametrize("field", ["tags", "types", "paths", "rels", "links", "linked"])
def test_however_many_filters_of_a_kind_are_answered(reader: Reader, field: str) -> None:
    """SQLite joins five hundred SELECTs at most; of filters there may be more, wanted or not."""
    names = [f"zz{number}" for number in range(700)]
    lamp = parse_query("lamp")
    wanted = structs.replace(lamp, **{field: tuple(names)})
    unwanted = structs.replace(lamp, without=tuple(Query(name, **{field: (name,)}) for name in names))  # type: ignore[arg-type]  # the name of a field

    assert engine.search(reader, Asked(wanted, 10)).hits == []
    assert {hit["path"] for hit in engine.search(reader, Asked(unwanted, 10)).hits} == set(NOTES)


def test_a_set_leaves_out_what_each_of_it_would(reader: Reader) -> None:
    """One name among hundreds counts as it does alone; of wanted ones all have to be there."""
    many = tuple(f"zz{number}" for number in range(300))
    lamp = parse_query("lamp")
    for field, name, note in (
        ("tags", "🎈", PLAIN),
        ("paths", "wide", WIDE),
        ("types", "rezept-ubung", APPLES),
    ):
        names = (*many[:100], name, *many[100:150])
        without = tuple(Query(one, **{field: (one,)}) for one in names)  # type: ignore[arg-type]  # the name of a field
        answer = engine.search(reader, Asked(structs.replace(lamp, without=without), 10))
        assert {hit["path"] for hit in answer.hits} == set(NOTES) - {note}

    assert found(reader, "lamp", tags=("uber", "über/straße", "izmir", "🎉", "#İZMIR")) == {APPLES}
    assert found(reader, "lamp", tags=("uber", "🎈")) == set()
    assert found(reader, "lamp links:plain linked:plain type:rezept-ubung") == {APPLES}
    assert found(reader, "lamp type:note type:NOTE path:p path:l") == {PLAIN}
    assert found(reader, "lamp type:note type:rezept-ubung") == set()


def test_what_counts_no_more_is_said(reader: Reader) -> None:
    """Twenty thousand tags are looked up, and of each kind that costs more there is a most, which is told."""
    tags = tuple(f"zz{number}" for number in range(20_000))
    paths = " ".join(f"-path:q{number}" for number in range(250))

    assert over(asked("lamp", tags=tags)) == []
    assert found(reader, "lamp", tags=tags) == set()
    assert over(asked(f"lamp {paths}")) == [("-path", 250, 200)]
    assert found(reader, f"lamp {paths}") == set(NOTES)
    reasons = [one["reason"] for one in beyond(over(asked(f"lamp {paths}")))]
    assert reasons == ["of 250 filters by path the first 200 count"]


@pytest.mark.parametrize(
    ("text", "more", "kind", "nearest"),
    [
        ("lamp tag:ubr", {}, "tag", "Über"),
        ("lamp #ubr", {}, "tag", "Über"),
        ("lamp -tag:ubr", {}, "-tag", "Über"),
        ("lamp", {"tags": ("izmr",)}, "tag", "İzmir"),
        ("lamp", {"folder": "Kitchn"}, "folder", "kitchen"),
        ("lamp", {"folder": "./kitchn/"}, "folder", "kitchen"),
        ("lamp", {"folder": "/somewhere/notes/kitchn", "root": "/somewhere/notes"}, "folder", "kitchen"),
        ("lamp", {"types": ("rezept-ubng",)}, "type", "Rezept-Übung"),
        ("lamp", {"relations": ("gehort",)}, "rel", "gehört zu"),
        ("lamp path:kitchn/", {}, "path", "kitchen"),
        ("lamp -path:kitchn/", {}, "-path", "kitchen"),
        ("lamp links:Plian", {}, "links", "Plain"),
        ("lamp linked:Plian", {}, "linked", "Plain"),
        ("lamp title:Plian", {}, "title", "Plain"),
        ("lamp alias:Oevre", {}, "alias", "Œuvre"),
        ("tag:ubr", {}, "tag", "Über"),
    ],
)
def test_a_filter_that_names_nothing_is_told_with_the_nearest(
    reader: Reader, text: str, more: Mapping[str, object], kind: str, nearest: str
) -> None:
    """A name that is typed wrong must not look like an answer, nor a minus as if it left something out."""
    (entry,) = told([engine.search(reader, asked(text, **more)).unheard])

    assert (entry["channel"], entry["filter"], entry["nearest"][0]) == ("filter", kind, nearest)
    assert nearest in entry["reason"]


@pytest.mark.parametrize(
    "text", ["lamp tag:uber", "lamp -#🎈", "path:kuche", "links:plain", "-type:note", "lamp"]
)
def test_a_filter_that_names_something_is_not_told_of(reader: Reader, text: str) -> None:
    """Also where no note is left in the end."""
    assert engine.search(reader, asked(text)).unheard == ()
    assert engine.search(reader, asked(f"{text} zzz", folder="kitchen", tags=("full",))).unheard == ()
    assert engine.feed(reader, asked(text), "-modified").unheard == ()


def test_a_name_that_one_of_the_spaces_has_is_known(reader: Reader) -> None:
    """Of several spaces those that do not have it are just not meant."""
    part = engine.search(reader, asked("lamp tag:ubr")).unheard

    assert told([part, ()]) == []
    assert len(told([part, part])) == 1


def test_a_thousand_names_that_are_none_are_told_of_briefly(reader: Reader) -> None:
    """The first are named, of the others it is said that there are any."""
    entries = told([engine.search(reader, asked("lamp", tags=tuple(f"u{n}" for n in range(1_000)))).unheard])

    assert [entry.get("value") for entry in entries] == ["u0", "u1", "u2", "u3", "u4", None]


def test_why_names_what_keeps_a_note_out_among_thousands(reader: Reader) -> None:
    """One condition of very many is found, and is the only one that is named."""
    note = notes.by_path(reader, PLAIN)
    assert note is not None
    text = " ".join(f"-tag:zz{number}" for number in range(300))
    verdict = why.judge(reader, asked(f"lamp {text} -tag:🎈"), note)

    assert [(one["filter"], one["value"]) for one in verdict.details["filters"]] == [("-tag", "🎈")]


PIECES = st.sampled_from(
    [
        "tag:",
        "#",
        "-",
        "-#",
        "type:",
        "path:",
        "links:",
        "linked:",
        "rel:",
        "title:",
        "alias:",
        "created:",
        "modified:",
        "2031-01",
        "..",
        "7d",
        "OR",
        "AND",
        "NOT",
        "(",
        ")",
        "*",
        "/",
        "~/",
        "./",
        '"',
        "“",
        "„",
        "«",
        "「",
        "[[",
        "]]",
        "uber",
        "lamp",
        "Ü",
        "̈",
        "İ",
        "ß",
        "🎉",
        "�",
        "\x00",
        "{",
        "}",
        "'",
        ":",
        "^",
        "NEAR(",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=3), max_size=14).map("".join), st.booleans())
@example("-tag:a " * 600, False)
@example(" ".join(f"-title:a{number}" for number in range(600)), False)
@example('title:"' * 500, True)
@example("(" * 4096, False)
def test_whatever_is_typed_gets_an_answer(reader: Reader, text: str, spaced: bool) -> None:
    """No operator, quote or bracket, alone or among others, is an error."""
    text = " ".join(text) if spaced else text
    typed = parse_query(text[:20]).text
    note = notes.by_path(reader, PLAIN)
    assert note is not None
    question = asked(text, root="/tmp/notes", folder=typed, tags=(typed,))
    for one in (asked(text), question):
        engine.search(reader, one)
        engine.feed(reader, one, "-modified")
        why.judge(reader, one, note)
