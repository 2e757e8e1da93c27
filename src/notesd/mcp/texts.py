"""An answer as text: the same facts as its structured content, as a model reads them best.

Some programs hand the model the one, some the other.
"""

from __future__ import annotations

from notesd.mcp.lines import encoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


def text_of(told: Mapping[str, Any]) -> str:
    """Write an answer of any tool as text."""
    return "\n".join(_lines(told))


def _lines(told: Mapping[str, Any]) -> Iterator[str]:
    if "text" in told:
        yield f"{_place(told)} {_facts(told, 'name', 'path', 'lines', 'text', *_LAST)}".rstrip()
        yield from _numbered(told)
    else:
        facts = _facts(told, "results", "entities", "spaces", "missing", *_LAST)
        if facts:
            yield facts
    for number, hit in enumerate(told.get("results", ()), 1):
        yield f"{number}. {_place(hit)} {_facts(hit, 'name', 'path', 'line', *_SHOWN_BELOW)}".rstrip()
        yield from _below(hit)
    for entity in told.get("entities", ()):
        yield f"{_place(entity)} {_facts(entity, 'name', 'path', *_SHOWN_BELOW, 'relations')}".rstrip()
        yield from _below(entity)
        yield from _relations(entity)
    yield from (f"space {_facts(space)}" for space in told.get("spaces", ()))
    yield from (f"missing {_facts(one)}" for one in told.get("missing", ()))
    if "text" in told:
        yield from _relations(told)
    if "next" in told:
        yield f"next: call again with {encoded(told['next'])}"
    elif told.get("truncated"):
        yield "truncated"
    yield told["freshness"]


def _numbered(told: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a text, each with its number in the file."""
    if "lines" in told:
        first = int(told["lines"].partition("..")[0])
        lines = told["text"].removesuffix("\n").split("\n")
        yield from (f"{number}\t{line}" for number, line in enumerate(lines, first))


_LAST = ("relations", "next", "truncated", "freshness")
_SHOWN_BELOW = ("snippet", "observations", "reasons")


def _place(one: Mapping[str, Any]) -> str:
    """What a note is called and where it is, as it is cited."""
    where = one.get("line") or str(one.get("lines", "")).replace("..", "-")
    return f"{one['name']} | {one['path']}{f':{where}' if where else ''}"


def _facts(one: Mapping[str, Any], *but: str) -> str:
    """All other fields on one line."""
    return " | ".join(f"{name}: {_said(fact)}" for name, fact in one.items() if name not in but)


def _said(fact: object) -> str:
    if isinstance(fact, list) and all(isinstance(one, str) for one in fact):
        return ", ".join(fact)
    return fact if isinstance(fact, str) else encoded(fact)


def _below(hit: Mapping[str, Any]) -> Iterator[str]:
    if hit.get("snippet"):
        yield f"   {hit['snippet']}"
    for passage in hit.get("observations", ()):
        if isinstance(passage, str):
            yield f"   - {passage}"
        else:
            lines = f"{passage['line_start']}-{passage['line_end']}"
            under = f" [{' > '.join(passage['heading'])}]" if passage.get("heading") else ""
            yield f"   - {lines}{under} {passage['text']}"
    for reason in hit.get("reasons", ()):
        yield f"   because {_facts(reason)}"


def _relations(entity: Mapping[str, Any]) -> Iterator[str]:
    for one in entity["relations"]:
        arrow = "->" if one["direction"] == "outgoing" else "<-"
        lost = " (unresolved)" if one.get("unresolved") else ""
        yield f"   {arrow} {one['target']}{' as ' + one['relation'] if one.get('relation') else ''}{lost}"
