"""How many slips of the keyboard lie between two words?"""


def distance(one: str, other: str, most: int) -> int:
    """Count the letters that have to be changed, left out, put in, or swapped with their neighbour.

    Args:
        one: A word.
        other: Another.
        most: Beyond that the count does not matter; ``most + 1`` is returned. Each more is four times the
            work.

    Source: optimal string alignment, the restricted form of F. J. Damerau, "A technique for computer
    detection and correction of spelling errors", CACM 7 (1964).
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    one, other = _apart(one, other)
    if not one or not other:
        return max(len(one), len(other))
    if most == 0:
        return 1
    # Their first letters differ, so the first slip is here.
    ways = [(one[1:], other[1:])] if len(one) == len(other) == 1 or most > 1 else []
    if len(one) > len(other) or most > 1:
        ways.append((one[1:], other))
    if len(one) < len(other) or most > 1:
        ways.append((one, other[1:]))
    if one[:2] == other[1::-1]:
        ways.append((one[2:], other[2:]))
    return min([1 + distance(*way, most - 1) for way in ways], default=most + 1)


def _apart(one: str, other: str) -> tuple[str, str]:
    """Return what is left of two words without what they begin and end with alike."""
    shorter = min(len(one), len(other))
    start = 0
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return one[start : len(one) - end], other[start : len(other) - end]
