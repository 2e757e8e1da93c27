"""How does a note that was found come before the eyes: in an editor, in its app, by any command?"""

import os
import shlex
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from urllib.parse import quote

from notesd.cli.asking import ask, paths_of, which_daemon
from notesd.cli.options import Usage
from notesd.cli.render import clean
from notesd.cli.terminal import put
from notesd.config import load
from notesd.errors import ConfigError

_PLUS = frozenset(
    {"vi", "vim", "nvim", "gvim", "nano", "emacs", "emacsclient", "kak", "micro", "joe", "ne", "vis"}
)
"""Editors that take ``+LINE`` before a file."""
_GO_TO = frozenset({"code", "codium", "code-insiders", "cursor", "windsurf"})
"""Editors that take ``--goto FILE:LINE``."""
_COLON = frozenset({"hx", "helix", "subl", "zed", "mate"})
"""Editors that take ``FILE:LINE``."""
NO_CHOICE = 130
"""How a chooser ends when nothing was chosen, as after Ctrl-C."""


def open_note(args: Namespace, path: str, line: int, *, record: bool = True) -> int:
    """Open a note at a line, as ``terminal.open_with`` says; returns how that ended.

    Args:
        args: The command line.
        path: Absolute path of the note.
        line: From 1.
        record: Whether it is written down that it was opened.

    Raises:
        ConfigError: There is no such program, or nothing here opens it.
    """
    paths = paths_of(args)
    how = load(paths.config, os.environ, required=paths.config_named).terminal.open_with
    command = _command(how, path, line)
    if shutil.which(command[0]) is None:
        raise ConfigError(f"there is no program {command[0]!r} here to open {path}; set terminal.open_with")
    if record:
        ask(args, "open", {"notes": [path], "max_chars": 1})
    return subprocess.run(command, check=False).returncode


def _command(how: str, path: str, line: int) -> list[str]:
    """Return the command that opens a note."""
    if how == "editor":
        editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
        return _at_line(editor, path, line) if editor else [_opener(), path]
    if how == "obsidian":
        return [_opener(), f"obsidian://open?path={quote(path, safe='')}"]
    scheme = how.partition("://")[0]
    if scheme.isalnum() and "://" in how:
        return [_opener(), how.replace("{path}", quote(path, safe="")).replace("{line}", str(line))]
    return [word.replace("{path}", path).replace("{line}", str(line)) for word in shlex.split(how)]


def _at_line(editor: Sequence[str], path: str, line: int) -> list[str]:
    """Return an editor's command for a file, at a line where we know how it is told."""
    name = os.path.basename(editor[0])
    if name in _PLUS:
        return [*editor, f"+{line}", path]
    if name in _GO_TO:
        return [*editor, "--goto", f"{path}:{line}"]
    return [*editor, f"{path}:{line}" if name in _COLON else path]


def _opener() -> str:
    """Return the program that opens addresses and files with what belongs to them."""
    return "open" if sys.platform == "darwin" else "xdg-open"


def pick(args: Namespace) -> int:
    """Let a note be chosen while one types, with fzf, and open it at its line."""
    text = " ".join(args.text)
    ours = [sys.executable, "-m", "notesd"]
    options = ["--format", "tsv", *which_daemon(args)]
    if shutil.which("fzf") is None or not sys.stdout.isatty():
        verb = ["query", "--no-record", *options[2:], "--", text] if text else ["feed", *options[2:]]
        return subprocess.run([*ours, *verb], check=False).returncode
    found = shlex.join([*ours, "query", "--no-record", *options, "--"])
    newest = shlex.join([*ours, "feed", *options])
    look = f"if [ -n {{q}} ]; then {found} {{q}}; else {newest}; fi"
    show = shlex.join([*ours, "show", "--no-record", *which_daemon(args)])
    done = subprocess.run(
        [
            "fzf", "--disabled", "--query", text, "--layout", "reverse", "--delimiter", "\t",
            "--with-nth", "3..", "--bind", f"start:reload:{look} 2>/dev/null",
            "--bind", f"change:reload:{look} 2>/dev/null",
            "--preview", f"{show} {{1}} 2>&1", "--preview-window", "wrap",
        ],
        stdout=subprocess.PIPE, text=True, errors="surrogateescape", check=False,
    )  # fmt: skip
    path, _, rest = done.stdout.rstrip("\n").partition("\t")
    if done.returncode or not path:
        return done.returncode or NO_CHOICE
    line = rest.partition("\t")[0]
    return open_note(args, path, int(line) if line.isdecimal() else 1, record=args.record is not False)


def open_result(args: Namespace, number: int, path: str, line: object) -> int:
    """Open one of the results of a query, and say which."""
    if not path:
        raise Usage(f"there is no result {number}")
    put(f"{clean(path)}:{line}\n")
    return open_note(args, path, line if isinstance(line, int) else 1, record=args.record is not False)
