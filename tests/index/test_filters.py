"""Filters as the index sees them: any date that can be written can be asked for."""

import pytest

from notesd.index.filters import Filters, Span, narrowing


@pytest.mark.parametrize(
    "moment", ["0001-01-01", "1677-01-01", "1970-01-01", "2262-04-12", "2300-01-01", "9999-12-31"]
)
def test_dates_beyond_the_clock_are_the_ends_of_time(moment: str) -> None:
    """A bound that no file time can reach still is a number that the index takes."""
    narrowed = narrowing(Filters(modified=(Span(moment, moment),)))

    assert narrowed is not None
    assert all(-(2**63) <= int(str(value)) < 2**63 for value in narrowed[1])
