"""The verbs about what use has taught: what it was worth, and how it is forgotten."""

import sys
from argparse import Namespace
from collections.abc import Iterable

from notesd.cli import render
from notesd.cli.asking import ask, given, notes_of
from notesd.cli.options import Usage
from notesd.cli.render import Answer, Style, flow, mapping, records
from notesd.cli.terminal import put, style
from notesd.errors import NotesdError

_BAR = 24
"""Characters of a bar that stands for 1."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_PARTS = {
    "all": "all searches",
    "order_of_use_shown": "shown in the order of use",
    "plain_order_shown": "shown in the plain order",
    "cosine_heavy": "asking for a fact",
    "hybrid_balanced": "balanced",
    "limbic_heavy": "looking around",
}


def tune(args: Namespace) -> int:
    """Report what use was worth, or choose constants by it."""
    params: dict[str, object] = {"action": args.action or "analyze"}
    if args.gamma is not None or args.beta_sal is not None:
        if args.action:
            raise Usage(f"--{args.action} and --set-gamma or --set-beta: give one of them")
        params["action"] = "set"
    params |= given(args, ("gamma", "beta_sal", "gamma_range", "beta_sal_range"))
    answer = ask(args, "tune", params)
    if args.format:
        put(render.as_json(answer, indent=sys.stdout.isatty()) + "\n")
    else:
        look = style(args.color)
        blocks = ["\n".join(report(space, look)) + "\n" for space in records(answer.get("spaces"))]
        put("\n".join(blocks))
    return 0


def forget(args: Namespace) -> int:
    """Erase what was recorded of use.

    Raises:
        NotesdError: Something of it is still there.
    """
    chosen = [args.note, args.before, args.space, args.vault]
    if args.all and any(one is not None for one in chosen):
        raise Usage("--all and something else: give one of them")
    if not args.all and all(one is None for one in chosen):
        raise Usage("say what to forget: --note NOTE, --space NAME, --before DATE, or --all")
    if "" in chosen or "" in (args.space or ()):
        raise Usage("an empty name or date means nothing to forget")
    params = given(args, ("before",))
    if args.all:
        params["all"] = True
    if args.note is not None:
        (params["note"],) = notes_of(args, [args.note])
    answer = ask(args, "forget", params)
    if args.format:
        put(render.as_json(answer, indent=sys.stdout.isatty()) + "\n")
    else:
        erased = mapping(answer.get("erased"))
        copies = erased.get("copies")
        put(
            f"forgotten: notes {erased.get('notes')}, pairs of notes {erased.get('pairs')}, "
            f"logged searches {erased.get('searches')}"
            + (f", damaged copies of the record {copies}" if copies else "")
            + "\n"
        )
    if not answer.get("proved"):
        raise NotesdError(
            f"still in the record of what was meant: {render.counted(answer['left'], 'note')}; try again"
            if answer.get("left")
            else "it is erased, but its bytes could not be overwritten; try again when no other program "
            "reads the record"
        )
    if not args.format:
        put("proved: the record's file was read, and none of their names is left in it\n")
    return 0


def report(told: Answer, style: Style) -> Iterable[str]:
    """Return the report on one space."""
    old, new = mapping(told.get("old")), mapping(told.get("new"))
    yield f"{style.bold(flow(told.get('space', '')))}  {style.dim('blend: ' + flow(told.get('blend', '')))}"
    searches = render.counted(told.get("searches"), "search", "searches")
    yield (
        f"  {searches} logged, {told.get('treated')} answered in the order of use "
        f"(tuning takes {told.get('needed')}), "
        f"{told.get('followed_by_opening')} followed by an opening within a day"
    )
    for name, part in mapping(told.get("analysis")).items():
        if (found := mapping(part)).get("searches"):
            yield from _comparison(_PARTS.get(name, name), found, ("plain", "use"), style)
    for name, title in (("train", "earlier half, to choose on"), ("test", "later half, to try on")):
        if found := mapping(told.get(name)):
            yield from _comparison(title, found, ("today", "best"), style)
    if best := mapping(told.get("best")):
        yield f"  best pair on the earlier half: {_constants(best)}"
    if told.get("reason"):
        yield f"  {flow(told['reason'])}"
    yield f"  {_constants(old)}" + (f"  ->  {style.bold(_constants(new))}" if new != old else "")
    for step in records(told.get("history"))[-5:]:
        gone = ", reverted" if step.get("reverted") else ""
        yield style.dim(
            f"  {flow(step.get('at', ''))}  {flow(step.get('why', ''))}: {_constants(step)}{gone}"
        )


def _constants(pair: Answer) -> str:
    return ", ".join(f"{name} {_number(pair.get(name)):.6g}" for name in ("GAMMA", "BETA_SAL"))


def _comparison(title: str, found: Answer, names: tuple[str, str], style: Style) -> Iterable[str]:
    """Return a small chart of two orders."""
    interval = found.get("interval")
    low, high = interval if isinstance(interval, list) else (0.0, 0.0)
    yield f"  {style.bold(title)}, {found.get('searches')} with an opening:"
    for name, when in zip(names, ("before", "after"), strict=True):
        quality, lift = _number(found.get(f"ndcg_{when}")), _number(found.get(f"lift_{when}"))
        yield f"    {name:5}  nDCG@10 {quality:.3f} {_bar(quality)}  lift {lift:.2f}"
    yield f"    gain   {_number(found.get('gain')):+.4f}  (95 of 100 resamples: {low:+.4f} to {high:+.4f})"


def _bar(share: float) -> str:
    """Return a bar for a number from 0 to 1, in eighths of a character where the output can write them."""
    eighths = round(max(0.0, min(1.0, share)) * _BAR * 8)
    if not (sys.stdout.encoding or "").lower().startswith("utf"):
        return ("#" * (eighths // 8)).ljust(_BAR, ".")
    bar = "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
    return bar.ljust(_BAR, "·")


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
