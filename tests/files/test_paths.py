"""File names become text and come back byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.files.paths import decode_name, encode_name, full_path
from notesd.model import NotePath

TABLE = [
    pytest.param(b"plain.md", "plain.md", id="ASCII"),
    pytest.param("caf\u00e9.md".encode(), "caf\u00e9.md", id="composed"),
    pytest.param("cafe\u0301.md".encode(), "cafe\u0301.md", id="decomposed stays"),
    pytest.param(b"caf\xe9.md", "caf\uefe9.md", id="Latin-1"),
    pytest.param(b"\xff\xfe", "\uefff\ueffe", id="no UTF-8 at all"),
    pytest.param("\uefe9".encode(), "\uefee\uefbf\uefa9", id="a name that holds an escape"),
    pytest.param("a\uefe9".encode() + b"\xe9", "a\uefee\uefbf\uefa9\uefe9", id="both"),
    pytest.param(b"\xed\xa0\x80", "\uefed\uefa0\uef80", id="an encoded surrogate"),
    pytest.param(b"a\nb\t.md", "a\nb\t.md", id="control characters"),
]


@pytest.mark.parametrize(("raw", "text"), TABLE)
def test_names(raw: bytes, text: str) -> None:
    """A name is written so, and the text leads back to it."""
    assert decode_name(raw) == text
    assert encode_name(text) == raw


pieces = st.lists(
    st.one_of(
        st.binary(max_size=3), st.sampled_from([b"\xee", b"\xbe", b"\x80", "\uef80".encode(), "é".encode()])
    ),
    max_size=5,
).map(b"".join)


@given(pieces)
def test_every_name_comes_back(raw: bytes) -> None:
    """Any bytes become valid Unicode and come back."""
    text = decode_name(raw)
    assert text.encode("utf-8").decode() == text
    assert encode_name(text) == raw


@given(pieces, pieces)
def test_two_names_never_become_one(one: bytes, other: bytes) -> None:
    """Different names stay different."""
    assert (one == other) == (decode_name(one) == decode_name(other))


@given(st.text(max_size=8))
def test_no_text_makes_a_slash_or_nul(text: str) -> None:
    """Whatever a client sends, escapes cannot smuggle a separator in; lone surrogates do not raise."""
    raw = encode_name(text)
    assert raw.count(b"/") == text.count("/")
    assert raw.count(b"\0") == text.count("\0")
    assert encode_name(text + "\ud800")


def test_full_path() -> None:
    """A path lies below its root."""
    assert full_path("/notes", NotePath("a/caf\uefe9.md")) == b"/notes/a/caf\xe9.md"
    assert full_path("/", NotePath("a.md")) == b"/a.md"


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../x", "a/./x", "a//x", "a\0", "a/", ".."])
def test_full_path_is_a_fence(path: str) -> None:
    """What leads out of the space, or is no plain path in it, is refused."""
    with pytest.raises(ValueError, match="not a path below"):
        full_path("/notes", NotePath(path))
