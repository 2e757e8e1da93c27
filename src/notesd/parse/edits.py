"""How many slips of the keyboard lie between two words?"""


def distance(one: str, other: str, most: int) -> int:
    """Count the letters that have to be changed, left out, put in, or swapped with their neighbour.

    Args:
        one: A word.
        other: Another.
        most: Beyond that the count does not matter; ``most + 1`` is returned.

    Source: optimal string alignment, the restricted form of F. J. Damerau, "A technique for computer
    detection and correction of spelling errors", CACM 7 (1964).
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, second in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != second))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == second:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)
