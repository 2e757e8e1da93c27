"""Which endings do the algorithms of the Romance languages leave on?

Source: grammars of each language; the rules are ours.
"""

import re
from collections.abc import Callable
from typing import Final

# Before e and i an h keeps the sound: fichi, fico; laghi, lago.
_ITALIAN: Final = re.compile("(?<=[a-z])(?<!c)(?<!g)(?P<hard>[cg])h[ie]$")


def _short(sounds: str, are: str, ire: str, no: str) -> Callable[[str], str | None]:
    """Return what leads forms of verbs like usar back, of which the algorithms leave nearly every ending on.

    They look for endings behind the vowel after the first consonant alone, and these begin with a vowel.
    """
    verb = re.compile(
        f"(?P<verb>[aeiou](?:{sounds}|[bcdfglmnprstvxz]{{1,3}}))(?:(?P<ar>{are})|(?P<ir>{ire}))"
    )
    nouns = frozenset(no.split())

    def base(word: str) -> str | None:
        found = verb.fullmatch(word) if word[0] in "aeiou" and word not in nouns else None
        return found["verb"] + (found.lastgroup or "") if found else None

    return base


_SHORT_ITALIAN: Final = _short(
    "ch|gh|gn|gl|sc", "are|at[oaie]|ando|av[aoi]|avano|arono|iamo|ano", "ire|it[oaie]|irono|iva|ivano|ono",
    "abito abiti esito esiti unita entita ansia estate estati amido ebano orata orate urano umano umani "
    "umana umane orario arare invito inviti invita organo organi anno agosto abate opera",
)  # fmt: skip


def italian(word: str) -> str:
    """Lead a folded Italian word nearer to its stem."""
    if verb := _SHORT_ITALIAN(word):
        return verb
    return _ITALIAN.sub(r"\g<hard>o", word)


# Plurals that the algorithms leave apart once the accents are folded: lição, lições; luz, luces.
_PORTUGUESE: Final = re.compile("(?<=[a-z])(?:(?P<ao>[ao]es)|(?P<al>ais)|(?P<el>eis)|(?P<ol>ois)|(?P<m>ns))$")
_SPANISH: Final = re.compile("(?<=[a-z]{2})(?:(?P<z>ces)|(?P<en>enes))$")


# Before e a c or g is written otherwise: busqué, buscar; pagué, pagar.
_HARD: Final = re.compile("([a-z]*([a-z]))(?P<sound>qu|gu)(?:e|(?P<sure>ei)|emos|en|em)")
_SHORT_PORTUGUESE: Final = _short(
    "[lnc]h", "ar|ou|ei|ad[oa]s?|aram|avam?|amos|ando|am", "ir|iu|id[oa]s?|iram|imos|indo",
    "estado estados espada espadas irei amar",
)  # fmt: skip


def portuguese(word: str) -> str:
    """Lead a folded Portuguese word nearer to its stem."""
    if verb := _SHORT_PORTUGUESE(word):
        return verb
    if (hard := _HARD.fullmatch(word)) and len(hard[1]) > 1 and (hard["sure"] or hard[2] != "i"):
        return hard[1] + ("car" if hard["sound"] == "qu" else "gar")
    return _PORTUGUESE.sub(lambda found: found.lastgroup or "", word)


_SHORT_SPANISH: Final = _short(
    "ch|ll", "ar|ad[oa]s?|aron|aba[ns]?|amos|ando|aste|an", "ir|id[oa]s?|ieron|imos|iendo|en",
    "estado estados espada espadas estan aman orden ellen unidos unidas imagen origen italia enero antes",
)  # fmt: skip


def spanish(word: str) -> str:
    """Lead a folded Spanish word nearer to its stem."""
    if verb := _SHORT_SPANISH(word):
        return verb
    if (hard := _HARD.fullmatch(word)) and len(hard[1]) > 1 and (hard["sure"] or hard[2] != "i"):
        return hard[1] + ("car" if hard["sound"] == "qu" else "gar")
    return _SPANISH.sub(lambda found: found.lastgroup or "", word)


# Persons of French verbs: achetons, mangeons, achètent. The algorithm knows those of finir itself.
_FRENCH: Final = re.compile("(?<=[a-z]{3})(?<!iss)(?<!er)(?<!ir)(?:(?<!i)e?ons|(?<![mia])ent)$")
_FRENCH_NOUNS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        accent accident adherent adolescent agent antecedent arborescent argent astringent cent
        client coherent competent concurrent consequent contingent content continent convent couvent
        decent dent different diligent divergent effluent eloquent equivalent escient event evident
        excellent fervent frequent ingredient indulgent innocent insolent intelligent latent lent
        occident orient parent patent patient permanent pertinent precedent present president
        prudent recent recurrent resident serpent souvent talent torrent transparent trident
        truculent urgent vent violent virulent ballon baton biberon blason blouson bonbon bouchon
        bouillon bourgeon bouton brouillon buisson canon canton carton champignon chanson charbon
        chaton chausson chiffon citron cloison cochon coton coupon cornichon cordon cresson crayon
        diapason dindon dragon echelon edredon espadon etalon facon faucon feuilleton flacon flocon
        frisson galon garcon gazon glacon goudron harpon herisson horizon jambon jargon jeton jupon
        lardon lecon liaison livraison macaron macon maison marron melon menton moisson mouton
        nourrisson oignon ourson papillon pantalon pardon patron pigeon pieton pinson piston poison
        poisson polisson poumon prison raison rayon salon saison sablon saucisson savon saumon saxon
        sermon sillon soupcon tampon tendron thon tison torchon tourbillon trahison troncon vallon
        violon wagon boisson cuisson floraison comparaison conjugaison terminaison inclinaison
        combinaison pavillon bataillon medaillon echantillon postillon aiguillon carillon haillon
        maillon paillasson perron plongeon esturgeon badigeon donjon bourdon chardon guidon lorgnon
        moignon pignon rognon trognon compagnon chignon mignon grognon quignon moellon felon colon
        foulon boulon houblon mamelon pilon talon vison bison caisson hanneton marmiton mousqueton
        peloton python rejeton teton veston ponton fronton santon crouton mirliton avorton
        """,
    )
)


def french(word: str) -> str:
    """Lead a folded French word nearer to its stem."""
    found = _FRENCH.search(word)
    return word if not found or word.removesuffix("s") in _FRENCH_NOUNS else word[: found.start()] + "er"


def catalan(word: str) -> str:
    """Lead a folded Catalan word nearer to its stem."""
    return _CATALAN.sub(
        lambda found: {"ques": "ca", "gues": "ga", "ges": "ja", "ns": "", "ssos": "s"}[found[0]], word
    )


# Plurals that lose or change a letter: mans, ma; vaques, vaca; platges, platja; gossos, gos.
_CATALAN: Final = re.compile("(?<=[a-z]{2})(?:ques|gues|ges|ssos)$|(?<=[aeiou])ns$")
_ROMANIAN: Final = re.compile("(?<=[a-z]{3})uri(?:le|lor)?$|(?<=[a-z]{3}[bcdfglmnprstvz])(?:elor|ilor|ei)$")


def romanian(word: str) -> str:
    """Lead a folded Romanian word nearer to its stem."""
    return _ROMANIAN.sub("", word)
