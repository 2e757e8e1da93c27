"""The daemon, whose processes that read notes are killed at their first note as long as a file exists.

Run as a program, like ``notesd``; ``KILLED_WHILE`` names the file.
"""

import os
import sys
from typing import Any

import fake_worker

from notesd.cli.main import main
from notesd.files import pool
from notesd.files.pool import Pool


class _HastyPool(Pool):
    """It waits for what is not a note's fault for a moment only."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{**settings, "patience_s": 0.3})


if __name__ == "__main__":
    from notesd.ingest import follow

    vars(follow)["Pool"] = _HastyPool
    vars(pool)["COMMAND"] = (sys.executable, "-P", fake_worker.__file__)
    vars(pool)["LARGE_BYTES"] = 1000
    os.environ["FAKE_WORKER"] = f"killed while {os.environ['KILLED_WHILE']}"
    sys.exit(main(sys.argv[1:]))
