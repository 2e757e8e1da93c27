"""What people really type, asked of a running daemon that serves several folders."""

import re
from collections.abc import Iterator

import pytest
from running import Running, running

pytestmark = pytest.mark.process

HELP = {
    "Wordcount.md": "# Word counter\n\nDie Erweiterung zeigt die Anzahl aller Wörter an. 文字数カウント\n",
    "Themes.md": "# Themes\n\nErweiterung der Farben, mehr über helle und dunkle.\n",
    "Yeast.md": "wild yeast rises\n",
    "Contrast.md": "a starker one\n",
}
BREAD = {"Starter.md": "the yeast is wild, a starter of rye\n", "Loaf.md": "a starter, flat\n"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon over two folders."""
    home = tmp_path_factory.mktemp("asking")
    for name, texts in (("help", HELP), ("bread", BREAD)):
        (home / name).mkdir()
        for path, text in texts.items():
            (home / name / path).write_text(text)
    config = home / "config.toml"
    config.write_text("".join(f'[spaces.{name}]\npath = "{home / name}"\n' for name in ("help", "bread")))
    with running(home / "help", NOTESD_CONFIG=str(config)) as started:
        started.ask("rescan", wait=True)
        yield started


@pytest.mark.parametrize(
    "text",
    [
        'Erfahre mehr über die Erweiterung „Anzahl der Wörter".',
        "Erfahre mehr über die Erweiterung „Anzahl der Wörter“.",
        "Erfahre mehr über die Erweiterung «Anzahl der Wörter».",
        "Erfahre mehr über die Erweiterung »Anzahl der Wörter«.",
        "Erfahre mehr über die Erweiterung ‚Anzahl der Wörter‘.",
        "Erfahre mehr über die Erweiterung “Anzahl der Wörter”.",
        "Erfahre mehr über die Erweiterung „Anzahl der Wörter",
        "Erfahre mehr über die Erweiterung Anzahl der Wörter“, bitte",
        "Erfahre mehr über die Erweiterung ’Anzahl’ der “Wörter„",
        'Erfahre mehr über die Erweiterung "Anzahl der Wörter".',
        "拡張機能「文字数カウント」について詳しく教えてください",
        "拡張機能“文字数 カウンター”について詳しく教えてください",
    ],
)
def test_prose_with_quotes_is_answered(daemon: Running, text: str) -> None:
    """Whoever pastes a sentence gets the note about it, whatever quotation marks are in it."""
    assert daemon.paths(text)[0] == "Wordcount.md"


def test_a_phrase_that_no_note_holds_is_said_and_the_rest_answers(daemon: Running) -> None:
    """In quotes it has to occur; where it does nowhere, that is told, and the other words are looked for."""
    answer = daemon.ask("search", query='starter "wild rye" ', record=False)
    alone = daemon.ask("search", query='"wild rye"', record=False)
    held = daemon.ask("search", query='starter "wild yeast" ', record=False)

    assert {hit["path"] for hit in answer["results"]} == {"Starter.md", "Loaf.md", "Yeast.md"}
    (told,) = answer["degraded"]
    assert (told["channel"], told["filter"], told["value"]) == ("filter", "phrase", "wild rye")
    assert alone["results"] == []
    assert [one["value"] for one in alone["degraded"]] == ["wild rye"]
    assert [hit["path"] for hit in held["results"]] == ["Yeast.md"]
    assert held["degraded"] == []
    assert daemon.ask("feed", q='starter "wild rye"')["results"] == []


def test_what_names_nothing_is_said_on_the_terminal(daemon: Running) -> None:
    """A name that only one of two folders has is known; one that none has is named with the nearest."""
    known = daemon.run("query", "starter", "linked:Loaf", "--no-record")
    unknown = daemon.run("query", "starter", "linked:Loav", "--no-record")

    assert "Loaf" not in known.stderr
    assert 'no note is called "Loav"; nearest: Loaf' in unknown.stderr
    assert (known.returncode, unknown.returncode) == (0, 0)


def test_an_explanation_on_a_terminal_is_for_people(daemon: Running) -> None:
    """Words, what was left out, filters, what each way of looking found; nothing that FTS5 reads."""
    words = "what does the wild starter of rye say about plain yeast -title:zzz"
    told = daemon.run("query", words, "--explain", "--no-record").stdout.partition("How it was looked for")[2]
    asked = daemon.ask("search", query=words, explain=True, record=False)["explain"]

    assert "  words: " in told
    assert "  stop words left out: what; does; the" in told
    assert told.count("has to pass: -title zzz") == 1
    assert "    notes that hold: wild 1; starter 2; " in told
    assert re.search("    no note holds: .*plain", told)
    assert "    found by: words 2 notes" in told
    assert not any(sign in told for sign in (" OR ", " AND ", "NEAR(", '"wild"'))
    assert max(map(len, told.split("\n"))) < 200
    assert '"wild"' in asked["spaces"]["bread"]["expressions"]["any"]


def test_an_explanation_names_a_phrase_that_need_not_occur(daemon: Running) -> None:
    """What was asked for is told as it was understood in the end."""
    told = daemon.run("query", 'starter "wild rye"', "--explain", "--no-record").stdout

    assert 'phrases that need not occur: "wild rye"' in told
    assert "have to occur" not in told


def test_hits_of_two_folders_are_joined_by_what_they_answer(daemon: Running) -> None:
    """One that holds both words comes before the first of another folder that holds one."""
    hits = daemon.ask("search", query="wild rye ", record=False)["results"]

    assert [hit["path"] for hit in hits][:2] == ["Starter.md", "Yeast.md"]


@pytest.mark.parametrize("words", [("",), ("  ",), ("...",), ("(", ")")])
def test_a_text_that_asks_nothing_is_answered(daemon: Running, words: tuple[str, ...]) -> None:
    """A script whose variable is empty gets no result, status 0, and is told so."""
    told = daemon.run("query", *words, "--no-record")

    assert (told.returncode, told.stdout) == (0, "")
    assert "nothing was asked" in told.stderr
    assert "nothing was asked" not in daemon.run("query", "", "--folder", "x").stderr


def test_a_minus_needs_no_quotes_on_the_command_line(daemon: Running) -> None:
    """What comes after the text with one dash is part of it."""
    assert daemon.run("query", "starter", "--format", "paths").stdout.count("\n") == 2
    assert daemon.run("query", "starter", "-rye", "--format", "paths").stdout.endswith("Loaf.md\n")
    assert daemon.run("query", "starter", "--rye").returncode == 2


@pytest.mark.parametrize(
    "text", ["the starter", "what about the counter", "the charter of the starter", "the"]
)
def test_a_question_with_common_words_is_answered_over_several_folders(daemon: Running, text: str) -> None:
    """One folder holds the word and the other does not: that was an internal error."""
    answer = daemon.ask("search", query=text, record=False)

    assert answer["results"]
    if "starter" in text:
        assert answer["results"][0]["space"] == "bread"


def test_what_one_folder_holds_is_corrected_in_no_other(daemon: Running) -> None:
    """That no note holds a word is told where it is true of all folders, and near words answer only then."""
    held = daemon.ask("search", query="starter ", record=False)
    alone = daemon.ask("search", query="starter ", space="help", record=False)

    assert held["corrected"] == []
    assert {hit["path"] for hit in held["results"]} == {"Starter.md", "Loaf.md"}
    assert alone["corrected"] == [{"from": "starter", "to": "starker"}]
