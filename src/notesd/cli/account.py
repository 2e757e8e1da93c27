"""How does a person read why a result stands where it stands, and why a note is not there?"""

from collections.abc import Iterable, Mapping, Sequence

from notesd.cli.render import Answer, Style, clean, flow, mapping, records, words


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
        "; ".join([*raw, *map(_word, records(told.get("words")))]),
    ]


def _use(hit: Answer, told: Answer) -> Iterable[str]:
    """Return what use says of a result, nothing where it was not asked."""
    if told:
        scoring = mapping(hit.get("scoring")).items()
        factors = ", ".join(f"{flow(name)} {_number(value)}" for name, value in scoring)
        places = f"place {told.get('rank_before')} without use, {told.get('rank_after')} with it"
        limbic = f"limbic {_number(hit.get('limbic_score'))} of base {_number(told.get('base'))}"
        yield f"use: opened {told.get('opened')} times; {limbic}, {factors}; {places}"


def of_answer(answer: Answer, style: Style) -> str:
    """Return how the question was understood and how each index was asked."""
    told = mapping(answer.get("explain"))
    query = mapping(told.get("query"))
    lines = ["", style.bold("How it was looked for")]
    groups = query.get("words")
    groups = groups if isinstance(groups, Sequence) else []
    lines += _listed("words", (" OR ".join(map(flow, words(group))) for group in groups))
    lines += _listed("phrases", (f'"{flow(text)}"' for text in words(query.get("phrases"))))
    lines += _listed("stop words left out", map(flow, words(query.get("stop_words_dropped"))))
    if query.get("truncated"):
        lines.append("  the query is long: only its beginning was looked for")
    for name, space in mapping(told.get("spaces")).items():
        lines += _space(name, mapping(space), style)
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
            demand = f"{flow(one.get('filter', ''))} {flow(one.get('value', ''))}"
            yield f"  {demand}: the note has {there or 'none'}"
    if account.get("score"):
        yield f"  score {_number(account['score'])}{_sum(records(account.get('lists')))}"
    if held := records(account.get("words")):
        yield f"  {'; '.join(map(_word, held))}"


def _space(name: object, space: Answer, style: Style) -> Iterable[str]:
    """Return the lines on how one index was asked."""
    yield f"  {style.bold(clean(name))}"
    demands = [
        f"{flow(one.get('filter', ''))} {flow(one.get('value', ''))}" for one in records(space.get("filters"))
    ]
    yield from _listed("  has to pass", demands)
    if "lists" in space:
        rarity = [
            f"{flow(one.get('word', ''))} in {_number(one.get('notes'))}"
            for one in records(space.get("terms"))
            if one.get("notes") is not None
        ]
        total = f" of {_number(space['notes'])} notes" if rarity and space.get("notes") is not None else ""
        yield from _listed("  rarity", [f"{', '.join(rarity)}{total}"] if rarity else [])
        yield f"    stemmer: {flow(space.get('stemmer') or '')}"
    for which, expression in mapping(space.get("expressions")).items():
        yield f"    {flow(which)}: {flow(expression)}"
    yield from _listed(
        "  lists",
        (
            f"{flow(one.get('list', ''))} {_number(one.get('notes'))} (weight {_number(one.get('weight'))})"
            for one in records(space.get("lists"))
        ),
    )
    if links := mapping(space.get("links")):
        seeds = ", ".join(map(flow, words(links.get("seeds"))))
        reached = f"{_number(links.get('neighbours'))} from {seeds}"
        yield f"    links: gate {flow(links.get('gate', ''))}; {reached}"
    if use := mapping(space.get("use")):
        shown = "shown" if use.get("treatment") else "not shown"
        route = f"{flow(use.get('routing_strategy', ''))} ({_number(use.get('routing_score'))} points)"
        heard = f"{_number(use.get('opened'))} of {_number(use.get('candidates'))} candidates opened before"
        yield f"    use: {flow(use.get('mode', ''))}, its order is {shown}; {route}; {heard}"
    laps = mapping(space.get("took_ms"))
    yield from _listed("  took", [", ".join(f"{flow(what)} {_number(ms)} ms" for what, ms in laps.items())])


def _listed(name: str, items: Iterable[str]) -> list[str]:
    """Return a line of several things, none for none."""
    shown = "; ".join(item for item in items if item)
    return [f"  {name}: {shown}"] if shown else []


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
