"""Which language a text is taken to be in."""

import pytest

from notesd.parse.characters import fold
from notesd.parse.languages import SAMPLE, WRITINGS, language_of, languages_told
from notesd.parse.stems import ALGORITHMS
from notesd.parse.stopwords import STOPWORDS
from notesd.parse.telling import TELLING

TEXTS = {
    "English": ("This is what they would have been doing with the rest of it", "en"),
    "Spanish": ("El perro está aquí porque no quiere salir con los otros", "es"),
    "Spanish with a word that is French alone": ("Las ciudades del sur, y las del norte de la costa", "es"),
    "German": ("Das ist nicht, was wir auch noch machen wollten", "de"),
    "Russian": ("Это было не только потому, что он хотел", "ru"),
    "Portuguese": ("Não sei se ele também foi com os outros", "pt"),
    "Japanese": ("これは日本語の文章である。C++ も出てくる", "ja"),
    "Chinese": ("这是中文的一句话", "zh"),
    "Korean": ("한국어 문장입니다", "ko"),
    "Thai": ("นี่คือภาษาไทย", "th"),
    "Czech": ("Děti si hrály na zahradě a nebylo to daleko, ale byla zima", "cs"),
    "Danish": ("Husene ved havet er gamle og har ikke været til salg", "da"),
    "Norwegian": ("Hun har vært på hytta og det var ikke kaldt", "no"),
    "what may be Danish or Norwegian": ("Hesten er ikke på marken og jeg går hjem", "da"),
    "Finnish": ("Talossa oli kaksi kissaa ja ne eivät olleet iloisia", "fi"),
    "Hungarian": ("A házak és a kertek nem voltak messze, de a gyerekek ott játszottak", "hu"),
    "Romanian": ("Casele din oraș sunt vechi și copiii nu au fost acolo", "ro"),
    "Turkish": ("Evlerin kapıları açıktı ve kitaplar bir yerde duruyordu", "tr"),
    "Greek": ("Αυτό είναι ελληνικά", "el"),
    "Hebrew": ("זה בעברית", "he"),
    "a Chinese name in an English text": ("The recipe for 红烧肉 is from a friend of the family", "en"),
    "English about Japanese": ("The word 猫 is what they say for a cat, and いぬ is not", "en"),
    "one stop word": ("the Gaviota", None),
    "two languages alike": ("the of el los", None),
    "initials": ("ALGOL: E. W. Dijkstra, Z. W., I. O.", None),
    "few words with letters of Polish": ("Nóż i łyżka leżą obok ściany", "pl"),
    "few words with letters of Turkish": ("Çorbayı pişirdim, ağaçları suladım", "tr"),
    "few words with letters of Finnish": ("Mökki: järven vesi kylmää, lämmintä", "fi"),
    "few words with letters of Portuguese": ("Limões, pães", "pt"),
    "few words of Russian": ("Купили ножи и тарелки, сломался новый чайник: грибы", "ru"),
    "Ukrainian": ("Купили ножі й тарілки, грибы", None),
    "a name with letters of Polish": ("Małgorzata Kowalska", None),
    "names of several languages": ("Åsa Čapek Núñez", None),
    "no words": ("123 ... 😀", None),
    "nothing": ("", None),
}


@pytest.mark.parametrize(("text", "language"), TEXTS.values(), ids=TEXTS.keys())
def test_language_is_told_by_writing_and_stop_words(text: str, language: str | None) -> None:
    """A writing of its own tells it, else most of the stop words; a draw or too few of them do not."""
    assert language_of(text) == language


def test_a_long_text_is_told_by_its_beginning() -> None:
    """However much comes after it."""
    assert language_of("the cat and the dog " * 2_000 + "el gato y los perros " * 100_000) == "en"
    assert len("the cat and the dog " * 2_000) > SAMPLE


@pytest.mark.parametrize("text", ["the cats and the dogs " * 700, "y los gatos de la casa " * 700])
def test_many_words_of_one_language_are_no_words_of_another(text: str) -> None:
    """However long the text is."""
    assert language_of(text) == ("en" if text.startswith("the") else "es")


def test_a_text_that_is_folded_already_is_in_the_same_language() -> None:
    """Whether the folding is at hand or not."""
    for text in ("Änderung\nDie Öfen sind heiß", "Canción\nlos niños", "x"):
        assert languages_told(text, ("de", "es"), fold(text)) == languages_told(text, ("de", "es"))


def test_every_language_whose_endings_are_known_can_be_told() -> None:
    """Else its endings would be cut in no folder."""
    assert STOPWORDS.keys() | TELLING.keys() | WRITINGS.keys() >= ALGORITHMS.keys()
    assert ALGORITHMS.keys() >= STOPWORDS.keys() | TELLING.keys()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (
            "Ro\u0219iile \u0219i castrave\u021bii au nevoie de ap\u0103. Gr\u0103din\u0103",
            "ro",
        ),
        ("Avocat\u0103 \u00een Ia\u0219i, are dou\u0103 fete. \u0218tefania \u021aurcanu", "ro"),
        ("Caf\u00e9 menu: cr\u00e8me br\u00fbl\u00e9e and p\u00e2t\u00e9 for the party", "en"),
    ],
)
def test_letters_that_a_language_has_not_outweigh_a_few_small_words(text: str, language: str) -> None:
    """Short notes hold few small words, and these are alike in many languages."""
    assert language_of(text) == language
