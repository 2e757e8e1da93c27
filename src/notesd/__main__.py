"""``python -m notesd`` is the same as ``notesd``."""

import signal
import sys

_INTERRUPTED = 130
_interruptible = (
    signal.getsignal(signal.SIGINT) is signal.default_int_handler
)  # not so behind nohup, for instance
if _interruptible:
    # Ctrl-C while modules are imported ends the process in silence; Python would print where it was.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def entry() -> None:
    """Run the command line of this process and end it."""
    from notesd.cli import main  # noqa: PLC0415 - only now, see above

    try:
        if _interruptible:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        main.entry()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    entry()
