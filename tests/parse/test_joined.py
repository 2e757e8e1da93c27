"""Names and numbers are found in each way people write them."""

import pytest

from notesd.parse.joined import joined_forms


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("the E-Mail of today", "EMail"),
        ("a set\u2011top box", "settop"),
        ("call 0171 555 0142 now", "01715550142"),
        ("call +44 20 7946 0321", "442079460321"),
        ("call +44 20 7946 0321", "02079460321"),
        ("call +49 (0)30 901820", "030901820"),
        ("call +4930901820", "030901820"),
        ("call +34 600 123 456", "600123456"),
        ("call 0049 30 901820", "4930901820"),
        ("it weighs 3.75kg", "3.75 kg"),
        ("a lens of 50mm", "50 mm"),
        ("a box of 40x30x20cm", "40 x 30 x 20 cm"),
        ("a glass of H~2~O", "H2O"),
        ("E=mc^2^ is known", "mc2"),
        ("FR76 3000 6000 0112 3456 7890 189", "FR7630006000011234567890189"),
        ("ISBN 978-0-306-40615-7", "9780306406157"),
        ("it cost 12,500.00", "1250000"),
        ("1 000 000 grains", "1000000"),
        ("release v3.11.2 is out", "3.11.2"),
        ("parseHttpHeader(x)", "parse Http Header"),
        ("the XMLReader", "XML Reader"),
        ("sha256Sum", "sha 256 Sum"),
    ],
)
def test_a_text_has_the_other_ways_of_writing(text: str, form: str) -> None:
    """Without signs, as dialled at home, in parts."""
    assert form in joined_forms(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain words only",
        "a list of 1, 2, 3",
        "12 34",
        "the 2nd of 3rds",
        "2in1",
        "~~struck~~ out",
        "0xkg",
        "in 2031",
        "Word",
        "ABC",
        "a.b@c.example",
        "x" * 300,
    ],
)
def test_what_has_but_one_way_gives_none(text: str) -> None:
    """Nor does a short list of numbers."""
    assert joined_forms(text) == []


def test_each_form_is_given_once() -> None:
    """However often it is written."""
    assert joined_forms("Wi-Fi and Wi-Fi") == ["WiFi"]


@pytest.mark.parametrize("part", ["1", "1 ", "1)", "(1", "1.", "12-", "a-", "aA", "a1", "AB12 "])
def test_a_long_run_of_signs_is_read_once(part: str) -> None:
    """Not in each way in which it could be cut: that would not end."""
    joined_forms(part * 20_000 + "x")


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("a-b.c-d", ["abcd"]),
        ("x@wi-fi co\u2010op-ed", ["cooped"]),
        ("_wi-fi -wi-fi /wi-fi", []),
        (f"{'a' * 21}-b", []),
        ("a(020) 7946 a+12 345", ["0207946", "12345"]),
        ("1.12 345678", ["112345678"]),
        ("x12 3456 ,12 3456", ["3456123456"]),
        ("éaB aBcéD getX getX", ["a Bc", "get X"]),
    ],
)
def test_a_form_begins_where_a_word_begins(text: str, forms: list[str]) -> None:
    """Signs, other letters and other digits before it count."""
    assert joined_forms(text) == forms


def test_the_end_of_a_code_is_no_measure() -> None:
    """``2a`` is a part of the name here."""
    assert joined_forms("Zusheam-2a and 1/4w") == ["Zusheam2a"]
