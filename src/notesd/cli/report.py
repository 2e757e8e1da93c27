"""How do the answers that are no list of results look to a person?"""

from collections.abc import Callable, Iterable, Mapping

from notesd.cli.render import (
    Answer,
    Style,
    below,
    clean,
    clean_lines,
    counted,
    duration,
    flow,
    mapping,
    moment,
    records,
    size,
    words,
)

Draw = Callable[[Answer, Style], str]
"""What turns an answer into text."""

_BAR = 20
"""Characters of a bar."""
_SHOWN = 20
"""Problems of a space that are listed; the rest is counted."""


def status(answer: Answer, style: Style) -> str:
    """Return the state of the daemon and of each space."""
    size = answer.get("rss_bytes")
    memory = f", {size / 2**20:.0f} MB" if isinstance(size, int) else ""
    state = style.bold(flow(answer.get("state", "?")))
    lines = [f"notesd {flow(answer.get('version', ''))}: {state} (pid {answer.get('pid')}{memory})"]
    for space in records(answer.get("spaces")):
        lines += ["", *_space(space, style)]
    for duty in records(answer.get("background")):
        if duty.get("trouble") or not duty.get("alive"):
            lines += ["", f"! {flow(duty.get('name', ''))}: {flow(duty.get('trouble') or 'has ended')}"]
    usage = mapping(answer.get("usage"))
    if reason := usage.get("reason"):
        lines += ["", f"! use: {flow(reason)}"]
    elif usage.get("notes"):
        known = f"{_count(usage, 'notes')}, {usage.get('opened')} of them opened, {_count(usage, 'pairs')}"
        mode = flow(usage.get("limbic", "off"))
        logged = counted(usage.get("searches"), "search", "searches")
        lines += ["", f"use: {known}; re-ranking by use is {mode}, {logged} logged"]
    return _text(lines)


def brief(space: Answer) -> str:
    """Return the state of a space on one line: what it holds, what is under way, how much is still to do."""
    parts = [flow(space.get("state", "?")), _count(space, "notes"), progress(space), *_waiting(space)]
    vectors = mapping(space.get("vectors"))
    if vectors.get("state") not in {None, "off"}:
        parts.append(f"vectors {flow(vectors.get('state'))}, {vectors.get('done')} of {vectors.get('total')}")
    if problems := records(space.get("problems")):
        parts.append(counted(len(problems), "problem"))
    return ", ".join(part for part in parts if part)


def _waiting(space: Answer) -> list[str]:
    """Return how much of each kind is still to do."""
    pending = mapping(space.get("pending"))
    return [f"{counted(number, flow(what).removesuffix('s'))}" for what, number in pending.items() if number]


def _bar(done: object, total: object, style: Style) -> str:
    """Return how far something is as a bar, for a terminal and as long as it is not done."""
    if not (style.columns and isinstance(done, int) and isinstance(total, int) and done < total):
        return ""
    full = _BAR * done // total
    return f"[{'#' * full}{'-' * (_BAR - full)}] "


def _space(space: Answer, style: Style) -> Iterable[str]:
    """Return the lines on one space."""
    name = style.bold(flow(space.get("name", "")))
    yield f"{name}: {flow(space.get('state', '?'))}, {_count(space, 'notes')}, {_count(space, 'links')}"
    yield f"  {clean(space.get('path', ''))}"
    if line := progress(space):
        state = mapping(space.get("progress"))
        yield f"  {_bar(state.get('done'), state.get('total'), style)}{line}"
    if waiting := _waiting(space):
        yield f"  still to do: {', '.join(waiting)}"
    yield f"  followed by {flow(space.get('watching') or 'nothing')}, generation {space.get('generation')}"
    vectors = mapping(space.get("vectors"))
    if vectors.get("state") not in {None, "off"}:
        reason = f" ({flow(vectors['reason'])})" if vectors.get("reason") else ""
        done = f"{vectors.get('done')} of {vectors.get('total')}"
        done += f" (and {vectors['outlined']} by their titles)" if vectors.get("outlined") else ""
        rate = f", {vectors['per_s']} a second" if vectors.get("per_s") else ""
        left = _left(vectors.get("eta_s"))
        cut = f", cut by {flow(vectors['tokenizer'])}" if vectors.get("tokenizer") else ""
        bar = _bar(vectors.get("done"), vectors.get("total"), style)
        yield f"  {bar}vectors: {flow(vectors.get('state'))}, {done}{reason}{rate}{left}{cut}"
        if vectors.get("remark"):
            yield f"  ! {flow(vectors['remark'])}"
    problems = records(space.get("problems"))
    for problem in problems[:_SHOWN]:
        where = clean(problem.get("path") or ".")
        yield f"  ! {where}: {flow(problem.get('reason') or problem.get('kind') or '')}"
    if len(problems) > _SHOWN:
        least = "more than " if space.get("problems_truncated") else ""
        yield f"  ! and {least}{len(problems) - _SHOWN} more (notesd check lists them all)"


def progress(space: Answer) -> str:
    """Return how far a space's index is, empty when nothing is under way."""
    state = mapping(space.get("progress"))
    if not state:
        return ""
    ends = _left(state.get("eta_s"))
    rate = state.get("rate_per_s")
    fast = f", {rate:.0f} a second" if isinstance(rate, int | float) else ""
    return f"indexed {state.get('done')} of {state.get('total')}{fast}{ends}"


def _left(seconds: object) -> str:
    """Return how long something may still take, nothing where nobody knows or it is nearly done."""
    if not isinstance(seconds, int | float) or seconds < 1:
        return ""
    return f", {duration(round(seconds))} left"


def entities(answer: Answer, style: Style) -> str:
    """Return the notes of ``show``, each with its passages and relations."""
    blocks = [_text(_entity(entity, style)) for entity in records(answer.get("entities"))]
    return "\n".join(blocks)


def _entity(entity: Answer, style: Style) -> Iterable[str]:
    """Return the lines on one note."""
    kind = style.dim(flow(entity.get("entityType") or ""))
    yield f"{style.bold(flow(entity.get('name', '')))}  {kind}".rstrip()
    yield f"  {clean(entity.get('path', ''))}  [{clean(entity.get('space', ''))}]"
    facts = [f"#{flow(tag)}" for tag in words(entity.get("tags"))]
    facts += [f"also {flow(alias)}" for alias in words(entity.get("aliases"))]
    facts += [f"{what} {moment(flow(entity[what]))}" for what in ("created", "modified") if entity.get(what)]
    if isinstance(long := entity.get("size"), int):
        facts.append(size(long))
    if facts:
        yield "  " + style.dim("  ".join(facts))
    heading: list[str] | None = None
    for passage in records(entity.get("observations")):
        above = words(passage.get("heading"))
        if heading is None or (above != heading and above):
            yield ""
            if shown := below(above, flow(entity.get("name", ""))):
                yield "  " + style.bold(shown)
        heading = above
        for line in clean_lines(passage.get("text", "")).split("\n"):
            yield f"  {line}"
    relations = records(entity.get("relations"))
    if relations:
        yield ""
    for relation in relations:
        arrow = "<-" if relation.get("direction") in {"in", "incoming"} else "->"
        named = flow(relation.get("relation") or "")
        yield f"  {arrow} {flow(relation.get('target') or '?')}" + (f"  ({named})" if named else "")


def related(answer: Answer, style: Style) -> str:
    """Return the notes around a note, each with its place and why it belongs there."""
    blocks = []
    for hit in records(answer.get("results")):
        title = style.bold(flow(hit.get("name", "")))
        stale = f" {style.dim('(not looked at again yet)')}" if hit.get("stale") else ""
        why = flow(hit.get("sentence") or "")
        blocks.append(_text([f"{title}{stale}", f"  {clean(hit.get('path', ''))}", f"  {why}"]))
    return "\n".join(blocks)


def silent(answer: Answer) -> list[str]:
    """Return, where nothing is related, which signals were not asked because they are off."""
    off = [flow(name) for name, state in mapping(answer.get("channels")).items() if state == "off"]
    if records(answer.get("results")) or not off:
        return []
    return [f"not asked, because off: {', '.join(off)}"]


def missing(answer: Answer) -> list[str]:
    """Return one sentence for each name of ``show`` that no single note answers to."""
    return [flow(item.get("reason", "")) for item in records(answer.get("missing"))]


def properties(answer: Answer, style: Style) -> str:
    """Return the properties, a line each, with their commonest values, or all values of one, a line each."""
    lines = []
    values = records(answer.get("values"))
    for one in records(answer.get("properties")):
        name = style.bold(flow(one.get("name", "")))
        head = f"{name}: {_count(one, 'notes')}, {_count(one, 'values')}"
        common = ", ".join(map(_value, records(one.get("commonest"))))
        lines.append(head if values or not common else f"{head}: {common}")
        lines += [f"  {_value(row)}" for row in values if row.get("space") == one.get("space")]
    return _text(lines)


def _value(row: Answer) -> str:
    return f"{flow(row.get('value', ''))} ({row.get('notes')})"


def listing(answer: Answer, style: Style) -> str:
    """Return an answer made of lists (``links``, ``check``): a heading each, an item a line."""
    lines: list[str] = []
    for key, value in answer.items():
        if not isinstance(value, list):
            continue
        lines += ["", f"{style.bold(flow(key).replace('_', ' '))} ({len(value)})"]
        lines += [f"  {_item(item)}" for item in value]
    return _text(lines[1:])


def _item(item: object) -> str:
    """Return one item of a list on one line."""
    if not isinstance(item, Mapping):
        return flow(item)
    if "raw" in item:
        return _relation(item)
    subject = next((key for key in ("path", "source", "name") if item.get(key)), "")
    where = clean(item.get(subject, "")) + (f":{item['line']}" if item.get("line") else "")
    rest = [
        _fact(key, value)
        for key, value in item.items()
        if key not in {subject, "line", "space", "kind"} and value not in (None, "", [])
    ]
    return ": ".join(part for part in (where, "; ".join(rest)) if part)


def _relation(link: Answer) -> str:
    """Return one link on one line."""
    place = clean(link.get("source") or "") + (f":{link['line']}" if link.get("line") else "")
    kind = flow(link.get("relation") or ("embeds" if link.get("kind") == "embed" else "->"))
    if target := link.get("target"):
        return f"{place} {kind} {clean(target)}"
    return f"{place} {kind} [[{flow(link.get('raw', ''))}]] (nothing answers to that name)"


def _fact(key: str, value: object) -> str:
    """Return one member of an object."""
    if isinstance(value, bool):
        return flow(key).replace("_", " ") if value else f"not {flow(key).replace('_', ' ')}"
    if isinstance(value, list):
        shown = ", ".join(_item(part) for part in value)
    elif isinstance(value, Mapping):
        shown = ", ".join(_fact(name, part) for name, part in value.items())
    else:
        shown = flow(value)
    return shown if key in {"reason", "name", "note"} else f"{flow(key)} {shown}"


def _count(space: Answer, what: str) -> str:
    """Return a number and what is counted."""
    return counted(space.get(what, "?"), what.removesuffix("s"))


def _text(lines: Iterable[str]) -> str:
    """Return lines as one text."""
    return "".join(f"{line}\n" for line in lines)
