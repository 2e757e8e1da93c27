# ruff: noqa: RUF001 -- Russian letters are meant
"""Which words carry grammar rather than meaning, in which language?

Written as the index sees them: lower case, accents folded (``parse.characters``). A language's
list leaves out what another listed language uses for a thing worth searching (German ``die`` and
``war``, Spanish ``sin`` and ``sea``, French ``car``, Polish ``ale``, Italian ``ai``): where such a
word is only grammar it stands in nearly every note, so that its rarity makes it count for nothing.
"""

from collections.abc import Mapping
from typing import Final

_WORDS: Final = {
    "en": """a about above after again against all also although am among an and any are as at
        be because been before being below between both but by can cannot could did do does doing
        down during each either else ever every few for from further had has have having he hence
        her here hers herself him himself his how however i if in into is it its itself just me
        might more most much must my myself neither no nor not of off on once only onto or other
        our ours ourselves out over own per rather same shall she should since so some such than
        that the their theirs them themselves then there therefore these they this those though
        through thus to too toward towards under until unto up upon us very was we were what when
        where whether which while who whom whose why will with within without would yet you your
        yours yourself yourselves""",
    "es": """a al algo algun alguna algunas alguno algunos ante antes aquel aquella aquellas
        aquello aquellos aqui asi aun aunque cada como con contra cual cuales cualquier cuando
        cuanto de del desde donde e el ella ellas ello ellos en entre eran eres es esa esas ese
        eso esos esta estan estar estas este esto estos fue fueron ha habia han hasta hay la las
        le les lo los mas me mi mis mucha muchas mucho muchos muy ni nos nosotros nuestra nuestro
        o otra otras otro otros para pero poco por porque pues que quien quienes se segun ser si
        sido sino sobre solo su sus tambien tampoco tan tanto te toda todas todo todos tras tu tus
        un una unas uno unos usted ustedes y ya yo""",
    "de": """aber alle allem allen aller alles als am an ander andere anderen anderer anderes
        auch auf aus bei beim bis da dabei dadurch dafur damit danach dann daran darauf daraus
        darin daruber das dass davon dazu dein deine dem denn der deren des dessen dich dies diese
        diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einige
        einigen er es etwas euch euer gegen habe haben hatte hatten hier hinter ich ihm ihn ihnen
        ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jene jener kann
        kein keine keinem keinen keiner konnen konnte machen mehr mein meine mich mir mit muss
        mussen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen
        seiner seit sich sie sind so soll sollte sondern sonst uber um und uns unser unsere unter
        viel vom von vor wahrend waren warum was weil welche welchem welchen welcher welches wenn
        wer werde werden wie wieder wir wird wo wurde wurden zu zum zur zwar zwischen""",
    "fr": """a ainsi alors apres au aucun aucune aussi autre autres aux avait avant avec avoir
        ca ce ceci cela celle celles celui ces cet cette ceux chaque chez comme dans de depuis des
        donc dont du elle elles en encore entre est et etaient etait ete etes etre eux fait fut il
        ils je jusqu la le les leur leurs lors lorsque lui ma mais me meme memes moi moins ne ni
        non nos notre nous on ont ou par parce pas peu peut plus plusieurs puis qu quand que quel
        quelle quelles quels qui quoi sa sans se selon sera ses si soit sont sous sur ta tandis te
        tel telle tes toi tous tout toute toutes tres tu un une vers voici vos votre vous y""",
    "it": """a agli al alcuni alcuno all alla alle allo anche ancora avere aveva che chi ci cio
        coi col con contro cosi cui da dagli dai dal dall dalla dalle dallo degli dei del dell
        della delle dello dentro di dopo e ed erano essere fa fino fra gia gli ha hanno ho i il in
        la le lei li lo loro lui ma me mentre mi mia mie miei mio molto ne negli nei nel nell
        nella nelle nello noi non nostra nostro o ogni oppure per perche pero piu poco poi presso
        prima proprio qua quale quali quando quanto quella quelle quelli quello questa queste
        questi questo qui quindi se sei senza si sia siamo siano solo sono sopra sotto sta stata
        stati stato su sua sugli sui sul sull sulla sulle suo suoi tra tu tua tue tuo tuoi tutta
        tutte tutti tutto un una uno voi""",
    "pt": """a ainda alem algum alguma algumas alguns ao aos apenas apos aquela aquelas aquele
        aqueles aquilo as ate cada com como da das de dela delas dele deles depois desde dessa
        desse desta deste do dos e ela elas ele eles em entao entre eram essa essas esse esses
        esta estao estas estava este estes foi foram ha isso isto ja la lhe lhes mais mas me mesma
        mesmo meu meus minha muita muito muitos na nao nas nem nenhum nessa nesse nesta neste no
        nos nossa nosso num numa o onde ou outra outras outro outros para pela pelas pelo pelos
        perante pode podem pois por porque porem quais qual quando quanto que quem se seja sem
        sempre sendo ser sera seu seus sob sobre sua suas tal tambem tao te tem tendo ter teu teve
        tinha toda todas todo todos tua tudo um uma umas uns voce voces""",
    "nl": """aan achter alle alleen als altijd ander andere bij binnen daar daarom dan dat de
        deze dit doen dus een eens elke en er ergens geen geweest haar had heb hebben heeft hem
        het hier hij hoe hun iemand iets ik in is ja je jij jou jouw jullie kan kon kunnen maar me
        meer mijn moet moeten na naar niet niets nog nooit nu of om omdat onder ons onze ook op
        over reeds samen sinds te tegen toch toen tot tussen u uit uw vanaf veel voor waar waarom
        wanneer waren wat weer wel welke werd wie wij worden wordt zal ze zei zelf zelfs zich zij
        zijn zo zonder zou zouden zullen""",
    "ru": """а без более больше будет будто бы был была были было быть в вам вас весь вдруг
        ведь во вот впрочем все всегда всего всех всю вы где да даже два для до другой его ее ей
        ему если есть еще ж же за зачем здесь и из или им иногда их к как какая какой когда
        конечно кто куда ли лучше между меня мне много может можно мой моя мы на над надо наконец
        нас не него нее ней нельзя нет ни нибудь никогда ним них ничего но ну о об один он она они
        оно опять от перед по под после потом потому почти при про раз разве с сам свое свою себе
        себя сейчас со совсем так такой также там тебя тем теперь то тогда того тоже той только
        том тот тут ты у уж уже хоть хотя чего чей чем через что чтоб чтобы чуть эта эти этих это
        этого этой этом этот эту я""",
    "pl": """a aby albo ani az bardzo bardziej bez bo bowiem by byc byl byla bylo byly bym co
        cos czy czyli czym dla dlaczego dlatego do gdy gdyz gdzie i ich ile im inne inny innych iz
        ja jak jaka jakie jako je jeden jednak jednym jego jej jemu jesli jest jestem jeszcze juz
        kazdy kiedy kto ktora ktore ktorego ktorej ktory ktorych ktorym ktorzy ku lecz lub ma maja
        mi miedzy mimo mna mnie moga moj moja moze mozna mu musi my na nad nam nas nasz nawet nia
        nic nich nie nim niz o obok od on ona one oni ono oraz po podczas poniewaz przed przede
        przez przy rowniez sa siebie sie soba sobie swoje ta tak taki takie takze tam te tego tej
        temu teraz tez to toba tobie tu tutaj tych tylko tym u w wam wasz we wedlug wiec wiele
        wlasnie wszystkie wszystko wy za zas ze zeby""",
    "ca": """a al algun alguna algunes alguns altra altre altres amb aquell aquella aquelles
        aquells aquest aquesta aquestes aquests aixi aixo abans be cada com contra de del dels des
        despres dins doncs durant el ell ella elles ells els em en encara ens entre eren es esta
        estan estat et fins ha han havia ho i ja la les li llavors ma mateix meu meva molt molta
        moltes molts ni nosaltres nostra nostre o on pel pels per pero perque poc qual quals
        qualsevol quan que qui quin quina sense ser seu seus seva seves si sobre sota tambe tan
        tant te tot tota totes tots un una unes uns va vos vostre""",
    "sv": """alla allt an annan annat att av blev bli blir da de dem denna deras dess dessa det
        detta dig din dina ditt du dar efter ej eller en er ett fran for fore genom ha hade han
        hans har henne hennes hon honom hos hur i icke ingen inget inom inte ja jag kan kunde med
        mellan mer mig mina mitt mot mycket nagon nagot nagra nar ni nog nu och ocka ocksa om oss
        pa sadan sig sina sitt ska skall skulle som till upp ut utan vad var vara varje varfor vem
        vid vilka vilken vilket vill""",
}

STOPWORDS: Final[Mapping[str, frozenset[str]]] = {
    language: frozenset(words.split()) for language, words in _WORDS.items()
}
"""Two-letter language code -> its stop words."""

ALL: Final = frozenset().union(*STOPWORDS.values())
"""The stop words of every listed language."""

CONTRACTED: Final = frozenset(
    {"c", "d", "j", "l", "ll", "m", "n", "re", "s", "t", "ve", "aren", "couldn", "didn", "doesn", "don"}
    | {"hasn", "haven", "isn", "wasn", "weren", "wouldn"}
)
"""What is left of words beside an apostrophe: grammar in the company of stop words (``it's``,
``d'un``), but names when they stand alone (``C``, ``vitamin D``)."""
