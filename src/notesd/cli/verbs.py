"""The verbs that do not search: what each asks and prints."""

import sys
from argparse import Namespace

from notesd.cli import render, report, run
from notesd.cli.asking import ask, ask_all, given, notes_of, paths_of
from notesd.cli.options import Usage
from notesd.cli.render import Answer
from notesd.cli.terminal import put, say, style
from notesd.errors import UnknownNote


def show(args: Namespace) -> int:
    """Print notes.

    Raises:
        UnknownNote: No note answers to one of the names; the others are printed.
    """
    params = {"notes": notes_of(args, args.notes), **given(args, ("record",))}
    answer = ask_all(args, "open", params)
    _print(args, answer, report.entities)
    if absent := report.missing(answer):
        raise UnknownNote("; ".join(absent))
    return 0


def links(args: Namespace) -> int:
    """Print the relations of a note."""
    (note,) = notes_of(args, [args.note])
    params = {"note": note, **given(args, ("direction", "depth"))}
    _print(args, ask_all(args, "links", params), report.listing)
    return 0


def related(args: Namespace) -> int:
    """Print the notes around a note; none is an answer too."""
    (note,) = notes_of(args, [args.note])
    answer = ask(args, "related", {"note": note, **given(args, ("limit",))})
    _print(args, answer, report.related)
    if not args.format:
        for remark in (*render.remarks(answer), *report.silent(answer)):
            say(remark)
    return 0


def status(args: Namespace) -> int:
    """Print the state of the daemon and its spaces, once or as long as somebody watches."""
    if args.watch:
        from notesd.cli import watching  # noqa: PLC0415 - most often it is asked once

        return watching.watch(args)
    _print(args, ask(args, "status", {}), report.status)
    return 0


def check(args: Namespace) -> int:
    """Print what is broken, ambiguous or alone."""
    _print(args, ask_all(args, "check", {}), report.listing)
    return 0


def properties(args: Namespace) -> int:
    """Print the properties of the notes, or the values of one; none is an answer too."""
    answer = ask_all(args, "properties", {"name": args.name} if args.name is not None else {})
    _print(args, answer, report.properties)
    for item in render.records(answer.get("degraded")) if not args.format else ():
        say(render.flow(item.get("reason", "")))
    return 0


def rescan(args: Namespace) -> int:
    """Build the index anew from the files and wait for it.

    Raises:
        Usage: Spaces are named in two ways.
    """
    if args.which and (args.space or args.vault is not None):
        raise Usage("SPACE and --space or --vault: name the spaces in one of these ways")
    params: dict[str, object] = {"wait": True, **({"space": args.which} if args.which else {})}
    if args.confirm_deletions:
        params["confirm"] = True
    if args.vectors:
        params["vectors"] = True
    answer = ask(args, "rescan", params)
    if args.format:
        put(render.as_json(answer, indent=sys.stdout.isatty()) + "\n")
    else:
        seconds = answer.get("seconds")
        took = render.duration(seconds) if isinstance(seconds, int | float) else "?"
        put(f"{render.counted(answer.get('notes'), 'note')} read in {took}\n")
    return 0


def export(args: Namespace) -> int:
    """Print the canonical description of an index, as JSON.

    Raises:
        Usage: Options that have no meaning together.
    """
    if args.vault is not None and args.space:
        raise Usage("--vault and --space: export reads that folder alone, without a daemon; give one of them")
    if args.vault is not None:
        answer = run.export_folder(run.folder_of(args.vault), tuple(args.query or ()))
    elif args.query:
        raise Usage("--query needs --vault: only then a folder is read just for this")
    else:
        answer = ask_all(args, "export", {})
    put(render.as_json(answer, indent=sys.stdout.isatty()) + "\n")
    return 0


def serve(args: Namespace) -> int:
    """Be the daemon."""
    paths = paths_of(args)
    return run.serve(paths, [run.folder_of(word, paths) for word in args.folders])


def stop(args: Namespace) -> int:
    """Stop the daemon."""
    run.stop(paths_of(args))
    say("the daemon has ended")
    return 0


def _print(args: Namespace, answer: Answer, draw: report.Draw) -> None:
    """Print an answer as JSON or for people."""
    if args.format:
        put(render.as_json(answer, indent=sys.stdout.isatty()) + "\n")
    else:
        put(draw(answer, style(args.color)))
