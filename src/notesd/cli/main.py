"""What did the person ask for, and how does it end?

Exit status: 0 answered, even with no result; 1 the request failed; 2 wrong usage or
configuration; 69 no daemon could be reached or started; 75 try again.
"""

import gc
import os
import sys

from notesd import __version__
from notesd.cli import agent_options, options, setup_options, shell_options
from notesd.cli.render import clean
from notesd.cli.terminal import fill_gaps, put, say
from notesd.errors import NotesdError

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells count it: 128 and the number of the signal."""
PIPE_CLOSED = 141
"""The same when nobody reads the output any more."""


class Verb:
    """One verb of the command line."""

    __slots__ = ("add", "module", "summary")

    def __init__(self, summary: str, add: options.Add, module: str) -> None:
        """Take its one line of help, what adds its options and where it is carried out."""
        self.summary = summary
        self.add = add
        self.module = module
        """Module of ``notesd.cli`` with a function of the verb's name; imported when it is asked for."""


VERBS = {
    "query": Verb("search the notes", options.query, "find"),
    "feed": Verb("list notes by date, only those in which every word occurs", options.feed, "find"),
    "pick": Verb("choose a note while you type, and open it", options.pick, "opening"),
    "show": Verb("print notes by name, alias, id or path", options.show, "verbs"),
    "links": Verb("print what a note links to and what links to it", options.links, "verbs"),
    "related": Verb("print the notes that belong with a note, and why", options.related, "verbs"),
    "status": Verb("print the state of the daemon and its spaces", options.status, "verbs"),
    "check": Verb("print broken links, ambiguous names, problems, orphans", options.client, "verbs"),
    "properties": Verb(
        "print the properties of the notes, or the values of one", options.properties, "verbs"
    ),
    "export": Verb("print a canonical description of the index, as JSON", options.export, "verbs"),
    "rescan": Verb("read all files again", options.rescan, "verbs"),
    "tune": Verb("report what hearing use was worth, and choose its constants", options.tune, "usage"),
    "forget": Verb("erase what was recorded of use", options.forget, "usage"),
    "model": Verb("list, install or check embedding models", options.model, "models"),
    "init": Verb("write the configuration for your folders of notes", setup_options.init, "setup"),
    "add": Verb("serve another folder of notes from now on", setup_options.add, "setup"),
    "remove": Verb("serve a folder of notes no more", setup_options.remove, "setup"),
    "uninstall": Verb("name or remove what notesd keeps beside itself", setup_options.uninstall, "setup"),
    "doctor": Verb("look at everything notesd needs, and say what to do", setup_options.doctor, "setup"),
    "editor": Verb("print where the file for an editor is", setup_options.editor, "setup"),
    "completion": Verb("print what completes notesd in a shell", shell_options.completion, "shells"),
    "service": Verb("have the daemon run from login to logout, or no more", setup_options.service, "setup"),
    "mcp": Verb("answer an agent's program on standard input and output", agent_options.mcp, "agents"),
    "serve": Verb("be the daemon, in the foreground", options.serve, "verbs"),
    "stop": Verb("stop the daemon", options.place, "verbs"),
}
_LIKE = 0.75
"""Likeness, 0 to 1, from which on a word is a verb or page with a slip in it, and no question."""
HIDDEN = {"names": Verb("list names for a shell that completes a word", shell_options.names, "shells")}
"""Verbs that programs of ours ask; no help shows them."""


def entry() -> None:
    """Run the command line of this process and end it."""
    gc.disable()  # most verbs end before there is anything to collect, and looking for it costs them 4 %
    fill_gaps()
    status = main(sys.argv[1:])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        _abandon_output()
    sys.exit(status)


def main(words: list[str]) -> int:
    """Carry out a command line.

    Args:
        words: Without the name of the program.

    Returns:
        The exit status.
    """
    try:
        return _run(words)
    except NotesdError as error:
        say(clean(error.message))
        return error.exit_status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_output()
        return PIPE_CLOSED


def _run(words: list[str]) -> int:
    """Find the verb and carry it out."""
    if not words or words in (["-h"], ["--help"], ["help"]):
        put(_help())
        return 0 if words else options.Usage.exit_status
    if words[0] in {"-V", "--version"}:
        put(f"notesd {__version__}\n")
        return 0
    if words[0] == "help":
        return _explain(words[1:])
    name, *rest = words
    verb = VERBS.get(name) or HIDDEN.get(name)
    if verb is None:
        raise options.Usage(_unknown(name))
    parser = options.build(name, verb.summary, verb.add)
    args = parser.read(rest)
    module = __import__(f"notesd.cli.{verb.module}", fromlist=[name])  # importlib would be one more import
    status: int = getattr(module, name)(args)
    return status


def _explain(words: list[str]) -> int:
    """Print what a verb takes, a page of the manual, or what the manual answers to a question."""
    from notesd.cli import pages  # noqa: PLC0415 - most verbs need no manual

    topic = " ".join(words)
    known = pages.pages()
    if topic in VERBS:
        put(options.build(topic, VERBS[topic].summary, VERBS[topic].add).format_help())
    if topic in known:
        put("\n" * (topic in VERBS) + pages.read(topic))
    if topic in known or topic in VERBS:
        return 0
    mistyped = len(words) == 1 and options.nearest(topic, [*VERBS, *known], _LIKE)
    found = [] if mistyped else pages.answer(topic)
    if not found:
        raise options.Usage(f"{_unknown(topic)}; the manual has the pages {', '.join(known)}")
    for one in found:
        text = one.text.replace("\n", "\n  ")
        put(f"{one.page}: {one.under}\n  {text}\n\n")
    put(f"To read on: notesd help {found[0].page}\n")
    return 0


def _unknown(name: str) -> str:
    """Say that a verb does not exist and which one is near."""
    if name.startswith("-"):
        return f"the verb comes first, then its options: notesd VERB {name} ... (see `notesd --help`)"
    meant = options.nearest(name, VERBS)
    hint = f"did you mean {meant}?" if meant else f"there are {', '.join(VERBS)}"
    return f'unknown verb "{name}": {hint}'


def _help() -> str:
    """Return the help on all verbs."""
    lines = ["usage: notesd VERB [WORDS] [OPTIONS]", "", "Search your Markdown notes.", ""]
    lines += [f"  {name:11} {verb.summary}" for name, verb in VERBS.items()]
    lines += ["", "notesd VERB --help says more; notesd --version says which one this is.", ""]
    lines += ["The manual (notesd help PAGE, or a question in quotes) has the pages:", *_pages(), ""]
    return "\n".join(lines)


def _pages() -> list[str]:
    """Return the names of the pages of the manual in lines."""
    from notesd.cli import pages  # noqa: PLC0415 - most verbs need no manual

    names = pages.pages()
    return [f"  {', '.join(names[at : at + 8])}" for at in range(0, len(names), 8)]


def _abandon_output() -> None:
    """Let nothing more be written to what takes nothing, not even at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
