"""How does a person read why a result stands where it stands, and why a note is not there?"""

from collections.abc import Iterable, Mapping, Sequence

from notesd.cli.render import Answer, Style, clean, counted, flow, mapping, records, words

_MOST_LISTED = 12
"""Things of one kind on a line; who wants all of them has ``--json``."""
_LISTS = {
    "lexical": "words",
    "semantic": "meaning",
    "exact": "name",
    "phrase": "text word by word",
    "near": "all words close together",
    "every": "every word",
    "named": "a name within the question",
    "across": "meaning in another language",
    "awaited": "words, until its meaning is known",
}
"""What the lists of an account are called."""
_LANGUAGES = {
    "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "hu": "Hungarian", "it": "Italian", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "tr": "Turkish",
}  # fmt: skip
"""Languages by their codes."""


def of_hit(hit: Answer) -> list[str]:
    """Return the account of one result: what each list gave it, and where the words stand."""
    told = mapping(hit.get("explain"))
    if not told:
        return []
    raw = [
        f"{flow(key)} {_number(value)}"
        for facts in mapping(hit.get("channels")).values()
        for key, value in mapping(facts).items()
        if isinstance(value, float)
    ]
    before = _sum(records(told.get("fused")))
    linked = words(mapping(mapping(hit.get("channels")).get("graph")).get("via"))
    return [
        f"score {_number(hit.get('score'))}{_sum(records(told.get('lists')))}",
        *([f"fused{before}"] if before else []),
        *([f"linked with {', '.join(map(flow, linked))}"] if linked else []),
        *_use(hit, mapping(told.get("use"))),
        "; ".join([*raw, *_first([*map(_word, records(told.get("words")))])]),
    ]


def _use(hit: Answer, told: Answer) -> Iterable[str]:
    """Return what use says of a result, nothing where it was not asked."""
    if told:
        scoring = mapping(hit.get("scoring")).items()
        factors = ", ".join(f"{flow(name)} {_number(value)}" for name, value in scoring)
        places = f"place {told.get('rank_before')} without use, {told.get('rank_after')} with it"
        limbic = f"limbic {_number(hit.get('limbic_score'))} of base {_number(told.get('base'))}"
        yield f"use: opened {counted(told.get('opened'), 'time')}; {limbic}, {factors}; {places}"


def of_answer(answer: Answer, style: Style) -> str:
    """Return how the question was understood and what came of it in each index.

    What the full-text index was asked is for programs, in the whole answer as JSON.
    """
    told = mapping(answer.get("explain"))
    query = mapping(told.get("query"))
    spaces = {name: mapping(space) for name, space in mapping(told.get("spaces")).items()}
    lines = ["", style.bold("How it was looked for")]
    groups = query.get("words")
    groups = groups if isinstance(groups, Sequence) else []
    lines += _listed("  words", [" OR ".join(map(flow, words(group))) for group in groups])
    lines += _listed("  phrases that have to occur", _quoted(query.get("phrases")))
    lines += _listed("  phrases that need not occur", _quoted(query.get("quotes")))
    lines += _listed("  stop words left out", [*map(flow, words(query.get("stop_words_dropped")))])
    demands = [_demand(one) for space in spaces.values() for one in records(space.get("filters"))]
    lines += _listed("  has to pass", list(dict.fromkeys(demands)))
    if query.get("truncated"):
        lines.append("  the query is long: only its beginning was looked for")
    for name, space in spaces.items():
        lines += _space(name, space, style)
    return "".join(f"{line}\n" for line in lines)


def why(account: Answer, style: Style) -> str:
    """Return why a note is, or is not, among the results."""
    lines = ["", style.bold(f"Why {flow(account.get('note', ''))}"), *_why(account)]
    for other in records(account.get("others")):
        lines += ["  also of that name:", *_why(other)]
    return "".join(f"{line}\n" for line in lines)


def _why(account: Answer) -> Iterable[str]:
    yield f"  {clean(account.get('sentence', ''))} ({flow(account.get('reason', ''))})"
    for one in records(account.get("filters")):
        if "has" in one:
            has = one["has"]
            there = ", ".join(map(flow, words(has))) if isinstance(has, list) else flow(has or "")
            yield f"  {_demand(one)}: the note has {there or 'none'}"
    if account.get("score"):
        yield f"  score {_number(account['score'])}{_sum(records(account.get('lists')))}"
    if held := records(account.get("words")):
        yield f"  {'; '.join(map(_word, held))}"


def _space(name: object, space: Answer, style: Style) -> Iterable[str]:
    """Return the lines on what came of the question in one index."""
    total = space.get("notes")
    about = f": {counted(total, 'note')}, {_forms(space.get('stemmer'))}" if total is not None else ""
    yield f"  {style.bold(clean(name))}{about}"
    terms = [(flow(one.get("word", "")), one.get("notes")) for one in records(space.get("terms"))]
    yield from _listed("    notes that hold", [f"{word} {_number(some)}" for word, some in terms if some])
    yield from _listed("    no note holds", [word for word, some in terms if some == 0])
    found = [
        f"{_LISTS.get(str(one.get('list')), flow(one.get('list', '')))} {counted(one.get('notes'), 'note')}"
        for one in records(space.get("lists"))
    ]
    if "lists" in space:
        yield from _listed("    found by", found) or ["    found by: nothing"]
    yield from _listed("    after the others", [*map(flow, words(space.get("demoted")))])
    if links := mapping(space.get("links")):
        seeds = ", ".join(map(flow, words(links.get("seeds"))))
        reached = f"{_number(links.get('neighbours'))} from {seeds}"
        yield f"    links: gate {flow(links.get('gate', ''))}; {reached}"
    if use := mapping(space.get("use")):
        shown = "shown" if use.get("treatment") else "not shown"
        route = f"{flow(use.get('routing_strategy', ''))} ({counted(use.get('routing_score'), 'point')})"
        candidates = counted(use.get("candidates"), "candidate")
        heard = f"{_number(use.get('opened'))} of {candidates} opened before"
        yield f"    use: {flow(use.get('mode', ''))}, its order is {shown}; {route}; {heard}"
    laps = mapping(space.get("took_ms"))
    yield from _listed("    took", [f"{flow(what)} {_number(ms)} ms" for what, ms in laps.items()])


def _forms(stemmer: object) -> str:
    """Return in which languages an index takes all forms of a word for one."""
    if not stemmer or stemmer == "none":
        return "words as they are written"
    return f"forms of words in {', '.join(_LANGUAGES.get(code, code) for code in flow(stemmer).split(','))}"


def _demand(one: Answer) -> str:
    """Return a filter as it is named in accounts."""
    return f"{flow(one.get('filter', ''))} {flow(one.get('value', ''))}"


def _quoted(phrases: object) -> list[str]:
    return [f'"{flow(text)}"' for text in words(phrases)]


def _listed(name: str, items: Sequence[str]) -> list[str]:
    """Return a line of several things, the first of very many; none for none."""
    shown = _first([item for item in items if item])
    return [f"{name}: {'; '.join(shown)}"] if shown else []


def _first(items: Sequence[str]) -> list[str]:
    """Return the first of some things, and how many more there are."""
    rest = len(items) - _MOST_LISTED
    return [*items[:_MOST_LISTED], *([f"and {rest} more"] if rest > 0 else [])]


def _sum(lists: Sequence[Answer]) -> str:
    """Return what a score is the sum of."""
    shares = [
        f"{_number(one.get('share'))} from {flow(one.get('list', ''))} (rank {_number(one.get('rank'))}, "
        f"weight {_number(one.get('weight'))}, evidence {_number(one.get('evidence'))})"
        for one in lists
        if "share" in one
    ]
    return f" = {' + '.join(shares)}" if shares else ""


def _word(one: Mapping[str, object]) -> str:
    """Return where a word stands, or what stands there instead of it."""
    word = flow(one.get("word", ""))
    if columns := words(one.get("columns")):
        return f"{word} in {', '.join(map(flow, columns))}"
    near = ", ".join(map(flow, words(one.get("nearest"))))
    return f"{word} not there" + (f" (near: {near})" if near else "")


def _number(value: object) -> str:
    """Return a value, a fraction with as many digits as tell it from another."""
    return f"{value:.4g}" if isinstance(value, float) else flow(value)
