"""What stands behind a link is known by its words."""

import pytest

from notesd.parse.addresses import LONGEST, MOST, addresses


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("[a](https://kiln.example/glaze)", {"https://kiln.example/glaze"}),
        ("[a](<https://kiln.example/glaze>)", {"https://kiln.example/glaze"}),
        ('[a](glaze.pdf "Ash glazes")', {"glaze.pdf", "Ash glazes"}),
        ("[a](glaze.pdf 'Ash glazes')", {"glaze.pdf", "Ash glazes"}),
        ("![a](pots%20and%20pans.png)", {"pots and pans.png"}),
        ("[a](wiki/Kiln_(pottery))", {"wiki/Kiln_(pottery)"}),
        ("[a]\n\n[a]: https://kiln.example 'Kilns'\n", {"https://kiln.example", "Kilns"}),
        ('<a href="https://kiln.example/cone">x</a>', {"https://kiln.example/cone"}),
        ("<img src = 'cone.png'>", {"cone.png"}),
        ("[[Firing schedule|the plan]]", {"Firing schedule"}),
        ("[call](tel:+442079460321)", {"tel:+442079460321"}),
        ("![a](data:image/png;base64,AAAA)", set()),
        ("no link [here] (at all)", set()),
        ("[[Firing schedule]]", set()),
    ],
)
def test_each_kind_of_link_gives_its_address_and_title(source: str, found: set[str]) -> None:
    """What is shown in the text itself is no address."""
    assert set(addresses(source)) == found


def test_long_addresses_and_very_many_are_cut() -> None:
    """One note must not fill the index."""
    (long,) = addresses(f"[a](https://kiln.example/{'x' * 1000})")

    assert len(long) == LONGEST
    assert len(addresses(" ".join(f"[a](p{number})" for number in range(MOST + 10)))) == MOST
