"""Which forms of a word does no rule lead back to it?

Folded forms, as the index sees them. Forms that are a common word of their own ("left", "saw",
"found") are left out: people mostly mean that word.

Source: the lists of irregular verbs and plurals in school grammars of each language; the words are
facts, the choice is ours.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final


def _forms(text: str) -> dict[str, str]:
    """Read ``base form form ...; base form ...``."""
    found = {}
    for words in map(str.split, text.split(";")):
        base, *forms = words
        found.update(dict.fromkeys(forms, base))
    return found


BASE_FORMS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": _forms("""
        man men; woman women; child children; foot feet; tooth teeth; goose geese; mouse mice; louse lice;
        ox oxen; knife knives; life lives; wife wives; wolf wolves; shelf shelves; leaf leaves; half halves;
        calf calves; loaf loaves; thief thieves; scarf scarves; hoof hooves; elf elves; self selves;
        analysis analyses; axis axes; basis bases; crisis crises; diagnosis diagnoses; hypothesis
        hypotheses; oasis oases; parenthesis parentheses; synthesis syntheses; thesis theses; criterion
        criteria; phenomenon phenomena; bacterium bacteria; curriculum curricula; medium media; memorandum
        memoranda; stratum strata; stimulus stimuli; cactus cacti; fungus fungi; nucleus nuclei; radius
        radii; syllabus syllabi; alumnus alumni; appendix appendices; index indices; matrix matrices; vertex
        vertices; larva larvae; formula formulae; antenna antennae; datum data; be been; become became;
        begin began begun; bite bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring
        brought; build built; burn burnt; buy bought; catch caught; choose chose chosen; come came; creep
        crept; dig dug; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten;
        fall fell fallen; feed fed; fight fought; flee fled; fly flew flown; forbid forbade forbidden;
        forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten; give gave
        given; go went gone; grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept;
        kneel knelt; know knew known; learn learnt; lend lent; lose lost; make made; mean meant; meet met;
        pay paid; ride rode ridden; ring rang rung; run ran; say said; seek sought; sell sold; send sent;
        shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink
        sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; spend spent; spin spun; stand
        stood; steal stole stolen; stick stuck; sting stung; strike struck; swear swore sworn; sweep swept;
        swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think
        thought; throw threw thrown; understand understood; wake woke woken; wear wore worn; weave wove
        woven; weep wept; win won; write wrote written
    """),
    "de": _forms("""
        backen gebacken buk backt; beginnen begonnen begann; beissen gebissen biss; biegen gebogen bog;
        bieten geboten bot; binden gebunden; bitten gebeten bat; bleiben geblieben blieb; braten gebraten
        briet brat; brechen gebrochen brach bricht; brennen gebrannt brannte; bringen gebracht brachte;
        denken gedacht dachte; essen gegessen ass isst; fahren gefahren fuhr fahrt; fallen gefallen fiel;
        fangen gefangen fing; finden gefunden fand; fliegen geflogen flog; fliessen geflossen floss; fressen
        gefressen frass; frieren gefroren fror; geben gegeben gab gibt; gehen gegangen ging; gelingen
        gelungen gelang; geniessen genossen genoss; gewinnen gewonnen gewann; giessen gegossen goss; graben
        gegraben grub; greifen gegriffen griff; halten gehalten hielt; hangen gehangen hing; heben gehoben
        hob; heissen geheissen hiess; helfen geholfen half hilft; kennen gekannt kannte; klingen geklungen
        klang; kommen gekommen kam; kriechen gekrochen kroch; laden geladen lud; lassen gelassen liess
        lasst; laufen gelaufen lief lauft; leiden gelitten litt; leihen geliehen lieh; lesen gelesen las
        liest; liegen gelegen lag; lugen gelogen log; messen gemessen mass; nehmen genommen nahm nimmt;
        nennen genannt nannte; pfeifen gepfiffen pfiff; raten geraten riet; reissen gerissen riss; reiten
        geritten ritt; rennen gerannt rannte; riechen gerochen roch; rufen gerufen rief; schaffen geschaffen
        schuf; scheinen geschienen schien; schieben geschoben schob; schiessen geschossen schoss; schlafen
        geschlafen schlief; schlagen geschlagen schlug; schliessen geschlossen schloss; schmelzen
        geschmolzen schmolz; schneiden geschnitten schnitt; schreiben geschrieben schrieb; schreien
        geschrien schrie; schwimmen geschwommen schwamm; sehen gesehen sah sieht; senden gesandt sandte;
        singen gesungen sang; sinken gesunken sank; sitzen gesessen sass; sprechen gesprochen sprach
        spricht; springen gesprungen sprang; stechen gestochen stach; stehen gestanden stand; stehlen
        gestohlen stahl; steigen gestiegen stieg; sterben gestorben starb stirbt; streiten gestritten
        stritt; tragen getragen trug; treffen getroffen traf trifft; treiben getrieben trieb; treten
        getreten trat tritt; trinken getrunken trank; tun getan tat; vergessen vergass vergisst; verlieren
        verloren verlor; wachsen gewachsen wuchs; waschen gewaschen wusch; weisen gewiesen wies; werben
        geworben warb; werfen geworfen warf wirft; wiegen gewogen wog; wissen gewusst wusste; ziehen gezogen
        zog; zwingen gezwungen zwang; museum museen; konto konten; thema themen; firma firmen; praktikum
        praktika; lexikon lexika
    """),
    "nl": _forms("""
        kind kinderen; ei eieren; stad steden; schip schepen; lid leden; blad bladeren bladen; rund
        runderen; been beenderen; koe koeien; beginnen begonnen begon; bidden gebeden bad; bijten gebeten
        beet; binden gebonden bond; blijven gebleven bleef; breken gebroken brak; brengen gebracht bracht;
        denken gedacht dacht; drinken gedronken dronk; eten gegeten at aten; gaan gegaan ging gingen; geven
        gegeven gaf gaven; helpen geholpen hielp; kiezen gekozen koos; kijken gekeken keek keken; komen
        gekomen kwam kwamen; kopen gekocht kocht kochten; krijgen gekregen kreeg; lezen gelezen las lazen;
        liggen gelegen lag lagen; lopen gelopen liep; nemen genomen nam namen; rijden gereden reed reden;
        schrijven geschreven schreef schreven; slapen geslapen sliep; sluiten gesloten sloot; snijden
        gesneden sneed; spreken gesproken sprak spraken; staan gestaan stond; sterven gestorven stierf;
        vallen gevallen viel; varen gevaren voer; vergeten vergat; verliezen verloren verloor; vinden
        gevonden vond; vliegen gevlogen vloog; vragen gevraagd vroeg; winnen gewonnen won; zien gezien zag
        zagen; zingen gezongen zong; zitten gezeten zat zaten; zoeken gezocht zocht; zwemmen gezwommen zwom
    """),
    "sv": _forms("""
        bok bocker bockerna; fot fotter fotterna; hand hander handerna; natt natter natterna; stad stader
        staderna; son soner; bror broder broderna; dotter dottrar; mor modrar; far fader; man mannen; tand
        tander; rot rotter; oga ogon ogonen; ora oron oronen; dricka drack druckit; springa sprang sprungit;
        sjunga sjong sjungit; ga gick gatt; komma kom kommit; kopa kopte kopt; salja salde salt; skriva
        skrev skrivit; binda band bundit
    """),
    "da": _forms("""
        bog boger bogerne; mand maend maendene; barn born bornene; fod fodder; hand haender; tand taender;
        nat naetter; skrive skrev skrevet; drikke drak drukket; spise spiste spist
    """),
    "fr": _forms("""
        travail travaux; bijou bijoux; caillou cailloux; chou choux; genou genoux; hibou hiboux; joujou
        joujoux; oeil yeux; vitrail vitraux; corail coraux; ciel cieux; monsieur messieurs; madame mesdames;
        avoir eu aurai; boire bu; connaitre connu; courir couru; croire cru; dire dit disait; ecrire ecrit
        ecrite ecrites ecrits; faire fait faite faites; lire lisait; mettre mis mise; mourir mort; ouvrir
        ouvert ouverte; prendre pris prise prises prenait; recevoir recu recue; savoir su; tenir tenu; venir
        venu venue venus; vivre vecu; vendre vendu vendue; voir vu vue
    """),
    "es": _forms("""
        decir dijo dicho; escribir escrito escrita; hacer hizo hecho hecha; ir fui; poner puso puesto;
        romper roto rota; traer trajo; venir vinieron; ver visto; volver vuelto vuelta; abrir abierto
        abierta; morir murio muerto; dormir durmio; tener tuvo tuvieron; estar estuvo; poder pudo; querer
        quiso; saber supo
    """),
    "pt": _forms("""
        mao maos; irmao irmaos; fazer fez feito feita; dizer disse dito; escrever escrito escrita; ver viu
        visto; vir veio; abrir aberto aberta
    """),
    "it": _forms("""
        uovo uova; chiave chiavi; nave navi; braccio braccia; dito dita; ginocchio ginocchia; labbro labbra;
        lenzuolo lenzuola; osso ossa; paio paia; uomo uomini; bue buoi; aprire aperto aperta; chiedere
        chiesto; chiudere chiuso chiusa; dire detto; fare fatto fatta; leggere lessi; mettere messo messa;
        prendere preso presa; rompere rotto; scrivere scritto scritta scrisse; vedere visto; venire venuto
        venuta; vivere vissuto
    """),
    "ru": _forms("""
        человек люди людей; ребенок дети детей; друг друзья друзей; брат братья братьев; сын сыновья
        сыновей; дерево деревья деревьев; стул стулья стульев; лист листья листьев; мать матери; дочь
        дочери; время времени времена; имя имени имена; идти шел шла шли
    """),
    "pl": _forms("""
        czlowiek ludzie ludzi; dziecko dzieci; brat bracia braci; rok lata; reka rece; oko oczy; ucho uszy;
        tydzien tygodnie tygodnia; dzien dni dnia
    """),
}
"""Language -> form -> the word that it is a form of."""

# German and Dutch participles that go by the rule: gekauft from kaufen, gemaakt from maken.
_GERMAN: Final = re.compile(r"ge([a-z]{3,})t")
_NOUNS: Final = frozenset(
    re.findall(
        r"\w+",
        """gebet gebiet geburt gedicht gefecht gegenwart gehalt gelenkt gemut gericht gerucht gerust
        geschaft geschlecht geschwulst gesicht gespenst gestalt getrankemarkt gewalt gewicht gewinst
        gewohnheit gift gesamt geboot gedult""",
    )
)


def _german(word: str) -> str:
    found = _GERMAN.fullmatch(word) if word.startswith("ge") else None
    return found[1] + "en" if found and word not in _NOUNS else word


_DUTCH: Final = re.compile(r"ge([a-z]{3,})[td]")
# Of fiets, fietsen the s belongs to the word; of wandelt, wandel the t does not.
_DUTCH_END: Final = re.compile("(?<=aat|iet|oet|uit)(?P<sen>s)$|(?<=[a-z]{3}el)t$")


def _dutch(word: str) -> str:
    found = _DUTCH.fullmatch(word) if word.startswith("ge") else None
    if found and word not in _NOUNS:
        return found[1]
    return _DUTCH_END.sub(lambda end: end.lastgroup or "", word)


# Plurals that the algorithms leave apart once the accents are folded: lição, lições; luz, luces.
_PORTUGUESE: Final = re.compile("(?<=[a-z])(?:(?P<ao>[ao]es)|(?P<al>ais)|(?P<el>eis)|(?P<ol>ois)|(?P<m>ns))$")
_SPANISH: Final = re.compile("(?<=[a-z]{2})(?:(?P<z>ces)|(?P<en>enes))$")


def _portuguese(word: str) -> str:
    return _PORTUGUESE.sub(lambda found: found.lastgroup or "", word)


def _spanish(word: str) -> str:
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


def _french(word: str) -> str:
    found = _FRENCH.search(word)
    return word if not found or word.removesuffix("s") in _FRENCH_NOUNS else word[: found.start()] + "er"


# Endings that Polish algorithms know with their accents only: kotów, czytać.
_POLISH: Final = re.compile("(?<=[a-z]{3})(?:ow|[aiy]c)$|(?<=^ps)ow$")
_POLISH_NOUNS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        budow chorzow czestochow glogow kijow krakow lwow namow odmow osnow piotrkow podkow
        przebudow przemow rozmow rzeszow tarnow umow wymow zabudow zamow zdrow lodow kobierzyc
        miesiac palac pajac tysiac zajac granic ulic piwnic tablic stolic rocznic
        dzielnic obietnic okolic rodzic spodnic swietlic szklanic szubienic tajemnic miednic doniczk
        lisic pracownic uczennic
        """,
    )
)


def _polish(word: str) -> str:
    return word if word in _POLISH_NOUNS else _POLISH.sub("", word)


_CZECH: Final = re.compile("(?<=[a-z]{3})(?<!^str)ach$")


def _czech(word: str) -> str:
    return _CZECH.sub("", word)


RULES: Final[Mapping[str, Callable[[str], str]]] = {
    "cs": _czech, "de": _german, "es": _spanish, "fr": _french, "nl": _dutch, "pl": _polish,
    "pt": _portuguese,
}  # fmt: skip
"""Language -> what leads a folded form back by a rule; other words come back as they are."""
PARTICIPLES: Final = frozenset({"de", "nl"})
"""Languages whose participles begin with ge-."""
