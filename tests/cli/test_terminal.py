"""What a terminal is known to show."""

import pytest

from notesd.cli import terminal


@pytest.mark.parametrize(
    ("version", "knows"),
    [
        ("5000", True),
        ("6800", True),
        ("10200", True),
        ("4999", False),
        ("900", False),
        ("x", False),
        ("", False),
    ],
)
def test_a_version_is_a_number(monkeypatch: pytest.MonkeyPatch, version: str, knows: bool) -> None:
    """Links are shown by VTE from 0.50 on, however many digits a version has."""
    for name in ("TERM_PROGRAM", "KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VTE_VERSION", version)

    assert terminal._knows_links() is knows
