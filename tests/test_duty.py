"""What is done as long as the daemon lives goes on after whatever happens, and says what that was."""

import threading

import pytest

from notesd import duty as module
from notesd.duty import Duty
from notesd.errors import StoreError


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE_S", (0.001, 0.01))


def test_a_turn_that_fails_is_not_the_last(caplog: pytest.LogCaptureFixture) -> None:
    """Exceptions of any kind end a turn; the next one comes, until one says that it is the last."""
    duty, turns, troubles = Duty("a duty"), iter("osmx."), list[str | None]()

    def turn() -> bool:
        troubles.append(duty.state().trouble)
        match next(turns):
            case "o":
                raise OSError(13, "Permission denied", "/a/file")
            case "s":
                raise StoreError("the store is away")
            case "m":
                raise MemoryError
            case turn:
                return turn == "x"

    duty.keep(turn)

    unforeseen = "internal error: MemoryError; please report this"
    assert troubles == [None, "/a/file: Permission denied", "the store is away", unforeseen, None]
    assert duty.state().alive is False
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["a duty"] * 3
    assert [bool(record.exc_info) for record in caplog.records] == [False, False, True]


def test_the_same_trouble_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """A fault that lasts, or comes and goes, fills no log; since when it lasts is kept."""
    duty, since = Duty("a duty"), set[str | None]()
    for at in range(50):
        with duty.attempt():
            if at % 10:
                raise ValueError("again")
        if at < 10:
            since.add(duty.state().since)

    assert len(caplog.records) == 1
    assert len(since - {None}) == 1


def test_turns_after_failures_come_later_and_later() -> None:
    """The pause doubles up to its bound, and is none after a turn that went well."""
    duty, pauses = Duty("a duty"), list[float]()
    for fails in (True, True, True, True, True, False, True):
        with duty.attempt():
            if fails:
                raise ValueError
        pauses.append(duty.pause_s)

    assert pauses == [0.001, 0.002, 0.004, 0.008, 0.01, 0.0, 0.001]


def test_a_long_turn_after_a_failure_goes_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that has been waiting for work ever since is in no trouble any more."""
    duty = Duty("a duty")
    duty.fail(ValueError("once"))
    assert duty.state().trouble

    monkeypatch.setattr(module, "WELL_S", 0.0)

    assert duty.state().trouble is None


def test_a_duty_that_fails_for_ever_can_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of the daemon need not wait for the end of a pause."""
    monkeypatch.setattr(module, "PAUSE_S", (3600.0, 3600.0))
    failed = threading.Event()
    duty = Duty("a duty", failed.set)

    def turn() -> bool:
        raise ValueError

    thread = threading.Thread(target=duty.keep, args=(turn,))
    thread.start()
    failed.wait(10)
    assert duty.state().alive

    duty.end()
    thread.join(10)

    assert not thread.is_alive()
    assert not duty.state().alive


def test_an_exception_that_is_to_end_everything_does(caplog: pytest.LogCaptureFixture) -> None:
    """An interrupt is nobody's failure."""
    with pytest.raises(KeyboardInterrupt), Duty("a duty").attempt():
        raise KeyboardInterrupt
    assert not caplog.records
