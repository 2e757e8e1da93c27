"""A model's manifest says all there is to know of it, and its files are what the manifest says."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest

from notesd.models.failures import ModelBad, ModelMissing
from notesd.models.manifest import File, Manifest, check_files, fingerprint, measure, read, write

GOOD: dict[str, Any] = {
    "name": "tiny", "source": "a test", "variant": "fp32", "licence": "MIT",
    "dimensions": 32, "max_tokens": 64,
    "files": [
        {"name": "model.onnx", "sha256": "ab" * 32, "size": 5},
        {"name": "tokenizer.json", "sha256": "cd" * 32, "size": 9},
    ],
}  # fmt: skip


def installed(folder: Path, **changes: object) -> Manifest:
    """Write two files and their manifest."""
    (folder / "model.onnx").write_bytes(b"model")
    (folder / "tokenizer.json").write_bytes(b"tokenizer")
    files = tuple(measure(str(folder), name) for name in ("model.onnx", "tokenizer.json"))
    manifest = msgspec.structs.replace(msgspec.convert(GOOD, Manifest), files=files, **changes)
    write(str(folder), manifest)
    return manifest


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """A manifest survives the disk, and only its owner may read it."""
    manifest = installed(tmp_path, query_prefix="query: ", pooling="cls")

    assert read(str(tmp_path)) == manifest
    assert stat.S_IMODE(os.stat(tmp_path / "manifest.json").st_mode) == 0o600


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    """The message names the model and the command that gets it."""
    with pytest.raises(ModelMissing, match=r"model tiny is not installed.*run: notesd model install tiny"):
        read(str(tmp_path / "tiny"))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"dimensions": 0}, id="no dimensions"),
        pytest.param({"dimensions": "many"}, id="a word for a number"),
        pytest.param({"max_tokens": 1}, id="no room for a text"),
        pytest.param({"evidence_span": 0}, id="no evidence at all"),
        pytest.param({"pooling": "sum"}, id="an unknown pooling"),
        pytest.param({"format": 2}, id="a later format"),
        pytest.param({"files": []}, id="no files"),
        pytest.param({"files": [*GOOD["files"][:1]]}, id="no tokenizer"),
        pytest.param(
            {"files": [*GOOD["files"], {"name": "../../x", "sha256": "ab" * 32, "size": 1}]}, id="outside"
        ),
        pytest.param(
            {"files": [*GOOD["files"], {"name": ".x", "sha256": "ab" * 32, "size": 1}]}, id="hidden"
        ),
        pytest.param(
            {"files": [*GOOD["files"], {"name": "x", "sha256": "abc", "size": 1}]}, id="half a hash"
        ),
        pytest.param({"name": "a/b"}, id="a name with a slash"),
    ],
)
def test_a_manifest_that_makes_no_sense(tmp_path: Path, changes: dict[str, object]) -> None:
    """Whatever is wrong is said, with the file it is in."""
    (tmp_path / "manifest.json").write_text(json.dumps(GOOD | changes), encoding="utf-8")

    with pytest.raises(ModelBad, match=r"manifest\.json: .*run: notesd model install"):
        read(str(tmp_path))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"null"])
def test_a_manifest_that_is_none(tmp_path: Path, data: bytes) -> None:
    """Bytes that are no manifest are no crash."""
    (tmp_path / "manifest.json").write_bytes(data)

    with pytest.raises(ModelBad):
        read(str(tmp_path))


def into_folder(path: str) -> None:
    """Put a folder where a file was."""
    os.remove(path)
    os.mkdir(path)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(lambda path: os.truncate(path, 2), "2 bytes instead of 5", id="cut off"),
        pytest.param(lambda path: Path(path).write_bytes(b"modem"), "its bytes have changed", id="changed"),
        pytest.param(os.remove, "No such file", id="gone"),
        pytest.param(into_folder, "bytes instead of 5|directory", id="a folder"),
    ],
)
def test_damaged_files_are_found(tmp_path: Path, spoil: object, message: str) -> None:
    """Every kind of damage is found and told with the file and the way out."""
    manifest = installed(tmp_path)
    check_files(str(tmp_path), manifest)
    spoil(str(tmp_path / "model.onnx"))  # type: ignore[operator]  # a function

    with pytest.raises(ModelBad, match=rf"model\.onnx: .*({message}).*run: notesd model install tiny"):
        check_files(str(tmp_path), manifest)


def test_the_fingerprint_knows_what_makes_a_vector() -> None:
    """Another prefix, limit, form, file, rule or granularity is another fingerprint; another name is not."""
    manifest = msgspec.convert(GOOD, Manifest)
    other_file = (File("model.onnx", "ef" * 32, 5), manifest.files[1])
    changed = [
        msgspec.structs.replace(manifest, **{key: value})
        for key, value in [
            ("dimensions", 33), ("max_tokens", 65), ("query_prefix", "q"), ("passage_prefix", "p"),
            ("pooling", "cls"), ("normalize", False), ("variant", "w7a8"), ("files", other_file),
        ]
    ]  # fmt: skip
    prints = [fingerprint(each, "passages", 1) for each in (manifest, *changed)]
    prints += [fingerprint(manifest, "snapshot", 1), fingerprint(manifest, "passages", 2)]
    budget = msgspec.structs.replace(manifest, token_budget=99)
    prints.append(fingerprint(budget, "snapshot", 1))
    renamed = msgspec.structs.replace(
        manifest,
        name="other",
        source="elsewhere",
        evidence_low=0.1,
        files=manifest.files[::-1],
        token_budget=9,
    )

    assert len(set(prints)) == len(prints)
    assert all(len(each) == 32 for each in prints)
    assert fingerprint(renamed, "passages", 1) == prints[0]


@pytest.mark.parametrize("name", [".", "manifest.json", "model.onnx"])
def test_a_model_that_others_can_change_is_refused(tmp_path: Path, name: str) -> None:
    """The folder or one file of it: what is wrong is named, with what to do."""
    installed(tmp_path)
    (tmp_path / name).chmod(0o757)
    with pytest.raises(ModelBad, match=r"can be written to by everybody; run: chmod go-w"):
        read(str(tmp_path))
    (tmp_path / name).chmod(0o755)
    read(str(tmp_path))


@pytest.mark.parametrize("name", ["manifest.json", "tokenizer.json"])
def test_no_link_is_followed_to_a_file_of_a_model(tmp_path: Path, name: str) -> None:
    """Who can change what it leads to, could change the model."""
    (tmp_path / "model").mkdir()
    installed(tmp_path / "model")
    (tmp_path / "model" / name).rename(tmp_path / "elsewhere")
    (tmp_path / "model" / name).symlink_to("../elsewhere")
    with pytest.raises(ModelBad, match=f"{name}: is a link"):
        read(str(tmp_path / "model"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
@pytest.mark.parametrize("name", [".", "manifest.json", "model.onnx"])
def test_a_model_of_another_user_is_refused(tmp_path: Path, name: str) -> None:
    """Whose it is, is said."""
    installed(tmp_path)
    os.chown(tmp_path / name, 65534, 65534)
    with pytest.raises(ModelBad, match="belongs to another user"):
        read(str(tmp_path))
