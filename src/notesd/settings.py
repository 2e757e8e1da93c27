"""What can be set, and to what? Every key with its range and its default; pure values.

The description of a field is the end of the sentence "expected ...", so what a person reads when a
value is wrong and what is checked stand on the same line.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

DAY_S = 86_400
MIB = 1024 * 1024

Switch = Annotated[bool, Meta(description="true or false")]


LimbicMode = Annotated[
    Literal["off", "shadow", "ab", "on"], Meta(description='one of "off", "shadow", "ab", "on"')
]
"""``shadow``: computed and logged, not shown; ``ab``: shown for half of the questions; ``on``: shown."""


class SearchConfig(Struct, frozen=True):
    """``[search]``: how questions are answered."""

    vector_search: Switch = False
    """Ask the semantic channel; ``VECTOR_SEARCH`` overrides it, a request overrides both."""
    graph_boost: Switch = False
    """Let links move notes up; ``GRAPH_BOOST`` overrides it, a request overrides both."""
    relation_weights: Annotated[
        dict[str, Annotated[float, Meta(ge=0, le=10)]],
        Meta(description="a table of relation names, each with a number from 0 to 10"),
    ] = {}  # msgspec gives each its own
    """How much a link of a relation counts where links move notes up; 1 for one that is not named, ``embed``
    is an embed without a relation."""
    limit: Annotated[int, Meta(ge=1, le=1000, description="a whole number from 1 to 1000")] = 10
    """Results of one answer when the request does not say."""
    model: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="the name of a model, see notesd model list"
        ),
    ] = "multilingual-e5-small"
    """The embedding model of the semantic channel."""
    granularity: Annotated[
        Literal["passages", "snapshot"], Meta(description='one of "passages", "snapshot"')
    ] = "passages"
    """A vector for each stretch under a heading, or one for the whole note."""
    query_timeout_s: Annotated[
        float, Meta(ge=0.01, le=60, description="a number of seconds from 0.01 to 60")
    ] = 1.5
    """Seconds a question waits for its vector; without it the other channels answer."""
    model_idle_s: Annotated[
        float, Meta(ge=1, le=DAY_S, description="a number of seconds from 1 to 86400")
    ] = 300.0
    """Seconds after the last use when the model's memory is given back."""
    stemmer: Annotated[
        Literal["auto", "porter", "none"], Meta(description='one of "auto", "porter", "none"')
    ] = "auto"
    """In which languages forms of a word count as one; ``auto``: those in which the notes are written."""
    limbic: LimbicMode = "off"
    """Whether use re-ranks; a request overrides it."""
    limbic_blend: Annotated[
        Literal["bounded", "published"], Meta(description='one of "bounded", "published"')
    ] = "bounded"
    """How much use may say: a tenth of a score at most, or as the published design has it."""
    record: Switch = True
    """Whether use is recorded at all; a request may wish not to be."""


class IndexConfig(Struct, frozen=True):
    """``[index]``: how notes are read."""

    max_file_bytes: Annotated[
        int, Meta(ge=1024, le=1024 * MIB, description="a whole number of bytes from 1024 to 1073741824")
    ] = 10 * MIB
    """A larger note is indexed by its head and reported."""
    rescan_interval_s: Annotated[
        float, Meta(ge=1, le=DAY_S, description="a number of seconds from 1 to 86400")
    ] = 600.0
    """Seconds between two walks of a folder that find what the watcher lost."""
    poll_interval_s: Annotated[
        float, Meta(ge=1, le=DAY_S, description="a number of seconds from 1 to 86400")
    ] = 15.0
    """The same where the system tells of no changes, or not of all."""
    deletion_grace_s: Annotated[
        float, Meta(ge=0, le=DAY_S, description="a number of seconds from 0 to 86400")
    ] = 60.0
    """Seconds that notes are kept when most of a folder is missing at once."""
    settle_ms: Annotated[
        float, Meta(ge=0, le=10_000, description="a number of milliseconds from 0 to 10000")
    ] = 50.0
    """Milliseconds of quiet before changed notes are read."""
    parse_timeout_s: Annotated[
        float, Meta(ge=0.1, le=3600, description="a number of seconds from 0.1 to 3600")
    ] = 20.0
    """Seconds of processor time one note may take to be parsed before it is set aside."""
    workers: Annotated[int, Meta(ge=0, le=64, description="a whole number from 0 to 64")] = 0
    """Processes that parse a large batch; 0: as many as there are processors."""


class ServerConfig(Struct, frozen=True):
    """``[server]``: what one client may ask of the daemon."""

    max_request_bytes: Annotated[
        int, Meta(ge=1024, le=64 * MIB, description="a whole number of bytes from 1024 to 67108864")
    ] = MIB
    """Longest request line; a longer one is answered with an error and the connection closed."""
    max_clients: Annotated[int, Meta(ge=1, le=10_000, description="a whole number from 1 to 10000")] = 256
    """Connections open at one time."""
    send_timeout_s: Annotated[
        float, Meta(ge=0.1, le=3600, description="a number of seconds from 0.1 to 3600")
    ] = 30.0
    """Seconds a client may take to accept an answer before it is let go."""


_Factor = Annotated[float, Meta(ge=0, le=10, description="a number from 0 to 10")]
_Share = Annotated[float, Meta(ge=0, le=1, description="a number from 0 to 1")]


class Limbic(Struct, frozen=True):
    """``[limbic]``: the constants of the re-ranker, by their published names."""

    BETA_SAL: _Factor = 0.5
    """Weight of importance."""
    BETA_DEG: _Factor = 0.15
    """Weight of links within importance."""
    D_MAX: Annotated[int, Meta(ge=1, le=10_000, description="a whole number from 1 to 10000")] = 15
    """Links from which on more of them say nothing more."""
    LAMBDA_HOURLY: _Share = 0.0001
    """Decay an hour; the default halves in 6,931 hours."""
    GAMMA: _Factor = 0.01
    """Weight of notes that are used together."""
    TEMPORAL_FLOOR: _Share = 0.1
    """Least that age leaves of a score."""
    COOC_TEMPORAL_FLOOR: _Share = 0.1
    """Least that age leaves of a pair."""
    RRF_K: Annotated[int, Meta(ge=1, le=1000, description="a whole number from 1 to 1000")] = 60
    """How much the first places count where rankings are fused."""
    EXPANSION_FACTOR: Annotated[int, Meta(ge=1, le=20, description="a whole number from 1 to 20")] = 3
    """Each channel offers at least so many times the wanted results."""


_Phrases = Annotated[
    tuple[Annotated[str, Meta(pattern=r"\w")], ...],
    Meta(description='a list of key words such as ["was ist"]'),
]


class Routing(Struct, frozen=True):
    """``[routing]``: key words beside the built-in ones that tell what kind of question it is."""

    factual: _Phrases = ()
    """It asks for a fact; ``...`` stands for any words between."""
    intermediate: _Phrases = ()
    """It compares."""
    exploratory: _Phrases = ()
    """It looks around."""


class Terminal(Struct, frozen=True):
    """``[terminal]``: what the command line does on its own."""

    open_with: Annotated[
        str,
        Meta(
            pattern=r"^(editor|obsidian|.*\{path\}.*)$",
            description='"editor", "obsidian", or a command or address with {path} in it',
        ),
    ] = "editor"
    """With what ``query --open`` and ``pick`` open a note; ``{line}`` is its line."""


DEFAULT_EXTENSIONS = (".md", ".markdown")
"""Files that are read as notes where nothing else is said."""


class SpaceConfig(Struct, frozen=True):
    """``[spaces.NAME]``: one folder of notes."""

    name: str
    """What requests call it; not empty, no ``/``, no control characters."""
    path: str
    """The folder, absolute, links in it not followed."""
    ignore: tuple[str, ...] = ()
    """Patterns of notes and folders to leave out, beside the built-in ones."""
    gitignore: bool = False
    """Leave out what the ``.gitignore`` files in the folder leave out, too."""
    follow_links: bool = False
    """Read what links in the folder lead to, too."""
    vector_search: bool | None = None
    """None: as in ``[search]``; so too for the next."""
    graph_boost: bool | None = None
    extensions: tuple[str, ...] = DEFAULT_EXTENSIONS
    """What the names of its notes end with, each with its dot, in small letters; not empty."""
    name_only: tuple[str, ...] = ()
    """Patterns of files and folders of which nothing but the names is read."""
    embed: tuple[str, ...] = ()
    """What the names of files of other kinds end with that get vectors, too; as ``extensions``."""
    demote: tuple[str, ...] = ()
    """Folders below it, written with single slashes, whose notes are found after all others."""


class Config(Struct, frozen=True):
    """The whole configuration, checked."""

    spaces: tuple[SpaceConfig, ...] = ()
    """In the order of the file; names and folders are unique."""
    search: SearchConfig = SearchConfig()
    index: IndexConfig = IndexConfig()
    server: ServerConfig = ServerConfig()
    limbic: Limbic = Limbic()
    routing: Routing = Routing()
    terminal: Terminal = Terminal()
