"""Which options does ``mcp`` take?"""

import argparse

from notesd.cli.options import place


def mcp(parser: argparse.ArgumentParser) -> None:
    """Add what ``mcp`` takes."""
    add, programs = parser.add_argument, ("claude-code", "claude-desktop", "codex", "cursor", "vscode")
    add(
        "--print-config", choices=programs, metavar="PROGRAM", help=f"print its set-up: {', '.join(programs)}"
    )
    add("--skill", action="store_true", help="print a SKILL.md: how an agent is to use these notes")
    add("--max-chars", type=int, default=20_000, metavar="N", help="of one answer (default: 20000)")
    add("--vault", metavar="FOLDER", help="this folder only; a daemon started now serves it")
    add("--space", action="append", metavar="NAME", help="this space only (repeatable)")
    place(parser)
