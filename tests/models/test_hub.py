"""What a hub sends is what it announced, all of one commit, however the line breaks."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_server import Hub, files_of, serving
from tiny_model import HIDDEN, make_model

from notesd.models import catalogue
from notesd.models import hub as hubs
from notesd.models import install as models
from notesd.models.catalogue import KNOWN, Known
from notesd.models.failures import DownloadFailed, ExtraMissing
from notesd.models.manifest import Manifest

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


LARGE, SMALL = "onnx/tokenizer.json", "onnx/small.json"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with a tiny model, which notesd knows; ``HF_ENDPOINT`` names it."""
    make_model(str(tmp_path / "original"))
    files = files_of(str(tmp_path / "original"), "onnx") | {SMALL: b"{}\n"}
    monkeypatch.setattr(catalogue, "KNOWN", (*KNOWN, TINY))
    monkeypatch.setattr(hubs, "PAUSE_S", 0.001)
    monkeypatch.setattr(hubs, "CHUNK", 1000)
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    with serving(Hub("someone/tiny", files)) as served:
        monkeypatch.setenv("HF_ENDPOINT", f"{served.url}/")
        yield served


def install(tmp_path: Path) -> Manifest:
    return models.install("tiny", "hub", str(tmp_path / "models"))


def get(tmp_path: Path, path: str = LARGE) -> bytes:
    """Download one file of the branch; nothing else stays beside it."""
    (tmp_path / "to").mkdir(exist_ok=True)
    hubs.download("someone/tiny", "main", path, str(tmp_path / "to" / "file"))
    assert os.listdir(tmp_path / "to") == ["file"]
    return (tmp_path / "to" / "file").read_bytes()


def test_a_model_of_one_commit(tmp_path: Path, hub: Hub) -> None:
    """The branch is asked once; the rest is of the commit that it named, and the manifest says of which."""
    manifest = install(tmp_path)

    assert (manifest.source, manifest.revision) == ("hub: someone/tiny", hub.commit)
    assert models.verify("tiny", str(tmp_path / "models")) == manifest
    asked = [path.split("/")[4] for path in hub.on_request if "/resolve/" in path]
    assert (asked[0], set(asked[1:])) == ("main", {hub.commit})


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

    hub.before = [None, None, move_on]
    with pytest.raises(DownloadFailed, match="404"):
        install(tmp_path)
    hub.commit = "1" * 40

    assert install(tmp_path).revision == "1" * 40


def test_a_hub_that_answers_with_another_commit(tmp_path: Path, hub: Hub) -> None:
    """The commit that a file is of is compared with the one that was asked for."""
    hub.lies = "2" * 40

    with pytest.raises(DownloadFailed, match=r"sends commit 2222222222.* instead of 1111111111"):
        hubs.download("someone/tiny", hub.commit, LARGE, str(tmp_path / "file"))
    assert not os.path.exists(tmp_path / "file")


@pytest.mark.parametrize("path", [LARGE, SMALL], ids=["large", "small"])
def test_other_bytes_than_announced(tmp_path: Path, hub: Hub, path: str) -> None:
    """What the other host says of its own bytes does not count; a small file is compared too."""
    hub.damage = True

    with pytest.raises(DownloadFailed, match=r"arrived twice.*(\w{40}) instead of .*another source"):
        get(tmp_path, path)
    assert os.listdir(tmp_path / "to") == []

    hub.damage = False
    assert get(tmp_path, path) == hub.files[path]


def test_nothing_is_installed_of_damaged_bytes(tmp_path: Path, hub: Hub) -> None:
    """No model is there afterwards."""
    hub.damage = True

    with pytest.raises(DownloadFailed):
        install(tmp_path)
    assert not os.path.exists(tmp_path / "models" / "tiny")


def test_bytes_that_nobody_vouches_for(tmp_path: Path, hub: Hub) -> None:
    """Without an announced hash nothing is taken."""
    hub.announces = False

    with pytest.raises(DownloadFailed, match="does not say what the file must be; get the model"):
        get(tmp_path)


def test_a_broken_line_goes_on_with_the_same_file(tmp_path: Path, hub: Hub) -> None:
    """Only the rest is asked for, as often as the line breaks."""
    hub.break_after = [2000, 1000]

    assert get(tmp_path) == hub.files[LARGE]
    assert [each.split()[1] for each in hub.on_request if "bytes=" in each] == ["bytes=2000-", "bytes=3000-"]


def test_a_next_run_goes_on_where_the_last_one_stopped(tmp_path: Path, hub: Hub) -> None:
    """A line that stays dead is a message, and what arrived is kept."""
    hub.break_after = [3000, *[0] * 100]
    with pytest.raises(DownloadFailed, match="what arrived is kept, run the same command again"):
        get(tmp_path)
    hub.break_after, hub.on_request = [], []

    assert get(tmp_path) == hub.files[LARGE]
    assert [each for each in hub.on_request if "bytes=" in each] == [f"/{LARGE} bytes=3000-"]


def test_another_file_by_the_next_run(tmp_path: Path, hub: Hub) -> None:
    """A part of the old file is no part of the new one."""
    hub.break_after = [3000, *[0] * 100]
    with pytest.raises(DownloadFailed):
        get(tmp_path)
    hub.break_after = []
    hub.files[LARGE] = hub.files[LARGE][::-1]
    hubs.download("someone/tiny", "main", LARGE, str(tmp_path / "to" / "file"))

    assert (tmp_path / "to" / "file").read_bytes() == hub.files[LARGE]


def test_a_part_that_was_damaged_on_the_disk_heals(tmp_path: Path, hub: Hub) -> None:
    """It is found out at the end, and fetched anew."""
    hub.break_after = [3000, *[0] * 100]
    with pytest.raises(DownloadFailed):
        get(tmp_path)
    (part,) = (tmp_path / "to").iterdir()
    part.write_bytes(b"x" * 3000)
    hub.break_after = []

    assert get(tmp_path) == hub.files[LARGE]


def test_passing_refusals_are_waited_for(tmp_path: Path, hub: Hub) -> None:
    """Too many requests, or a hub that restarts: the file comes a little later."""
    hub.statuses = [503, 503, 500]

    assert get(tmp_path) == hub.files[LARGE]


def test_a_final_refusal_is_not_asked_again(tmp_path: Path, hub: Hub) -> None:
    """A file that is not there is one request and one sentence."""
    with pytest.raises(DownloadFailed, match="404"):
        hubs.download("someone/tiny", "main", "nothing", str(tmp_path / "file"))
    assert len(hub.on_request) == 1


def test_the_token_goes_to_the_hub_alone(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host that has the bytes is not told it."""
    monkeypatch.setenv("HF_TOKEN", "hf_secret")

    assert get(tmp_path) == hub.files[LARGE]
    assert set(hub.tokens[:-1]) == {"Bearer hf_secret"}
    assert hub.tokens[-1] is None


def test_nobody_there(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that does not answer is a message, not a traceback."""
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")

    with pytest.raises(DownloadFailed, match=r"http://127.0.0.1:9/someone/tiny/resolve/main/.*refused"):
        get(tmp_path)


def test_without_the_library(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)

    with pytest.raises(ExtraMissing, match=r'huggingface_hub is not installed.*"notesd\[semantic\]"'):
        get(tmp_path)


WATCHED = """
import os, sys, threading
seen = []
def see(name, args):
    writes = name == "open" and isinstance(args[1], str) and set("wax+") & set(args[1])
    if writes or name in ("socket.connect", "subprocess.Popen", "os.mkdir", "os.rename"):
        seen.append(f"{name} {args[1:]}")
sys.addaudithook(see)
from notesd.models import hub
library = hub._library()
assert seen == [], seen
assert threading.active_count() == 1
hub.download("someone/tiny", "main", "onnx/tokenizer.json", sys.argv[1])
ports = {line for line in seen if "connect" in line}
assert len(ports) == 2, ports
assert not [line for line in seen if "Popen" in line], seen
assert not [each for each in threading.enumerate()[1:] if not each.daemon]
"""


def test_the_library_reaches_the_hub_alone_and_leaves_nothing(tmp_path: Path, hub: Hub) -> None:
    """No connection, thread or file at its import; no telemetry, cache or other host afterwards."""
    (tmp_path / "home").mkdir()
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "HF_"))}
    facts = {"HOME": str(tmp_path / "home"), "HF_ENDPOINT": hub.url, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", WATCHED, str(tmp_path / "file")]
    done = subprocess.run(command, env=keep | facts, capture_output=True, text=True)

    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    assert (tmp_path / "file").read_bytes() == hub.files[LARGE]
    assert list((tmp_path / "home").rglob("*")) == []
    wanted = "/someone/tiny/resolve/"
    assert [each for each in hub.on_request if wanted not in each and not each.startswith(f"/{LARGE}")] == []


def test_only_the_install_of_a_model_imports_the_library() -> None:
    """Neither the daemon nor the embedding process nor the client has it in memory."""
    program = (
        "import sys\n"
        "from notesd import daemon\n"
        "from notesd.cli import main, models\n"
        "from notesd.embed import encoder, process, worker, small\nfrom notesd.models import install\n"
        "print([name for name in sys.modules if name.startswith(('huggingface_hub', 'httpx', 'requests'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (done.stdout, done.stderr) == ("[]\n", "")
