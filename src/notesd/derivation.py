"""Was something derived by the code that runs now? No version number to forget when a rule changes.

What the code does is digested, not how it is written: comments, docstrings and places of lines change
nothing, so that a better sentence does not make everybody's index be built anew.
"""

import hashlib
import importlib.util
import pkgutil
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.abc import InspectLoader
from types import CodeType
from typing import Final

INDEXING: Final = (
    "notesd.parse", "notesd.resolve", "notesd.model", "notesd.files.pdf", "notesd.files.read",
    "notesd.files.reading",
    "notesd.index.schema", "notesd.index.notes", "notesd.index.attachments", "notesd.index.links",
    "notesd.index.fulltext", "notesd.index.spoken", "notesd.index.properties", "notesd.ingest.stemmer",
)  # fmt: skip
"""What decides what stands in an index."""


@lru_cache
def digest(modules: tuple[str, ...]) -> str:
    """Return the SHA-256 of what some modules, and all modules of some packages, do."""
    whole = hashlib.sha256()
    for name in sorted(_modules(modules)):
        whole.update(name.encode() + b"\0")
        for part in _parts(_code(name)):
            whole.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return whole.hexdigest()


def _modules(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise ModuleNotFoundError(name)
        yield name
        for inner in pkgutil.iter_modules(spec.submodule_search_locations or []):
            yield from _modules([f"{name}.{inner.name}"])


def _code(name: str) -> CodeType:
    spec = importlib.util.find_spec(name)
    code = spec.loader.get_code(name) if spec and isinstance(spec.loader, InspectLoader) else None
    if code is None:
        raise ModuleNotFoundError(name)
    return code


def _parts(code: CodeType) -> Iterator[str]:
    """Yield what a piece of code does, in words that tell any two pieces apart."""
    documented = _docstring(code)
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_flags, code.co_argcount))
    for at, constant in enumerate(code.co_consts):
        if isinstance(constant, CodeType):
            yield from _parts(constant)
        elif at != documented:
            yield _shown(constant)


def _shown(constant: object) -> str:
    """Write a constant; members of a set have no order of their own."""
    if isinstance(constant, frozenset):
        return f"frozenset({sorted(map(repr, constant))})"
    return f"{type(constant).__name__} {constant!r}"


def _docstring(code: CodeType) -> int | None:
    """Return which constant is the docstring; None: there is none."""
    if code.co_flags & _IN_FUNCTION:
        return 0 if code.co_consts and isinstance(code.co_consts[0], str) else None
    if "__doc__" not in code.co_names:
        return None
    return next((at for at, constant in enumerate(code.co_consts) if _is_text(code, constant)), None)


_IN_FUNCTION: Final = 0x02
"""CO_NEWLOCALS: modules and classes are without it."""


def _is_text(code: CodeType, constant: object) -> bool:
    return isinstance(constant, str) and constant not in {code.co_name, code.co_qualname}
