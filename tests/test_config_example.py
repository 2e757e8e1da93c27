"""config.example.toml: the documentation of the configuration is true."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from notesd.config import Config, SpaceConfig, load

EXAMPLE = Path(__file__).parents[1] / "config.example.toml"


def test_the_example_loads() -> None:
    """The documented configuration is a good one."""
    config = load(str(EXAMPLE), {"HOME": "/home/ana"})

    assert config == msgspec.structs.replace(Config(), spaces=(SpaceConfig("notes", "/home/ana/notes"),))


def test_the_example_shows_every_key_with_its_default() -> None:
    """config.example.toml holds each key that exists, and no other, with its default."""
    example: dict[str, Any] = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))
    defaults = msgspec.to_builtins(Config())
    spaces = example.pop("spaces")
    del defaults["spaces"]

    assert example == defaults
    assert set(spaces["notes"]) == {field.name for field in msgspec.structs.fields(SpaceConfig)} - {"name"}
    assert spaces["notes"]["ignore"] == list(SpaceConfig("x", "/x").ignore)
