"""Files that are no notes are found by their names, and never in the way of notes."""

from collections.abc import Callable, Mapping
from datetime import date

import pytest

from notesd.index import vocabulary
from notesd.index.store import Reader
from notesd.search import engine
from notesd.search.conditions import Asked
from notesd.search.query import parse_query
from notesd.serve import naming, report

Index = Callable[[Mapping[str, str]], Reader]


def found(reader: Reader, text: str, limit: int = 20, offset: int = 0) -> list[str]:
    """Paths that a query finds, in order."""
    asked = Asked(parse_query(text, date(2031, 1, 1)), limit, offset)
    return [hit["path"] for hit in engine.search(reader, asked).hits]


@pytest.fixture(scope="module")
def harbour(indexed: Index) -> Reader:
    """A few notes, and files of many kinds."""
    return indexed(
        {
            "Knots.md": "How to tie.\n\n![[bowline-knot.png]]\n",
            "Sail plan.md": "---\ntags: [rig]\n---\nSail plan of Gaviota: [it](files/sail-plan.pdf)\n",
            "Tides.md": "Springs and neaps.\n",
            "files/sail-plan.pdf": "",
            "files/bowline-knot.png": "",
            "files/Übersicht Häfen.JPG": "",
            "files/interview 2031-02-05.mp3": "",
            "files/港の地図.png": "",
            "files/C++ notes.zip": "",
            "Makefile": "",
            "archive/charts/coast.tar.gz": "",
        }
    )


NAMES = [
    pytest.param("bowline-knot.png", "files/bowline-knot.png", id="whole name"),
    pytest.param("bowline-knot", "files/bowline-knot.png", id="without its extension"),
    pytest.param("bowline knots", "files/bowline-knot.png", id="another form of a word"),
    pytest.param("bowl", "files/bowline-knot.png", id="a beginning"),
    pytest.param("ubersicht hafen", "files/Übersicht Häfen.JPG", id="without accents"),
    pytest.param("地図", "files/港の地図.png", id="without blanks"),
    pytest.param("interview 2031-02-05", "files/interview 2031-02-05.mp3", id="a day"),
    pytest.param("C++ zip", "files/C++ notes.zip", id="a sign"),
    pytest.param("makefile", "Makefile", id="no extension"),
    pytest.param("charts coast", "archive/charts/coast.tar.gz", id="a folder"),
    pytest.param("title:coast", "archive/charts/coast.tar.gz", id="title, with a kind"),
    pytest.param("path:charts coast", "archive/charts/coast.tar.gz", id="part of the path"),
]


@pytest.mark.parametrize(("text", "path"), NAMES)
def test_a_file_is_found_by_its_name(harbour: Reader, text: str, path: str) -> None:
    """By its words, as names of notes are, with and without the extension and the folders."""
    text = f"{text} ext:gz" if text.startswith("title:") else text
    assert path in found(harbour, text)


KINDS = [
    pytest.param("type:attachment", 8, id="all"),
    pytest.param("type:image", 3, id="a kind"),
    pytest.param("type:pdf", 1, id="an extension as a type"),
    pytest.param("ext:jpg", 1, id="an extension in another case"),
    pytest.param("ext:.png", 2, id="with its dot"),
    pytest.param("ext:tar.gz", 1, id="of two parts"),
    pytest.param("ext:md", 3, id="of notes"),
    pytest.param("type:image -ext:png", 1, id="with a minus"),
    pytest.param("ext:png OR ext:mp3", 3, id="one of two"),
    pytest.param("(type:audio OR type:archive) NOT ext:zip", 2, id="an expression"),
    pytest.param("type:attachment tag:rig", 0, id="no file has a tag"),
    pytest.param("type:attachment type:image", 3, id="both"),
    pytest.param("type:note", 3, id="notes alone"),
    pytest.param("type:attachment linked:Knots", 1, id="what a note embeds"),
    pytest.param("type:attachment modified:..2999", 0, id="no file has a date"),
    pytest.param("links:sail-plan.pdf", 1, id="notes that link to it"),
    pytest.param("links:bowline-knot", 1, id="notes that embed it"),
]


@pytest.mark.parametrize(("text", "number"), KINDS)
def test_filters_by_kind(harbour: Reader, text: str, number: int) -> None:
    """A type or an extension narrows notes and files alike; other filters are such that no file passes."""
    asked = Asked(parse_query(text), 20)
    answer = engine.search(harbour, asked)

    assert len(answer.hits) == answer.total == number


def test_kinds_that_are_not_there_are_told(harbour: Reader) -> None:
    """A type or an extension that nothing has is said, with the nearest one that there is."""
    unheard = engine.search(harbour, Asked(parse_query("ext:pngg type:attachmnt type:video"), 5)).unheard

    assert [(one.kind, one.value) for one in unheard] == [
        ("type", "attachmnt"), ("type", "video"), ("ext", "pngg")
    ]  # fmt: skip
    assert "attachment" in unheard[0].nearest
    assert "png" in unheard[2].nearest


def test_a_list_by_filters_has_notes_alone(harbour: Reader) -> None:
    """Only who asks for a kind of file gets files in a list; a folder alone lists its notes."""
    assert found(harbour, "path:files") == []
    assert len(found(harbour, "path:files type:attachment")) == 6


def test_who_embeds_a_file_is_told(harbour: Reader) -> None:
    """A hit says which notes link to the file."""
    answer = engine.search(harbour, Asked(parse_query("ext:png ext:png bowline"), 5))

    assert answer.hits[0]["linked_by"] == ["Knots.md"]
    assert answer.hits[0]["entityType"] == "attachment"
    assert answer.hits[0]["kind"] == "image"


def test_a_note_that_fits_as_well_comes_first(harbour: Reader) -> None:
    """A note that is called like the query comes before a file that is."""
    assert found(harbour, "sail plan")[:2] == ["Sail plan.md", "files/sail-plan.pdf"]


def test_a_file_that_is_called_so_comes_before_notes_that_only_mention_it(indexed: Index) -> None:
    """The file that has the very name stands before notes that merely hold its words."""
    reader = indexed({"a.md": "The hull form.", "b.md": "A form of hull.", "Hull form.svg": ""})

    assert found(reader, "hull form")[0] == "Hull form.svg"


def test_a_thousand_pictures_push_no_note_away(indexed: Index) -> None:
    """However many files fit, three at most stand before the last note; every page holds the others, once."""
    notes = {f"note {at}.md": f"A harbour picture, number {at}." for at in range(12)}
    reader = indexed(notes | {f"img/harbour picture {at}.png": "" for at in range(300)})

    everything = found(reader, "harbour picture", 400)
    assert [path for path in everything[:10] if path.endswith(".png")] == []
    assert sum(path.endswith(".png") for path in everything[:15]) == 3
    assert len(everything) == len({*everything}) == 312
    pages = [path for start in range(0, 320, 7) for path in found(reader, "harbour picture", 7, start)]
    assert pages == everything


def test_files_change_no_answer_about_notes(indexed: Index) -> None:
    """Scores and order of notes are the same with a hundred files beside them as without."""
    notes = {f"{at}.md": f"{'harbour ' * (at % 4)} crane number {at} of the quay" for at in range(30)}
    with_files = indexed(notes | {f"harbour crane {at}.jpg": "" for at in range(100)})
    without = indexed(notes)

    def scored(reader: Reader) -> list[tuple[str, float]]:
        hits = engine.search(reader, Asked(parse_query("harbour crane"), 200)).hits
        return [(hit["path"], hit["score"]) for hit in hits if hit["entityType"] != "attachment"]

    assert scored(with_files) == scored(without)


def test_of_many_notes_that_embed_a_file_five_are_told(indexed: Index) -> None:
    """Each note once, by path, however often and by however many the file is embedded."""
    reader = indexed({f"{at:02}.md": "![[logo.png]] ![[logo.png]]\n" for at in range(30)} | {"logo.png": ""})
    (hit,) = engine.search(reader, Asked(parse_query("ext:png logo"), 5)).hits

    assert hit["linked_by"] == ["00.md", "01.md", "02.md", "03.md", "04.md"]


DAYS = [
    pytest.param("type:audio created:2031-02-05", ["files/interview 2031-02-05.mp3"], id="its day"),
    pytest.param("type:attachment created:2031", ["files/interview 2031-02-05.mp3"], id="its year"),
    pytest.param("interview created:2031-02", ["files/interview 2031-02-05.mp3"], id="beside a word"),
    pytest.param("type:audio created:2030", [], id="another year"),
    pytest.param("type:audio -created:2031", [], id="not that year"),
    pytest.param("type:image created:2031", [], id="no day in the name"),
    pytest.param("type:audio modified:2031", [], id="nobody has looked at the file"),
]


@pytest.mark.parametrize(("text", "expected"), DAYS)
def test_a_file_has_the_day_in_its_name(harbour: Reader, text: str, expected: list[str]) -> None:
    """That of the file system would cost a look at each file at every walk."""
    assert found(harbour, text) == expected


BEGINNINGS = [
    pytest.param("bowl", ["bowline-knot.png"], id="some letters"),
    pytest.param("bowline-knot.p", ["bowline-knot.png"], id="some of its extension"),
    pytest.param("UBERSICHT", ["Übersicht Häfen.JPG"], id="case and accents aside"),
    pytest.param("sail", ["Sail plan", "sail-plan.pdf"], id="after the notes"),
    pytest.param("coast.tar.", ["coast.tar.gz"], id="a double extension"),
    pytest.param("Make", ["Makefile"], id="no extension"),
    pytest.param("ine-knot", [], id="not within"),
]


@pytest.mark.parametrize(("begins", "names"), BEGINNINGS)
def test_names_of_files_are_completed(harbour: Reader, begins: str, names: list[str]) -> None:
    """With their extensions, as they have to be typed."""
    assert vocabulary.beginning(harbour, "note", begins, 5) == names


MISTYPED = [
    pytest.param("bowlnie-knot.png", "bowline-knot.png", id="letters that changed places"),
    pytest.param("sial-plan.pdf", "sail-plan.pdf", id="in another file"),
    pytest.param("ubersicht hfen.jpg", "Übersicht Häfen.JPG", id="a letter that is missing"),
]


@pytest.mark.parametrize(("typed", "meant"), MISTYPED)
def test_the_nearest_names_of_files_are_said(harbour: Reader, typed: str, meant: str) -> None:
    """Where what was typed ends as files do."""
    assert meant in naming.titles_near(harbour, typed)


def test_an_export_lists_files_by_path_and_kind(harbour: Reader) -> None:
    """Page by page as in whole."""
    whole = report.export_of(harbour)
    assert {"path": "files/interview 2031-02-05.mp3", "kind": "audio"} in whole["attachments"]
    assert len(whole["attachments"]) == 8
    size = sum(map(len, whole.values()))
    paged = [next(iter(report.exported(harbour, first, 1))) for first in range(size)]
    for part in report.EXPORTED:
        assert [entry.value for entry in paged if entry.list == part] == whole[part]
