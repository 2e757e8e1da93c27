"""What do shells ask of notesd? The script that completes its words, and names as they are typed."""

import argparse
import contextlib
import os
import re

from notesd.cli import options
from notesd.cli.asking import paths_of, spaces_of
from notesd.cli.render import clean, records
from notesd.cli.shell_options import SHELLS
from notesd.cli.terminal import put
from notesd.errors import ConfigError, NotesdError
from notesd.serve.client import reach

MADE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "made")
"""The folder that the build of the package puts scripts and manual into."""
_PATIENCE_S = 2.0
"""How long somebody who pressed a key may wait for the daemon."""
_LINK = "[["
"""A name that is written as a link is no option, however it begins."""
_OPTION = re.compile(r"^--[a-z-]+=")
_SPECIAL = re.compile(r"[^\w./,@%+-]")
"""What a shell may take for something else than a part of a word."""
_SPECIAL_QUOTED = re.compile(r'["\\$`]')


def completion(args: argparse.Namespace) -> int:
    """Print what completes notesd in a shell.

    Raises:
        ConfigError: The package was not built, so there is nothing to print.
    """
    file = os.path.join(MADE, SHELLS[args.shell])
    try:
        with open(file, "rb") as made:
            put(made.read())
    except FileNotFoundError:
        raise ConfigError(
            f"{file} is missing: it is made when the package is built; install notesd anew with "
            "`pip install .` in its folder"
        ) from None
    return 0


def names(args: argparse.Namespace) -> int:
    """Print the names that the last word of a command line may become, a line each.

    Nobody who presses a key wants to read of errors or to wait: without a daemon there are no names.
    """
    before, raw = _words(args.line)
    begins = [place for place, word in enumerate(before) if os.path.basename(word) == "notesd"]
    before = before[begins[-1] :] if begins else before  # there may be other commands on the line
    raw = _OPTION.sub("", raw)
    with contextlib.suppress(NotesdError, OSError):
        _, typed = _read(raw)
        found = [
            name
            for name in _named(args.kind, [_read(word)[1] for word in before], typed)
            if clean(name) == name
        ]
        if args.shell == "bash":
            found = _for_bash(found, raw, raw if args.word is None else args.word)
        put("".join(f"{name}\n" for name in found))
    return 0


def _named(kind: str, before: list[str], typed: str) -> list[str]:
    """Ask the daemon that the words before the cursor mean for names that begin as typed."""
    parser = options.build("names", "", options.client)
    # The word at the cursor may be the value of the option before it.
    asked, _ = parser.parse_known_args([*before[1:], ""])
    asked.space = [name for name in asked.space or () if name]
    daemon = reach(paths_of(asked), _PATIENCE_S)
    try:
        if kind == "space":
            spaces = records(daemon.call("status").get("spaces"))
            every = [str(space.get("name")) for space in spaces]
            return [name for name in every if name.casefold().startswith(typed.casefold())]
        spaces_named = spaces_of(asked, daemon)
        more = {"space": spaces_named} if spaces_named else {}
        begins = typed.lstrip("#") if kind == "tag" else typed.removeprefix(_LINK)
        answer = daemon.call("names", kind=kind, begins=begins, **more)
    finally:
        daemon.close()
    told = answer.get("names")
    every = [str(name) for name in told] if isinstance(told, list) else []
    if kind == "tag":
        return every
    linked = typed.startswith(_LINK)
    return [f"{_LINK}{name}]]" if linked or name.startswith("-") else name for name in every]


def _words(line: str) -> tuple[list[str], str]:
    """Split a command line as a shell does; the words before the last one and that one, as typed."""
    words, word, quote, chars = [], "", "", iter(line)
    for char in chars:
        if char == "\\" and quote != "'":
            word += char + next(chars, "")
        elif char.isspace() and not quote:
            words += [word] if word else []
            word = ""
        else:
            quote = "" if char == quote else char if not quote and char in "'\"" else quote
            word += char
    return words, word


def _read(word: str) -> tuple[str, str]:
    """Return which quote of a word is still open, and what the word means."""
    out, quote, chars = "", "", iter(word)
    for char in chars:
        if char == "\\" and quote != "'":
            following = next(chars, "")
            out += following if not quote or following in '"\\$`' else char + following
        elif char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
        else:
            out += char
    return quote, out


def _for_bash(found: list[str], raw: str, word: str) -> list[str]:
    """Write names as bash puts them in the place of a word, which it may have begun at a colon or a quote."""
    quote, _ = _read(raw)
    # Such a colon is a word of its own for bash, and stays where it is.
    head = _read(raw.removesuffix(word.lstrip(":=")))[1]
    rests = [name[len(head) :] for name in found]
    if quote == "'":
        return [rest.replace("'", "'\\''") for rest in rests]
    special = _SPECIAL_QUOTED if quote else _SPECIAL
    return [special.sub(r"\\\g<0>", rest) for rest in rests]
