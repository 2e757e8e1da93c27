"""The verbs that bring notesd to a machine: what each does and prints."""

import gc
import os
import sys
from argparse import Namespace

from notesd.cli import run
from notesd.cli.asking import paths_of
from notesd.cli.render import as_json, clean
from notesd.cli.terminal import put, say
from notesd.errors import NoDaemon
from notesd.locations import Paths


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
