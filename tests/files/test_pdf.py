"""PDFs: text by page, in a process that may be lost; what cannot be read is named with the reason."""

import random
import re
from pathlib import Path

import pytest
import tiny_pdf

from notesd.files import pdf as reader
from notesd.files.pool import Pool
from notesd.files.reading import Job, Limits, Reading, read_one
from notesd.model import Note, NotePath, Observation
from notesd.parse.packing import unpacked

PATH = NotePath("Papers/Roof.pdf")
LIMITS = Limits(max_bytes=10_000_000, dendron=False)


def read(data: bytes) -> Note:
    """Read a PDF right here: those of tests are tame."""
    return reader.read_pdf(data, PATH)


def read_all(folder: Path, files: dict[str, bytes], **limits: float) -> dict[str, Reading]:
    """Read files as the daemon does."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    pool = Pool(str(folder), LIMITS, workers=2, timeout_s=limits.get("timeout_s", 20.0))
    try:
        return {reading.path: reading for reading in pool.read([Job(NotePath(name), None) for name in files])}
    finally:
        pool.close()


def said(reading: Reading) -> tuple[Observation, ...]:
    """Return the passages of a note that came from another process."""
    return unpacked(reading.passages) if reading.passages else ()


def kinds(note: Note | None) -> list[str]:
    """Return the kinds of a note's problems."""
    assert note is not None
    return [problem.kind for problem in note.problems]


def test_text_is_found_by_page() -> None:
    """Each passage says its page, as a heading and as its lines."""
    note = read(tiny_pdf.pdf(["First page\nof words", "", "Third page"]))

    assert [(one.text, one.heading, one.line_start, one.line_end) for one in note.observations] == [
        ("First page\nof words", ("Page 1",), 1, 1),
        ("Third page", ("Page 3",), 3, 3),
    ]
    assert (note.title, note.entity_type, note.problems) == ("Roof", "pdf", ())


def test_what_a_document_says_of_itself_is_found() -> None:
    """Title, author and keywords are words and properties; the name of the file stays the title."""
    note = read(tiny_pdf.pdf(["x"], info=b"/Title (On roofs) /Author (Ann Lee) /Keywords (tiles, rain)"))

    assert note.title == "Roof"
    assert [one.text for one in note.observations][:3] == [
        "title: On roofs",
        "author: Ann Lee",
        "keywords: tiles, rain",
    ]
    assert ("author", "Ann Lee") in note.properties


def test_a_word_parted_at_the_end_of_a_line_is_one() -> None:
    """Hyphens that only part a word go."""
    note = read(tiny_pdf.pdf(["infor-\nmation of 1-\n2 kinds by Anne-\nMarie"]))

    assert "information" in note.observations[0].text
    assert "1-\n2" in note.observations[0].text
    assert "Anne-Marie" in note.observations[0].text


@pytest.mark.parametrize(
    ("data", "kind", "word"),
    [
        (tiny_pdf.encrypted(), "encrypted", "password"),
        (tiny_pdf.pdf(["", ""]), "no_text", "OCR"),
        (tiny_pdf.pdf([]), "unparsable", "broken"),
        (b"", "unparsable", "broken"),
        (b"%PDF-1.7\n" + bytes(1000), "unparsable", "broken"),
        (b"no PDF at all", "unparsable", "broken"),
        (tiny_pdf.pdf(["text"])[:200], "unparsable", "broken"),
    ],
    ids=["encrypted", "scanned", "no pages", "empty", "zeros", "text", "cut off"],
)
def test_what_cannot_be_read_is_named_with_the_reason(data: bytes, kind: str, word: str) -> None:
    """Its name is all that is known, and one sentence says why and what to do."""
    note = read(data)

    assert kinds(note) == [kind]
    assert word in note.problems[0].reason
    assert note.problems[0].reason.startswith(f"{PATH} is known by its name only: ")
    assert (note.title, note.entity_type, note.observations) == ("Roof", "pdf", ())


def test_without_the_extra_the_name_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason says how to get the text."""
    monkeypatch.setattr(reader, "has_reader", lambda: False)
    note = read(tiny_pdf.pdf(["text"]))

    assert kinds(note) == ["extra_missing"]
    assert "install notesd[pdf]" in note.problems[0].reason
    assert note.title == "Roof"


@pytest.mark.parametrize(
    ("kids", "count"),
    [
        (b"2 0 R", 1),
        (b"5 0 R 2 0 R", 2),
        (b"5 0 R", 2_147_483_647),
        (b"5 0 R", -7),
        (b"99 0 R", 1),
        (b"null", 1),
    ],
    ids=["itself", "page and itself", "endless", "negative", "nowhere", "null"],
)
def test_a_page_tree_that_lies_ends(kids: bytes, count: int) -> None:
    """Circles and false numbers of pages cost no time and stop nothing."""
    note = read(tiny_pdf.pdf(["words"], kids=kids, count=count))

    assert note.problems or note.observations


def test_only_so_many_pages_count() -> None:
    """A document of endless pages is read as far as the limit, and says so."""
    many = reader.MAX_PAGES + 10
    note = read(tiny_pdf.pdf(["words"], kids=b"5 0 R " * many, count=many))

    assert len(note.observations) <= reader.MAX_PAGES
    assert "too_long" in kinds(note)


def test_only_so_many_characters_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits on a page and on all of them cut, and the rest is said to be left out."""
    monkeypatch.setattr(reader, "MAX_PAGE", 10)
    monkeypatch.setattr(reader, "MAX_CHARACTERS", 25)
    note = read(tiny_pdf.pdf(["word " * 10] * 9))

    assert [len(one.text) <= 10 for one in note.observations] == [True] * 3
    assert kinds(note) == ["too_long"]


def test_a_pdf_is_never_read_in_the_process_of_the_daemon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However small it is; notes of that size are."""
    here: list[str] = []

    def read_here(root: str, job: Job, limits: Limits, **_: object) -> Reading:
        here.append(job.path)
        return read_one(root, job, limits)

    monkeypatch.setattr("notesd.files.pool.read_one", read_here)
    found = read_all(tmp_path, {"a.pdf": tiny_pdf.pdf(["words"]), "b.md": b"text"})

    assert here == ["b.md"]
    assert kinds(found["a.pdf"].note) == []


def test_a_bomb_takes_no_more_than_its_budget(tmp_path: Path) -> None:
    """A page that unfolds to gigabytes is set aside with a reason; what stands beside it is read."""
    found = read_all(
        tmp_path,
        {"bomb.pdf": tiny_pdf.bomb(1 << 30), "ok.pdf": tiny_pdf.pdf(["words"]), "b.md": b"text"},
        timeout_s=3.0,
    )

    assert found["ok.pdf"].note is not None
    assert said(found["ok.pdf"])[0].text == "words"
    assert kinds(found["bomb.pdf"].note) != []


def test_a_pdf_that_is_too_long_is_known_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a PDF is none: its table of contents stands at its end."""
    monkeypatch.setattr(reader, "MAX_BYTES", 100)
    (tmp_path / "a.pdf").write_bytes(tiny_pdf.pdf(["words"]))
    note = read_one(str(tmp_path), Job(NotePath("a.pdf"), None), LIMITS).note

    assert kinds(note) == ["too_large"]


def test_damaged_pdfs_stop_nothing(tmp_path: Path) -> None:
    """Sixty of them, each broken in another way, all get an answer."""
    chance = random.Random(17)
    sound = tiny_pdf.pdf(["Some words of the first page", "more"], info=b"/Title (T)")
    files = {f"{number}.pdf": damaged(sound, chance) for number in range(60)}
    found = read_all(tmp_path, files)

    assert sorted(found) == sorted(files)
    assert all(reading.note for reading in found.values())


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Damage a PDF: bytes, stretches, numbers."""
    out = bytearray(data)
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(out))
        way = chance.randrange(4)
        if way == 0:
            out[at] = chance.randrange(256)
        elif way == 1:
            del out[at : at + chance.randint(1, 80)]
        elif way == 2:
            out[at:at] = out[at : at + 80] * chance.randint(1, 30)
        else:
            numbers = list(re.finditer(rb"\d+", bytes(out)))
            number = chance.choice(numbers)
            out[number.start() : number.end()] = chance.choice([b"0", b"-1", b"99999999999", b"2147483647"])
    return bytes(out)
