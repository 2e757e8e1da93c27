"""What does a canvas say: its cards, the notes on it, the lines between them, its groups?

The format is JSON Canvas 1.0 (jsoncanvas.org): nodes with a place and a size, and edges between them. A group
holds what lies within its borders; nothing in the file says so.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from notesd.errors import Unparsable
from notesd.model import Heading, Link, Note, NotePath, Observation, Problem
from notesd.parse.addresses import LONGEST, MOST, addresses
from notesd.parse.cursor import Cursor, number_of, text_of
from notesd.parse.parts import MAX_COST, cost_of
from notesd.parse.passages import Body, read_body
from notesd.parse.pieces import pieces
from notesd.parse.properties import properties
from notesd.parse.tags import unique_tags

MAX_NODES: Final = 10_000
"""Nodes, and edges, that count."""
MAX_GROUPS: Final = 200
"""Groups that count; every node is compared with each."""
MAX_CARDS_COST: Final = MAX_COST // 5
"""Microseconds of reading cards, estimated; of further ones only the words are kept."""
_LONGEST_NAME: Final = 80
"""Characters that stand for a card where a line leads to it."""
_DEEPEST: Final = 6


class _Node(NamedTuple):
    line: int
    id: str
    text: str
    file: str
    part: str
    url: str
    label: str
    picture: str
    is_group: bool
    x: float
    y: float
    width: float
    height: float

    def name(self) -> str:
        """Return what stands for the node where a line leads to it."""
        first = self.text.strip().partition("\n")[0].lstrip("#->* ")
        return (first or self.file.rpartition("/")[2].removesuffix(".md") or self.label or self.url)[
            :_LONGEST_NAME
        ]

    def holds(self, other: "_Node") -> bool:
        """Whether the middle of another node lies within the borders."""
        x, y = other.x + other.width / 2, other.y + other.height / 2
        return self.x <= x <= self.x + self.width and self.y <= y <= self.y + self.height


class _Edge(NamedTuple):
    line: int
    start: str
    end: str
    label: str
    both_ways: bool


class _Canvas(NamedTuple):
    nodes: list[_Node]
    edges: list[_Edge]
    problems: list[Problem]


def read_canvas(text: str, path: NotePath) -> Note:
    """Say what a canvas says.

    Each card is a passage under the labels of the groups it lies in, each file on it an embed, and each
    edge with a label a relation to the file it leads to and a passage.

    Args:
        text: The decoded file; lines end with LF.
        path: Where it lies; its name is the title.

    Raises:
        Unparsable: Nothing of it can be read.
    """
    canvas = _read(text)
    groups = sorted(
        (node for node in canvas.nodes if node.is_group and node.label),
        key=lambda group: -group.width * group.height,
    )[:MAX_GROUPS]
    bodies: list[Body] = []
    passages: list[Observation] = []
    links: list[Link] = []
    cost = 0
    for node in canvas.nodes:
        if node.text:
            cost += cost_of(node.text)
            body = read_body(node.text, 1) if cost <= MAX_CARDS_COST else _words(node.text)
            bodies.append(body)
            passages += _card(body, node.line, _within(node, groups))
            links += [_at(link, node.line) for link in body.links]
        links += _files(node)
    links += _relations(canvas)
    passages += _lines(canvas)
    return Note(
        path=path,
        title=path.rpartition("/")[2].removesuffix(".canvas"),
        tags=unique_tags(tag for body in bodies for tag in body.tags),
        headings=tuple(
            Heading(min(_DEEPEST, 1 + len(_within(group, groups[:number]))), group.label, group.line)
            for number, group in enumerate(groups)
        ),
        observations=tuple(sorted(passages, key=lambda passage: passage.line_start)),
        links=tuple(sorted(links, key=lambda link: link.line)),
        addresses=tuple(dict.fromkeys(_behind(canvas)))[:MOST],
        properties=properties(field for body in bodies for field in body.fields),
        problems=tuple(canvas.problems),
    )


def _read(text: str) -> _Canvas:
    found = _Canvas([], [], [])
    cursor = Cursor(text)
    if not text.strip():  # a canvas that was just made
        return found
    if cursor.sign() != "{":
        raise Unparsable("it is no canvas, which is one JSON object")
    try:
        for key in cursor.members():
            places = cursor.elements(MAX_NODES) if key in {"nodes", "edges"} else ()
            for _ in places:
                line = cursor.line()
                value = cursor.value()
                if key == "nodes":
                    found.nodes.append(_node(value, line))
                else:
                    found.edges.append(_edge(value, line))
            if not places:
                cursor.value()
        cursor.end()
    except Unparsable as error:
        if not found.nodes:
            raise
        found.problems.append(Problem(error.kind, f"Only the head of the canvas was read: {error.message}."))
    return found


def _node(value: object, line: int) -> _Node:
    kind = text_of(value, "type")
    return _Node(
        line, text_of(value, "id"), text_of(value, "text"), text_of(value, "file").strip(),
        text_of(value, "subpath"), text_of(value, "url").strip(), _flat(text_of(value, "label")),
        text_of(value, "background").strip(), kind == "group",
        number_of(value, "x"), number_of(value, "y"), number_of(value, "width"), number_of(value, "height"),
    )  # fmt: skip


def _edge(value: object, line: int) -> _Edge:
    both_ways = text_of(value, "fromEnd") == "arrow"
    label = _flat(text_of(value, "label"))
    return _Edge(line, text_of(value, "fromNode"), text_of(value, "toNode"), label, both_ways)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _words(text: str) -> Body:
    passage = Observation(text, 1, 1, (), "raw")
    return Body((), (passage,), (), (), (), None)


def _within(node: _Node, groups: Iterable[_Node]) -> tuple[str, ...]:
    """Return the labels of the groups in which a node lies, the largest first."""
    return tuple(group.label for group in groups if group is not node and group.holds(node))


def _card(body: Body, line: int, labels: tuple[str, ...]) -> list[Observation]:
    """Put what a card says together again: it is one passage, as long as it is no longer than one may be."""
    said = [(heading.line, heading.text) for heading in body.headings]
    said += [(passage.line_start, passage.text) for passage in body.observations]
    text = "\n".join(words for _, words in sorted(said, key=lambda one: one[0]))
    if not text.strip():
        return []
    lines = [line] * (text.count("\n") + 1)
    return [Observation(piece, line, line, labels, "paragraph") for piece, _, _ in pieces(text, lines, line)]


def _at(link: Link, line: int) -> Link:
    return Link(link.raw, link.target, link.style, link.relation, link.kind, line)


def _behind(canvas: _Canvas) -> Iterator[str]:
    """Yield what stands behind the cards: addresses, and the names of files, which no passage has."""
    for node in canvas.nodes:
        if node.url or node.file:
            yield (node.url or node.file.removesuffix(".md"))[:LONGEST]
        if node.text:
            yield from addresses(node.text)


def _files(node: _Node) -> list[Link]:
    links = [Link(node.file + node.part, node.file, "wiki", None, "embed", node.line)] if node.file else []
    if node.picture:
        links.append(Link(node.picture, node.picture, "wiki", None, "embed", node.line))
    return links


def _relations(canvas: _Canvas) -> list[Link]:
    """Return a relation for each edge with a label that leads to a file, or from one to something else."""
    nodes = _by_id(canvas)
    links = []
    for edge in canvas.edges:
        start, end = nodes.get(edge.start), nodes.get(edge.end)
        files = [node for node in (end,) if node and node.file]
        if start and start.file and (edge.both_ways or not files):
            files.append(start)
        if edge.label:
            links += [
                Link(one.file + one.part, one.file, "wiki", edge.label, "link", edge.line) for one in files
            ]
    return links


def _lines(canvas: _Canvas) -> list[Observation]:
    """Return a passage for each edge with a label: what it leads from, its label, what it leads to."""
    nodes = _by_id(canvas)
    found = []
    for edge in canvas.edges:
        ends = [node.name() if node else "" for node in map(nodes.get, (edge.start, edge.end))]
        if edge.label:
            text = " → ".join(filter(None, (ends[0], edge.label, ends[1])))
            lines = [edge.line] * (text.count("\n") + 1)
            found += [
                Observation(piece, edge.line, edge.line, (), "raw")
                for piece, _, _ in pieces(text, lines, edge.line)
            ]
    return found


def _by_id(canvas: _Canvas) -> Mapping[str, _Node]:
    return {node.id: node for node in canvas.nodes if node.id}
