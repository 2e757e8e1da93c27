"""Who asks? Agents have methods of their own, over spaces in which no note is private."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from notesd.duty import Duty
from notesd.errors import InvalidParams
from notesd.serve import params, wire
from notesd.serve.bounds import BOUNDS
from notesd.serve.listener import Peer
from notesd.serve.methods import TABLE, Methods
from notesd.serve.outlet import CALLER
from notesd.serve.spaces import Lanes, Spaces
from notesd.settings import Config
from notesd.space.meaning import Meaning
from notesd.space.public import PublicSpace
from notesd.space.space import Space
from notesd.usage.record import Record


class Audiences:
    """Answers requests; nothing that is behind an audience's methods knows of the other's spaces."""

    def __init__(
        self,
        spaces: Mapping[str, Space],
        config: Config,
        meaning: Meaning,
        record: Record,
        duties: Callable[[], Sequence[Duty]] = tuple,
    ) -> None:
        """Take the running spaces and what they share."""
        lanes = Lanes()
        whole = Spaces(spaces, lanes)
        self._public: dict[str, Space] = {name: PublicSpace(space) for name, space in spaces.items()}
        self._methods = {
            "user": Methods(whole, config, meaning, record, duties),
            "agent": Methods(Spaces(self._public, lanes), config, meaning, record, duties),
        }

    def welcome(self, space: Space) -> None:
        """A space came, or came back with other settings."""
        self._public[space.name] = PublicSpace(space)
        self._methods["user"].welcome(space)
        self._methods["agent"].welcome(self._public[space.name])

    def dismiss(self, name: str) -> None:
        """A space left."""
        del self._public[name]

    def close(self) -> None:
        """Let no thread hold the end up."""
        for methods in self._methods.values():
            methods.close()

    async def handle(self, request: wire.Request, _peer: Peer) -> object:
        """Answer one request.

        Raises:
            NotesdError: What the client is told.
        """
        method = TABLE.get(request.method)
        if method is None:
            near = params.nearest(request.method, TABLE)
            hint = f"; did you mean {near}?" if near else f"; there are {', '.join(TABLE)}"
            raise wire.UnknownMethod(
                f"no method is called {request.method[:60]!r}{hint}", nearest=[near] if near else []
            )
        asked: Any = params.read(request.params, method.params)
        if asked.audience == "agent" and not method.for_agents:
            raise InvalidParams(
                f'the method "{request.method}" is not for agents: what it tells or changes is of private '
                "notes, too; a user has to ask for it",
                param="audience",
            )
        bound, caller = BOUNDS[request.method], CALLER.get()
        caller.budget.cpu_s = bound.cpu_s + bound.more_s * (getattr(asked, "limit", None) or 0)
        caller.costly, caller.binding = bound.costly, bound.binding
        return await method.run(self._methods[asked.audience], asked)
