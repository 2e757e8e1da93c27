# ruff: noqa: RUF001 -- words of many languages are meant
"""What are the months and the days of the week called?

Small letters without accents. Source: the calendars of each language, as printed.
"""

from collections.abc import Mapping
from typing import Final

_MONTHS: Final = """
jan january januar janv janvier ene enero gen gennaio janeiro januari января январь янв stycznia
styczen sty ocak ledna leden tammikuu tammikuuta;
feb february februar fev fevr fevrier febrero febbraio fevereiro februari февраля февраль фев lutego
luty lut subat unora unor helmikuu helmikuuta;
mar march marz mrz maerz mars marzo marco maart mrt марта март мар marca marzec mart brezna brezen
maaliskuu maaliskuuta;
apr april avr avril abr abril aprile апреля апрель апр kwietnia kwiecien kwi nisan dubna duben
huhtikuu huhtikuuta;
may mai mayo mag maggio maio mei maj mayis мая маи maja kvetna kveten toukokuu toukokuuta;
jun june juni juin junio giu giugno junho июня июнь июн czerwca czerwiec cze haziran cervna cerven
kesakuu kesakuuta;
jul july juli juil juillet julio lug luglio julho июля июль июл lipca lipiec lip temmuz cervence cervenec
heinakuu heinakuuta;
aug august aout ago agosto augustus augusti августа август авг sierpnia sierpien sie agustos srpna srpen
elokuu elokuuta;
sep sept september septembre septiembre set settembre setembro сентября сентябрь сен сент wrzesnia
wrzesien wrz eylul zari syyskuu syyskuuta;
oct october oktober okt octobre octubre ott ottobre out outubro октября октябрь окт pazdziernika
pazdziernik paz ekim rijna rijen lokakuu lokakuuta;
nov november novembre noviembre novembro ноября ноябрь ноя нояб listopada listopad lis listopadu kasim
marraskuu marraskuuta;
dec december dezember dez decembre dic diciembre dicembre dezembro декабря декабрь дек grudnia
grudzien gru aralik prosince prosinec joulukuu joulukuuta
"""
MONTHS: Final[Mapping[str, int]] = {
    name: number for number, names in enumerate(_MONTHS.split(";"), 1) for name in names.split()
}
"""Name of a month -> 1 to 12."""

WEEKDAYS: Final = frozenset(
    [
        "mon",
        "monday",
        "tue",
        "tues",
        "tuesday",
        "wed",
        "wednesday",
        "thu",
        "thur",
        "thurs",
        "thursday",
        "fri",
        "friday",
        "sat",
        "saturday",
        "sun",
        "sunday",
        "montag",
        "dienstag",
        "mittwoch",
        "donnerstag",
        "freitag",
        "samstag",
        "sonnabend",
        "sonntag",
        "mo",
        "di",
        "mi",
        "do",
        "fr",
        "sa",
        "so",
        "lundi",
        "mardi",
        "mercredi",
        "jeudi",
        "vendredi",
        "samedi",
        "dimanche",
        "lunes",
        "martes",
        "miercoles",
        "jueves",
        "viernes",
        "sabado",
        "domingo",
        "lunedi",
        "martedi",
        "mercoledi",
        "giovedi",
        "venerdi",
        "sabato",
        "domenica",
        "segunda",
        "terca",
        "quarta",
        "quinta",
        "sexta",
        "feira",
        "maandag",
        "dinsdag",
        "woensdag",
        "donderdag",
        "vrijdag",
        "zaterdag",
        "zondag",
        "mandag",
        "tirsdag",
        "onsdag",
        "torsdag",
        "fredag",
        "lordag",
        "sondag",
        "tisdag",
        "понедельник",
        "вторник",
        "среда",
        "среду",
        "четверг",
        "пятница",
        "пятницу",
        "суббота",
        "субботу",
        "воскресенье",
        "пн",
        "вт",
        "ср",
        "чт",
        "пт",
        "сб",
        "вс",
        "poniedzialek",
        "wtorek",
        "sroda",
        "srode",
        "czwartek",
        "piatek",
        "sobota",
        "sobote",
        "niedziela",
        "niedziele",
    ]
)
"""Names of the days of the week."""
