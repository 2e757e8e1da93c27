"""Books beside the notes are found, and never in the way of notes."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import tiny_pdf

from notesd.files.ignore import Ignore
from notesd.index import fulltext
from notesd.index.store import Reader, Store
from notesd.ingest.follow import Follower
from notesd.rank.fuse import Ranking
from notesd.search import engine
from notesd.search.conditions import Asked
from notesd.search.query import parse_query
from notesd.settings import Config

Folder = Callable[[Mapping[str, str | list[str]]], Follower]
KINDS = Ignore((), extensions=(".md", ".markdown", ".pdf"))
FILLER = "The keeper writes the weather of the day into a book and reads it again in the evening. "


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    """Make small folders of notes and of PDFs, given as their pages; each call makes one more."""
    followers: list[Follower] = []

    def keep(files: Mapping[str, str | list[str]]) -> Follower:
        home = tmp_path_factory.mktemp("kept")
        for path, said in files.items():
            put(home / "notes" / path, said)
        followers.append(Follower(str(home / "notes"), str(home / "state"), KINDS, Config()))
        followers[-1].open()
        followers[-1].scan()
        return followers[-1]

    yield keep
    for follower in followers:
        follower.close()


def put(file: Path, said: str | list[str]) -> None:
    """Write a note, or a PDF of some pages."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(said.encode() if isinstance(said, str) else tiny_pdf.pdf(said))


def reader_of(follower: Follower) -> Reader:
    """Return a reader of a folder as it is now."""
    store: Store | None = follower.store
    assert store is not None
    return store.peek()


def answer(follower: Follower, text: str, limit: int = 10, offset: int = 0) -> engine.Found:
    """Ask a folder."""
    return engine.search(reader_of(follower), Asked(parse_query(text), limit, offset))


def found(follower: Follower, text: str, limit: int = 10, offset: int = 0) -> list[str]:
    """Paths that a query finds, in order."""
    return [hit["path"] for hit in answer(follower, text, limit, offset).hits]


def notes_about_harbours() -> dict[str, str | list[str]]:
    """Thirty notes with the same words, more and less often and in longer and shorter texts."""
    return {
        f"n{number:02}.md": f"# Day {number}\n\nThe crane of the harbour. {FILLER * (number % 5)}"
        + "A crane. " * (number % 7)
        for number in range(30)
    }


def books_about_harbours() -> dict[str, str | list[str]]:
    """As many PDFs, each longer than all the notes, that hold the same words on every page."""
    page = f"harbour crane {FILLER}" * 6 + "crane harbour"
    return {f"book{number:02}.pdf": [page] * 20 for number in range(30)}


@pytest.fixture(scope="module")
def shared(kept: Folder) -> Follower:
    """Notes and books with the same words."""
    return kept(notes_about_harbours() | books_about_harbours())


@pytest.fixture(scope="module")
def alone(kept: Folder) -> Follower:
    """The notes without the books."""
    return kept(notes_about_harbours())


def test_a_document_alone_gets_the_score_of_a_first_place(kept: Folder) -> None:
    """By the constant of the fusion that is configured; hits of several folders are compared by it."""
    follower = kept({"n.md": "# Kiln\n\nglaze", "book.pdf": ["harbour crane"]})

    for k in (10, 60):
        [hit] = engine.search(reader_of(follower), Asked(parse_query("harbour"), 10, rrf_k=k)).hits
        assert (hit["path"], hit["score"]) == ("book.pdf", 1 / (k + 1))


QUERIES = ["harbour", "crane", "harbour crane", "the crane of the harbour in the evening", "keeper day 7"]


@pytest.mark.parametrize("text", QUERIES)
def test_notes_have_the_order_and_scores_that_they_have_without_documents(
    alone: Follower, shared: Follower, text: str
) -> None:
    """How rare a word is and how long a text count among notes alone."""

    def notes_of(follower: Follower) -> list[tuple[str, float, object]]:
        hits = answer(follower, text, 60).hits
        return [(h["path"], h["score"], h["channels"]) for h in hits if h["path"].endswith(".md")]

    expected = notes_of(alone)
    assert len(expected) > 5
    assert notes_of(shared) == expected


@pytest.mark.parametrize("text", QUERIES)
def test_of_ten_answers_a_few_are_documents(shared: Follower, text: str) -> None:
    """However many there are, and on every page; after the last note all others come."""
    every = found(shared, text, 60)
    notes = sum(path.endswith(".md") for path in every)
    for start in range(notes - 10):
        assert sum(path.endswith(".pdf") for path in every[start : start + 10]) <= 3
    assert len(every) == len(set(every)) == notes + 30


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("size", [1, 3, 7])
def test_pages_are_cut_from_one_order(shared: Follower, text: str, size: int) -> None:
    """Though documents beyond the page are not put in order, for which there is no need."""
    every = [path for start in range(0, 45, size) for path in found(shared, text, size, start)]
    assert every == found(shared, text, len(every))


def test_the_total_counts_documents_too(shared: Follower) -> None:
    """Each once."""
    told = answer(shared, "crane", 3)
    assert (told.total, told.total_is_exact) == (60, True)


@pytest.fixture(scope="module")
def library(kept: Folder) -> Follower:
    """A few books that differ, among notes about other things."""
    return kept(
        {
            "Tides.md": f"Springs and neaps of the harbour. {FILLER}",
            "Reefing.md": f"Take in the mainsail. {FILLER}",
            "Winch.md": f"The drum of it. {FILLER}",
            **{f"log/day {n}.md": f"The mainsail and the harbour, day {n}. {FILLER}" for n in range(12)},
            "Reefing.pdf": ["Cover", f"How to reef the mainsail in a gale {FILLER}"],
            "Winches of Gaviota.pdf": ["Cover", f"Grease the pawls {FILLER}"],
            "Almanac.pdf": [FILLER * 4] * 3 + [f"The harbour {FILLER}", f"perigee {FILLER}"],
            "Far.pdf": ["barometer " + FILLER * 4] + [FILLER * 4] * 3 + ["halyard " + FILLER],
            "Near.pdf": [FILLER * 4] * 3 + ["barometer and halyard " + FILLER],
        }
    )


PLACES = [
    pytest.param("reefing", ["Reefing.md", "Reefing.pdf"], id="after the note that is called so"),
    pytest.param("winches of gaviota", ["Winches of Gaviota.pdf"], id="it is called so, no note is"),
    pytest.param("perigee", ["Almanac.pdf"], id="a word that it alone holds"),
    pytest.param("perigee harbour", ["Almanac.pdf"], id="it alone holds both words"),
    pytest.param("perigee mainsail", ["Almanac.pdf"], id="one of two words"),
    pytest.param("where is the perigee of the mainsail in a harbour", ["Almanac.pdf"], id="a question"),
    pytest.param("barometer halyard", ["Near.pdf", "Far.pdf"], id="on one page, then on several"),
    pytest.param('"grease the pawls"', ["Winches of Gaviota.pdf"], id="a phrase"),
    pytest.param("type:pdf mainsail", ["Reefing.pdf"], id="by its type"),
    pytest.param("title:winches", ["Winches of Gaviota.pdf"], id="by a word of its title"),
    pytest.param("perigee OR pawls", ["Almanac.pdf", "Winches of Gaviota.pdf"], id="either"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "first"), PLACES)
def test_a_document_that_answers_best_comes_first(library: Follower, text: str, first: list[str]) -> None:
    """Being long is no fault where no note fits as well."""
    paths = found(library, text)
    assert (paths[: len(first)] == first) or (" OR " in text and set(paths[:2]) == set(first))


def test_a_document_comes_after_the_first_notes_that_fit_as_well(library: Follower) -> None:
    """Those of the first ten; beyond them nobody looks."""
    paths = found(library, "harbour", 20)
    assert all(path.endswith(".md") for path in paths[:10])
    assert paths.index("Almanac.pdf") == 10


def test_a_hit_says_the_page(library: Follower) -> None:
    """Of those that hold the most of the words."""
    hit = answer(library, "barometer halyard").hits[0]
    assert (hit["path"], hit["heading"], hit["line"]) == ("Near.pdf", ["Page 4"], 4)
    assert "<mark>halyard</mark>" in hit["snippet"]


def test_an_account_says_how_a_document_came_to_its_place(library: Follower) -> None:
    """Its list, and the score of its words among documents."""
    told = engine.search(reader_of(library), Asked(parse_query("perigee"), 5, explain=True)).hits[0]
    assert [one["list"] for one in told["explain"]["lists"]] == ["documents"]
    assert told["channels"]["lexical"]["bm25"] < 0
    assert told["explain"]["words"] == [{"word": "perigee*", "columns": ["body"]}]


def test_a_word_of_a_document_is_not_taken_for_another(library: Follower) -> None:
    """A slip in one is, as in a note's."""
    assert answer(library, "pawls").corrected == ()
    assert found(library, "perigeee")[:1] == ["Almanac.pdf"]


def test_stop_words_are_not_asked_where_a_document_answers(library: Follower) -> None:
    """Else every note with a "the" would come before it."""
    assert found(library, "the perigee") == ["Almanac.pdf"]


def test_a_document_that_meaning_puts_first_stays_there(library: Follower) -> None:
    """It has vectors only where somebody asked for them."""
    reader = reader_of(library)
    asked = Asked(parse_query("harbour"), 5)
    almanac = reader.value("SELECT id FROM note WHERE path = 'Almanac.pdf'")
    near = Ranking("semantic", [almanac], 1.0, {almanac: 1.0}, raw={almanac: 0.1})
    hits = engine.search(reader, asked, slow=[lambda *_: [near]]).hits
    alone = engine.search(reader, asked).hits
    assert "Almanac.pdf" in [hit["path"] for hit in hits]
    assert "Almanac.pdf" not in [hit["path"] for hit in alone]


def test_documents_in_other_languages_change_no_word_of_a_note(kept: Folder) -> None:
    """The languages of a folder are those of its notes; where there are none, those of its documents."""
    notes: dict[str, str | list[str]] = {f"n{n}.md": FILLER * 3 for n in range(5)}
    german = ["Der Wärter schreibt das Wetter des Tages in ein Buch und liest es am Abend wieder. " * 8]
    books: dict[str, str | list[str]] = {f"b{n}.pdf": german for n in range(9)}

    def languages(files: Mapping[str, str | list[str]]) -> tuple[str, ...]:
        return fulltext.languages(reader_of(kept(files)))

    assert (languages(notes), languages(notes | books), languages(books)) == (("en",), ("en",), ("de",))


def test_what_changes_about_a_document_is_followed(kept: Folder) -> None:
    """Its words, its name, its kind: as if the folder were read for the first time."""
    follower = kept({"a.md": "A note about oakum.", "b.pdf": ["oakum and pitch"], "c.pdf": ["tallow"]})
    root = Path(follower.root)
    put(root / "b.pdf", ["now of resin alone"])
    (root / "c.pdf").rename(root / "d.pdf")
    follower.scan()
    assert (found(follower, "pitch"), found(follower, "resin"), found(follower, "tallow")) == (
        [], ["b.pdf"], ["d.pdf"],
    )  # fmt: skip
    (root / "a.md").rename(root / "e.pdf")  # no PDF at all: known by its name alone
    (root / "d.pdf").rename(root / "d.md")
    put(root / "d.md", "Tallow in a note.")
    follower.scan()
    assert (found(follower, "oakum"), found(follower, "tallow")) == ([], ["d.md"])
    assert found(follower, "e") == ["e.pdf"]
    (root / "b.pdf").unlink()
    follower.scan()
    assert (found(follower, "resin"), answer(follower, "tallow").total) == ([], 1)
