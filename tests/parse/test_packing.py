"""How the passages of a note lie in the index."""

import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.model import NotePath, Observation
from notesd.parse.note import parse_note
from notesd.parse.packing import packed, unpacked, unpacked_within

PASSAGES = st.lists(
    st.builds(
        Observation,
        st.text(max_size=200),
        st.integers(1, 10**6),
        st.integers(1, 10**6),
        st.lists(st.text(max_size=20), max_size=4).map(tuple),
        st.sampled_from(["paragraph", "raw"]),
    ),
    max_size=8,
).map(tuple)


@given(PASSAGES)
def test_passages_come_back_as_they_were(passages: tuple[Observation, ...]) -> None:
    """Whatever they say; those that take more than so many bytes are left packed."""
    data, most = packed(passages), len(msgspec.msgpack.encode(passages))

    assert unpacked(data) == passages
    assert unpacked_within(data, most) == passages
    assert unpacked_within(data, most - 1) is None


def test_a_note_that_has_no_row_has_no_passages() -> None:
    """None stands for it."""
    assert unpacked(None) == ()


def test_passages_of_a_pasted_log_take_a_sixth_of_what_they_say() -> None:
    """The same words in each line, and the heading in each passage, lie in the index about once."""
    lines = [f"2026-11-29 12:00 line {at} error in module{at % 50}\n\n" for at in range(2_000)]
    note = parse_note(f"# Log\n\n{''.join(lines)}", NotePath("log.md"))

    assert len(note.observations) > 100
    assert len(packed(note.observations)) < len(msgspec.msgpack.encode(note.observations)) / 6


@pytest.mark.parametrize("at", [0, 1, 20, -3])
def test_damaged_passages_are_not_taken_for_others(at: int) -> None:
    """A byte that is another one is noticed, wherever it is."""
    data = bytearray(packed(parse_note("# A\n\nsome words\n\nmore words", NotePath("a.md")).observations))
    data[at] ^= 0x11

    with pytest.raises((zlib.error, msgspec.DecodeError)):
        unpacked(bytes(data))
