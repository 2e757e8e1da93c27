"""``python -m notesd`` is the same as ``notesd``."""

from notesd.cli.main import entry

entry()
