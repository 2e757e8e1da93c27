"""What the parts of the daemon know of each other, whenever they come."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from notesd.daemon import _Daemon
from notesd.locations import Paths
from notesd.settings import Config, SpaceConfig
from notesd.space.space import Space


def test_others_judge_their_links_once_a_new_space_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However fast they do it, none goes on following a link that leads into the new one."""
    for name in ("v", "ext", "state"):
        (tmp_path / name).mkdir(mode=0o700)
    old, new = (SpaceConfig(name, str(tmp_path / name), follow_links=True) for name in ("v", "ext"))
    paths = Paths(
        config=str(tmp_path / "config.toml"), state=str(tmp_path / "state"), socket=str(tmp_path / "socket"),
        models=str(tmp_path / "models"), config_named=True, state_named=True, socket_named=True,
    )  # fmt: skip
    fences: list[set[str]] = []

    async def welcome() -> None:
        daemon = _Daemon(paths, (), Config(spaces=(old,)), None, cast("Any", None))
        daemon._config = Config(spaces=(old, new))
        known = daemon._spaces["v"]
        monkeypatch.setattr(
            known, "mark", lambda _: fences.append({what for what, _ in daemon._fences(known)})
        )
        monkeypatch.setattr(Space, "start", lambda space: space.place.admit())  # and its thread no sooner
        parts = cast("Any", SimpleNamespace(welcome=lambda _: None))
        daemon._watching = parts
        await daemon._welcome(new, parts, parts)

    asyncio.run(welcome())

    assert "space ext" in fences[-1]
