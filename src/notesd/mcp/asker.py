"""How is the daemon asked for an agent? Always as one, on one connection, begun again when it is lost."""

from __future__ import annotations

import sys
import time

from notesd.errors import Busy, NoDaemon, NotesdError
from notesd.mcp import answers
from notesd.mcp.arguments import Wrong, read
from notesd.mcp.texts import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from notesd.mcp.tools import Tool
    from notesd.serve.client import Client

_LONGEST_SENTENCE = 2_000
_PAUSES_S = (0.0, 0.2, 1.0)
"""Before a question is asked again whose daemon has gone; none of them changes anything."""
_OF_SPACES = frozenset(("search", "feed", "open", "related", "status", "properties"))


class Asker:
    """Asks the daemon; from one thread, but for ``hang_up``."""

    def __init__(self, connect: Callable[[], tuple[Client, Sequence[str]]], most: int) -> None:
        """Connect when it is needed.

        Args:
            connect: Returns a connection to the daemon, which is started if it does not run, and the
                names of the spaces that are meant; empty: all.
            most: Characters of one answer.
        """
        self._connect = connect
        self._most = most
        self._client: Client | None = None
        self._spaces: Sequence[str] = ()
        self._left = False

    def begin(self) -> None:
        """Have the daemon started, if it can be; the first question says what is the matter."""
        try:
            self._connected()
        except NotesdError as error:
            sys.stderr.write(f"notesd: {error.message}\n")  # the log of the program that started us

    def hang_up(self) -> None:
        """End the question that is under way; from any thread."""
        self._left = True
        if self._client:
            self._client.hang_up()

    def again(self) -> None:
        """The question is over; the next one may be asked."""
        if self._left:
            self._left = False
            self._drop()

    def ask(self, method: str, /, **params: Any) -> dict[str, Any]:  # noqa: ANN401 -- whatever JSON can say
        """Ask as an agent, for whom private notes are not there.

        Raises:
            NotesdError: What the daemon answered, or that it cannot be had.
        """
        for pause in (*_PAUSES_S, None):
            try:
                client = self._connected()
                meant = {"space": list(self._spaces)} if self._spaces and method in _OF_SPACES else {}
                return client.call(method, **{**meant, **params, "audience": "agent"})
            except (NoDaemon, Busy) as error:
                if isinstance(error, Busy) and "did not answer" not in error.message:
                    raise  # it answered that it is busy
                self._drop()
                if pause is None or self._left or isinstance(error, Busy):
                    raise
                time.sleep(pause)
        raise AssertionError

    def _connected(self) -> Client:
        if self._client is None:
            self._client, self._spaces = self._connect()
        return self._client

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client:
            client.close()

    def call(self, tool: Tool, given: object) -> dict[str, Any]:
        """Carry out the call of a tool; what goes wrong is told to the model, which may try otherwise."""
        try:
            told = answers.ANSWERS[tool.name](self.ask, read(tool, given), self._most)
        except Wrong as error:
            return _failed(str(error))
        except NotesdError as error:
            return _failed(error.message)
        return {
            "content": [{"type": "text", "text": text_of(told)}],
            "structuredContent": told,
            "isError": False,
        }


def _failed(sentence: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": sentence[:_LONGEST_SENTENCE]}], "isError": True}
