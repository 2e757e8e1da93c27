"""What stands where in a JSON text? One pass, in the order of the text, with the line of each value.

The standard library reads single values, in C; the cursor walks the objects and arrays around them, so that
an array of a million elements costs no more memory than the elements that somebody wants.
"""

import json
import re
from collections.abc import Iterator
from typing import Final

from notesd.errors import Unparsable

_BLANK: Final = re.compile(r"[ \t\n\r]*")
# Numbers of any length cost time in proportion to it, unlike Python's integers.
_VALUES: Final = json.JSONDecoder(parse_int=float)


class Cursor:
    """A place in a JSON text; every method takes what stands there and moves on."""

    def __init__(self, text: str) -> None:
        """Start at the beginning of a text whose lines end with LF."""
        self._text = text
        self._at = 0
        self._line = 1
        self._counted = 0

    def line(self) -> int:
        """Return the line, from 1, of the value that comes next."""
        self.sign()
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def value(self) -> object:
        """Take a whole value.

        Raises:
            Unparsable: No JSON stands there, or it is nested too deeply.
        """
        self.sign()
        try:
            value, self._at = _VALUES.raw_decode(self._text, self._at)
        except RecursionError:
            raise Unparsable("it is nested too deeply") from None
        except ValueError as error:
            self._at = getattr(error, "pos", self._at)
            raise self._broken() from None
        found: object = value
        return found

    def members(self) -> Iterator[str]:
        """Yield the keys of an object, of others none; whoever asks takes the value behind each.

        Raises:
            Unparsable: No JSON stands there.
        """
        for _ in self._entries("{", "}"):
            key = self.value()
            if not isinstance(key, str) or self.sign() != ":":
                raise self._broken()
            self._at += 1
            yield key

    def elements(self, most: int) -> Iterator[int]:
        """Yield the places of an array, from 0; whoever asks takes the value at each.

        Others than arrays have none, and of elements beyond so many nothing is said.

        Raises:
            Unparsable: No JSON stands there.
        """
        for number in self._entries("[", "]"):
            if number < most:
                yield number
            else:
                self.value()

    def end(self) -> None:
        """Make sure that nothing follows.

        Raises:
            Unparsable: Something does.
        """
        if self.sign():
            raise self._broken()

    def sign(self) -> str:
        """Return the sign that the next value begins with; empty at the end."""
        found = _BLANK.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._text[self._at : self._at + 1]

    def _entries(self, opening: str, closing: str) -> Iterator[int]:
        if self.sign() != opening:
            self.value()
            return
        self._at += 1
        number = 0
        if self.sign() == closing:
            self._at += 1
            return
        while True:
            yield number
            number += 1
            sign = self.sign()
            if sign not in {",", closing}:
                raise self._broken()
            self._at += 1
            if sign == closing:
                return

    def _broken(self) -> Unparsable:
        line = 1 + self._text.count("\n", 0, self._at)
        return Unparsable(
            f"it is not JSON (line {line}); open it in the program that wrote it and save it again"
        )


def text_of(value: object, key: str) -> str:
    """Return the text under a key, without what no text may hold; empty where there is none.

    Lists of lines, as Jupyter writes them, are joined.
    """
    found = value.get(key) if isinstance(value, dict) else None
    if isinstance(found, list):
        found = "".join(line for line in found if isinstance(line, str))
    return clean(found) if isinstance(found, str) else ""


def number_of(value: object, key: str) -> float:
    """Return the number under a key; 0 where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, float) else 0.0


def clean(text: str) -> str:
    """Make an unescaped text one that a file could hold: no NUL, no half characters, lines ended by LF."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "")
