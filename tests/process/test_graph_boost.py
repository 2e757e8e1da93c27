"""Links in the running product: who may switch them on, and what the answer says of them."""

from pathlib import Path
from typing import Any

import pytest
from running import Running, running

pytestmark = pytest.mark.process


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A note that links to another one."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Harbour.md").write_text("Ships rest.\n\n- feeds [[Town]]\n\n[[Crane]]\n")
    (folder / "Crane.md").write_text("It lifts.\n")
    (folder / "Town.md").write_text("Houses.\n")
    return folder


def asked(daemon: Running, **params: Any) -> tuple[str, list[str]]:
    """What the answer says of links, and the notes it has."""
    answer = daemon.ask("search", query="harbour", wait=True, record=False, **params)
    assert answer["degraded"] == []
    return answer["channels"]["graph"], [hit["path"] for hit in answer["results"]]


def test_links_are_off_until_asked_for(vault: Path) -> None:
    """A request switches them on for itself; a mode of one channel leaves its order alone."""
    with running(vault) as daemon:
        assert asked(daemon) == ("off", ["Harbour.md"])
        assert asked(daemon, graph_boost=True) == ("ok", ["Harbour.md", "Crane.md", "Town.md"])
        assert asked(daemon, graph_boost=True, mode="lexical") == ("off", ["Harbour.md"])
        hit = daemon.ask("search", query="harbour", graph_boost=True)["results"][1]
        assert hit["channels"] == {"graph": {"rank": 1, "via": ["Harbour.md"]}}
        assert hit["stale"] is False


def test_the_environment_switches_links_on(vault: Path) -> None:
    """GRAPH_BOOST holds for every request that does not say otherwise."""
    with running(vault, GRAPH_BOOST="on") as daemon:
        assert asked(daemon)[0] == "ok"
        assert asked(daemon, graph_boost=False) == ("off", ["Harbour.md"])


def test_the_configuration_switches_and_weighs(vault: Path, tmp_path: Path) -> None:
    """A space may differ from the rest; a heavier relation comes first, however its name is spelt."""
    config = tmp_path / "config.toml"
    config.write_text(
        f'[spaces.notes]\npath = "{vault}"\ngraph_boost = true\n'
        "[search]\ngraph_boost = false\nrelation_weights = { FEEDS = 3 }\n"
    )
    with running(vault, NOTESD_CONFIG=str(config)) as daemon:
        assert asked(daemon) == ("ok", ["Harbour.md", "Town.md", "Crane.md"])
