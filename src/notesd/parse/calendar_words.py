# ruff: noqa: RUF001 -- words of many languages are meant
"""What are the months and the days of the week called?

Small letters without accents. Source: the calendars of each language, as printed.
"""

from collections.abc import Mapping
from typing import Final

_MONTHS: Final = """
jan january januar janv janvier ene enero gen gennaio janeiro januari januara januaris jaanuar
jaanuari ian ianuarie janner jener gener xaneiro januarja ocak oca stycznia styczen sty ledna leden
tammikuu tammikuuta sijecnja sijecanj sausio sausis января январь янв януари січня січень ιανουαριου
ιανουαριοσ ιαν ינואר בינואר يناير;
feb february februar fev fevr fevrier febrero febbraio fevereiro februari februara februarja
februarie febrer febreiro feber veebruar veebruari februaris subat sub lutego luty lut unora unor
helmikuu helmikuuta veljace veljaca vasario vasaris февраля февраль фев февруари лютого лютии
φεβρουαριου φεβρουαριοσ φεβ פברואר בפברואר فبراير;
mar march marz mrz maerz mars marzo marco marts maart mrt marca mart martie marc marcius marec
martis marzec brezna brezen maaliskuu maaliskuuta ozujka ozujak kovo kovas марта март мар березня
березень μαρτιου μαρτιοσ μαρ מרץ במרץ مارس;
apr april avr avril abr abril aprile aprila aprilie aprilis aprill aprilla kwietnia kwiecien kwi
nisan nis dubna duben huhtikuu huhtikuuta travnja travanj balandzio balandis апреля апрель апр април
квітня квітень απριλιου απριλιοσ απρ אפריל באפריל ابريل;
may mai mayo mag maggio maio mei maj maja mayis maijs maig majus maga kvetna kveten toukokuu
toukokuuta svibnja svibanj geguzes geguze мая маи маја травня травень μαιου μαιοσ μαι מאי במאי مايو;
jun june juin juni junio giu giugno junho juna junija juny juuni xuno iun iunie junius junijs
czerwca czerwiec cze haziran haz cervna cerven kesakuu kesakuuta lipnja lipanj birzelio birzelis
июня июнь июн юни червня червень ιουνιου ιουνιοσ ιουν יוני ביוני يونيو;
jul july juli juil juillet julio lug luglio julho jula julija juliol juuli xullo iul iulie julius
julijs lipca lipiec lip temmuz tem cervence cervenec heinakuu heinakuuta srpnja srpanj liepos liepa
июля июль июл юли липня липень ιουλιου ιουλιοσ ιουλ יולי ביולי يوليو;
aug august aout ago agosto augustus augusti augusta augusztus augusts avgusta avgust agost agustus
agu sierpnia sierpien sie agustos srpna srpen elokuu elokuuta kolovoza kolovoz rugpjucio rugpjutis
августа август авг серпня серпень αυγουστου αυγουστοσ αυγ אוגוסט באוגוסט اغسطس;
sep sept september septembre septiembre set settembre setembro setembre septembra septembrie
septembris septembri szeptember szept wrzesnia wrzesien wrz eylul eyl zari syyskuu syyskuuta rujna
rujan rugsejo rugsejis сентября сентябрь сен сент септември вересня вересень σεπτεμβριου σεπτεμβριοσ
σεπ σεπτ ספטמבר בספטמבר سبتمبر;
oct october oktober okt octobre octubre ott ottobre out outubro oktobra octombrie oktobris oktoober
oktoobri pazdziernika pazdziernik paz ekim eki rijna rijen lokakuu lokakuuta spalio spalis октября
октябрь окт октомври жовтня жовтень οκτωβριου οκτωβριοσ οκτ אוקטובר באוקטובר اكتوبر;
nov november novembre noviembre novembro novembra noiembrie novembris novembri noi listopada
listopad lis listopadu kasim kas marraskuu marraskuuta studenoga studenog studeni lapkricio
lapkritis ноября ноябрь ноя нояб ноември листопада листопад νοεμβριου νοεμβριοσ νοε נובמבר בנובמבר
نوفمبر;
dec december dezember dez decembre dic diciembre dicembre dezembro desember des decembra decembrie
decembris desembre decembro detsember detsembri grudnia grudzien gru aralik ara prosince prosinec
joulukuu joulukuuta prosinca prosinac gruodzio gruodis декабря декабрь дек декември грудня грудень
δεκεμβριου δεκεμβριοσ δεκ דצמבר בדצמבר ديسمبر
"""
MONTHS: Final[Mapping[str, int]] = {
    name: number for number, names in enumerate(_MONTHS.split(";"), 1) for name in names.split()
}
"""Name of a month -> 1 to 12."""
WITH_A_DAY: Final = frozenset({"ara", "des", "noi", "tem"})
"""Names that are common words as well: months only beside a day."""

_WEEKDAYS: Final = """
mon monday tue tues tuesday wed wednesday thu thur thurs thursday fri friday sat saturday sun sunday
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so lundi mardi
mercredi jeudi vendredi samedi dimanche lunes martes miercoles jueves viernes sabado domingo lunedi
martedi mercoledi giovedi venerdi sabato domenica segunda terca quarta quinta sexta feira maandag
dinsdag woensdag donderdag vrijdag zaterdag zondag mandag tirsdag onsdag torsdag fredag lordag sondag
tisdag понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье пн вт ср чт
пт сб вс poniedzialek wtorek sroda srode czwartek piatek sobota sobote niedziela niedziele dilluns
dimarts dimecres dijous divendres dissabte diumenge luni marti miercuri joi vineri sambata duminica
hetfo kedd szerda csutortok pentek szombat vasarnap pazartesi sali carsamba persembe cuma cumartesi
pazar maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai pondeli utery streda ctvrtek
patek nedele pondelok utorok stvrtok piatok ponedjeljak utorak srijeda cetvrtak petak subota nedjelja
nedelja понеділок вівторок середа середу четвер пятниця субота суботу неділя неділю понеделник сряда
петък събота неделя δευτερα τριτη τεταρτη πεμπτη παρασκευη σαββατο κυριακη senin selasa rabu kamis jumat
sabtu minggu luns xoves venres esmaspaev teisipaev kolmapaev neljapaev reede laupaev puhapaev
pirmadienis antradienis treciadienis ketvirtadienis penktadienis sestadienis sekmadienis
"""
WEEKDAYS: Final = frozenset(_WEEKDAYS.split())
"""Names of the days of the week."""
