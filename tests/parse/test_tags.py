"""Tags: where they start, where they end, and how a property lists them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.parse.tags import inline_tags, split_tags, unique_tags


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#a b #c-d #e_f/g", ["a", "c-d", "e_f/g"]),
        ("#a. #b, #c; #d! #e?", ["a", "b", "c", "d", "e"]),
        ("x\u00a0#a\u3000#b\t#c\n#d", ["a", "b", "c", "d"]),
        ("#a#b", ["a", "b"]),
        ("#a/#b", ["a", "b"]),
        ('(#a) "#b" x#c .#d ##e', []),
        ("#1984 #12/ #y1 #2024-01 #1/2", ["y1", "2024-01", "1/2"]),
        ("#1#a", []),
        ("#_ #- #/ #/a # #", []),
        ("#été #日本語。 #標籤、 #हिन्दी. #x🚢 #✅done", ["été", "日本語", "標籤", "हिन्दी", "x🚢", "✅done"]),
        ("#👩🏽‍💻x #e\u0301x", ["👩🏽‍💻x", "e\u0301x"]),
        ("#\ufe0f\u20e3 #→", []),
        ("==#a== %%#b%% ===#c", ["a", "b"]),
        ("#a→b", ["a"]),
    ],
)
def test_tags_start_after_blanks_and_end_at_punctuation(text: str, tags: list[str]) -> None:
    """Every script and emoji may be in a tag, digits alone are none."""
    assert tags == list(inline_tags(text))


@given(st.text(alphabet="#a1/_-. é日\u0301\n(", max_size=30))
def test_a_tag_stands_in_its_text(text: str) -> None:
    """Each tag is written in the text behind a sign, and is never empty or only digits."""
    for tag in inline_tags(text):
        assert f"#{tag}" in text
        assert not tag.isdigit()
        assert not tag.endswith("/")


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("one, two,three", ["one", "two", "three"]),
        ("one two", ["one", "two"]),
        ("#one #two/", ["one", "two"]),
        ("[[Big Thing|x]], #[[Other]] small", ["Big Thing", "Other", "small"]),
        (" , ", []),
    ],
)
def test_one_text_holds_several_tags(text: str, tags: list[str]) -> None:
    """Commas and blanks part them, brackets keep them whole."""
    assert tags == list(split_tags(text))


def test_a_tag_is_listed_once() -> None:
    """Case makes no difference, the first spelling stays, empty ones go."""
    assert unique_tags(["Ship", "", "ship", "SHIP", "boat"]) == ("Ship", "boat")
