# ruff: noqa: RUF001 -- words of other languages are meant
"""By which words are languages told whose small words are looked for like any others?

The commonest words of languages that have no list of stop words: what is common in one of them is a word of
its own in another (``care`` is Romanian, ``on`` Finnish), so that they tell a language and leave nothing out.
"""

from collections.abc import Mapping
from typing import Final

TELLING: Final[Mapping[str, str]] = {
    "cs": "na to tu ty není nebylo nebyla bude budou tam tady vždy jsou jsem jsme byl byla bylo byly být "
    "jako když nebo také které který která protože aby než už jen při podle mezi pro však ještě její jeho "
    "jejich tento tato toto jak kde co ale se že si ve do od za po mě nás mají má může",
    "da": "og er det ikke af til med som har var blev været havde på jeg hvad hvor hvis også efter meget "
    "nogle mig dig sig ud op kun mellem lige denne disse skal kan vil kunne skulle ville eller men når "
    "man fra ved over under den en et de vi han hun der dem deres vores noget ingen nu her",
    "fi": "ja on ei että se hän olen olet oli olivat ovat mutta kun niin kuin tai myös minä sinä me te he "
    "tämä nämä joka jotka mitä missä koska jos vain sitten ole eivät en ollut kaikki siitä sen nyt "
    "hyvin kanssa jo vielä kaksi yksi minun sinun hänen meidän niitä",
    "hu": "és hogy nem egy az ez azt ezt volt van vannak voltak mert vagy csak már még ha is meg mint de ki "
    "mi nagyon ott itt minden kell lehet volna pedig után között amely aki ami lesz sem el fel le ahol "
    "amikor nincs",
    "no": "og er det ikke av til med som har var ble vært hadde på jeg hva hvor hvis også etter mye noen meg "
    "deg seg ut opp bare mellom like denne disse skal kan vil kunne skulle ville eller men når man fra "
    "ved over under den en et de vi han hun der dem deres vår noe ingen nå her",
    "ro": "și este sunt nu din pentru care sau mai ca să în pe la cu un o fost era au am fi dar după prin "
    "fără foarte acest această aceste ce când unde dacă doar lui ei lor noi voi sale își se de a că "
    "erau aici acolo",
    "uk": "і й в у на з із не що як це та до за по від для але він вона вони ми ви є був була було були "
    "також ще вже або коли де його її їх цей ця ці під над після перед між дуже тут там нема немає буде щоб "
    "якщо тому треба",
    "tr": "ve bir bu için ile olarak çok daha gibi kadar olan değil ama ancak sonra önce her ne ben sen biz "
    "siz onlar var yok mi mı da de ki ya en o şu ise veya çünkü nasıl neden bana beni benim onun bunu "
    "hiç bile vardı",
}
KIN: Final[Mapping[str, frozenset[str]]] = {
    "cs": frozenset({"pl", "it", "es", "fr", "pt", "ca"}),
    "da": frozenset({"sv"}),
    "hu": frozenset({"pt", "it", "es", "fr", "ca"}),
    "no": frozenset({"sv"}),
    "ro": frozenset({"it", "es", "fr", "pt", "ca"}),
    "uk": frozenset({"ru"}),
}
"""Languages of which a language shares so many words that they count for it nevertheless."""
