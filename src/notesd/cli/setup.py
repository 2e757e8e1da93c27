"""The verbs that bring notesd to a machine: what each does and prints."""

import gc
import os
import sys
from argparse import Namespace

from notesd.cli import run
from notesd.cli.asking import paths_of
from notesd.cli.options import Usage
from notesd.cli.render import as_json, clean, counted
from notesd.cli.terminal import put, say
from notesd.errors import NoDaemon
from notesd.locations import Paths, state_of


def init(args: Namespace) -> int:
    """Write the configuration for some folders, or for those that the apps of this user know.

    Raises:
        Usage: No folder was named and none is known.
    """
    from notesd.setup import vaults  # noqa: PLC0415 - no other verb has to pay for it

    gc.enable()
    paths = paths_of(args)
    folders = args.folders or vaults.known_to_apps(os.environ)
    if not folders:
        raise Usage("no app here knows a folder of notes; name yours: notesd init FOLDER")
    for folder in folders:
        _add(paths, folder, None)
    put("ask: notesd query WORDS; to have the daemon run from login on: notesd service install\n")
    return 0


def add(args: Namespace) -> int:
    """Serve another folder."""
    gc.enable()
    _add(paths_of(args), args.folder, args.name)
    return 0


def _add(paths: Paths, folder: str, name: str | None) -> None:
    """Configure a folder and say what it is."""
    from notesd.setup import configuration, vaults  # noqa: PLC0415 - as above

    done = configuration.add(paths, folder, os.environ, name)
    found = vaults.look_at(done.space.path)
    whose = f"{found.app}, " if found.app else ""
    more = "more than " if found.notes >= vaults.MOST_COUNTED else ""
    state = "added" if done.new else "configured already"
    number = counted(found.notes, "note")
    put(f"{clean(done.space.name)}: {clean(done.space.path)} ({whose}{more}{number}) is {state}\n")


def remove(args: Namespace) -> int:
    """Serve a folder no more; it and its index stay."""
    from notesd.setup import configuration  # noqa: PLC0415 - as above

    gc.enable()
    paths = paths_of(args)
    gone = configuration.remove(paths, args.which, os.environ)
    put(f"{clean(gone.name)}: {clean(gone.path)} is served no more; the notes are left alone\n")
    index = state_of(paths.state, gone.path)
    if os.path.isdir(index):
        put(f"its index stays in {clean(index)}; it may be deleted\n")
    return 0


def service(args: Namespace) -> int:
    """Have the daemon run from login to logout, or say whether it does."""
    from notesd.setup import service as service_  # noqa: PLC0415 - no other verb has to pay for it

    gc.enable()
    paths = paths_of(args)
    if args.action == "install":
        service_.check_configured(paths, os.environ)
        _end(paths)
        found = service_.install(paths, os.environ)
        put("".join(f"{clean(path)} is written\n" for path in found.files))
        put("the daemon runs, and begins with each login from now on\n" if found.state else "")
        if found.remark:
            say(clean(found.remark))
        return 0
    if args.action == "remove":
        gone = service_.remove(os.environ)
        put("".join(f"{clean(path)} is removed\n" for path in gone) or "the service is not installed\n")
        return 0
    found = service_.standing(paths, os.environ)
    if args.format:
        facts = {name: getattr(found, name) for name in ("kind", "files", "current", "state", "remark")}
        put(as_json(facts, indent=sys.stdout.isatty()) + "\n")
        return 0
    if not found.files:
        put("the service is not installed: notesd service install\n")
        return 0
    put(f"the service ({found.kind}) is {clean(found.state)}: {clean(', '.join(found.files))}\n")
    if not found.current:
        say("its files are not what this notesd would write; `notesd service install` writes them anew")
    if found.remark:
        say(clean(found.remark))
    return 0


def _end(paths: Paths) -> None:
    """End the daemon that somebody started by hand: the service takes its place."""
    try:
        run.stop(paths)
    except NoDaemon:
        return
    say("the daemon that ran has ended; the service takes its place")
