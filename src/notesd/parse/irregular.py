"""Which forms of a word does no rule lead back to it?

Folded forms, as the index sees them. Forms that are a common word of their own ("left", "saw",
"found") are left out: people mostly mean that word.

Source: the lists of irregular verbs and plurals in school grammars of each language; the words are
facts, the choice is ours.
"""

from collections.abc import Mapping
from typing import Final

from notesd.parse.irregular_northern import FORMS as NORTHERN
from notesd.parse.irregular_southern import FORMS as SOUTHERN


def _forms(text: str, agreeing: str = "") -> dict[str, str]:
    """Read ``base form form ...; base form ...``.

    Args:
        text: The list.
        agreeing: Endings that a participle marked with ``+`` takes in place of its last ``o``, or behind it.
    """
    found: dict[str, str] = {}
    for words in map(str.split, text.split(";")):
        base, *forms = words
        for form in forms:
            stem = form.removesuffix("+").removesuffix("o") if agreeing.startswith("o ") else form[:-1]
            ways = (
                (f"{stem}{ending}" for ending in ("", *agreeing.split())) if form.endswith("+") else (form,)
            )
            found.update((way, base) for way in ways if way != base)
    return found


_AGREEING: Final = {"fr": "e s es", "es": "o a os as", "pt": "o a os as", "it": "o i a e", "ca": "s a es"}
"""Endings of a language that participles marked with ``+`` take."""
_LISTED: Final = {
    language: _forms(text, _AGREEING.get(language, ""))
    for language, text in (*NORTHERN.items(), *SOUTHERN.items())
}
BASE_FORMS: Final[Mapping[str, Mapping[str, str]]] = {
    **_LISTED,  # what may be Danish or Norwegian is told as Danish
    "da": _LISTED["no"] | _LISTED["da"],
    "no": _LISTED["da"] | _LISTED["no"],
}
"""Language -> form -> the word that it is a form of."""
