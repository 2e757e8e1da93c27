"""What a person reads of links in an account."""

from notesd.cli import account
from notesd.cli.render import Style

SHARE = {"list": "lexical", "rank": 2, "weight": 1.0, "evidence": 1.0, "share": 1 / 62}
HIT = {
    "score": 0.03,
    "channels": {"graph": {"rank": 1, "via": ["Harbour.md", "Bad\x1b[2J.md"]}},
    "explain": {"lists": [{**SHARE, "list": "graph"}], "fused": [SHARE], "words": []},
}


def test_a_hit_names_what_it_is_linked_with() -> None:
    """The notes that led to it stand in its account, with what the channels gave it before; no controls."""
    score, fused, linked, _ = account.of_hit(HIT)

    assert "from graph (rank 2" in score
    assert fused.startswith("fused = 0.01613 from lexical (rank 2")
    assert linked.startswith("linked with Harbour.md, Bad")
    assert "\x1b" not in linked


def test_an_answer_says_what_links_were_allowed_to_do() -> None:
    """Gate, seeds and number of neighbours stand among the account of a space; none without links."""
    space = {"links": {"gate": "closed", "seeds": ["A.md", "B.md"], "neighbours": 7}}

    told = account.of_answer({"explain": {"spaces": {"notes": space, "other": {}}}}, Style(colour=False))

    assert told.count("links:") == 1
    assert "    links: gate closed; 7 from A.md, B.md\n" in told
