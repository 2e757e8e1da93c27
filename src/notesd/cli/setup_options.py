"""Which words and options do the verbs take that bring notesd to a machine?"""

import argparse

from notesd.cli.options import place

LEFT_BEHIND = ("service", "state", "models", "configuration")
"""Parts of what notesd keeps on a machine beside itself."""


def init(parser: argparse.ArgumentParser) -> None:
    """Add what ``init`` takes."""
    parser.add_argument(
        "folders", nargs="*", metavar="FOLDER", help="folders of notes (default: those that your apps know)"
    )
    place(parser)


def add(parser: argparse.ArgumentParser) -> None:
    """Add what ``add`` takes."""
    parser.add_argument("folder", metavar="FOLDER", help="a folder of notes")
    parser.add_argument("--name", metavar="NAME", help="what to call it (default: like the folder)")
    place(parser)


def remove(parser: argparse.ArgumentParser) -> None:
    """Add what ``remove`` takes."""
    parser.add_argument("which", metavar="SPACE", help="name or folder of a space; its notes are left alone")
    place(parser)


def doctor(parser: argparse.ArgumentParser) -> None:
    """Add what ``doctor`` takes."""
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="as JSON")
    place(parser)


def _part(word: str) -> str:
    """Read the name of a part."""
    if word in LEFT_BEHIND or word == "all":
        return word
    raise argparse.ArgumentTypeError(f"expected {', '.join(LEFT_BEHIND)} or all, not {word!r}")


def uninstall(parser: argparse.ArgumentParser) -> None:
    """Add what ``uninstall`` takes."""
    parser.add_argument(
        "parts",
        nargs="*",
        type=_part,
        metavar="PART",
        help=f"{', '.join(LEFT_BEHIND)} or all (default: say what there is)",
    )
    place(parser)


def editor(parser: argparse.ArgumentParser) -> None:
    """Add what ``editor`` takes."""
    parser.add_argument("which", choices=("neovim", "emacs"), help="the editor")


def service(parser: argparse.ArgumentParser) -> None:
    """Add what ``service`` takes."""
    parser.add_argument("action", choices=("install", "remove", "status"), help="what to do")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="status: as JSON")
    place(parser)
