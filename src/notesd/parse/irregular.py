# ruff: noqa: RUF001 -- Russian words are meant
"""Which forms of a word does no rule lead back to it?

Folded forms, as the index sees them. Forms that are a common word of their own ("left", "saw",
"found") are left out: people mostly mean that word.

Source: the lists of irregular verbs and plurals in school grammars of each language; the words are
facts, the choice is ours.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final


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


_LISTED: Final = {
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
        zagen; zingen gezongen zong; zitten gezeten zat zaten; zoeken gezocht zocht; zwemmen gezwommen zwom;
        aanbieden aangeboden; bederven bedorven bedierf; begrijpen begrepen begreep; besluiten besloten
        besloot; bestaan bestond; bewegen bewogen bewoog; bezoeken bezocht bezochten; bieden geboden bood;
        buigen gebogen; dragen gedragen droeg; duiken gedoken dook; genieten genoten genoot; gieten gegoten
        goot; glijden gegleden gleed; graven gegraven groef; hangen gehangen hing; hebben gehad; hakken
        gehakt; klimmen geklommen klom; kruipen gekropen kroop; laten gelaten liet; liegen gelogen loog;
        lijken geleken leek; meten gemeten; onderzoeken onderzocht; ruiken geroken rook; scheren geschoren;
        schenken geschonken schonk; schieten geschoten; schijnen geschenen scheen; schrikken geschrokken
        schrok; schuiven geschoven schoof; slaan geslagen sloeg; springen gesprongen; steken gestoken stak;
        stelen gestolen; stijgen gestegen steeg; strijken gestreken streek; treffen getroffen trof; trekken
        getrokken trok; verbieden verboden; verkopen verkocht; verdwijnen verdwenen verdween; verzinnen
        verzonnen; vriezen gevroren vroor; wassen gewassen; wegen gewogen woog; werpen geworpen wierp; weten
        geweten wist; worden geworden werd; zenden gezonden zond; zwijgen gezwegen zweeg
    """),
    "sv": _forms("""
        bok bocker bockerna; fot fotter fotterna; hand hander handerna; natt natter natterna; stad stader
        staderna; son soner; bror broder broderna; dotter dottrar; mor modrar; far fader; man mannen; tand
        tander; rot rotter; oga ogon ogonen; ora oron oronen; ata atit; binda band bundit; bita bet bitit;
        bjuda bjod bjudit; bli blev blivit; brinna brann brunnit; bryta brot brutit; dra drog dragit; dricka
        drack druckit; driva drev drivit; falla foll fallit; fara farit; finna fann funnit; flyga flog
        flugit; flyta flot flutit; frysa fros frusit; fa fick fatt; ga gick gatt; ge gav gett givit; gora
        gjorde gjort; ha hade haft; halla holl hallit; hugga hogg; komma kom kommit; kopa kopte kopt; krypa
        krop krupit; lagga lade lagt; lata lat latit; ligga lag legat; ljuga ljog ljugit; njuta njot njutit;
        rida red ridit; riva rev rivit; salja salde salt; satta satte satt; se sag sett; sitta suttit;
        sjunga sjong sjungit; skina sken; skjuta skot skjutit; skriva skrev skrivit; skara skar skurit; sla
        slog slagit; slippa slapp sluppit; sova sov sovit; springa sprang sprungit; sta stod statt; stjala
        stal stulit; stiga steg stigit; ta tog tagit; vaxa vuxit; veta visste; vinna vann vunnit
    """),
    "da": _forms("""
        bog boger bogerne; mand maend maendene; barn born bornene; fod fodder; hand haender; tand taender;
        nat naetter; ko koer; bror brodre; soster sostre; datter dotre; mor modre; far faedre; oje ojne;
        bage bagte bagt; betale betalte betalt; binde bandt bundet; blive blev blevet; bryde brod brudt;
        baere bar baaret; drikke drak drukket; falde faldt faldet; finde fandt fundet; flyve floj flojet;
        fryse fros frosset; fa fik faet; ga gik gaet; give gav givet; gore gjorde gjort; hjaelpe hjalp
        hjulpet; holde holdt; hore horte hort; kalde kaldte kaldt; kende kendte kendt; komme kom kommet;
        kobe kobte kobt; kore korte kort; lade lod; laegge lagde lagt; laese laeste laest; lobe lob lobet;
        mode modte; nyde nydt; rejse rejste rejst; ride red redet; saelge solgte solgt; se set; sende sendte
        sendt; sidde sad siddet; skrive skrev skrevet; skaere skar skaret; sla slog slaet; sove sov sovet;
        spise spiste spist; springe sprang sprunget; sta stod staet; stjaele stjal stjalet; synge sang
        sunget; tage taget; taenke taenkte taenkt; traekke trak trukket; vide vidste; vinde vandt vundet;
        vise viste; vaelge valgte valgt
    """),
    "fr": _forms(
        """
        travail travaux; bijou bijoux; caillou cailloux; chou choux; genou genoux; hibou hiboux; joujou
        joujoux; oeil yeux; vitrail vitraux; corail coraux; ciel cieux; monsieur messieurs; madame mesdames;
        aller vont vais allait iront; apprendre appris+; attendre attendu+; avoir eu aurai; battre battu+;
        boire bu+ buvons buvait boivent; comprendre compris+; conduire conduit+ conduisait; connaitre connu+
        connaissait; construire construit+; courir couru+; couvrir couvert+; craindre craint+; croire cru+
        croyait; cuire cuit+; decouvrir decouvert+; defendre defendu+; descendre descendu+; detruire
        detruit+; devenir devenu+; devoir doit doivent devait; dire dit disait disent; dormir dort dorment;
        ecrire ecrit+ ecrivait ecrivent; elire elu+; entendre entendu+; eteindre eteint+; faire fait+
        faisait font fera; inscrire inscrit+; interdire interdit+; instruire instruit+; joindre joint+; lire
        lu+ lisait lisent; mettre mis+ mettait; mordre mordu+; mourir mort+ meurt; naitre naquit; obtenir
        obtenu+; offrir offert+; ouvrir ouvert+; paraitre paru+; peindre peint+; perdre perdu+; permettre
        permis+; plaindre plaint+; pouvoir peut peuvent pouvait pourra; prendre pris+ prenait prennent;
        promettre promis+; recevoir recu+ recoit; reconnaitre reconnu+; rendre rendu+; repondre repondu+;
        resoudre resolu+; revenir revenu+; rompre rompu+; savoir su savait; souffrir souffert+; suivre
        suivi+; surprendre surpris+; tendre tendu+; tenir tenu+ tient tiennent; tordre tordu+; traduire
        traduit+; vaincre vaincu+; valoir valu+; venir venu+ vient viennent; vivre vecu+ vivait; vendre
        vendu+; voir vu+ voyait voient verra; vouloir voulu+ veut veulent voulait
    """,
        "e s es",
    ),
    "es": _forms(
        """
        abrir abierto+; andar anduvo; caber cupo; caer cayo cayeron; cerrar cierra cierran; conducir condujo
        condujeron; construir construyo construyeron construye; contar cuentan; cubrir cubierto+; dar dieron
        dimos; decir dijo dije dicho+ dijeron dijimos dice dicen; descubrir descubierto+; devolver
        devuelto+; disolver disuelto+; dormir durmio durmieron duerme duermen; elegir eligio eligieron;
        empezar empieza empiezan; encontrar encuentra encuentran; entender entiende entienden; envolver
        envuelto+; escribir escrito+; estar estuvo estuvieron; freir frito+; hacer hizo hice hecho+ hicimos
        hicieron hace hacen; huir huyo huyeron; imprimir impreso+; ir fui fuimos fueron; leer leyo leyeron;
        llover llueve; morir murio murieron muerto+ muere; mover mueve mueven; oir oyo oyeron oye; pedir
        pidio pidieron pide piden; pensar piensa piensan; perder pierde pierden; poder pudo pudieron puede
        pueden; poner puso puse puesto+ pusieron pusimos pone; preferir prefirio prefiere prefieren; querer
        quiso quisieron quiere quieren; repetir repitio repite; resolver resuelto+; romper roto+; saber supo
        supieron; satisfacer satisfecho+; seguir siguio siguieron sigue siguen; sentir sintio sintieron
        siente sienten; servir sirvio sirvieron sirve sirven; tener tuvo tuve tuvieron tuvimos tiene tienen;
        traer trajo trajeron trajimos; venir vinieron viene vienen; ver visto vistos vio vieron; vestir
        vistio visten; volver vuelto+ vuelve vuelven
    """,
        "o a os as",
    ),
    "pt": _forms(
        """
        dificil dificeis; facil faceis; util uteis; fossil fosseis; reptil repteis; fragil frageis; agil
        ageis; fertil ferteis; perfil perfis; barril barris; funil funis; civil civis; mao maos; irmao
        irmaos; cidadao cidadaos; abrir aberto+; cobrir coberto+; dar deram; descobrir descoberto+; dizer
        disse disseram dito+ diz; dormir durmo; escrever escrito+; estar esteve estiveram; fazer fez feito+
        fizeram fizemos faz; ganhar ganho; gastar gasto; haver houve; pagar pago+; poder pode puderam; por
        pos puseram; querer quis quiseram; saber soube souberam; sentir sinto; ter teve tiveram tivemos;
        trazer trouxe trouxeram trouxemos; ver viu viram visto; vir veio vieram
    """,
        "o a os as",
    ),
    "it": _forms(
        """
        uovo uova; chiave chiavi; nave navi; braccio braccia; dito dita; ginocchio ginocchia; labbro labbra;
        lenzuolo lenzuola; osso ossa; paio paia; uomo uomini; bue buoi; accendere acceso+ accese; accogliere
        accolto+; aggiungere aggiunto+; andare vado vanno; appendere appeso+; aprire aperto+; bere bevuto+
        bevve beviamo bevo bevono; chiedere chiesto+ chiese; chiudere chiuso+; cogliere colto+; comprendere
        compreso+; concludere concluso+; condurre condotto+; conoscere conobbe; coprire coperto+; correggere
        corretto+; crescere cresciuto+ crebbe; cuocere cotto+; decidere deciso+; difendere difeso+;
        dipingere dipinto+; dire detto+ disse diceva dicono; discutere discusso+; distruggere distrutto+;
        dividere diviso+; eleggere eletto+; esprimere espresso+; fare fatto+ fece faceva facciamo fanno;
        friggere fritto+; giungere giunto+; leggere letto+ lessi lesse; mettere messo+; mordere morso+;
        morire morto+; muovere mosso+; nascere nato+ nacque; nascondere nascosto+; offendere offeso+;
        offrire offerto offerti; perdere perso+; piangere pianto+; porgere porse; potere possono potuto;
        prendere preso+; promettere promesso+; proporre proposto+; proteggere protetto+; raccogliere
        raccolto+; raggiungere raggiunto+; rendere reso resi; rimanere rimasto+ rimase; risolvere risolto+;
        rispondere risposto+ rispose; rompere rotto+; sapere seppe sanno; scegliere scelto+; scendere
        sceso+; scoprire scoperto+; scrivere scritto+ scrisse; scuotere scosso+; soffrire sofferto+; sorgere
        sorto+; sorprendere sorpreso+; spegnere spento+; spendere speso spesi; spingere spinto+; stare
        stanno; svolgere svolto+; tenere tenne tengo; togliere tolto+; tradurre tradotto+; uccidere ucciso+;
        uscire esce escono; vedere visto visti vide; venire venuto+ venne viene vengono; vincere vinto+;
        vivere vissuto+; volere vogliono vuole
    """,
        "o i a e",
    ),
    "ru": _forms("""
        человек люди людей; ребенок дети детей; друг друзья друзей; брат братья братьев; сын сыновья
        сыновей; дерево деревья деревьев; стул стулья стульев; лист листья листьев; мать матери; дочь
        дочери; время времени времена; имя имени имена; идти шел шла шли; заяц зайца зайцы зайцев зайцам
        зайцу; ребенок ребенка; сестра сестер; ухо уши ушей; небо небеса; чудо чудеса; день дня дни дней;
        отец отца; лоб лба лбы; лед льда; рот рта; сон сна сны; пес пса псы; лев льва львы; конец конца
        концы; орел орла орлы; перец перца; огонь огня огни; ехать едет едут еду поехал поехали; писать пишу
        пишет пишут; написать напишу напишет; искать ищу ищет ищут; взять взял взяли возьму возьмет; найти
        нашел нашла нашли найду; прийти пришел пришла пришли приду; уйти ушел ушла ушли; пойти пошел пошла
        пошли; сесть сел сели; лечь лег легла легли; жить живу живет живут; пить пью пьет пьют выпил; петь
        пою поет поют; мыть моет; брать беру берет берут; ждать жду ждет; звать зову зовет; давать дает
        дают; дать дал дали; помочь помог помогла помогли; мочь могу может могут мог могла могли; везти вез
        везла везли; нести нес несла несли; вести вел вела вели
    """),
    "pl": _forms("""
        czlowiek ludzie ludzi; dziecko dzieci; brat bracia braci; rok lata; reka rece; oko oczy; ucho uszy;
        tydzien tygodnie tygodnia; dzien dni dnia; pies psa psy psow psu psem; lew lwa lwy lwow; noz noza
        noze nozem; stol stolu stoly stolow; koniec konca; ksiadz ksieza; pisac pisze pisza pisal pisala
        pisali; brac bierze biora; jechac jedzie jada; isc szedl szla szli idzie ida; jesc jadl jadla jedli;
        wziac wzial wziela wzieli; znalezc znalazl znalazla znalezli; moc moze moga mogl mogla; przyjaciel
        przyjaciele przyjaciol; rodzic rodzice rodzicow rodzicom; reka rak rece; noga nog nogi; ksiazka
        ksiazek
    """),
    "no": _forms("""
        bok boker bokene; mann menn mennene; fot fotter; hand hender; tann tenner; natt netter; bror brodre;
        soster sostre; datter dotre; mor modre; far fedre; oye oyne; tre traer; kne knaer; ku kyr; be bedt;
        binde bandt bundet; bite beit bitt; bli ble blitt; brekke brakk; brenne brant; bringe brakte brakt;
        bryte brot brutt; baere bar baret; drikke drakk drukket; dra dro dratt; falle falt; finne fant
        funnet; fly floy floyet; fryse fros frosset; fa fikk fatt; ga gikk gatt; gi gitt; gjore gjorde
        gjort; hjelpe hjalp hjulpet; hogge hogde hogd hogg; holde holdt; ha hadde hatt; komme kom kommet;
        kjope kjopte kjopt; kjore kjorte kjort; legge lagt; lese leste lest; ligge ligget; lope lop lopt;
        lage laget; ri red ridd; selge solgte solgt; se sett; sitte satt sittet; skrive skrev skrevet;
        skjaere skar skaret; sla slo slatt; sove sov sovet; spise spiste spist; springe sprang sprunget; sta
        sto statt; stjele stjal stjalet; synge sang sunget; ta tok tatt; tenke tenkte tenkt; velge valgte
        valgt; vinne vant vunnet; vite visste
    """),
    "cs": _forms("""
        pes psi psa psu psy psem psum; den dne dny dni dnu; clovek lide lidi lidem; pritel pratele pratel;
        dite deti detem; ruka ruce rukou; noha nohou; oko oci; ucho usi; kun kone koni; dum domu domy
        domech; stul stolu stoly; nuz noze nozu; jit sel sla sli jde jdou; jet jel jede jedou; psat pise
        pisou psal psala; brat bere berou; cist cte ctou cetl cetla; jist jedl jedla; pit pije pil pila;
        koupit koupil koupila; vzit vzal vzala
    """),
}
BASE_FORMS: Final[Mapping[str, Mapping[str, str]]] = {
    **_LISTED,  # what may be Danish or Norwegian is told as Danish
    "da": _LISTED["no"] | _LISTED["da"],
    "no": _LISTED["da"] | _LISTED["no"],
}
"""Language -> form -> the word that it is a form of."""

# German and Dutch participles that go by the rule: gekauft from kaufen, gemaakt from maken.
_GERMAN: Final = re.compile(r"ge([a-z]{3,})t")
_NOUNS: Final = frozenset(
    re.findall(
        r"\w+",
        """gebet gebiet geburt gedicht gefecht gegenwart gehalt gelenkt gemut gericht gerucht gerust
        geschaft geschlecht geschwulst gesicht gespenst gestalt getrankemarkt gewalt gewicht gewinst
        gewohnheit gift gesamt geboot gedult
        beeld""",
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
    if (begun := _DUTCH_BEGUN.fullmatch(word)) and word not in _NOUNS:
        return begun["stem"]
    return _DUTCH_END.sub(lambda end: end.lastgroup or "", word)


# Participles without ge-: betaald from betalen, verhuisd from verhuizen.
_DUTCH_BEGUN: Final = re.compile("(?P<stem>(?:be|ver|ont|her)[a-z]{2,}(?:[lrgmsw](?=d$)|[kpf](?=t$)))[dt]")
# Before e and i an h keeps the sound: fichi, fico; laghi, lago.
_ITALIAN: Final = re.compile("(?<=[a-z])(?<!c)(?<!g)(?P<hard>[cg])h[ie]$")


def _italian(word: str) -> str:
    return _ITALIAN.sub(r"\g<hard>o", word)


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
    "cs": _czech, "de": _german, "es": _spanish, "fr": _french, "it": _italian, "nl": _dutch, "pl": _polish,
    "pt": _portuguese,
}  # fmt: skip
"""Language -> what leads a folded form back by a rule; other words come back as they are."""
PARTICIPLES: Final = frozenset({"de", "nl"})
"""Languages whose participles begin with ge-."""
