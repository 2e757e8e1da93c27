"""The verbs that bring notesd to a machine: what each does and prints."""

import gc
import os
import sys
from argparse import Namespace

from notesd.cli import run
from notesd.cli.asking import paths_of
from notesd.cli.options import Usage
from notesd.cli.render import as_json, clean, size
from notesd.cli.terminal import put, say, style
from notesd.errors import NoDaemon, counted
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
    for apart, what in vaults.set_apart(done.space.path).items():
        say(
            f"{clean(apart)}/ holds {what}; to have its notes found after all others, write "
            f'demote = ["{clean(apart)}/"] below [spaces.{clean(done.space.name)}]'
        )


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


def doctor(args: Namespace) -> int:
    """Look at everything, print a line for each, and fail if anything is wrong."""
    from notesd.setup.doctor import examine  # noqa: PLC0415 - as above

    gc.enable()
    findings, look = [], style()
    for found in examine(paths_of(args), os.environ):
        findings.append(found)
        if not args.format:
            sign = look.dim("ok ") if found.ok else look.bold("!  ")
            put(f"{sign} {clean(found.what)}: {clean(found.text)}\n")
    if args.format:
        rows = [{"what": found.what, "ok": found.ok, "text": found.text} for found in findings]
        put(as_json({"findings": rows}, indent=sys.stdout.isatty()) + "\n")
    return int(not all(found.ok for found in findings))


def uninstall(args: Namespace) -> int:
    """Name what notesd keeps beside itself, or remove parts of it."""
    from notesd.setup import uninstall as leaving  # noqa: PLC0415 - as above

    gc.enable()
    paths = paths_of(args)
    if args.parts:
        _end(paths)
    found = leaving.parts(paths, os.environ)
    if not args.parts:
        for part in found:
            put(f"{part.name}: {clean(', '.join(part.paths))} ({size(part.bytes)})\n")
        named = " ".join(part.name for part in found)
        put(
            f"to remove them: notesd uninstall {named}\n" if found else "nothing is kept beside the program\n"
        )
        return 0
    for part in found:
        if part.name in args.parts or "all" in args.parts:
            leaving.remove(part, paths, os.environ)
            put(f"{part.name} is removed ({size(part.bytes)})\n")
    return 0


def editor(args: Namespace) -> int:
    """Print where the file for an editor is."""
    name = {"neovim": "notesd.lua", "emacs": "notesd.el"}[args.which]
    put(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "editors", name) + "\n")
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
    if not found.state:
        put("the service is not installed: notesd service install\n")
        if found.remark:
            say(clean(found.remark))
        return 0
    put(f"the service ({found.kind}) is {clean(found.state)}: {clean(', '.join(found.files))}\n")
    if not found.current:
        say("its files are not what this notesd would write; `notesd service install` writes them anew")
    if found.remark:
        say(clean(found.remark))
    return 0


def _end(paths: Paths) -> None:
    """End the daemon that runs, if one does."""
    try:
        run.stop(paths)
    except NoDaemon:
        return
    say("the daemon that ran has ended")
