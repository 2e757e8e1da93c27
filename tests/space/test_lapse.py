"""A sleep of the machine and a set clock are noticed; ordinary time is not."""

from types import SimpleNamespace

import pytest

from notesd.space.lapse import Lapse


class Clocks:
    """The three clocks of a machine."""

    def __init__(self) -> None:
        self.monotonic_s, self.slept_s, self.wall_s = 100.0, 0.0, 1_700_000_000.0

    def pass_by(self, awake: float, asleep: float = 0.0, set_by: float = 0.0) -> None:
        self.monotonic_s += awake
        self.slept_s += asleep
        self.wall_s += awake + asleep + set_by


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Clocks:
    """Clocks that are moved by hand; a machine may lack the one that counts sleep."""
    found = Clocks()
    known = {} if getattr(request, "param", "") == "no boot clock" else {"CLOCK_BOOTTIME": 7}
    clock = SimpleNamespace(
        monotonic=lambda: found.monotonic_s,
        time=lambda: found.wall_s,
        clock_gettime=lambda _: found.monotonic_s + found.slept_s,
        **known,
    )
    monkeypatch.setattr("notesd.space.lapse.time", clock)
    return found


@pytest.mark.parametrize(
    ("awake", "asleep", "set_by", "expected"),
    [
        pytest.param(86_400, 0, 0, False, id="a day at work"),
        pytest.param(1, 0.5, 0, False, id="half a second lost"),
        pytest.param(1, 30, 0, True, id="a short sleep"),
        pytest.param(1, 0, 3, False, id="a time server's step"),
        pytest.param(1, 0, 3600, True, id="set forward"),
        pytest.param(1, 0, -3600, True, id="set back"),
        pytest.param(1, 3600, -3600, True, id="a sleep that a set clock hides"),
    ],
)
def test_lapses(clocks: Clocks, awake: float, asleep: float, set_by: float, *, expected: bool) -> None:
    """Each is told once."""
    lapse = Lapse()
    assert not lapse.happened()

    clocks.pass_by(awake, asleep, set_by)

    assert lapse.happened() is expected
    assert not lapse.happened()


@pytest.mark.parametrize("clocks", ["no boot clock"], indirect=True)
def test_a_sleep_without_a_clock_that_counts_it(clocks: Clocks) -> None:
    """The wall clock has run ahead, which says the same."""
    lapse = Lapse()

    clocks.pass_by(1, asleep=3600)

    assert lapse.happened()
