"""Which options does ``mcp`` take?"""

import argparse

from notesd.cli.options import place

PROGRAMS = ("claude-code", "claude-desktop", "codex", "cursor", "vscode")


def mcp(parser: argparse.ArgumentParser) -> None:
    """Add what ``mcp`` takes."""
    add = parser.add_argument
    add(
        "--print-config", choices=PROGRAMS, metavar="PROGRAM", help=f"print its set-up: {', '.join(PROGRAMS)}"
    )
    add("--skill", action="store_true", help="print a SKILL.md: how an agent is to use these notes")
    add("--max-chars", type=int, default=20_000, metavar="N", help="of one answer (default: 20000)")
    add("--vault", metavar="FOLDER", help="this folder only; a daemon started now serves it")
    add("--space", action="append", metavar="NAME", help="this space only (repeatable)")
    place(parser)
