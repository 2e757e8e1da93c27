"""What a hub sends is what it announced, all of one commit, however the line breaks."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_server import Hub, files_of, serving
from tiny_model import HIDDEN, make_model

from notesd.embed import catalogue, models
from notesd.embed.catalogue import KNOWN, Known
from notesd.embed.failures import DownloadFailed
from notesd.embed.fetch import fetch
from notesd.embed.manifest import Manifest

TINY = Known(
    about="tiny",
    repository="someone/tiny",
    hub_files=(
        ("onnx/model.onnx", "model.onnx"),
        ("onnx/model.onnx.data", "model.onnx.data"),
        ("onnx/tokenizer.json", "tokenizer.json"),
    ),
    parts=(),
    package_variant="w8a8",
    template=Manifest(
        name="tiny", source="hub", variant="fp32", licence="MIT", dimensions=HIDDEN, max_tokens=64, files=()
    ),
)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with a tiny model, which notesd knows."""
    make_model(str(tmp_path / "original"))
    files = files_of(str(tmp_path / "original"), "onnx") | {"onnx/small.json": b"{}\n"}
    monkeypatch.setattr(catalogue, "KNOWN", (*KNOWN, TINY))
    with serving(Hub("someone/tiny", files)) as served:
        monkeypatch.setattr(models, "HUB", served.url)
        yield served


def install(tmp_path: Path) -> Manifest:
    return models.install("tiny", "hub", str(tmp_path / "models"))


def test_a_model_of_one_commit(tmp_path: Path, hub: Hub) -> None:
    """The branch is asked once; the rest is of the commit that it named, and the manifest says of which."""
    manifest = install(tmp_path)

    assert (manifest.source, manifest.revision) == ("hub: someone/tiny", hub.commit)
    assert models.verify("tiny", str(tmp_path / "models")) == manifest
    asked = [path for path in hub.on_request if "/resolve/" in path]
    assert [path.split("/")[4] for path in asked] == ["main", hub.commit, hub.commit]


def test_a_pinned_revision(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the catalogue names a commit, nothing else is asked for."""
    pinned = Known(
        **{field: getattr(TINY, field) for field in TINY.__struct_fields__} | {"revision": "1" * 40}
    )
    monkeypatch.setattr(catalogue, "KNOWN", (*KNOWN, pinned))

    assert install(tmp_path).revision == "1" * 40
    assert not [path for path in hub.on_request if "/main/" in path]


def test_another_commit_than_the_one_asked_for(tmp_path: Path, hub: Hub) -> None:
    """A repository that moves on while it is fetched is not mixed."""

    def move_on() -> None:
        hub.commit = "2" * 40

    hub.before = [None, move_on]
    with pytest.raises(DownloadFailed, match="404"):
        install(tmp_path)
    hub.commit = "1" * 40

    assert install(tmp_path).revision == "1" * 40


def test_a_hub_that_answers_with_another_commit(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit that a file is of is compared with the one that was asked for."""
    fetched: list[str] = []

    def lie(url: str, path: str, **more: object) -> str:
        fetched.append(url)
        fetch(url, path)
        return str(len(fetched)) * 40

    monkeypatch.setattr(models, "fetch", lie)
    with pytest.raises(DownloadFailed, match=r"sends commit 2222222222.* instead of 1111111111"):
        install(tmp_path)


@pytest.mark.parametrize("path", ["onnx/tokenizer.json", "onnx/small.json"], ids=["large", "small"])
def test_other_bytes_than_announced(tmp_path: Path, hub: Hub, path: str) -> None:
    """What the other host says of its own bytes does not count; a small file is compared too."""
    hub.damage = True

    with pytest.raises(DownloadFailed, match=r"arrived twice.*(sha256|git):\w+ instead of .*another source"):
        fetch(f"{hub.url}/someone/tiny/resolve/main/{path}", str(tmp_path / "file"), vouched=True)
    assert not os.path.exists(tmp_path / "file")
    assert not os.path.exists(tmp_path / "file.part")

    hub.damage = False
    fetch(f"{hub.url}/someone/tiny/resolve/main/{path}", str(tmp_path / "file"), vouched=True)
    assert (tmp_path / "file").read_bytes() == hub.files[path]


def test_nothing_is_installed_of_damaged_bytes(tmp_path: Path, hub: Hub) -> None:
    """No model is there afterwards."""
    hub.damage = True

    with pytest.raises(DownloadFailed):
        install(tmp_path)
    assert not os.path.exists(tmp_path / "models" / "tiny")


def test_bytes_of_another_host_that_nobody_vouches_for(tmp_path: Path, hub: Hub) -> None:
    """Without an announced hash only the hub's own bytes are taken."""
    hub.announces = False

    with pytest.raises(
        DownloadFailed, match="nothing says what the file must be; get the model from another"
    ):
        install(tmp_path)
    fetch(f"{hub.url}/someone/tiny/resolve/main/onnx/small.json", str(tmp_path / "file"), vouched=True)
    assert (tmp_path / "file").read_bytes() == hub.files["onnx/small.json"]


def test_a_broken_line_goes_on_with_the_same_file(tmp_path: Path, hub: Hub) -> None:
    """The announced hash guards what is put together, where the other host has no tags of its own."""
    url, path = f"{hub.url}/someone/tiny/resolve/main/onnx/tokenizer.json", tmp_path / "file"
    hub.break_after = [3000]
    fetch(url, str(path), pause_s=0.001, vouched=True)

    assert path.read_bytes() == hub.files["onnx/tokenizer.json"]
    assert [each for each in hub.on_request if "bytes=" in each] == ["/onnx/tokenizer.json bytes=3000-"]


def test_a_broken_line_and_another_file_by_then(tmp_path: Path, hub: Hub) -> None:
    """A part of the old file is thrown away when the hub announces another one."""
    url, path = f"{hub.url}/someone/tiny/resolve/main/onnx/tokenizer.json", tmp_path / "file"
    old = hub.files["onnx/tokenizer.json"]

    def replace() -> None:
        hub.files["onnx/tokenizer.json"] = old[::-1]

    hub.break_after = [3000]
    hub.before = [None, replace]
    fetch(url, str(path), pause_s=0.001, vouched=True)

    assert path.read_bytes() == old[::-1]
