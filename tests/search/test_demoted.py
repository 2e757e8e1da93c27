"""Notes of demoted folders are found, but after all others, on every page and by every way of looking."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest
from msgspec import structs

from notesd.index import notes
from notesd.index.store import Reader
from notesd.rank.fuse import Ranking
from notesd.search import engine, related, several, why
from notesd.search.conditions import Asked
from notesd.search.query import parse_query

OLD, NEW = ("Archive", "Work/Templates"), ()
MANY = 180
"""More than a channel offers at once."""
NOTES = {
    "Archive/Lamp.md": "---\ntags: [bright]\n---\n# Lamp\n\nlamp lamp lamp [[Hub]]\n",
    "archive two/Lamp.md": "lamp\n",
    "Work/Templates/Lamp.md": "# Lamp\n\nlamp lamp #bright\n",
    "Work/Lamps.md": "a lamp #bright\n",
    "Hub.md": "[[Archive/Lamp]] and [[Work/Lamps]] #bright\n",
    "zebra/Stripes.md": "the lamp of a zebra\n",
} | {f"many/{number:03}.md": f"word {number} torch\n" for number in range(MANY)} | {
    f"Archive/torch {number}.md": "torch torch\n" for number in range(5)
}  # fmt: skip


@pytest.fixture(scope="module")
def reader(indexed: Callable[[Mapping[str, str]], Reader]) -> Reader:
    """An index of notes, some in an archive or among templates."""
    return indexed(NOTES)


def asked(text: str, **more: object) -> Asked:
    return structs.replace(Asked(parse_query(text), 10, demote=OLD), **more)


def found(reader: Reader, text: str, **more: object) -> list[str]:
    return [hit["path"] for hit in engine.search(reader, asked(text, **more)).hits]


def later(path: str) -> bool:
    return path.startswith(("Archive/", "Work/Templates/"))


@pytest.mark.parametrize("text", ["lamp ", "lamp", "tag:bright", "lamp tag:bright", "lam*", "lamp AND lamp"])
def test_they_come_after_the_others(reader: Reader, text: str) -> None:
    """However well they fit; without the setting the order is another one."""
    paths = found(reader, text)
    plain = found(reader, text, demote=NEW)

    assert set(paths) == set(plain)
    assert [later(path) for path in paths] == sorted(map(later, paths))
    assert any(map(later, paths))
    assert [path for path in paths if not later(path)] == [path for path in plain if not later(path)]


def test_they_come_after_the_others_by_meaning_and_by_links_too(reader: Reader) -> None:
    """Whatever a channel says of them, and whatever links lead to them."""
    near = [notes.by_path(reader, path) for path in ("Archive/Lamp.md", "zebra/Stripes.md", "Hub.md")]
    ids = [note.id for note in near if note]
    ranking = Ranking("semantic", ids, raw=dict.fromkeys(ids, 0.1), evidence=dict.fromkeys(ids, 1.0))

    plain = asked("lamp", explain=True)
    for one in (
        plain,
        structs.replace(plain, meaning_only=True),
        structs.replace(plain, relation_weights={}),
    ):
        hits = engine.search(reader, one, None, [lambda *_: [ranking]]).hits
        flags = [later(hit["path"]) for hit in hits]
        assert any(flags)
        assert flags == sorted(flags)


def test_who_asks_for_such_a_folder_gets_it(reader: Reader) -> None:
    """Among themselves their order is the usual one; case does not matter."""
    assert found(reader, "lamp path:Archive/") == ["Archive/Lamp.md"]
    assert found(reader, "lamp", demote=("ARCHIVE", "work")) != found(reader, "lamp", demote=NEW)
    assert found(reader, "lamp", demote=("ARCHIVE",))[-1] == "Archive/Lamp.md"
    assert found(reader, "zebra", demote=("zebra",)) == ["zebra/Stripes.md"]


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
def test_pages_fit_together(reader: Reader, size: int) -> None:
    """All pages, one after the other, are every note once, and the demoted ones are the last."""
    paths: list[str] = []
    exact = set()
    offsets = range(0, MANY + 6, size) if size > 1 else [0, 99, 100, 101, 179, 180, 184]
    for offset in offsets:
        page = engine.search(reader, asked("torch ", limit=size, offset=offset))
        exact.add((page.total, page.total_is_exact))
        paths += [hit["path"] for hit in page.hits]

    assert exact == {(MANY + 5, True)}
    assert len(set(paths)) == len(paths) == (MANY + 5 if size > 1 else 7)
    assert [later(path) for path in paths] == [False] * (len(paths) - (5 if size > 1 else 2)) + [True] * (
        5 if size > 1 else 2
    )


def test_pages_of_a_list_by_date_fit_together(reader: Reader) -> None:
    """A text of filters alone lists notes by date, the demoted ones behind the others."""
    whole = found(reader, "tag:bright")

    assert [path for n in range(4) for path in found(reader, "tag:bright", limit=1, offset=n)] == whole
    assert [later(path) for path in whole] == [False, False, True, True]


def test_a_feed_stays_a_list_by_date(reader: Reader) -> None:
    """Who asks for the newest change gets it."""
    hits = engine.feed(reader, asked("lamp", demote=NEW), "-modified").hits
    dates = [datetime.fromisoformat(hit["modified"]).astimezone(UTC) for hit in hits]

    assert dates == sorted(dates, reverse=True)


def test_it_is_said(reader: Reader) -> None:
    """Hits, their accounts and the reason of a single note name it."""
    page = engine.search(reader, asked("lamp", explain=True))
    flags = {hit["path"]: (hit.get("demoted"), hit["explain"].get("demoted")) for hit in page.hits}
    note = notes.by_path(reader, "Archive/Lamp.md")
    assert note is not None
    verdict = why.judge(reader, asked("lamp"), note)

    assert flags["Archive/Lamp.md"] == (True, "Archive")
    assert flags["Work/Lamps.md"] == (None, None)
    assert page.explain is not None
    assert page.explain["demoted"] == list(OLD)
    assert "it lies in Archive, whose notes come after the others" in verdict.sentence


def test_related_notes_of_such_folders_come_last(reader: Reader) -> None:
    """Unless the note that is asked about lies in one of them itself."""
    hub, lamp = notes.by_path(reader, "Hub.md"), notes.by_path(reader, "Archive/Lamp.md")
    assert hub is not None
    assert lamp is not None
    wish = related.Wish(10, demote=OLD)
    paths = [hit["path"] for hit in related.related(reader, hub, wish).results]

    assert [later(path) for path in paths] == [False, True, True]
    assert related.related(reader, hub, structs.replace(wish, limit=1)).results[0]["path"] == "Work/Lamps.md"
    assert related.related(reader, lamp, wish).results == [
        {key: value for key, value in hit.items() if key != "demoted"}
        for hit in related.related(reader, lamp, related.Wish(10)).results
    ]


def test_of_several_spaces_they_come_after_the_others_of_all(
    reader: Reader, indexed: Callable[[Mapping[str, str]], Reader]
) -> None:
    """A weak hit of another space stands before the best one of an archive."""
    other = indexed({"weak.md": "so many other words stand here, beside one lamp and many more\n"})
    for text in ("lamp", "tag:bright OR path:weak"):
        parts = {
            "one": engine.search(reader, asked(text, joined=True)),
            "two": engine.search(other, asked(text, joined=True, demote=NEW)),
        }
        paths = [hit["path"] for hit in several.merged(parts, None)]

        assert "weak.md" in paths
        assert [later(path) for path in paths] == sorted(map(later, paths))


def test_a_hierarchy_by_dots_comes_later(indexed: Callable[[Mapping[str, str]], Reader]) -> None:
    """Its notes and its own, in any case; no name that only begins with the same letters."""
    later = ["templates.day.md", "templates.md", "templates.meet.lamp.md"]
    others = ["templates2.md", "tea.md", "a/templates.x.md"]
    reader = indexed(dict.fromkeys((*later, *others), "lantern\n"))
    for hierarchy in ("templates.", "Templates."):
        wish = structs.replace(Asked(parse_query("lantern"), 10), demote=(hierarchy,))
        hits = engine.search(reader, wish).hits

        assert {hit["path"] for hit in hits[:3]} == set(others)
        assert [hit.get("demoted", False) for hit in hits] == [False] * 3 + [True] * 3
