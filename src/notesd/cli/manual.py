"""The whole command line as one parser, and the page of the manual that describes it.

Both are made from the tables that ``--help`` is made from, when the package is built.
"""

import argparse
from collections.abc import Iterator

from notesd import __version__
from notesd.cli import options
from notesd.cli.main import VERBS
from notesd.cli.setup_options import LEFT_BEHIND

_KINDS = {"NOTE": "note", "TAG": "tag", "SPACE": "space"}
"""Placeholders of names that the daemon knows."""
_FOLDERS, _FILES = frozenset(("FOLDER",)), frozenset(("FILE", "PATH"))


def whole() -> argparse.ArgumentParser:
    """Return one parser of every verb; its actions say in ``complete`` what a shell is to offer.

    That is ``directory`` or ``file``, or one of ``note``, ``tag`` and ``space``; where there are choices,
    nothing.
    """
    top = options.Parser(prog="notesd", description="Search your Markdown notes.", allow_abbrev=False)
    top.add_argument("-V", "--version", action="version", version=__version__, help="print the version")
    verbs = top.add_subparsers(metavar="VERB", dest="verb")
    for name, verb in VERBS.items():
        verb.add(verbs.add_parser(name, help=verb.summary, description=verb.summary, allow_abbrev=False))
    for parser in verbs.choices.values():
        for action in parser._actions:  # noqa: SLF001 - argparse has no other way to list them
            if what := _completed(action):
                action.complete = what  # type: ignore[attr-defined]  # as shtab reads it
            elif action.metavar == "PART":
                action.choices = (*LEFT_BEHIND, "all")
    return top


def _completed(action: argparse.Action) -> str | None:
    """Return what a shell is to offer for a word."""
    if action.choices is not None:
        return None
    if action.dest == "space":
        return "space"
    named = str(action.metavar)
    if named in _FOLDERS or action.dest == "state_dir":
        return "directory"
    if named in _FILES and action.dest != "folder":
        return "file"
    return _KINDS.get(named) or ("directory" if action.dest == "folder" else None)


def page(top: argparse.ArgumentParser) -> str:
    """Return the page of the manual, in the macros that every ``man`` knows.

    Args:
        top: The parser of the whole command line.
    """
    lines = [
        f'.TH NOTESD 1 "" "notesd {__version__}" "User Commands"',
        ".SH NAME",
        r"notesd \- search your Markdown notes",
        ".SH SYNOPSIS",
        r".B notesd",
        r"\fIVERB\fR [\fIWORDS\fR] [\fIOPTIONS\fR]",
        ".SH DESCRIPTION",
        "notesd answers questions about folders of Markdown notes. A verb that needs the daemon starts it.",
        ".SH VERBS",
    ]
    for name, verb in VERBS.items():
        lines += [f".SS notesd {name}", _plain(f"{verb.summary[0].upper()}{verb.summary[1:]}.")]
        parser = options.build(name, verb.summary, verb.add)
        lines += _described(parser)
    lines += [".SH OPTIONS", *_described(top), ".SH EXIT STATUS"]
    for status, what in _STATUSES:
        lines += [".TP", f".B {status}", _plain(what)]
    return "\n".join([*lines, ""])


_STATUSES = (
    (0, "Answered, even with no result."),
    (1, "The request failed."),
    (2, "Wrong usage or configuration."),
    (69, "No daemon could be reached or started."),
    (75, "Try again."),
)


def _described(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the words and options of a parser, each as a paragraph with a tag."""
    for action in parser._actions:  # noqa: SLF001 - as above
        if isinstance(action, argparse._HelpAction | argparse._SubParsersAction):  # noqa: SLF001 - as above
            continue
        value = action.metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else "")
        named = ", ".join(rf"\fB{_plain(one)}\fR" for one in action.option_strings)
        placeholder = rf"\fI{_plain(str(value))}\fR" if value else ""
        yield from (".TP", " ".join(part for part in (named, placeholder) if part), _plain(action.help or ""))


def _plain(text: str) -> str:
    """Write a text so that no character of it is a command of the formatter."""
    out = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{out}" if out.startswith((".", "'")) else out
