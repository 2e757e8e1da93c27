"""Which blend a question gets."""

import time

import pytest

from notesd.rank.route import Route, detect_query_type
from notesd.settings import Routing

NONE = Routing()


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        pytest.param("¿Qué es un volcán?", 5, Route("cosine_heavy", 2), id="factual, four words"),
        pytest.param("que es", 5, Route("cosine_heavy", 3), id="without the accent, and short"),
        pytest.param("what is a volcano and what is lava", 5, Route("cosine_heavy", 2), id="a group once"),
        pytest.param(
            "how does a heat pump really work in winter", 5, Route("cosine_heavy", 2), id="with a gap"
        ),
        pytest.param("how does work", 5, Route("hybrid_balanced", 1), id="a gap is a word at least"),
        pytest.param("diferencia entre gato y perro", 5, Route("hybrid_balanced", 1), id="intermediate"),
        pytest.param("relación entre gato y perro", 5, Route("hybrid_balanced", -1), id="both of two groups"),
        pytest.param(
            "dime todo sobre los gatos", 10, Route("limbic_heavy", -3), id="exploratory, many wanted"
        ),
        pytest.param("explícame los gatos de la casa", 5, Route("limbic_heavy", -2), id="exploratory"),
        pytest.param("EXPLAIN the cats of the house", 5, Route("limbic_heavy", -2), id="case"),
        pytest.param("gato", 10, Route("hybrid_balanced", 0), id="short, many wanted"),
        pytest.param("gato", 3, Route("cosine_heavy", 2), id="short, few wanted"),
        pytest.param("a b c d e f g h i j", 10, Route("limbic_heavy", -2), id="long, many wanted"),
        pytest.param("el resto es unidad de todo", 5, Route("hybrid_balanced", 0), id="no part of a word"),
        pytest.param("the thesis abides so it is", 5, Route("hybrid_balanced", 0), id="nor in English"),
        pytest.param("", 5, Route("hybrid_balanced", 1), id="nothing"),
    ],
)
def test_routes(text: str, limit: int, expected: Route) -> None:
    """The published points."""
    assert detect_query_type(text, limit, NONE) == expected


def test_key_words_of_other_languages() -> None:
    """Configured ones count beside the built-in ones."""
    more = Routing(factual=("was ist",), exploratory=("erzähl ... alles",))
    assert detect_query_type("Was ist eine Wärmepumpe genau", 5, more).strategy == "cosine_heavy"
    assert detect_query_type("erzahl mir bitte alles von dort", 5, more).strategy == "limbic_heavy"
    assert detect_query_type("what is a heat pump", 5, more).strategy == "cosine_heavy"


def test_a_hostile_text_takes_no_time() -> None:
    """A gap is bounded, so a text full of beginnings ends soon."""
    began = time.process_time()
    detect_query_type("how does " * 450, 5, NONE)
    assert time.process_time() - began < 5
