"""The verbs that search: ``query`` and ``feed``."""

import os
import sys
from argparse import Namespace

from notesd.cli import render
from notesd.cli.asking import ask, given, notes_of
from notesd.cli.options import Usage
from notesd.cli.render import Answer
from notesd.cli.terminal import put, say, style

_FILTERS = ("folder", "tag", "type", "created", "modified", "rel")
"""What may be asked for without a text."""
_SEARCH = ("limit", "offset", "folder", "tag", "type", "created", "modified", "wait")
_QUERY = ("rel", "mode", "vector_search", "graph_boost", "limbic", "explain", "why", "record")


def query(args: Namespace) -> int:
    """Print what a search finds."""
    text = " ".join(args.text)
    if not args.text and not any(getattr(args, name) for name in _FILTERS):
        raise Usage("say what to search for (see `notesd query --help`)")
    params: dict[str, object] = {"query": text, **_given(args, (*_SEARCH, *_QUERY))}
    if "why" in params:
        (params["why"],) = notes_of(args, [args.why])
    if args.open is not None:
        return _open(args, params)
    _print_hits(args, _hits(args, "search", params))
    return 0


def _open(args: Namespace, params: dict[str, object]) -> int:
    """Open one of the results."""
    from notesd.cli import opening  # noqa: PLC0415 - rarely asked for

    if args.open < 1:
        raise Usage(f"--open: results are numbered from 1, not {args.open}")
    answer = ask(args, "search", {**params, "limit": 1, "offset": args.open - 1})
    found = render.hits(answer)
    for remark in render.remarks(answer):
        say(remark)
    path = os.fsdecode(render.name_bytes(render.full_path(answer, found[0]))) if found else ""
    return opening.open_result(args, args.open, path, found[0].get("line") or 1 if found else 1)


def feed(args: Namespace) -> int:
    """Print the notes that pass, newest first."""
    params = _given(args, _SEARCH)
    if args.text:
        params["q"] = " ".join(args.text)
    if args.sort:
        params["sort"] = f"-{args.sort}"
    _print_hits(args, _hits(args, "feed", params), dated=args.sort or "modified")
    return 0


def _given(args: Namespace, names: tuple[str, ...]) -> dict[str, object]:
    """Return the options that were given, a folder as the daemon writes its name."""
    params = given(args, names)
    return {**params, "folder": render.name_text(args.folder)} if args.folder else params


def _hits(args: Namespace, method: str, params: dict[str, object]) -> Answer:
    """Ask for hits, again where an answer ends before so many as were wanted."""
    answer = ask(args, method, params)
    wanted = params.get("limit")
    while isinstance(wanted, int) and (following := render.mapping(answer.get("next"))):
        found = render.hits(answer)
        if len(found) >= wanted:
            break
        more = ask(args, method, {**params, **following, "limit": wanted - len(found)})
        kept = {key: value for key, value in answer.items() if key not in {"next", "truncated"}}
        marks = {key: more[key] for key in ("next", "truncated", "has_more") if key in more}
        answer = {**kept, **marks, "results": [*found, *render.hits(more)]}
    return answer


def _print_hits(args: Namespace, answer: Answer, dated: str = "") -> None:
    """Print results in the format that was asked for, and what to know about them."""
    terminal = sys.stdout.isatty()
    form = "paths" if args.null else args.format or "text"
    if form == "json":
        put(render.as_json(answer, indent=terminal) + "\n")
        return
    if form == "jsonl":
        put(render.as_jsonl(answer))
    elif form == "paths":
        put(render.as_paths(answer, exact=args.null, terminal=terminal))
    elif form == "tsv":
        put(render.as_tsv(answer, terminal=terminal))
    elif form == "vimgrep":
        put(render.as_vimgrep(answer, terminal=terminal))
    else:
        _print_text(args, answer, dated)
    for remark in render.remarks(answer):
        say(remark)
    if form != "text" and (why := render.mapping(answer.get("why"))):
        say(render.clean(why.get("sentence", "")))


def _print_text(args: Namespace, answer: Answer, dated: str) -> None:
    """Print results as people read them, with the accounts that were asked for."""
    told, why = answer.get("explain"), render.mapping(answer.get("why"))
    look, first = style(args.color), (args.offset or 0) + 1
    if not (told or why):
        put(render.as_text(answer, look, dated=dated, first=first))
        if sys.stdout.isatty() and (count := render.count(answer, first)):
            say(count)
        return
    from notesd.cli import account  # noqa: PLC0415 - rarely asked for

    put(render.as_text(answer, look, account.of_hit, first=first))
    if told:
        put(account.of_answer(answer, look))
    if why:
        put(account.why(why, look))
