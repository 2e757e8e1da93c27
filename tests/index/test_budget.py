"""What a request may cost, and that reading an index ends there."""

import threading
from pathlib import Path

import pytest

from notesd.index.budget import QUICK_S, Abandoned, Budget, Meter, NotQuick, OverBudget
from notesd.index.store import Store

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


class Clock:
    """Seconds of CPU as the test says."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A database without anything in it."""
    return Store(str(tmp_path / "file.db"), create=True)


def test_what_is_over_budget_ends_and_may_be_wound_up() -> None:
    """After the limit there is a quarter of it again for the answer, and no more."""
    clock, budget = Clock(), Budget(1.0)
    meter = Meter(budget, clock=clock)
    meter.check()
    clock.now = 1.1
    with pytest.raises(OverBudget):
        meter.check()
    meter.wind_up()
    meter.check()
    assert meter.over
    clock.now = 1.3
    meter.check()
    clock.now = 1.4
    with pytest.raises(OverBudget):
        meter.check()


def test_however_often_it_is_wound_up_a_request_costs_half_as_much_again() -> None:
    """Each stage that ends early leaves the next ones less: half of it again altogether."""
    clock, budget = Clock(), Budget(1.0)
    meter = Meter(budget, clock=clock)
    for _ in range(20):
        with pytest.raises(OverBudget):  # noqa: PT012 -- the clock goes on until it is raised
            while True:
                meter.check()
                clock.now += 0.001
        meter.wind_up()
    assert 1.4 < clock.now < 1.53


def test_all_stretches_of_a_request_count_together() -> None:
    """A request does not get its budget anew with each index it reads."""
    clock, budget = Clock(), Budget(1.0)
    for _ in range(3):
        meter = Meter(budget, clock=clock)
        clock.now += 0.3
        meter.check()
        meter.end()
    meter = Meter(budget, clock=clock)
    clock.now += 0.3
    with pytest.raises(OverBudget):
        meter.check()


def test_a_quick_one_that_takes_long_is_begun_anew_elsewhere() -> None:
    """It is told from one that may cost no more."""
    clock = Clock()
    meter = Meter(Budget(1.0), quick=True, clock=clock)
    clock.now = QUICK_S * 2
    with pytest.raises(NotQuick):
        meter.check()
    assert not meter.over


def test_a_statement_is_broken_off_at_the_budget(store: Store) -> None:
    """Inside SQLite, too; the connection is as good as before."""
    with pytest.raises(OverBudget), store.read(Meter(Budget(0.05))) as reader:
        reader.rows(ENDLESS)
    with store.read() as reader:
        assert reader.value("SELECT 7") == 7


def test_a_statement_is_broken_off_when_nobody_waits(store: Store) -> None:
    """From another thread, while it runs."""
    budget, begun = Budget(), threading.Event()
    ended: list[type[BaseException]] = []

    def read() -> None:
        try:
            with store.read(Meter(budget)) as reader:
                begun.set()
                reader.rows(ENDLESS)
        except Abandoned as end:
            ended.append(type(end))

    thread = threading.Thread(target=read)
    thread.start()
    begun.wait(30)
    budget.abandoned = True
    thread.join(30)
    assert ended == [Abandoned]
