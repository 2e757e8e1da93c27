"""Whose is it: what is not ours, or can be written to by others, is refused where it is opened."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from notesd import trust
from notesd.errors import StoreError
from notesd.ownership import NAME, Ownership, is_held, owner_of

OTHER = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_an_own_file_is_made_private(tmp_path: Path) -> None:
    """Whatever its mode was, nobody else reads or writes it afterwards."""
    file = tmp_path / "file"
    file.touch(mode=0o666)
    file.chmod(0o666)
    os.close(trust.open_own(str(file), os.O_RDWR))

    assert mode(file) == 0o600


def _symbolic(path: Path, target: Path) -> None:
    path.symlink_to(target)


def _dangling(path: Path, target: Path) -> None:
    path.symlink_to(target.with_name("nowhere"))


def _hard(path: Path, target: Path) -> None:
    path.hardlink_to(target)


def _pipe(path: Path, _target: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("make", [_symbolic, _dangling, _hard, _pipe])
def test_what_is_no_file_of_ours_is_not_opened_for_writing(
    tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    """A link leads to another file, which is neither made nor changed."""
    target, path = tmp_path / "precious", tmp_path / "file"
    target.write_text("precious")
    make(path, target)
    with pytest.raises(trust.Untrusted):
        trust.open_own(str(path), os.O_RDWR | os.O_CREAT)

    assert target.read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("make", [_symbolic, _dangling, _hard], ids=lambda make: str(make.__name__))
def test_a_lock_that_is_a_link_never_costs_the_file_behind_it(
    tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    """A daemon does not start on it, and says which file is wrong."""
    state, target = tmp_path / "state", tmp_path / "precious"
    state.mkdir()
    target.write_text("precious\n")
    make(state / NAME, target)
    with pytest.raises(StoreError, match=NAME):
        Ownership(str(state))

    assert target.read_text() == "precious\n"


def test_a_lock_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    """What notesd never wrote, it does not overwrite."""
    (tmp_path / NAME).write_text("my shopping list\n")
    with pytest.raises(StoreError, match="never wrote"):
        Ownership(str(tmp_path))

    assert (tmp_path / NAME).read_text() == "my shopping list\n"


@pytest.mark.parametrize("left", [b"", b"123\n", b"123\n/run/s\n{}\n", b"\0" * 40], ids=str)
def test_what_a_killed_daemon_left_is_replaced(tmp_path: Path, left: bytes) -> None:
    """Also by an earlier version, and after a power cut."""
    (tmp_path / NAME).write_bytes(left)
    Ownership(str(tmp_path)).close()

    assert (tmp_path / NAME).read_bytes() == b""


def test_the_lock_says_where_the_daemon_is(tmp_path: Path) -> None:
    """Process, socket and facts; after the end it says nothing and is not held."""
    owned = Ownership(str(tmp_path))
    assert (owner := owner_of(str(tmp_path)))
    assert (owner.pid, owner.socket) == (os.getpid(), "")
    owned.tell("/run/ü\udce9/s", {"version": "1"})
    assert (owner := owner_of(str(tmp_path)))
    assert (owner.socket, owner.facts) == ("/run/ü\udce9/s", {"version": "1"})
    assert is_held(str(tmp_path))
    owned.close()

    assert owner_of(str(tmp_path)) is None
    assert not is_held(str(tmp_path))


@pytest.mark.parametrize("harm", ["removed", "changed", "emptied"])
def test_the_lock_says_it_again_when_somebody_changed_it(tmp_path: Path, harm: str) -> None:
    """The next look of the daemon at itself mends it."""
    owned = Ownership(str(tmp_path))
    owned.tell("/run/s", {})
    if harm == "removed":
        (tmp_path / NAME).unlink()
    else:
        (tmp_path / NAME).write_text("77\n/tmp/elsewhere\n" if harm == "changed" else "")
    owned.renew()
    owner = owner_of(str(tmp_path))
    owned.close()

    assert owner
    assert (owner.pid, owner.socket) == (os.getpid(), "/run/s")


def test_a_state_folder_that_was_open_is_closed_and_said(tmp_path: Path) -> None:
    """Others could write to it: it is private from now on, and what was open is named."""
    for path in (tmp_path / "state", tmp_path / "state" / "spaces"):
        path.mkdir()
        path.chmod(0o777)
    (tmp_path / "state" / "usage.db").touch()
    (tmp_path / "state" / "usage.db").chmod(0o666)
    owned = Ownership(str(tmp_path / "state"))
    owned.close()

    state = tmp_path / "state"
    assert sorted(owned.opened_to_others) == [str(state), str(state / "spaces"), str(state / "usage.db")]
    assert [mode(tmp_path / "state" / part) for part in ("", "spaces", "usage.db")] == [0o700, 0o700, 0o600]


@pytest.mark.parametrize(
    "part", ["usage.db", "spaces/0123/index-000001-01234567.db", "vectors/one.db", "spaces"]
)
def test_no_link_is_followed_to_a_file_of_the_state(tmp_path: Path, part: str) -> None:
    """Wherever in the folder it is; what it leads to stays as it is."""
    path, target = tmp_path / "state" / part, tmp_path / "target"
    path.parent.mkdir(parents=True)
    target.touch()
    path.symlink_to(target)
    with pytest.raises(StoreError, match="is a link"):
        Ownership(str(tmp_path / "state"))


@as_root
@pytest.mark.parametrize("part", [".", "usage.db", NAME, "spaces"])
def test_a_state_folder_of_another_user_is_refused(tmp_path: Path, part: str) -> None:
    """Whole or in part; the sentence names whose it is."""
    state = tmp_path / "state"
    state.mkdir()
    (state / "spaces").mkdir()
    for name in ("usage.db", NAME):
        (state / name).touch()
    os.chown(state / part, OTHER, OTHER)
    with pytest.raises(StoreError, match=f"another user \\(uid {OTHER}"):
        Ownership(str(state))


@as_root
def test_nothing_of_root_is_left_in_the_home_of_another_user(tmp_path: Path) -> None:
    """As with a ``sudo`` that keeps the home: the state would be out of its owner's reach ever after."""
    os.chown(tmp_path, OTHER, OTHER)
    with pytest.raises(StoreError, match="another user"):
        Ownership(str(tmp_path / ".local" / "state" / "notesd"))

    assert list(tmp_path.iterdir()) == []


@as_root
def test_what_is_not_ours_by_name_may_be_anybody_s(tmp_path: Path) -> None:
    """The root of a disk has a ``lost+found``, which no user can even list."""
    (tmp_path / "lost+found").mkdir(mode=0o700)
    os.chown(tmp_path / "lost+found", OTHER, OTHER)
    (tmp_path / "note to myself").symlink_to("nowhere")
    Ownership(str(tmp_path)).close()

    assert (tmp_path / "lost+found").stat().st_uid == OTHER


def test_a_state_folder_may_be_a_link_of_its_user(tmp_path: Path) -> None:
    """Who keeps it on another disk says so with a link of his own."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "state").symlink_to("disk")
    Ownership(str(tmp_path / "state")).close()

    assert (tmp_path / "disk" / NAME).exists()


@as_root
def test_a_link_of_another_user_to_the_state_is_refused(tmp_path: Path) -> None:
    """It could lead elsewhere tomorrow."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "state").symlink_to("disk")
    os.chown(tmp_path / "state", OTHER, OTHER, follow_symlinks=False)
    with pytest.raises(StoreError, match="another user"):
        Ownership(str(tmp_path / "state"))


def test_who_may_write_to_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else; but a group with nobody else in it is nobody else, as with a umask of 002."""
    file = tmp_path / "file"
    file.touch()

    def refused(bits: int, *, own_group: bool) -> bool:
        file.chmod(bits)
        monkeypatch.setattr(trust, "_is_own_group", lambda _: own_group)
        try:
            os.close(trust.open_read(str(file), follow=False))
        except trust.Untrusted as error:
            return f"chmod go-w {file}" in str(error.strerror)
        return False

    assert [refused(bits, own_group=True) for bits in (0o644, 0o664, 0o666, 0o646)] == [
        False,
        False,
        True,
        True,
    ]
    assert [refused(bits, own_group=False) for bits in (0o644, 0o664, 0o666)] == [False, True, True]


def test_what_has_no_bytes_that_stay_is_not_read(tmp_path: Path) -> None:
    """A pipe is refused at once, whether anybody writes to it or not; the null device is empty."""
    path = tmp_path / "there"
    os.mkfifo(path, 0o600)
    for writing in (None, os.open(path, os.O_RDWR)):
        with pytest.raises(trust.Untrusted, match="no regular file"):
            trust.open_read(str(path), follow=True)
        if writing:
            os.close(writing)
    file = trust.open_read(os.devnull, follow=True)
    assert os.read(file, 10) == b""
    os.close(file)


def test_the_own_group_is_asked_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """First group of the user, of the same name, and nobody else in it."""
    import grp
    import pwd

    user = pwd.struct_passwd(("ada", "x", os.geteuid(), 1000, "", "/", "/"))
    monkeypatch.setattr(pwd, "getpwuid", lambda _: user)
    own = {}
    for case, (name, number, members) in {
        "own": ("ada", 1000, []), "herself": ("ada", 1000, ["ada"]), "more": ("ada", 1000, ["bob"]),
        "users": ("users", 1000, []), "second": ("ada", 1001, []),
    }.items():  # fmt: skip
        entry = grp.struct_group((name, "x", number, members))
        monkeypatch.setattr(grp, "getgrgid", lambda _, entry=entry: entry)
        own[case] = trust._is_own_group(number)

    assert own == {"own": True, "herself": True, "more": False, "users": False, "second": False}


def test_a_socket_lies_where_nobody_else_can_replace_it(tmp_path: Path) -> None:
    """In a folder for everybody only when names there belong to who made them, as in /tmp."""
    tmp_path.chmod(0o1777)
    trust.check_shared_folder(str(tmp_path))
    tmp_path.chmod(0o777)
    with pytest.raises(trust.Untrusted, match="everybody"):
        trust.check_shared_folder(str(tmp_path))
    tmp_path.chmod(0o700)


def test_both_ends_of_a_socket_know_each_other() -> None:
    """User and process of the other end."""
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert trust.peer_of(one) == (os.geteuid(), os.getpid())
