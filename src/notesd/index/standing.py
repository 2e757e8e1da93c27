"""What decides between notes that answer equally well: their names, their age, who links to them."""

import json
from collections.abc import Collection, Mapping

from notesd.index.notes import NoteId
from notesd.index.store import Reader

_SOME = "(SELECT value FROM json_each(?))"


def named_exactly(reader: Reader, folded: str) -> list[NoteId]:
    """Notes whose title, alias or file name is ``folded`` (see ``fold_name``), by path."""
    sql = """SELECT id FROM note WHERE title_folded = :f OR stem_folded = :f
             OR id IN (SELECT note FROM alias WHERE folded = :f) ORDER BY path"""
    return [NoteId(row[0]) for row in reader.rows(sql.replace(":f", "?"), (folded,) * 3)]


def bearers(reader: Reader, names: Collection[str]) -> Mapping[str, list[NoteId]]:
    """Notes that bear each of some folded names as title, alias or file name; other names are left out."""
    some = json.dumps([*dict.fromkeys(names)])
    sql = f"""SELECT title_folded, id FROM note WHERE title_folded IN {_SOME}
              UNION SELECT stem_folded, id FROM note WHERE stem_folded IN {_SOME}
              UNION SELECT folded, note FROM alias WHERE folded IN {_SOME}"""
    found: dict[str, list[NoteId]] = {}
    for name, note in reader.rows(sql, (some, some, some)):
        found.setdefault(name, []).append(NoteId(note))
    return found


def names_of(reader: Reader, note_ids: Collection[NoteId]) -> Mapping[NoteId, list[str]]:
    """What each of some notes is called: title, file name (folded) and aliases."""
    sql = f"""SELECT id, title FROM note WHERE id IN {_SOME}
              UNION SELECT id, stem_folded FROM note WHERE id IN {_SOME}
              UNION SELECT note, alias FROM alias WHERE note IN {_SOME}"""

    def ask(some: list[NoteId]) -> dict[NoteId, list[str]]:
        found: dict[NoteId, list[str]] = {}
        for note, name in reader.rows(sql, (json.dumps(some),) * 3):
            found.setdefault(NoteId(note), []).append(name)
        return found

    return reader.look_up("names", note_ids, ask)


def newest_first(reader: Reader, note_ids: Collection[NoteId]) -> Mapping[NoteId, int]:
    """Place of each of some notes when the newest comes first, equally new ones by path.

    A note is as old as its name, its front matter or its file says, in this order: a synchroniser or a
    checkout gives all files one time.
    """
    written = "strftime('%Y-%m-%dT%H:%M:%S', mtime_ns / 1000000000, 'unixepoch')"
    sql = f"SELECT id, COALESCE(named_day, created, {written}, ''), path FROM note WHERE id IN {_SOME}"

    def ask(some: list[NoteId]) -> dict[NoteId, tuple[str, str]]:
        return {NoteId(note): (day, path) for note, day, path in reader.rows(sql, (json.dumps(some),))}

    ages = reader.look_up("age", note_ids, ask)
    order = sorted(ages, key=lambda note: ages[note][1])
    order.sort(key=lambda note: ages[note][0], reverse=True)
    return {note: place for place, note in enumerate(order)}


def in_degrees(reader: Reader, note_ids: Collection[NoteId]) -> Mapping[NoteId, int]:
    """How many other notes link to each of some notes; notes without such links are left out."""
    sql = f"""SELECT entry, count(DISTINCT source) FROM link
              WHERE entry IN {_SOME} AND source != entry GROUP BY entry"""
    return {NoteId(note): number for note, number in reader.rows(sql, (json.dumps([*note_ids]),))}
