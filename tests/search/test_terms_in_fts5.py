"""Words prepared by ``parse.terms``, stored in and asked of a real FTS5 table."""

import itertools
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notesd.index.schema import fulltext_tables
from notesd.model import Note, NotePath, Observation
from notesd.parse.columns import columns_of
from notesd.parse.expressions import match, written
from notesd.parse.terms import LONGEST_WORD, MOST_TOKENS, Term, index_text, phrase, rank_terms, signs, terms
from notesd.search.query import parse_query
from notesd.search.quotation import expressions
from notesd.search.spelling import begun
from notesd.search.wanted import ranking_terms, wanted

if TYPE_CHECKING:
    from notesd.index.store import Reader


class Table:
    """The full-text tables as the index makes them, with the body of notes only."""

    def __init__(self, *bodies: str, languages: Sequence[str] = ("en",)) -> None:
        self.languages = languages
        self._db = apsw.Connection(":memory:")
        for ddl in fulltext_tables():
            self._db.execute(ddl).fetchall()
        self._ids = itertools.count(1)
        for body in bodies:
            self.put(body)

    def put(self, body: str) -> int:
        """Index one more text and return its id."""
        row = next(self._ids)
        said = (Observation(body, 1, 1, (), "paragraph"),)
        columns = columns_of(Note(NotePath("n.md"), "n", observations=said), self.languages)
        self.run(
            "INSERT INTO fulltext (rowid, body, signs) VALUES (?, ?, ?)", (row, columns.body, columns.signs)
        )
        self.run("INSERT INTO written (rowid, words) VALUES (?, ?)", (row, columns.written.words))
        return row

    def run(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """Run one statement."""
        return self._db.execute(sql, tuple(values)).fetchall()

    rows = run
    """As a reader of an index has it."""

    def holding(self, term: Term, columns: str | None = None) -> list[int]:
        """Return the ids of the texts that hold a term, in any form or as the beginning of a word."""
        whole = begun(cast("Reader", self), term, self.languages)
        return self.find(match(whole, self.languages, columns))

    def find(self, expression: str) -> list[int]:
        """Return the ids of the texts that match."""
        return [
            row
            for (row,) in self._db.execute(
                "SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY rowid", (expression,)
            )
        ]

    def clear(self) -> None:
        """Forget every text."""
        self._db.execute("DELETE FROM fulltext")

    def tokens(self, text: str) -> list[str]:
        """Cut a text with the table's own tokenizer, without its stemmer."""
        cut = self._db.fts5_tokenizer("unicode61", ["remove_diacritics", "2", "categories", "L* N* Co Mn Mc"])
        found = cast("list[tuple[int, int, str]]", cut(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None))
        return [token for _, _, token in found]


def found(query: str, body: str, *, last_is_prefix: bool = False) -> bool:
    """Say whether all words of a query are found in a text."""
    table = Table(body)
    asked = terms(query, last_is_prefix=last_is_prefix)
    return bool(asked) and all(table.holding(term) == [1] for term in asked)


FOUND = {
    "C++": ("C++", "We like C++ here."),
    "C++ small": ("c++", "Modern C++."),
    "C++ with a year": ("C++", "since C++11 there are lambdas"),
    "C++ in Chinese": ("C++", "学习C++语言"),
    "C++20 whole": ("C++20", "modules in C++20"),
    "C#": ("C#", "F# and C#, both"),
    "C# with a version": ("c#", "new in C#8.0"),
    "notepad++": ("notepad++", "opened with Notepad++."),
    "A*": ("A*", "the A* search"),
    "NET": (".NET", "built on .NET 8"),
    "env": (".env", "keep `.env` out of git"),
    "NET in Chinese": (".NET", "学习.NET平台"),
    "NET after an emoji": (".NET", "😀.NET"),
    "env after a slash": (".env", "see app/.env"),
    "version": ("1.0.21", "released 1.0.21 today"),
    "hyphen": ("foo-bar", "a foo-bar thing"),
    "hyphen as blank": ("foo-bar", "a foo bar thing"),
    "slash": ("a/b", "either a/b or c"),
    "at": ("user@host", "ssh user@host -p 22"),
    "e-mail": ("jo.e+x@mail.example.org", "write to jo.e+x@mail.example.org please"),
    "date": ("2024-01-15", "on 2024-01-15 we met"),
    "snake case": ("snake_case", "def snake_case(): ..."),
    "camel case": ("parseQuery", "call parseQuery() now"),
    "apostrophe": ("it's", "because it's late"),
    "curly apostrophe": ("it’s", "because it's late"),
    "formula": ("f(x)=y^2", "where f(x)=y^2 holds"),
    "hash": ("BENCH-100821", "see BENCH-100821 for more"),
    "path": ("src/notesd/parse.py", "edit src/notesd/parse.py"),
    "ampersand": ("R&D", "the R&D budget"),
    "accent in the text": ("jamon", "El jamón está aquí"),
    "accent in the query": ("jamón", "El jamon"),
    "decomposed text": ("café", "un cafe\u0301 noir"),
    "decomposed query": ("cafe\u0301", "un café noir"),
    "capital with accent": ("ÉCOLE", "l'école"),
    "Vietnamese": ("tieng viet", "Tiếng Việt"),
    "sharp s": ("strasse", "in der Straße"),
    "capital sharp": ("STRASSE", "Straße"),
    "ligature": ("file", "a ﬁle from a PDF"),
    "Polish l": ("Lodz", "Łódź"),
    "Danish o": ("smorrebrod", "Smørrebrød"),
    "full width": ("abc123", "ＡＢＣ１２３"),
    "half-width kana": ("ガラス", "ｶﾞﾗｽ"),
    "soft hyphen": ("shipping", "ship\u00adping"),
    "zero width": ("foobar", "foo\u200cbar"),
    "dotless i": ("isparta", "ISPARTA ısparta"),
    "dotless i small": ("ısparta", "ISPARTA"),
    "dotted I": ("istanbul", "İSTANBUL"),
    "Russian case": ("москва", "МОСКВА слезам"),
    "Russian yo": ("елка", "Ёлка стоит"),
    "Greek": ("ανθρωπος", "Ο ΆΝΘΡΩΠΟΣ"),
    "Greek tonos": ("άνθρωπος", "ανθρωπος"),
    "Arabic marks": ("مدرسة", "هذه مَدرسة كبيرة"),
    "Arabic marks in the query": ("مَدرسة", "مدرسة"),
    "Arabic tatweel": ("كتاب", "كتـــاب"),
    "Arabic alef": ("احمد", "أحمد"),
    "Hebrew points": ("שלום", "שָׁלוֹם"),
    "Hindi": ("हिन्दी", "मैं हिन्दी बोलता हूँ"),
    "Tamil": ("தமிழ்", "நான் தமிழ் பேசுகிறேன்"),
    "Chinese one": ("学", "机器学习的研究"),
    "Chinese first": ("机", "机器学习的研究"),
    "Chinese last": ("究", "机器学习的研究"),
    "Chinese two": ("学习", "机器学习的研究"),
    "Chinese three": ("器学习", "机器学习的研究"),
    "Chinese whole": ("机器学习的研究", "机器学习的研究"),
    "Chinese with digits": ("日本2024年", "西日本2024年度"),
    "Chinese and Latin": ("C言語", "C言語入門"),
    "Chinese rare": ("𠮷野", "𠮷野家で食べた"),
    "Japanese one": ("語", "日本語の検索"),
    "Japanese kana": ("カタカナ", "ひらがなとカタカナー"),
    "Japanese sentence": ("検索、日本", "日本語の検索"),
    "Korean one": ("한", "한국어를 공부한다"),
    "Korean two": ("한국", "한국어를 공부한다"),
    "Korean three": ("한국어", "한국어를 공부한다"),
    "Korean decomposed": (unicodedata.normalize("NFD", "한국어"), "한국어를"),
    "Thai one": ("ท", "ภาษาไทยนี้"),
    "Thai two": ("ไท", "ภาษาไทยนี้"),
    "Thai word": ("ภาษาไทย", "ภาษาไทยนี้ดี"),
    "Lao": ("ລາວ", "ພາສາລາວນີ້"),
    "Khmer": ("ខ្មែរ", "ភាសាខ្មែរ"),
    "Myanmar": ("မြန်မာ", "မြန်မာဘာသာ"),
    "emoji": ("😀", "so happy 😀!"),
    "emoji glued": ("😀", "happy😀"),
    "emoji newer than FTS5": ("🤖", "a 🤖 wrote this"),
    "emoji with selector": ("❤", "I ❤️ it"),
    "emoji with colour": ("👍", "ok 👍🏽"),
    "emoji joined": ("👩‍💻", "she 👩‍💻 codes"),
    "emoji part of a joined one": ("💻", "she 👩‍💻 codes"),
    "flag": ("🇫🇷", "vive la 🇫🇷"),
    "stars": ("★", "rated ★★★"),
    "arrow": ("→", "a → b"),
    "stemmed": ("running", "he runs"),
}


@pytest.mark.parametrize(("query", "body"), FOUND.values(), ids=FOUND.keys())
def test_words_are_found_as_people_type_them(query: str, body: str) -> None:
    """A word is found in a text that holds it, however either is written."""
    assert found(query, body)


NOT_FOUND = {
    "C++ is not C": ("C++", "plain C only"),
    "C# is not C": ("C#", "vitamin C"),
    "NET is not net": (".NET", "the net is wide"),
    "heading part is no C#": ("foo#", "see foo#bar"),
    "sum is no C+": ("a+", "a+b"),
    "parts in another order": ("foo-bar", "bar foo"),
    "version is not its parts": ("1.0.21", "1.0.2 and 21"),
    "Chinese pair across a gap": ("学研", "学习研究"),
    "other flag": ("🇫🇷", "🇩🇪"),
    "two flags are not a third": ("🇷🇩", "🇫🇷🇩🇪"),
    "Russian short i": ("мои", "мой"),
    "Hindi vowel": ("हिन्दी", "हिन्दू"),
    "kana voice": ("カス", "ガス"),
}


@pytest.mark.parametrize(("query", "body"), NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_other_words_are_not_found(query: str, body: str) -> None:
    """A word that only looks alike is not found."""
    assert not found(query, body)


@pytest.mark.parametrize("typed", ["zeb", "zebr", "zebra"])
def test_last_word_is_found_while_being_typed(typed: str) -> None:
    """The last word finds what it is the beginning of, from two letters on."""
    assert found(typed, "a zebra crossing", last_is_prefix=True)
    assert not terms(f"{typed} ", last_is_prefix=True)[-1].prefix


LONG_WORDS = (
    "configuration",
    "organization",
    "operator",
    "probability",
    "effectiveness",
    "happiness",
    "development",
    "importance",
    "difference",
    "historical",
    "nationally",
    "running",
    "hoping",
    "observed",
    "relational",
    "generalization",
    "studies",
    "management",
    "useful",
    "adjustment",
    "activity",
    "electricity",
    "creation",
    "station",
    "hypothesis",
    "communities",
    "easily",
    "flying",
    "dependent",
    "modernism",
    "linguist",
)


@pytest.mark.parametrize("languages", [("en",), ("nl", "en"), ()], ids=["en", "nl-en", "none"])
@pytest.mark.parametrize("word", LONG_WORDS)
def test_stemming_never_hides_a_word_being_typed(word: str, languages: Sequence[str]) -> None:
    """Every beginning of a word finds it, also one that breaks off within a stemmed ending."""
    table = Table(f"the zz {word} here", languages=languages)
    for size in range(3, len(word) + 1):
        (term,) = terms(word[:size], last_is_prefix=True)
        if term.prefix:
            assert table.holding(term) == [1], word[:size]
            assert table.holding(term, "body") == [1], word[:size]
    (joined,) = terms(f"zz-{word[:-2]}", last_is_prefix=True)
    assert table.holding(joined) == [1]


@pytest.mark.parametrize(
    ("typed", "begins", "others"),
    [
        ("planning", "planning", "planet plan planes"),
        ("bus", "bus buses business bust", "but butter build"),
        ("city", "city cityscape", "citizen citadel"),
        ("key", "key keys keyboard", "keg"),
        ("play", "play played player playground", "plain plaid"),
        ("tagg", "tagged tagging", "taxi"),
        ("runn", "running runner", "rune"),
        ("planne", "planned planner", "planet"),
        ("age", "age ages agent", "agree again"),
        ("using", "using", "user usual"),
        ("pies", "pies", "pipe piece"),
    ],
)
@pytest.mark.parametrize("languages", [("en",), ("nl", "en"), ()], ids=["en", "nl-en", "none"])
def test_a_beginning_is_that_of_the_word_as_typed(
    typed: str, begins: str, others: str, languages: Sequence[str]
) -> None:
    """What the stemmer makes of a beginning is not taken for one: "planning" begins no planet."""
    (term,) = terms(typed, last_is_prefix=True)
    for word in begins.split():
        assert Table(word, languages=languages).holding(term) == [1], word
    for word in others.split():
        form = word == "plan" and "en" in languages
        assert Table(word, languages=languages).holding(term) == ([1] if form else []), word


def test_signs_rank_the_exact_note() -> None:
    """``C++`` is found in the note that says so and not in one about C."""
    table = Table("all about C", "C++ notes", "C# notes")
    assert [table.holding(term) for term in terms("C++ C# C", last_is_prefix=False)] == [
        [2],
        [3],
        [1, 2, 3],
    ]


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
LETTERS = st.sampled_from(
    "abcXYZ019éñßŁøİıþæфёйЖάςΣ日本語学習かガーｶ한국어ไทยนี้ກຂក្ខမြन्दीमَمدرسة_-+#.*'/@😀❤️🇫🇷"
    "\u0301\u200d·’，。 \u1cf7\U0001f916\U00020bb7\u2028\ue000"
)
MIXED = st.text(LETTERS, max_size=24)


@settings(max_examples=300, deadline=None)
@given(st.one_of(WORDS, MIXED))
def test_index_text_holds_only_what_fts5_and_we_read_alike(text: str) -> None:
    """FTS5 cuts a prepared text into the very tokens that a query for it asks for."""
    table = Table()
    ours = phrase(text)
    theirs = table.tokens(index_text(text))
    tokens = list(ours.tokens) if ours else []
    assert [table.tokens(token) for token in tokens] == [[token] for token in theirs[: len(tokens)]]
    assert len(theirs) - len(tokens) <= 1 or len(tokens) == MOST_TOKENS


@settings(max_examples=300, deadline=None)
@given(st.one_of(WORDS, MIXED), MIXED, MIXED)
def test_a_word_is_found_in_a_text_that_holds_it(word: str, before: str, after: str) -> None:
    """Whatever the word, each of its terms finds it between blanks in any text."""
    table = Table(f"{before} {word} {after}")
    for term in terms(word, last_is_prefix=True):
        assert table.holding(term) == [1]
        for part in rank_terms(term):
            assert table.holding(part) == [1]


@settings(max_examples=150, deadline=None)
@given(st.text("日本語学習한국어ไทยนี้ガー", min_size=3, max_size=12), st.data())
def test_any_part_of_a_dense_run_is_found(run: str, data: st.DataObject) -> None:
    """In scripts without blanks every stretch of characters is found, also a single one."""
    run = unicodedata.normalize("NFC", run)
    start = data.draw(st.integers(0, len(run) - 1))
    end = data.draw(st.integers(start + 1, len(run)))
    assert found(run[start:end], f"x{run}y")


_ANY = Table("C++ and foo-bar; 日本語の検索 😀 .env")


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=60), MIXED, st.text('"*-#:()^{}+ORANDNOTEAtitle日\0\ud800 ', max_size=40)))
def test_every_expression_is_accepted_by_fts5(text: str) -> None:
    """No text of a query makes an expression that FTS5 refuses."""
    query = parse_query(text)
    asked: list[Term] = [
        *query.phrases,
        *query.excluded,
        *query.titles,
        *query.aliases,
        *ranking_terms(query),
        *(term for denied in query.without for term in (*denied.titles, *denied.aliases)),
    ]
    asked += [term for group in (*query.groups, *wanted(query)) for term in group]
    for term in asked:
        _ANY.holding(term)
        _ANY.holding(term, "name aliases")
        if written(term):
            _ANY.run("SELECT rowid FROM written WHERE written MATCH ?", (written(term),))
    for _, whole, _ in expressions(query, _ANY.languages):
        _ANY.find(whole)
    every = [match(term, _ANY.languages) for term in ranking_terms(query)]
    if every:
        _ANY.find(" OR ".join(every))
        _ANY.find(" AND ".join(every))


@pytest.mark.parametrize("letter", ["x", "A/+=", "é", "日", "+", "\u0301", "😀"])
def test_a_megabyte_of_one_character_is_prepared(letter: str) -> None:
    """Long runs are neither slow nor kept as one word."""
    text = letter * (1_000_000 // len(letter))
    assert max(map(len, Table().tokens(index_text(text))), default=0) <= LONGEST_WORD
    assert len(signs(text)) <= 3
