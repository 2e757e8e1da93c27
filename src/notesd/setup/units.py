"""What do systemd and launchd have to be told, so that the daemon runs from login to logout?

Texts alone: nothing is read or written here. The service may do what the daemon does and no more: read
everything, write into its own folders, talk over Unix sockets.
"""

import plistlib
from collections.abc import Mapping, Sequence

from msgspec import Struct

SERVICE, SOCKET = "notesd.service", "notesd.socket"
AGENT = "notesd.plist"
LABEL = "notesd"
"""What launchd calls it."""
MARK = "Written by `notesd service install`"
"""Stands in each file, so that nobody else's is overwritten or removed."""

_HEAD = f"# {MARK}; what is changed here is lost at the next one.\n"
_PLAIN = """\
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
"""
"""Works wherever systemd does."""
_NAMESPACES = """\
PrivateUsers=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=read-only
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
"""
"""Needs namespaces, which some systems do not let users have."""


class Program(Struct, frozen=True):
    """What is to be run."""

    words: Sequence[str]
    """The command line of the daemon."""
    environment: Mapping[str, str]
    """Variables that it is to see."""
    socket: str
    """Absolute, as are the folders below."""
    own: Sequence[str]
    """Folders that it writes into."""
    log: str
    """Where launchd is to put what it says; systemd has a journal."""


def systemd_units(program: Program, *, namespaces: bool) -> dict[str, str]:
    """Return the files of the systemd user units, by name.

    Args:
        program: What is to be run.
        namespaces: Whether everything but its own folders is read-only to it.

    Source: systemd.service(5), systemd.socket(5), systemd.exec(5).
    """
    environment = [f"Environment={_quoted(f'{name}={value}')}" for name, value in program.environment.items()]
    lines = [
        "[Unit]",
        "Description=notesd, search for folders of notes",
        "",
        "[Service]",
        "Type=notify",
        "NotifyAccess=main",
        f"Sockets={SOCKET}",
        *environment,
        f"ExecStart={' '.join(_quoted(word, command=True) for word in program.words)}",
        "Restart=on-failure",
        "RestartSec=5",
        "WatchdogSec=180",
        f"{_PLAIN}{_NAMESPACES if namespaces else ''}".rstrip("\n"),
        *(f"ReadWritePaths={_quoted('-' + folder)}" for folder in program.own if namespaces),
        "",
        "[Install]",
        "WantedBy=default.target",
        f"Also={SOCKET}",
    ]
    socket = [
        "[Unit]",
        "Description=notesd, where it is asked",
        "",
        "[Socket]",
        f"ListenStream={program.socket.replace('%', '%%')}",
        "SocketMode=0600",
        "DirectoryMode=0700",
        "Backlog=512",
        "RemoveOnStop=yes",
        "",
        "[Install]",
        "WantedBy=sockets.target",
    ]
    return {SERVICE: _HEAD + "\n".join(lines) + "\n", SOCKET: _HEAD + "\n".join(socket) + "\n"}


def launchd_agent(program: Program) -> str:
    """Return the property list of the launchd agent. Source: launchd.plist(5)."""
    table = {
        "Label": LABEL,
        "ProgramArguments": list(program.words),
        "EnvironmentVariables": dict(program.environment),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
        "Umask": 0o077,
        "StandardOutPath": program.log,
        "StandardErrorPath": program.log,
    }
    text = plistlib.dumps(table, sort_keys=False).decode()
    head, begin, rest = text.partition("<plist")
    return f"{head}<!-- {MARK}. -->\n{begin}{rest}"


def _quoted(text: str, *, command: bool = False) -> str:
    """Write a word so that systemd reads it as it is. Source: systemd.syntax(7), systemd.service(5)."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("\n", "\\n")
    if command:
        escaped = escaped.replace("$", "$$")
    return f'"{escaped}"'
