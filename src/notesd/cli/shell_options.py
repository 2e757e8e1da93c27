"""Which words do the verbs take that serve shells?"""

import argparse

SHELLS = {"bash": "notesd.bash", "zsh": "_notesd", "fish": "notesd.fish"}
"""Shells, each with the name of its file in the package."""


def completion(parser: argparse.ArgumentParser) -> None:
    """Add what ``completion`` takes."""
    parser.add_argument("shell", choices=tuple(SHELLS), help="the shell")


def names(parser: argparse.ArgumentParser) -> None:
    """Add what ``names`` takes."""
    parser.add_argument("kind", choices=("note", "tag", "space"), help="what is to be named")
    parser.add_argument("shell", choices=tuple(SHELLS), help="the shell that asks")
    parser.add_argument("line", help="the command line up to the cursor")
    parser.add_argument("word", nargs="?", help="of bash: what it takes for the last word")
