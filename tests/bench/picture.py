"""Ratios as horizontal bars, in SVG."""

from collections.abc import Mapping
from html import escape

BAR, GAP, LABEL, WIDE = 16, 10, 190, 420
COLOURS = ("#2a6f97", "#e09f3e", "#9e2a2b", "#6c757d", "#588157", "#a3b18a")


def bars(found: Mapping[str, Mapping[str, float]]) -> str:
    """One group of bars a figure, one bar a program, as long as its ratio to the first program.

    Args:
        found: Figures by program, then by name, each greater than or equal to 0.

    Returns:
        A document of SVG. A bar that is longer than four times the first one is cut there, with its figure.
    """
    names, at = list(found), GAP
    parts: list[str] = []
    for row, first in found[names[0]].items():
        if not first:
            continue
        parts.append(f'<text x="{LABEL - 8}" y="{at + BAR - 4}" text-anchor="end">{escape(row)}</text>')
        for number, name in enumerate(names):
            ratio = found[name][row] / first
            width = min(ratio, 4.0) / 4.0 * WIDE
            colour = COLOURS[number % len(COLOURS)]
            place = f'x="{LABEL}" y="{at}" width="{width:.1f}" height="{BAR - 2}"'
            parts.append(f'<rect {place} fill="{colour}"/>')
            said = f"{escape(name)} {ratio:.2f}"
            parts.append(f'<text x="{LABEL + width + 4:.1f}" y="{at + BAR - 4}">{said}</text>')
            at += BAR
        at += GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL + WIDE + 160}" height="{at}"'
    return f'{head} font-family="sans-serif" font-size="11">\n' + "\n".join(parts) + "\n</svg>\n"
