"""What is owed stays owed until it is committed, whatever happens in between."""

from collections.abc import Callable

import pytest

from notesd.ingest.ledger import CROWD, Account, Debt, Ledger


class Clock:
    """Time as the test wants it."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """It stands still."""
    return Clock()


@pytest.fixture
def ledger(clock: Clock) -> Ledger:
    """One whose index has been compared with its folder."""
    ledger = Ledger(clock)
    with ledger.working_off(ledger.answering):
        pay(ledger.answering)
    return ledger


def pay(account: Account, *found: str) -> None:
    """Walk, find these notes to differ, and commit them."""
    account.take(whole=True)
    account.found(found)
    account.committed(found, 1)


def failing(ledger: Ledger, steps: Callable[[], None]) -> None:
    """Work off what is owed by steps that fail."""
    with pytest.raises(OSError, match="full"), ledger.working_off(ledger.answering):
        steps()


def files(ledger: Ledger) -> int:
    return ledger.debt().files


def test_before_the_first_walk_everything_is_owed() -> None:
    """How much that is nobody knows, and that is said."""
    ledger = Ledger()

    assert ledger.debt() == Debt(1, counted=False, generation=0)


def test_a_walk_tells_how_much_is_owed() -> None:
    """From then on each commit makes it less."""
    ledger = Ledger()
    ledger.answering.take(whole=True)
    assert ledger.debt() == Debt(1, counted=False, generation=0)
    ledger.answering.found(f"{number}.md" for number in range(9))
    assert ledger.debt() == Debt(9, counted=True, generation=0)
    ledger.answering.committed(["1.md", "2.md"], 4)
    assert ledger.debt() == Debt(7, counted=True, generation=4)


def test_a_mark_is_owed_through_every_stage(ledger: Ledger) -> None:
    """Left, taken, found, committed; and still while the pass is not over."""
    account = ledger.answering
    assert files(ledger) == 0
    ledger.mark("a.md")
    assert files(ledger) == 1
    with ledger.working_off(account):
        assert account.take(whole=False) == {"a.md"}
        assert files(ledger) == 1
        account.found(["a.md"])
        assert files(ledger) == 1
        account.committed(["a.md"], 2)
        assert files(ledger) == 1
    assert files(ledger) == 0


def test_a_mark_that_comes_while_its_note_is_read_stays(ledger: Ledger) -> None:
    """What was read may be what was there before it."""
    account = ledger.answering
    ledger.mark("a.md")
    with ledger.working_off(account):
        account.take(whole=False)
        account.found(["a.md"])
        ledger.mark("a.md")
        account.committed(["a.md"], 2)
    assert files(ledger) == 1
    assert account.take(whole=False) == {"a.md"}


def test_a_failed_pass_gives_back_what_it_did_not_commit(ledger: Ledger) -> None:
    """What it did commit is paid."""
    account = ledger.answering
    ledger.mark("folder")

    def steps() -> None:
        account.take(whole=False)
        account.found(["folder/a.md", "folder/b.md"], ["folder/c.png"])
        account.committed(["folder/a.md"], 2)
        raise OSError("full")

    failing(ledger, steps)
    assert account.take(whole=False) == {"folder/b.md", "folder/c.png"}


def test_a_failed_pass_that_had_not_compared_yet_gives_back_its_marks(ledger: Ledger) -> None:
    """And a walk that did not come to its end is a doubt."""
    account = ledger.answering
    ledger.mark("folder")

    def steps() -> None:
        account.take(whole=True)
        raise OSError("full")

    failing(ledger, steps)
    assert account.doubtful
    assert account.take(whole=True) == {"folder"}


def test_a_doubt_is_not_settled_by_a_look_at_some_paths(ledger: Ledger) -> None:
    """Only a walk settles it."""
    account = ledger.answering
    ledger.mark(None)
    with ledger.working_off(account):
        account.take(whole=False)
        account.found([])
    assert files(ledger) == 1
    with ledger.working_off(account):
        pay(account)
    assert files(ledger) == 0


def test_attachments_are_owed_but_not_counted(ledger: Ledger) -> None:
    """Nobody reads them; links to them may change all the same."""
    account = ledger.answering
    account.take(whole=True)
    account.found(["a.md"], ["b.png", "c.png"])
    assert files(ledger) == 1
    account.committed(["a.md"], 2)
    assert files(ledger) == 1
    account.committed(["b.png", "c.png"], 3)
    account.done()
    assert files(ledger) == 0


def test_both_indexes_owe_a_mark_until_each_has_taken_it_in(ledger: Ledger) -> None:
    """What goes into the one that answers does not count for the one that is built."""
    new, old = ledger.begin_successor(), ledger.answering
    ledger.mark("a.md")
    with ledger.working_off(old):
        assert old.take(whole=False) == {"a.md"}
        old.found(["a.md"])
        old.committed(["a.md"], 2)
    assert files(ledger) == 0
    ledger.succeed(7)
    assert ledger.answering is new
    assert ledger.debt() == Debt(1, counted=True, generation=7)
    assert new.take(whole=False) == {"a.md"}


def test_marks_that_came_with_the_walk_of_a_build_are_owed_to_it(ledger: Ledger) -> None:
    """The walk may have passed there already."""
    ledger.answering.take(whole=True)
    ledger.mark("late.md")
    assert ledger.begin_successor().take(whole=False) == {"late.md"}


def test_a_build_that_fails_costs_the_old_index_nothing(ledger: Ledger) -> None:
    """What was taken for the build goes back to the one that answers."""
    ledger.mark("a.md")
    with ledger.working_off(ledger.answering):
        ledger.answering.take(whole=True)
        ledger.begin_successor()
        ledger.answering.put_back()
        assert files(ledger) == 1
        ledger.drop_successor()
    assert not ledger.answering.doubtful
    assert ledger.answering.take(whole=False) == {"a.md"}


def test_an_outdated_index_is_as_far_behind_as_its_successor(ledger: Ledger) -> None:
    """No change makes it current; only the other one can."""
    new = ledger.begin_successor()
    ledger.answering.outdated = True
    assert files(ledger) == 1
    new.found(["a.md", "b.md", "c.md"])
    assert files(ledger) == 3
    new.committed(["a.md", "b.md", "c.md"], 1)
    new.done()
    ledger.succeed(2)
    assert files(ledger) == 0


def test_a_crowd_of_marks_is_a_doubt(ledger: Ledger) -> None:
    """A walk is cheaper than so many looks."""
    for number in range(CROWD + 1):
        ledger.mark(f"{number}.md")
    assert ledger.answering.doubtful
    assert files(ledger) == CROWD + 1


def test_lags_run_from_the_first_mark_to_the_end_of_the_pass(ledger: Ledger, clock: Clock) -> None:
    """A note that was marked twice waited since the first time."""
    ledger.mark("a.md")
    clock.now = 2.0
    ledger.mark("a.md")
    with ledger.working_off(ledger.answering):
        ledger.answering.take(whole=False)
        clock.now = 3.0
        ledger.answering.found(["a.md"])
    assert list(ledger.lags) == [3.0]


def test_marks_are_ripe_after_a_pause_or_at_the_latest(ledger: Ledger, clock: Clock) -> None:
    """A stream of marks without a pause is looked at all the same."""
    account = ledger.answering
    assert account.ripe(1, 10) is None
    for clock.now in range(12):
        ledger.mark("a.md")
    assert account.ripe(1, 10) == 10
    clock.now = 20.0
    account.take(whole=False)
    ledger.mark("a.md")
    assert account.ripe(1, 10) == 21


def test_a_folder_that_is_marked_makes_all_in_it_owed(ledger: Ledger) -> None:
    """Its neighbours are not."""
    ledger.mark("a/b")
    owes = ledger.answering.owes
    assert [path for path in ("a/b", "a/b/c.md", "a/bc.md", "a") if owes(path)] == ["a/b", "a/b/c.md"]
