"""How does a verb reach the daemon?"""

import os
from argparse import Namespace
from collections.abc import Sequence

from notesd import __version__
from notesd.cli.render import Answer, mapping, name_text, records
from notesd.errors import ConfigError, NoDaemon, StaleCursor
from notesd.locations import Paths, locate
from notesd.ownership import stamp
from notesd.serve.client import Client, reach

_TRIES = 5
"""How often a long answer is begun anew because the notes have changed under it."""
PATIENCE_S = 120.0
"""How long the daemon may be silent."""


def paths_of(args: Namespace) -> Paths:
    """Return where configuration, state and socket are."""
    return locate(os.environ, config=args.config, state=args.state_dir, socket=args.socket)


def which_daemon(args: Namespace) -> list[str]:
    """Return the options that say which daemon and which notes are meant, with paths that hold anywhere."""
    words = []
    for option in ("socket", "state_dir", "config", "vault"):
        if value := getattr(args, option):
            words += [f"--{option.replace('_', '-')}", os.path.abspath(value)]
    for space in args.space or ():
        words += ["--space", space]
    return words


def connect(args: Namespace, timeout: float | None = PATIENCE_S) -> Client:
    """Return a connection to the daemon, which is started if it does not run.

    Raises:
        NoDaemon: None runs and none could be started.
        ConfigError: ``--vault`` names no folder, or the configuration that was named is not there.
    """
    folders = _vault(args)
    paths = paths_of(args)
    if paths.config_named and not os.path.exists(paths.config):
        raise ConfigError(f"{paths.config}: no such configuration file; create it or name another")
    try:
        found = reach(paths, timeout)
    except NoDaemon as error:
        if error.data.get("foreign") and paths.socket_named:
            raise
        from notesd.cli import run  # noqa: PLC0415 - most often one runs, and this is half of our start

        found = run.start(paths, folders, timeout)
    if (
        not hasattr(args, "told")
        and (owner := found.owner)
        and (owner.facts.get("version") != __version__ or owner.facts.get("stamp") != stamp(paths.config))
    ):
        from notesd.cli import standing  # noqa: PLC0415 - most often the daemon is what it should be

        found = standing.settled(paths, found, owner, timeout)
        args.told = True  # a verb may ask more than once
    return found


def ask(args: Namespace, method: str, params: dict[str, object]) -> Answer:
    """Ask the daemon, restricted to the spaces that were named.

    Args:
        args: The command line.
        method: Of the protocol.
        params: All but ``space``.

    Raises:
        NoDaemon: None could be asked, or two hung up.
    """
    try:
        return _ask_once(args, method, params)
    except NoDaemon as error:
        if not error.data.get("hung_up"):
            raise
        first = error.message
    try:
        return _ask_once(args, method, params)  # it was just ending; the next one answers
    except NoDaemon as error:
        raise NoDaemon(f"{first}; {error.message}" if error.message != first else first) from None


def ask_all(args: Namespace, method: str, params: dict[str, object]) -> Answer:
    """Ask for page after page of a long answer and put them together.

    Raises:
        StaleCursor: The notes changed again and again while they were asked for.
    """
    for _ in range(_TRIES):
        try:
            answer = ask(args, method, params)
            while following := mapping(answer.get("next")):
                answer = joined(answer, ask(args, method, {**params, **following}))
        except StaleCursor:
            continue
        return answer
    raise StaleCursor("the notes change faster than they can be listed; try again")


def joined(before: Answer, after: Answer) -> Answer:
    """Two pages as one: lists one after the other, all else as the later page has it."""
    whole = {**before, **after}
    for mark in ("truncated", "next", "continued"):
        if mark not in after or mark == "continued":
            whole.pop(mark, None)
    for name, old in before.items():
        new = after.get(name)
        if isinstance(old, dict) and isinstance(new, dict) and name != "next":
            whole[name] = joined(old, new)
        elif isinstance(old, list) and isinstance(new, list):
            begun = mapping(new[0]) if new else {}
            if begun.get("continued"):  # a note that began on the page before
                whole[name] = [*old[:-1], joined(old[-1], begun), *new[1:]]
            else:
                whole[name] = [*old, *new]
    return whole


def _ask_once(args: Namespace, method: str, params: dict[str, object]) -> Answer:
    """Ask on one connection; as for ``ask``."""
    asked = connect(args)
    try:
        spaces = spaces_of(args, asked)
        if spaces:
            params = {**params, "space": spaces}
        if params.get("wait"):
            from notesd.cli import run  # noqa: PLC0415 - as above

            return run.patiently(asked, method, params)
        return asked.call(method, **params)
    finally:
        asked.close()


def spaces_of(args: Namespace, asked: Client) -> list[str]:
    """Return the names of the spaces that were named, by ``--space`` or by ``--vault``; empty: all.

    Raises:
        ConfigError: The daemon does not serve the folder of ``--vault``.
    """
    named: list[str] = list(args.space or ())
    for folder in _vault(args):
        from notesd.cli import run  # noqa: PLC0415 - as above

        named.append(run.space_of(asked, folder))
    return list(dict.fromkeys(named))


def notes_of(args: Namespace, words: list[str]) -> list[str]:
    """Return the names of notes as the daemon knows them.

    What a shell completes is meant from where the shell is: ``./Knots.md`` always, ``notes/Knots.md`` where
    that is a file in a space. The daemon understands the absolute path.
    """
    near = [word for word in words if word[-3:].lower() == ".md" and os.path.isfile(word)]
    roots = _roots(args) if any(not os.path.isabs(word) for word in near) else ()
    return [name_text(_placed(word, roots if word in near else ())) for word in words]


def _placed(word: str, roots: Sequence[str]) -> str:
    """Return the whole path that a word of the command line is short for, if it is; else the word."""
    if os.path.isabs(word):
        return word
    inside = any(name_text(os.path.realpath(word)).startswith(f"{root}/") for root in roots)
    return os.path.join(os.getcwd(), word) if inside or word.startswith(("./", "../")) else word


def _roots(args: Namespace) -> list[str]:
    """Return the folders of all spaces."""
    return [str(space.get("path")) for space in records(ask(args, "status", {}).get("spaces"))]


def given(args: Namespace, names: tuple[str, ...]) -> dict[str, object]:
    """Return the options that were given; the daemon knows what the others stand for."""
    return {name: value for name in names if (value := getattr(args, name, None)) is not None}


def _vault(args: Namespace) -> list[str]:
    """Return the folder that ``--vault`` names, in a list that is empty without it.

    Raises:
        ConfigError: It is no folder.
    """
    if args.vault is None:
        return []
    from notesd.cli import run  # noqa: PLC0415 - as above

    return [run.folder_of(args.vault, paths_of(args))]
