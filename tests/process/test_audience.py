"""An agent's answers are those of a folder in which the private notes never were, byte for byte."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from running import Running, running

from notesd.errors import InvalidParams, NotesdError
from notesd.serve.methods import TABLE

pytestmark = pytest.mark.process

SAMPLE = Path(__file__).parents[2] / "sample-vault"
WHEN = 1_800_000_000
PUBLIC = {
    "Therapy list.md": "# Therapy list\n\nAsk [[Dr Zweifel]] and [[Diary/Monday]] on [[Payroll]]. #health\n",
    "Payroll.md": "# Payroll\n\nWho is paid when. See [[Bonus]].\n",
    "work/Payroll.md": "---\naliases: [Wages]\n---\nward:: open\n\nThe other payroll, see [[../Payroll]].\n",
    "Cycle.md": "# Cycle\n\nThe bicycle has a flat tyre, ![[Dr Zweifel]]; [[Wages#June]].\n",
}
PRIVATE = {
    "Dr Zweifel.md": "---\nprivate: true\naliases: [Zweifelhaft]\ntags: [secret/doctor, health]\n"
    "type: physician\nward: closed\n---\n# Dr Zweifel\n\n"
    "Quetiapine xylophonic. [[Therapy list]] [[Payroll]]\n",
    "Diary/Monday.md": "---\nprivate: true\ntags: [secret]\n---\nDear diary, quetiapine again. Sourdough.\n"
    "\n- treats [[Therapy list]]\n",
    "Bonus.md": "---\nprivate: yes\ncreated: 2026-11-30\ncase: 7\n---\n"
    "# Bonus\n\nBonuses [[Cycle]] [[Payroll]].\n",
    "work/Wages.md": "---\nprivate: true\ntype: physician\n---\n# Wages\n\n## June\n\nBicycle payroll.\n",
    **{
        f"Tagebuch {n}.md": "---\nprivate: true\n---\nHeute habe ich mit meiner Mutter Apfelkuchen gebacken, "
        "und wir sind danach noch lange an der Elbe spazieren gegangen, weil das Wetter so wunderbar war.\n"
        for n in range(6)
    },
    "Left out.md": "---\nprivate: true\nindex: false\n---\nNothing of this [[Payroll]].\n",
}
NAMES = [
    *("Dr Zweifel", "Zweifelhaft", "Dr Zweifal", "Diary/Monday", "Monday", "Bonus", "Bonus.md", "Wages"),
    *("work/Wages.md", "Left out", "Left out.md", "Payroll", "Therapy list", "Cycle", "Bonas", "secret"),
]
FILTERS: list[dict[str, Any]] = [
    *({"tag": "secret"}, {"tag": "secret/doctor"}, {"tag": "secrets"}, {"tag": "health"}),
    *({"folder": "Diary"}, {"folder": "diar"}, {"folder": "work"}, {"rel": "treats"}),
    *({"type": "physician"}, {"created": "2026-11.."}),
]
QUERIES = [
    *("quetiapine", "quetiapin", "quetipaine", "xylophonic", "xylo", "xylophonics", "zweifel", "Dr Zweifel"),
    *('"dear diary"', "-quetiapine payroll", "bicycle", "bicycle payroll", "links:Bonus", "linked:Bonus"),
    *("linked:Cycle", "tag:secret", "#secret/doctor", "type:physician", "path:Diary", "alias:zweifelhaft"),
    *("title:bonus", "created:2026-11-30", "payroll OR quetiapine", "payroll NOT diary", "sourdough bonus"),
    *(
        "ward:closed payroll",
        "-ward:closed payroll",
        "ward:clsed",
        "case:7",
        "case:>1 payroll",
        "cases:7 payroll",
    ),
    *("path:Left", "left out nothing", "payrol", "bonuses", "therapy", "wages june", "monday", "diary"),
    *("kuchen", "gegangen", "gebacken", "spaziergang", "walking gardens", "mutter"),
]
ASIDE = {
    *("generation", "took_ms", "lag_ms", "last_progress", "heartbeat", "pid", "rss_bytes", "background"),
    *("used", "seconds", "progress", "last"),
}
"""Times, generations and what tells one process from another."""


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def settled(folder: Path) -> None:
    """Give every file one time of its own, the same in each folder."""
    at = count(WHEN)
    for path in sorted(folder.rglob("*.md"), key=lambda path: (path.relative_to(folder) in _ALL, path)):
        os.utime(path, (stamp := next(at), stamp))


_ALL = {Path(path) for path in (*PRIVATE, "Journal/Health.md")}


def vault(parent: Path, *, with_private: bool) -> Path:
    folder = parent / "notes"
    shutil.copytree(SAMPLE, folder)
    write(folder, PUBLIC)
    if with_private:
        write(folder, PRIVATE)
    else:
        (folder / "Journal" / "Health.md").unlink()
    settled(folder)
    return folder


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Running]]:
    """A daemon over notes of which five are private, and one over the same notes without these."""
    whole = vault(tmp_path_factory.mktemp("whole"), with_private=True)
    bare = vault(tmp_path_factory.mktemp("bare"), with_private=False)
    with running(whole) as one, running(bare) as other:
        for daemon in (one, other):
            daemon.ask("rescan", wait=True)
        yield one, other


def said(daemon: Running, method: str, audience: str, **asked: Any) -> str:
    """What a method answers, or how it fails, as text; a folder stands for itself wherever it is."""
    try:
        answer = daemon.ask(method, audience=audience, **placed(asked, str(daemon.vault)))
    except NotesdError as error:
        answer = {"kind": error.kind, "message": error.message, **error.data}
    text = json.dumps(without(answer), ensure_ascii=False, sort_keys=True)
    return text.replace(str(daemon.vault), "VAULT").replace(str(daemon.home), "HOME")


def placed(asked: Any, folder: str) -> Any:
    return json.loads(json.dumps(asked).replace("VAULT", folder))


def without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without(one) for key, one in value.items() if key not in ASIDE}
    return [without(one) for one in value] if isinstance(value, list) else value


def words(text: str) -> list[str]:
    return re.findall(r"\w{4,}", text)


def queries() -> list[str]:
    """Two hundred questions: of what is private, of what is not, and slips of both."""
    public = words("".join(path.read_text("utf-8") for path in sorted(SAMPLE.rglob("*.md"))))
    drawn = [" ".join(public[at : at + 1 + at % 3]) for at in range(0, len(public), len(public) // 120)]
    slips = [word[:-2] + word[-1] for word in words("".join(PRIVATE.values()))]
    return [*QUERIES, *slips, *drawn][:220]


Request = tuple[str, dict[str, Any]]
REQUESTS: list[Request] = [
    *[(method, {}) for method in ("status", "check", "export", "feed", "ping", "properties")],
    *[("search", {"query": text, "record": False}) for text in queries()],
    *[("search", {"query": text, "record": False, "explain": True, "graph_boost": True}) for text in QUERIES],
    *[("search", {"query": "payroll", "why": name, "record": False}) for name in NAMES],
    *[("search", {"query": "payroll", "why": f"VAULT/{name}", "record": False}) for name in PRIVATE],
    *[("search", {"query": "payroll", "record": False, **narrow}) for narrow in FILTERS],
    *[("feed", {"q": text}) for text in QUERIES],
    *[("feed", {key: one for key, one in narrow.items() if key != "rel"}) for narrow in FILTERS],
    *[("open", {"notes": [name], "record": False}) for name in (*NAMES, *PRIVATE, *PUBLIC)],
    *[("open", {"notes": [f"VAULT/{name}"], "record": False}) for name in (*PRIVATE, *PUBLIC)],
    *[("links", {"note": name, "depth": 3}) for name in (*NAMES, *PRIVATE, *PUBLIC)],
    *[("related", {"note": name}) for name in (*NAMES, *PRIVATE, *PUBLIC)],
    *[("names", {"kind": kind, "begins": one}) for kind in ("note", "tag") for one in ("", "c", "b", "w")],
    *[("properties", {"name": name}) for name in (None, "ward", "case", "cases")],
    *[("properties", {"name": name}) for name in ("type", "tags", "created", "private", "aliases")],
    ("rescan", {"wait": True}),
    ("tune", {}),
    ("forget", {"note": "Bonus"}),
    ("subscribe", {}),
]


def differing(both: tuple[Running, Running], asked: list[Request]) -> list[tuple[Request, str, str]]:
    """Each request that the two folders answer otherwise to an agent, with both answers."""
    whole, bare = ([said(daemon, method, "agent", **more) for method, more in asked] for daemon in both)
    return [found for found in zip(asked, whole, bare, strict=True) if found[1] != found[2]]


def test_private_notes_are_as_if_they_were_not_there(both: tuple[Running, Running]) -> None:
    """Whatever an agent asks, both folders answer the same bytes."""
    assert len(queries()) >= 200
    assert {method for method, _ in REQUESTS} == TABLE.keys()
    assert differing(both, REQUESTS) == []


def test_a_user_finds_private_notes(both: tuple[Running, Running]) -> None:
    """What is kept from agents is there for the user, and without a word about who asks a user asks."""
    whole, bare = both

    assert set(whole.paths("quetiapine")) == {"Dr Zweifel.md", "Diary/Monday.md"}
    for method, asked in (
        *(("status", {}), ("check", {}), ("export", {}), ("feed", {}), ("related", {"note": "Payroll.md"})),
        *(("links", {"note": "Cycle"}), ("open", {"notes": ["Bonus"]}), ("search", {"query": "quetiapin"})),
    ):
        assert said(whole, method, "user", **asked) != said(bare, method, "user", **asked)


def test_it_stays_so_while_notes_change(both: tuple[Running, Running]) -> None:
    """Notes become private and public again, come, go and move; after each change the answers are equal."""
    bare, secret = both[1], "---\nprivate: true\n---\n"

    def now(name: str, text: str | None, *, private: bool) -> None:
        for daemon in both:
            path = daemon.vault / name
            shown = text if not private else None if daemon is bare else secret + (text or "")
            if shown is None:
                path.unlink(missing_ok=True)
            else:
                made = daemon.home / "made.md"
                made.write_text(shown, encoding="utf-8")
                os.utime(made, (WHEN, WHEN))
                shutil.move(made, path)
            while not daemon.ask("search", query="x", wait=True, record=False)["index"]["fresh"]:
                pass  # an event of the same change came late
        assert differing(both, REQUESTS[::5]) == []

    now("Payroll.md", "# Payroll\n\nNow private, [[Cycle]] quetiapine.", private=True)
    now("New.md", "A new note about quetiapine and the [[Payroll]].", private=False)
    now("Payroll.md", PUBLIC["Payroll.md"], private=False)
    now("New.md", None, private=False)


def test_an_audience_that_nobody_is_is_refused(both: tuple[Running, Running]) -> None:
    """An unknown audience is no reason to show everything."""
    for wrong in ("agents", "", "Agent", None, 1):
        with pytest.raises(InvalidParams, match='"agent" or "user"'):
            both[0].ask("search", query="payroll", audience=wrong)
