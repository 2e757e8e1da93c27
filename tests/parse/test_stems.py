"""All forms of a word have one stem, other words another."""

import pytest

from notesd.parse.characters import fold
from notesd.parse.irregular import BASE_FORMS
from notesd.parse.stems import ALGORITHMS, all_stems, beginnings, stems, stems_by_writing

FORMS = {
    "en": ["house houses", "study studies studied", "mouse mice", "write wrote written", "knife knives"],
    "de": [
        "Haus Häuser Häusern",
        "Vertrag Verträge",
        "singen gesungen sang",
        "kaufen gekauft",
        "Buch Bücher",
        "aufräumen aufgeräumt aufzuräumen",
        "umziehen umgezogen",
        "beschreiben beschrieben",
        "bezahlen bezahlt",
        "Auto Autos",
        "Bericht Berichte",
        "Angebot Angebote",
    ],
    "nl": [
        "huis huizen",
        "kind kinderen",
        "maken gemaakt",
        "schrijven geschreven schreef",
        "fiets fietsen",
        "wandel wandelt wandelde",
        "betalen betaald",
        "verhuizen verhuisd",
        "groot grote",
        "opruimen opgeruimd",
        "verkopen verkochten",
    ],
    "ca": ["mà mans", "vaca vaques", "platja platges"],
    "el": ["βιβλίο βιβλία", "γάτα γάτες"],
    "hu": ["gyerek gyerekek", "ablak ablakok", "bokor bokrok"],
    "ro": ["fată fete fetele", "stradă străzi", "floare flori", "tren trenuri trenurile"],
    "tr": ["kapak kapağı kapakları", "göz gözler", "yıkamak yıkadık", "renk rengi", "şehir şehri"],
    "uk": ["картопля картоплею", "кіт котів", "огірок огірки"],
    "sv": ["flicka flickor", "bok böcker", "flyga flög flugit", "segel seglen"],
    "fr": [
        "cheval chevaux",
        "bijou bijoux",
        "acheter acheté achète achetons achètent",
        "travail travaux",
        "manger mangeons mangent",
        "finir finissons finissent",
        "saison saisons",
        "client clients",
        "lire lu lus lisait",
        "boire bues",
        "voir vus",
        "ouvrir ouvertes",
    ],
    "es": [
        "avión aviones",
        "luz luces",
        "cocinar cocinando",
        "imagen imágenes",
        "joven jóvenes",
        "poner pusimos puestos",
        "hacer hicimos hechas",
        "leer leyeron",
    ],
    "pt": [
        "lição lições",
        "pão pães",
        "papel papéis",
        "jovem jovens",
        "trazer trouxeram",
        "difícil difíceis",
    ],
    "it": [
        "amico amici",
        "uovo uova",
        "chiave chiavi",
        "leggere letto lette lesse",
        "scrivere scritte",
        "bere bevuto",
        "cuocere cotta",
        "fico fichi",
        "lago laghi",
        "raccogliere raccolto",
    ],
    "ru": ["книга книги книг книгу", "кошка кошек", "розетка розеток", "заяц зайцев", "писать пишет"],
    "da": ["bage bagte bagt", "lese leste", "cykel cykler"],
    "no": ["nøkkel nøklene", "skrive skrevet"],
    "pl": [
        "pisać pisali",
        "książka książki książek",
        "rachunek rachunki rachunku",
        "kot koty kotów kotami",
        "rower rowerów",
        "czytać czytam",
    ],
    "cs": [
        "les lesích lesech",
        "koupit koupili koupil",
        "kniha knihy knihách",
        "strom stromy stromů",
        "pes psi",
    ],
}


@pytest.mark.parametrize(("language", "forms"), [(k, form) for k, every in FORMS.items() for form in every])
def test_forms_of_a_word_have_one_stem(language: str, forms: str) -> None:
    """Regular endings by the algorithm, others by the list, vowels that come and go by a rule."""
    words = [fold(word) for word in forms.split()]

    assert len(set(stems(words, language))) == 1


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "universe university"),
        ("en", "organ organisation"),
        ("de", "gesicht sicht"),
        ("de", "gewicht wicht"),
        ("es", "libro liberar"),
        ("it", "occhi occo"),
        ("nl", "beeld bel"),
    ],
)
def test_other_words_keep_their_own(language: str, words: str) -> None:
    """What only looks like a form is none."""
    every = words.split()

    assert len(set(stems(every, language))) == len(every)


@pytest.mark.parametrize("language", ALGORITHMS)
def test_what_is_no_word_of_letters_stays(language: str) -> None:
    """Numbers, codes, short words and other writings have no endings."""
    plain = ["2031", "v2", "a1b2c3", "学习", "is", "x" * 100, ""]

    assert stems(plain, language) == plain


def test_a_word_in_another_writing_is_cut_by_the_language_of_the_folder_that_is_written_so() -> None:
    """A Russian word in an English note."""
    found = stems_by_writing("en", ("en", "ru"))

    assert (found["houses"], found["книгу"]) == ("hous", "книг")


def test_a_crowd_of_words_is_forgotten_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered of a language has a bound, alone and beside another writing."""
    monkeypatch.setattr("notesd.parse.stems._CACHED", 40)
    for languages in (("sv",), ("sv", "ru")):
        known = stems_by_writing("sv", languages)
        for number in range(200):
            assert known[f"w{number}"] == f"w{number}"
            assert len(known) <= 40


def test_a_typed_word_may_be_of_any_language_of_the_folder() -> None:
    """Each stem once."""
    assert all_stems("flores", ("en", "es")) == ("flore", "flor")
    assert all_stems("houses", ("en", "en")) == ("hous",)
    assert all_stems("houses", ()) == ("houses",)


@pytest.mark.parametrize("language", BASE_FORMS)
def test_every_form_begins_as_is_told(language: str) -> None:
    """Else it would not be marked in what is shown."""
    for form in BASE_FORMS[language]:
        (stem,) = stems([form], language)
        assert form.startswith(beginnings(stem, language)), form


def test_no_listed_form_has_two_bases_or_is_a_base() -> None:
    """A base that is itself a form would be led elsewhere."""
    for language, forms in BASE_FORMS.items():
        assert not forms.keys() & set(forms.values()), language


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fr", "bouton bout"),
        ("fr", "jambon jambe"),
        ("fr", "client clies"),
        ("pl", "miesiac miesi"),
        ("nl", "geld gel"),
    ],
)
def test_nouns_with_the_letters_of_an_ending_are_not_cut(language: str, words: str) -> None:
    """Boutons are no form of a verb."""
    every = words.split()

    assert len(set(stems(every, language))) == len(every)
