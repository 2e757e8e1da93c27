"""Which forms of words of northern Europe follow no rule?

Read by ``parse.irregular``: ``base form form ...; base form ...``, folded. A form with a ``+`` agrees like a
participle.
"""

from collections.abc import Mapping
from typing import Final

FORMS: Final[Mapping[str, str]] = {
    "en": """
        man men; woman women; child children; foot feet; tooth teeth; goose geese; mouse mice; louse
        lice; ox oxen; knife knives; life lives; wife wives; wolf wolves; shelf shelves; leaf leaves;
        half halves; calf calves; loaf loaves; thief thieves; scarf scarves; hoof hooves; elf elves;
        self selves; analysis analyses; axis axes; basis bases; crisis crises; diagnosis diagnoses;
        hypothesis hypotheses; oasis oases; parenthesis parentheses; synthesis syntheses; thesis theses;
        criterion criteria; phenomenon phenomena; bacterium bacteria; curriculum curricula; medium
        media; memorandum memoranda; stratum strata; stimulus stimuli; cactus cacti; fungus fungi;
        nucleus nuclei; radius radii; syllabus syllabi; alumnus alumni; appendix appendices; index
        indices; matrix matrices; vertex vertices; larva larvae; formula formulae; antenna antennae;
        datum data; be been; become became; begin began begun; bite bitten; bleed bled; blow blew blown;
        break broke broken; breed bred; bring brought; build built; burn burnt; buy bought; catch
        caught; choose chose chosen; come came; creep crept; dig dug; draw drew drawn; dream dreamt;
        drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; fight fought;
        flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave
        forgiven; freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown;
        hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known;
        learn learnt; lend lent; lose lost; make made; mean meant; meet met; pay paid; ride rode ridden;
        ring rang rung; run ran; say said; seek sought; sell sold; send sent; shake shook shaken; shine
        shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat;
        sleep slept; slide slid; speak spoke spoken; spend spent; spin spun; stand stood; steal stole
        stolen; stick stuck; sting stung; strike struck; swear swore sworn; sweep swept; swim swam swum;
        swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw
        threw thrown; understand understood; wake woke woken; wear wore worn; weave wove woven; weep
        wept; win won; write wrote written; sew sewn; sow sown; mow mown; swell swollen; spring sprang
        sprung; spill spilt; spoil spoilt; smell smelt; spell spelt; prove proven; shear shorn; shave
        shaven; saw sawn; strew strewn; lean leant; leap leapt; bus buses; quiz quizzes; roof rooves;
        wharf wharves; dwarf dwarves; person people; penny pence; gray grey; plow plough; tire tyre;
        beau beaux; plateau plateaux; gateau gateaux; goose geese
    """,
    "de": """
        backen gebacken buk backt; beginnen begonnen begann; beissen gebissen biss; biegen gebogen bog;
        bieten geboten bot; binden gebunden; bitten gebeten bat; bleiben geblieben blieb; braten
        gebraten briet brat; brechen gebrochen brach bricht; brennen gebrannt brannte; bringen gebracht
        brachte; denken gedacht dachte; essen gegessen ass isst; fahren gefahren fuhr fahrt; fallen
        gefallen fiel; fangen gefangen fing; finden gefunden fand; fliegen geflogen flog; fliessen
        geflossen floss; fressen gefressen frass; frieren gefroren fror; geben gegeben gab gibt; gehen
        gegangen ging; gelingen gelungen gelang; geniessen genossen genoss; gewinnen gewonnen gewann;
        giessen gegossen goss; graben gegraben grub; greifen gegriffen griff; halten gehalten hielt;
        hangen gehangen hing; heben gehoben hob; heissen geheissen hiess; helfen geholfen half hilft;
        kennen gekannt kannte; klingen geklungen klang; kommen gekommen kam; kriechen gekrochen kroch;
        laden geladen lud; lassen gelassen liess lasst; laufen gelaufen lief lauft; leiden gelitten
        litt; leihen geliehen lieh; lesen gelesen las liest; liegen gelegen lag; lugen gelogen log;
        messen gemessen mass; nehmen genommen nahm nimmt; nennen genannt nannte; pfeifen gepfiffen
        pfiff; raten geraten riet; reissen gerissen riss; reiten geritten ritt; rennen gerannt rannte;
        riechen gerochen roch; rufen gerufen rief; schaffen geschaffen schuf; scheinen geschienen
        schien; schieben geschoben schob; schiessen geschossen schoss; schlafen geschlafen schlief;
        schlagen geschlagen schlug; schliessen geschlossen schloss; schmelzen geschmolzen schmolz;
        schneiden geschnitten schnitt; schreiben geschrieben schrieb; schreien geschrien schrie;
        schwimmen geschwommen schwamm; sehen gesehen sah sieht; senden gesandt sandte; singen gesungen
        sang; sinken gesunken sank; sitzen gesessen sass; sprechen gesprochen sprach spricht; springen
        gesprungen sprang; stechen gestochen stach; stehen gestanden stand; stehlen gestohlen stahl;
        steigen gestiegen stieg; sterben gestorben starb stirbt; streiten gestritten stritt; tragen
        getragen trug; treffen getroffen traf trifft; treiben getrieben trieb; treten getreten trat
        tritt; trinken getrunken trank; tun getan tat; vergessen vergass vergisst; verlieren verloren
        verlor; wachsen gewachsen wuchs; waschen gewaschen wusch; weisen gewiesen wies; werben geworben
        warb; werfen geworfen warf wirft; wiegen gewogen wog; wissen gewusst wusste; ziehen gezogen zog;
        zwingen gezwungen zwang; album alben; datum daten; visum visa; globus globen; drama dramen;
        zentrum zentren; villa villen; pizza pizzen; risiko risiken risikos; bus busse; rhythmus
        rhythmen; organismus organismen; gymnasium gymnasien; studium studien; ministerium ministerien;
        stadium stadien; radius radien; virus viren; material materialien; prinzip prinzipien; schleifen
        geschliffen schliff; streichen gestrichen strich; scheiden geschieden schied; gleichen
        geglichen; gleiten geglitten glitt; saufen gesoffen soff; schmeissen geschmissen schmiss;
        schwingen geschwungen; spinnen gesponnen; schwellen geschwollen; quellen gequollen; melken
        gemolken; empfehlen empfohlen empfahl empfiehlt; erschrecken erschrocken erschrak; verderben
        verdorben verdarb; verzeihen verziehen verzieh; speien gespien; weichen gewichen wich; winden
        gewunden; schweigen geschwiegen schwieg; scheren geschoren; stinken gestunken; schelten
        gescholten; fechten gefochten; flechten geflochten flocht; dreschen gedroschen; hauen gehauen;
        mahlen gemahlen; salzen gesalzen; spalten gespalten; museum museen; konto konten; thema themen;
        firma firmen; praktikum praktika; lexikon lexika
    """,
    "nl": """
        kind kinderen; ei eieren; glas glazen; dak daken; weg wegen; bad baden; dag dagen; gat gaten;
        pad paden; slag slagen; vat vaten; lot loten; hof hoven; god goden; gebed gebeden; gebrek
        gebreken; schot schoten; spel spelen; bevel bevelen; oorlog oorlogen; verdrag verdragen; gebod
        geboden; gans ganzen; lens lenzen; staf staven; lied liederen; lam lammeren; kalf kalveren; volk
        volkeren; hoen hoenderen; goed goederen; gemoed gemoederen; appel appelen; koe koeien; vlo
        vlooien; museum musea; datum data; centrum centra; album albums; slijpen geslepen sleep; stad
        steden; schip schepen; lid leden; blad bladeren bladen; rund runderen; been beenderen; koe
        koeien; beginnen begonnen begon; bidden gebeden; bijten gebeten beet; binden gebonden bond;
        blijven gebleven bleef; breken gebroken brak; brengen gebracht bracht; denken gedacht dacht;
        drinken gedronken dronk; eten gegeten at aten; gaan gegaan ging gingen; geven gegeven gaf gaven;
        helpen geholpen hielp; kiezen gekozen koos; kijken gekeken keek keken; komen gekomen kwam
        kwamen; kopen gekocht kocht kochten; krijgen gekregen kreeg; lezen gelezen las lazen; liggen
        gelegen lag lagen; lopen gelopen liep; nemen genomen nam namen; rijden gereden reed reden;
        schrijven geschreven schreef schreven; slapen geslapen sliep; sluiten gesloten sloot; snijden
        gesneden sneed; spreken gesproken sprak spraken; staan gestaan stond; sterven gestorven stierf;
        vallen gevallen viel; varen gevaren voer; vergeten vergat; verliezen verloren verloor; vinden
        gevonden vond; vliegen gevlogen vloog; vragen gevraagd vroeg; winnen gewonnen won; zien gezien
        zag zagen; zingen gezongen zong; zitten gezeten zat zaten; zoeken gezocht zocht; zwemmen
        gezwommen zwom; aanbieden aangeboden; bederven bedorven bedierf; begrijpen begrepen begreep;
        besluiten besloten besloot; bestaan bestond; bewegen bewogen bewoog; bezoeken bezocht bezochten;
        bieden geboden bood; buigen gebogen; dragen gedragen droeg; duiken gedoken dook; genieten
        genoten genoot; gieten gegoten goot; glijden gegleden gleed; graven gegraven groef; hangen
        gehangen hing; hebben gehad; hakken gehakt; klimmen geklommen klom; kruipen gekropen kroop;
        laten gelaten liet; liegen gelogen loog; lijken geleken leek; meten gemeten; onderzoeken
        onderzocht; ruiken geroken rook; scheren geschoren; schenken geschonken schonk; schieten
        geschoten; schijnen geschenen scheen; schrikken geschrokken schrok; schuiven geschoven schoof;
        slaan geslagen sloeg; springen gesprongen; steken gestoken stak; stelen gestolen; stijgen
        gestegen steeg; strijken gestreken streek; treffen getroffen trof; trekken getrokken trok;
        verbieden verboden; verkopen verkocht; verdwijnen verdwenen verdween; verzinnen verzonnen;
        vriezen gevroren vroor; wassen gewassen; werpen geworpen wierp; weten geweten wist; worden
        geworden werd; zenden gezonden zond; zwijgen gezwegen zweeg
    """,
    "sv": """
        bok bocker bockerna; mus moss mossen; gas gass gassen; lus loss; liten lilla sma; gammal gamla
        gammalt; rod rott; god gott; sot sott; ny nytt; vit vitt; bara burit; grava gravde gravt; lasa
        laste last; tomma tomde tomt; bygga byggde byggt; hanga hangde hangt; leva levde levt; lara
        larde lart; leka lekte lekt; hjalpa hjalpte hjalpt; hora horde hort; ringa ringde ringt; rora
        rorde rort; steka stekte stekt; sy sydde sytt; bo bodde bott; tro trodde trott; trycka tryckte
        tryckt; aka akte akt; fylla fyllde fyllt; stanga stangde stangt; klippa klippte klippt; slappa
        slappte slappt; tanda tande tant; mota motte mott; byta bytte bytt; lyfta lyfte lyft; resa reste
        rest; losa loste lost; saga sade sagt; kora korde kort; skara skuren; vanda vande vant; sanda
        sande sant; skjuta skjuten; bita biten; fot fotter fotterna; hand hander handerna; natt natter
        natterna; stad stader staderna; son soner; bror broder broderna; dotter dottrar; mor modrar; far
        fader; man mannen; tand tander; rot rotter; oga ogon ogonen; ora oron oronen; ata atit; binda
        band bundit; bita bet bitit; bjuda bjod bjudit; bli blev blivit; brinna brann brunnit; bryta
        brot brutit; dra drog dragit; dricka drack druckit; driva drev drivit; falla foll fallit; fara
        farit; finna fann funnit; flyga flog flugit; flyta flot flutit; frysa fros frusit; fa fick fatt;
        ga gick gatt; ge gav gett givit; gora gjorde gjort; ha hade haft; halla holl hallit; hugga hogg;
        komma kom kommit; kopa kopte kopt; krypa krop krupit; lagga lade lagt; lata lat latit; ligga lag
        legat; ljuga ljog ljugit; njuta njot njutit; rida red ridit; riva rev rivit; salja salde salt;
        satta satte satt; se sag sett; sitta suttit; sjunga sjong sjungit; skina sken; skjuta skot
        skjutit; skriva skrev skrivit; skara skar skurit; sla slog slagit; slippa slapp sluppit; sova
        sov sovit; springa sprang sprungit; sta stod statt; stjala stal stulit; stiga steg stigit; ta
        tog tagit; vaxa vuxit; veta visste; vinna vann vunnit
    """,
    "da": """
        bog boger bogerne; and aender aenderne; gas gaes gaessene; mand maend maendene; barn born
        bornene; fod fodder; hand haender; tand taender; nat naetter; ko koer; bror brodre; soster
        sostre; datter dotre; mor modre; far faedre; oje ojne; bage bagte bagt; betale betalte betalt;
        binde bandt bundet; blive blev blevet; bryde brod brudt; baere bar baaret; drikke drak drukket;
        falde faldt faldet; finde fandt fundet; flyve floj flojet; fryse fros frosset; fa fik faet; ga
        gik gaet; give gav givet; gore gjorde gjort; hjaelpe hjalp hjulpet; holde holdt; hore horte
        hort; kalde kaldte kaldt; kende kendte kendt; komme kom kommet; kobe kobte kobt; kore korte
        kort; lade lod; laegge lagde lagt; laese laeste laest; lobe lob lobet; mode modte; nyde nydt;
        rejse rejste rejst; ride red redet; saelge solgte solgt; se set; sende sendte sendt; sidde sad
        siddet; skrive skrev skrevet; skaere skar skaret; sla slog slaet; sove sov sovet; spise spiste
        spist; springe sprang sprunget; sta stod staet; stjaele stjal stjalet; synge sang sunget; tage
        taget; taenke taenkte taenkt; traekke trak trukket; vide vidste; vinde vandt vundet; vise viste;
        vaelge valgte valgt; tomme tomte tomt; sy syede syet; lede ledte ledt; bygge byggede bygget;
        stege stegte stegt; male malede malet; rejse rejst; dele delte delt; fylde fyldte fyldt; glemme
        glemte glemt; klippe klippede; smore smurte smurt; traekke trukket; sporge spurgte spurgt; smage
        smagte; taende taendte taendt; vende vendte vendt
    """,
    "no": """
        bok boker bokene; and ender endene; gas gjess gjessene; mann menn mennene; fot fotter; hand
        hender; tann tenner; natt netter; bror brodre; soster sostre; datter dotre; mor modre; far
        fedre; oye oyne; tre traer; kne knaer; ku kyr; be bedt; binde bandt bundet; bite beit bitt; bli
        ble blitt; brekke brakk; brenne brant; bringe brakte brakt; bryte brot brutt; baere bar baret;
        drikke drakk drukket; dra dro dratt; falle falt; finne fant funnet; fly floy floyet; fryse fros
        frosset; fa fikk fatt; ga gikk gatt; gi gitt; gjore gjorde gjort; hjelpe hjalp hjulpet; hogge
        hogde hogd hogg; holde holdt; ha hadde hatt; komme kom kommet; kjope kjopte kjopt; kjore kjorte
        kjort; legge lagt; lese leste lest; ligge ligget; lope lop lopt; lage laget; ri red ridd; selge
        solgte solgt; se sett; sitte satt sittet; skrive skrev skrevet; skjaere skar skaret; sla slo
        slatt; sove sov sovet; spise spiste spist; springe sprang sprunget; sta sto statt; stjele stjal
        stjalet; synge sang sunget; ta tok tatt; tenke tenkte tenkt; velge valgte valgt; vinne vant
        vunnet; vite visste; steke stekte stekt; smore smurte smurt; grave gravde gravd; male malte
        malt; sy sydde sydd; bo bodde bodd; bygge bygde bygd; henge hengte hengt; hore horte hort; kalle
        kalte kalt; kjenne kjente kjent; klippe klipte klipt; lime limte limt; lede ledet; mote motte
        mott; reise reiste reist; sende sendte sendt; spille spilte spilt; tenne tente tent; tomme tomte
        tomt; vise viste vist; begynne begynte begynt; bestille bestilte bestilt; fortelle fortalte
        fortalt; leve levde levd; prove provde provd; sporre spurte spurt; trekke trakk trukket; rore
        rorte rort; dele delte delt; fylle fylte fylt; glemme glemte glemt; telle talte talt; sette satt
    """,
    "fi": """
        leipa leivat leivan leivalla; juosta juoksi juoksin juoksivat juoksen juoksee; tehda teki tein
        teimme teen tekee tehty; nahda naki nain nakivat naen nahty; syoda soi soin soimme soivat syon;
        juoda joi join joivat juon; tuoda toi toin toivat; vieda vei vein veivat; lukea luki luin
        lukivat luen; vesi veden vetta vedet vesia; kasi kaden kadet kasia katta; uusi uuden uudet;
        kuusi kuuden kuuset; mies miehen miehet miesta; lapsi lapsen lapset lapsia lasta; kevat kevaan;
        olut oluen; kirves kirveen kirveet; rengas renkaan renkaat renkaita; saapas saappaan saappaat;
        hammas hampaan hampaat hampaita; lammas lampaan lampaat lampaita; opas oppaan oppaat; porras
        portaan portaat portaita; taivas taivaan; tehdas tehtaan tehtaat; kangas kankaan kankaat; varas
        varkaan; poika pojan pojat poikia; joki joen joet jokia
    """,
}
