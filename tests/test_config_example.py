"""config.example.toml: the documentation of the configuration is true."""

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from notesd.config import load
from notesd.settings import Config, SpaceConfig

EXAMPLE = Path(__file__).parents[1] / "config.example.toml"


def test_the_example_loads() -> None:
    """The documented configuration is a good one."""
    config = load(str(EXAMPLE), {"HOME": "/home/ana"})

    assert config == msgspec.structs.replace(Config(), spaces=(SpaceConfig("notes", "/home/ana/notes"),))


def test_the_example_shows_every_key_with_its_default() -> None:
    """config.example.toml holds each key that exists, and no other, with its default."""
    example: dict[str, Any] = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))
    defaults = msgspec.json.decode(msgspec.json.encode(Config()))
    spaces = example.pop("spaces")
    del defaults["spaces"]

    assert example == defaults
    # Keys whose default is "as in [search]" can only be shown as remarks.
    remarks = set(re.findall(r"^# (\w+) = ", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE))
    fields = {field.name: field.default for field in msgspec.structs.fields(SpaceConfig)}
    assert set(spaces["notes"]) | remarks == fields.keys() - {"name"}
    assert {name for name, default in fields.items() if default is None} == remarks
    assert spaces["notes"]["gitignore"] is fields["gitignore"]
    assert spaces["notes"]["demote"] == list(SpaceConfig("x", "/x").demote)
    assert spaces["notes"]["extensions"] == list(SpaceConfig("x", "/x").extensions)
    assert spaces["notes"]["ignore"] == list(SpaceConfig("x", "/x").ignore)
