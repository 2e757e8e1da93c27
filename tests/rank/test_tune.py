"""Tuning: judged by openings alone, chosen on one half, tried on the other."""

import pytest
from msgspec import structs

from notesd.rank import tune
from notesd.rank.tune import Component, Event
from notesd.settings import Limbic

CONSTANTS = Limbic()


def event(
    *candidates: tuple[float, float, float], opened: int | None = None, held: int = 0, blend: str = "bounded"
) -> Event:
    """A search with candidates of score, importance and company; ``opened`` is the one chosen after it."""
    components = tuple(
        Component(n, score, 0.5, importance, 1.0, cooc, 0.0, importance > 0, n)
        for n, (score, importance, cooc) in enumerate(candidates, 1)
    )
    chosen = frozenset() if opened is None else frozenset({opened})
    return Event(True, "hybrid_balanced", blend, held, 0, components, chosen)


CLOSE = ((0.0200, 0.0, 0.0), (0.0195, 0.2, 0.0))
"""Importance .2 lifts the second by 2 % with BETA_SAL .5, by 4 % with 1: only the latter passes 2.6 %."""


def test_constants_move_notes() -> None:
    """An event is ordered anew from what was logged of it."""
    one = event(*CLOSE)
    assert tune.plain_order(one) == [1, 2]
    assert tune.order_with(one, CONSTANTS) == [1, 2]
    assert tune.order_with(one, structs.replace(CONSTANTS, BETA_SAL=1.0)) == [2, 1]
    held = event(*CLOSE, held=1)
    assert tune.order_with(held, structs.replace(CONSTANTS, BETA_SAL=1.0)) == [1, 2]


def test_the_published_blend_is_ordered_its_own_way() -> None:
    """Relevance is the same for both, so the limbic score decides."""
    one = event((0.02, 0.0, 0.0), (0.01, 0.0, 50.0), blend="published")
    assert tune.order_with(one, CONSTANTS) == [2, 1]


def test_searches_without_an_opening_say_nothing() -> None:
    """They are counted nowhere."""
    found = tune.compare([event(*CLOSE), event(*CLOSE, opened=2)], tune.plain_order, tune.plain_order)
    assert (found.searches, found.gain, found.interval) == (1, 0.0, (0.0, 0.0))
    assert found.ndcg_before == pytest.approx(1 / 1.5849625007)


def test_better_constants_are_found_and_tried_on_the_other_half() -> None:
    """Both halves prefer the second note."""
    found = tune.tune([event(*CLOSE, opened=2)] * 60, CONSTANTS)
    assert found is not None
    assert found.beta_sal == 1.0
    assert (found.train.searches, found.test.searches) == (30, 30)
    assert found.test.gain == pytest.approx(1 - 1 / 1.5849625007)
    assert found.test.interval.low > 0


def test_the_later_half_is_not_chosen_on() -> None:
    """What only the later half prefers is not found; what only the earlier one does is seen to fail."""
    first, second = [event(*CLOSE, opened=1)] * 30, [event(*CLOSE, opened=2)] * 30
    kept = tune.tune([*first, *second], CONSTANTS)
    assert kept is not None
    assert (kept.gamma, kept.beta_sal) == (CONSTANTS.GAMMA, CONSTANTS.BETA_SAL)
    fooled = tune.tune([*second, *first], CONSTANTS)
    assert fooled is not None
    assert fooled.train.gain > 0
    assert fooled.test.gain < 0
    assert fooled.test.interval.high < 0


def test_today_wins_a_tie() -> None:
    """Nothing to choose from changes nothing."""
    found = tune.tune([event((0.02, 0.0, 0.0), (0.01, 0.0, 0.0), opened=1)] * 60, CONSTANTS)
    assert found is not None
    assert (found.gamma, found.beta_sal, found.test.gain) == (0.01, 0.5, 0.0)


def test_too_few_to_split() -> None:
    """One opening cannot both choose and judge."""
    assert tune.tune([event(*CLOSE, opened=2), *[event(*CLOSE)] * 60], CONSTANTS) is None


def test_a_step_is_a_tenth_of_the_way() -> None:
    """``0.9 * old + 0.1 * best``."""
    assert tune.stepped(0.01, 0.1) == pytest.approx(0.019)


def test_a_search_for_constants_can_be_ended() -> None:
    """A daemon that stops does not wait for it."""

    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        tune.tune([event(*CLOSE, opened=2)] * 60, CONSTANTS, going=stop)


def test_many_pairs_look_at_the_latest_searches_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is bounded, whatever is asked for."""
    monkeypatch.setattr(tune, "MOST_ORDERS", 200)
    found = tune.tune([event(*CLOSE, opened=2)] * 500, CONSTANTS, [0.1, 0.2], [0.1, 0.5])
    assert found is not None
    assert found.train.searches + found.test.searches == 50
