# ruff: noqa: RUF001 -- words of other languages are meant
"""Which forms of words of southern and eastern Europe follow no rule?

Read by ``parse.irregular``: ``base form form ...; base form ...``, folded. A form with a ``+`` agrees like a
participle.
"""

from collections.abc import Mapping
from typing import Final

FORMS: Final[Mapping[str, str]] = {
    "fr": """
        nouveau nouvel nouvelle nouvelles nouveaux; beau bel belle belles beaux; vieux vieil vieille
        vieilles; blanc blanche blanches; frais fraiche fraiches; long longue longues; sec seche seches;
        doux douce douces; roux rousse rousses; faux fausse fausses; fou folle folles fous; mou molle
        molles; gras grasse grasses; gros grosse grosses; epais epaisse epaisses; bas basse basses;
        gentil gentille gentilles; public publique publiques; grec grecque grecques; turc turque
        turques; favori favorite favorites; neuf neuve neuves; actif active actives; vif vive vives;
        naif naive naives; leger legers; premier premiers; jeu jeux; feu feux; lieu lieux; bleu bleus;
        neveu neveux; cheveu cheveux; voeu voeux; aveu aveux; adieu adieux; enjeu enjeux; pneu pneus;
        milieu milieux; pieu pieux; moyeu moyeux; cle clef clefs; partir parti+ part partent; sortir
        sorti+ sort sortent; sentir senti+; servir servi+ sert; remettre remis+; admettre admis+;
        commettre commis+; soumettre soumis+; transmettre transmis+; naitre ne+; coudre cousu+; moudre
        moulu+; tondre tondu+; fondre fondu+; pendre pendu+; etendre etendu+; rire ri riait; plaire plu;
        pleuvoir pleut; falloir fallu faut; asseoir assis+; bouillir bouilli+ bout; fuir fui; acquerir
        acquis+; prevoir prevu+; revoir revu+; emouvoir emu+; repeindre repeint+; atteindre atteint+;
        rejoindre rejoint+; produire produit+; reduire reduit+; nuire nui; suffire suffi suffit;
        cueillir cueilli+; accueillir accueilli+; recueillir recueilli+; mentir menti; vetir vetu+; hair
        hait; travail travaux; bijou bijoux; caillou cailloux; chou choux; genou genoux; hibou hiboux;
        joujou joujoux; oeil yeux; vitrail vitraux; corail coraux; ciel cieux; monsieur messieurs;
        madame mesdames; aller alle+ vont vais allait iront; apprendre appris+; attendre attendu+; avoir
        eu aurai; battre battu+; boire bu+ buvons buvait boivent; comprendre compris+; conduire conduit+
        conduisait; connaitre connu+ connaissait; construire construit+; courir couru+; couvrir
        couvert+; craindre craint+; croire cru+ croyait; cuire cuit+; decouvrir decouvert+; defendre
        defendu+; descendre descendu+; detruire detruit+; devenir devenu+; devoir doit doivent devait;
        dire dit disait disent; dormir dort dorment; ecrire ecrit+ ecrivait ecrivent; elire elu+;
        entendre entendu+; eteindre eteint+; faire fait+ faisait font fera; inscrire inscrit+; interdire
        interdit+; instruire instruit+; joindre joint+; lire lu+ lisait lisent; mettre mis+ mettait;
        mordre mordu+; mourir meurt; naitre naquit; obtenir obtenu+; offrir offert+; ouvrir
        ouvert+; paraitre paru+; peindre peint+; perdre perdu+; permettre permis+; plaindre plaint+;
        pouvoir peut peuvent pouvait pourra; prendre pris+ prenait prennent; promettre promis+; recevoir
        recu+ recoit; reconnaitre reconnu+; rendre rendu+; repondre repondu+; resoudre resolu+; revenir
        revenu+; rompre rompu+; savoir su savait; souffrir souffert+; suivre suivi+; surprendre
        surpris+; tendre tendu+; tenir tenu+ tient tiennent; tordre tordu+; traduire traduit+; vaincre
        vaincu+; valoir valu+; venir venu+ vient viennent; vivre vecu+ vivait; vendre vendu+; voir vu+
        voyait voient verra; vouloir voulu+ veut veulent voulait
    """,
    "es": """
        jugar juego juega juegan juegue; volar vuela vuelan; oler huele huelen; regar riega riegan;
        sembrar siembra siembran; colgar cuelga cuelgan; probar prueba prueban; mostrar muestra
        muestran; sonar suena suenan; recordar recuerda recuerdan; acostar acuesta acuestan; hervir
        hierve hierven hirvio; medir mide miden midio; reir rie rien rio; coger cojo coja; conocer
        conozco conozca; nacer nacio; crecer crezco; salir salgo salga; calentar calienta calientan;
        despertar despierta despiertan; sentar sienta sientan; cocer cuece cuecen; torcer tuerce; moler
        muele muelen; soler suele suelen; doler duele duelen; costar cuesta cuestan; almorzar almuerza
        almuerzan; rogar ruega; comenzar comienza comienzan; fregar friega friegan; helar hiela; nevar
        nieva; quebrar quiebra; temblar tiembla; tropezar tropieza; rodar ruedan; soltar suelta sueltan;
        encender enciende encienden; defender defiende defienden; tender tiende tienden; verter vierte
        vierten; mentir miente mintio; divertir divierte divirtio; sugerir sugiere sugirio; convertir
        convierte convirtio; elegir elige eligen; corregir corrige corrigio; despedir despide despidio;
        impedir impide impidio; abrir abierto+ abrio abrieron abren; unir unio unieron; caer cae caen
        cayendo; andar anduvo anduvieron; caber cupo; caer cayo cayeron; cerrar cierra cierran; conducir
        condujo condujeron; construir construyo construyeron construye; contar cuentan; cubrir
        cubierto+; dar dieron dimos; decir dijo dije dicho+ dijeron dijimos dice dicen; descubrir
        descubierto+; devolver devuelto+; disolver disuelto+; dormir durmio durmieron duerme duermen;
        elegir eligio eligieron; empezar empieza empiezan; encontrar encuentra encuentran; entender
        entiende entienden; envolver envuelto+; escribir escrito+; estar estuvo estuvieron; freir
        frito+; hacer hizo hice hecho+ hicimos hicieron hace hacen; huir huyo huyeron; imprimir
        impreso+; ir fui fuimos fueron; leer leyo leyeron; llover llueve; morir murio murieron
        muere; mover mueve mueven; oir oyo oyeron oye; pedir pidio pidieron pide piden; pensar piensa
        piensan; perder pierde pierden; poder pudo pudieron puede pueden; poner puso puse puesto+
        pusieron pusimos pone; preferir prefirio prefiere prefieren; querer quiso quisieron quiere
        quieren; repetir repitio repite; resolver resuelto+; romper roto+; saber supo supieron;
        satisfacer satisfecho+; seguir siguio siguieron sigue siguen; sentir sintio sintieron siente
        sienten; servir sirvio sirvieron sirve sirven; tener tuvo tuve tuvieron tuvimos tiene tienen;
        traer trajo trajeron trajimos; venir vinieron viene vienen; ver visto vistos vio vieron; vestir
        vistio visten; volver vuelto+ vuelve vuelven
    """,
    "pt": """
        dificil dificeis; facil faceis; util uteis; fossil fosseis; reptil repteis; fragil frageis; agil
        ageis; fertil ferteis; perfil perfis; barril barris; funil funis; civil civis; mao maos; irmao
        irmaos; cidadao cidadaos; abrir aberto+; cobrir coberto+; dar deram; descobrir descoberto+;
        dizer disse disseram dito+ diz; dormir durmo; escrever escrito+; estar esteve estiveram; fazer
        fez feito+ fizeram fizemos faz; ganhar ganho; gastar gasto; haver houve; pagar pago+; poder pode
        puderam; por pos puseram; querer quis quiseram; saber soube souberam; sentir sinto; ter teve
        tiveram tivemos; trazer trouxe trouxeram trouxemos; ver viu viram visto vistos vi vimos via viam
        veem; vir veio vieram vinha vem; ler leu leram lemos lido+ lia liam le; sair saiu sairam sai;
        cair caiu cairam cai; abrir abriu abriram abre; subir sobe sobem; pedir peco pediu; ouvir ouco
        ouve; perder perco; medir meco; dormir dorme dormem; fugir foge fogem; cobrir cobre; seguir sigo
        segue; servir serve sirvo; crer creu; rir riu riram; avo avos; ir foi foram vou
    """,
    "it": """
        uovo uova; chiave chiavi; nave navi; braccio braccia; dito dita; ginocchio ginocchia; labbro
        labbra; lenzuolo lenzuola; osso ossa; paio paia; uomo uomini; bue buoi; accendere acceso+
        accese; accogliere accolto+; aggiungere aggiunto+; andare vado vanno; rimettere rimesso+; porre
        posto+ pose posero pone pongono; comporre composto+ compose; disporre disposto+; esporre
        esposto+; imporre imposto+; opporre opposto+; supporre supposto+; salire salgo salgono; zio zii;
        sedere siede siedono; correre corse corsero; percorrere percorso+; dolere duole; valere valso;
        parere parso; nuocere nociuto; produrre prodotto+; ridurre ridotto+; stringere stretto+;
        assumere assunto+; ridere rise; cadere cadde; tendere teso+; attendere atteso+; difendere
        difese; cuocere cuoce; dare diede dettero; appendere appeso+; aprire aperto+; bere bevuto+ bevve
        beviamo bevo bevono; chiedere chiesto+ chiese; chiudere chiuso+; cogliere colto+; comprendere
        compreso+; concludere concluso+; condurre condotto+; conoscere conobbe; coprire coperto+;
        correggere corretto+; crescere cresciuto+ crebbe; cuocere cotto+; decidere deciso+; difendere
        difeso+; dipingere dipinto+; dire detto+ disse diceva dicono; discutere discusso+; distruggere
        distrutto+; dividere diviso+; eleggere eletto+; esprimere espresso+; fare fatto+ fece faceva
        facciamo fanno; friggere fritto+; giungere giunto+; leggere letto+ lessi lesse; mettere messo+;
        mordere morso+; morire muore muoiono; muovere mosso+; nascere nato+ nacque; nascondere nascosto+;
        offendere offeso+; offrire offerto offerti; perdere perso+; piangere pianto+; porgere porse;
        potere possono potuto; prendere preso+; promettere promesso+; proporre proposto+; proteggere
        protetto+; raccogliere raccolto+; raggiungere raggiunto+; rendere reso resi; rimanere rimasto+
        rimase; risolvere risolto+; rispondere risposto+ rispose; rompere rotto+; sapere seppe sanno;
        scegliere scelto+; scendere sceso+; scoprire scoperto+; scrivere scritto+ scrisse; scuotere
        scosso+; soffrire sofferto+; sorgere sorto+; sorprendere sorpreso+; spegnere spento+; spendere
        speso spesi; spingere spinto+; stare stanno; svolgere svolto+; tenere tenne tengo; togliere
        tolto+; tradurre tradotto+; uccidere ucciso+; uscire esce escono; vedere visto visti vide;
        venire venuto+ venne viene vengono; vincere vinto+; vivere vissuto+; volere vogliono vuole
    """,
    "ru": """
        человек люди людей; ребенок дети детей; друг друзья друзей; чайка чаек; гайка гаек; копейка
        копеек; скамейка скамеек; линейка линеек; батарейка батареек; цветок цветы цветов цветам
        цветами; письмо писем; резать режет режу режут; мазать мажет мажут; сказать скажет скажу; вязать
        вяжет вяжут; пахать пашет; плакать плачет; перо перья перьев; крыло крылья крыльев; муравей
        муравьи муравьев; воробей воробьи воробьев; ручей ручьи ручьев; брат братья братьев; сын сыновья
        сыновей; дерево деревья деревьев; стул стулья стульев; лист листья листьев; мать матери; дочь
        дочери; время времени времена; имя имени имена; идти шел шла шли; заяц зайца зайцы зайцев зайцам
        зайцу; ребенок ребенка; сестра сестер; ухо уши ушей; небо небеса; чудо чудеса; день дня дни
        дней; отец отца; лоб лба лбы; лед льда; рот рта; сон сна сны; пес пса псы; лев льва львы; конец
        конца концы; орел орла орлы; перец перца; огонь огня огни; ехать едет едут еду поехал поехали;
        писать пишу пишет пишут; написать напишу напишет; искать ищу ищет ищут; взять взял взяли возьму
        возьмет; найти нашел нашла нашли найду; прийти пришел пришла пришли приду; уйти ушел ушла ушли;
        пойти пошел пошла пошли; сесть сел сели; лечь лег легла легли; жить живу живет живут; пить пью
        пьет пьют выпил; петь пою поет поют; мыть моет; брать беру берет берут; ждать жду ждет; звать
        зову зовет; давать дает дают; дать дал дали; помочь помог помогла помогли; мочь могу может могут
        мог могла могли; везти вез везла везли; нести нес несла несли; вести вел вела вели
    """,
    "pl": """
        zab zeby zebow; dab deby debow; waz weze wezy; maz mezowie mezow meza; gosc goscie gosci; sasiad
        sasiedzi; okno okien; krzeslo krzesel; noga nodze; droga drodze; rzeka rzece; miasto miescie;
        gwiazda gwiezdzie; kwiat kwiecie; szklo szkiel; pioro pior; jajko jajek; czytac czytal czytala
        czytali; pytac pytal; szukac szukal; dzialac dzialal; mieszkac mieszkal; czekac czekal; sluchac
        sluchal; ogladac ogladal; grac gral; spiewac spiewal; biegac biegal; czlowiek ludzie ludzi;
        dziecko dzieci; brat bracia braci; rok lata; reka rece; oko oczy; ucho uszy; tydzien tygodnie
        tygodnia; dzien dni dnia; pies psa psy psow psu psem; lew lwa lwy lwow; noz noza noze nozem;
        stol stolu stoly stolow; koniec konca; ksiadz ksieza; pisac pisze pisza pisal pisala pisali;
        brac bierze biora; jechac jedzie jada; isc szedl szla szli idzie ida; jesc jadl jadla jedli;
        wziac wzial wziela wzieli; znalezc znalazl znalazla znalezli; moc moze moga mogl mogla;
        przyjaciel przyjaciele przyjaciol; rodzic rodzice rodzicow rodzicom; reka rak rece; noga nog
        nogi; ksiazka ksiazek
    """,
    "ca": """
        ou ous; fer fet+ fa fan feia; veure vist+ veu; llegir llegit+ llegeix; beure begut+ beu; dir
        dit+ diu; obrir obert+ obre; cobrir cobert+; escriure escrit+ escriu; venir vingut+ ve; tenir
        tingut+ te; prendre pres+; coure cuit+; riure rigut; viure viscut; moure mogut; ploure plogut;
        caure caigut; creure cregut; seure segut; anar vaig va; morir mor; omplir omplert+; oferir
        ofert+; treure tret+; encendre ences; peu peus; ull ulls; bou bous; dona dones; home homes; nen
        nens nena
    """,
    "uk": """
        кіт кота коти котів; стіл стола столи столів столу; ніч ночі ночей; дім дому доми домів; ніж
        ножа ножі ножів; рік року роки років; вечір вечора вечори; день дня дні днів; дитина діти дітей
        дітьми дітям; людина люди людей людям; чайка чайок; друг друзі друзів; ніс носа; сіль солі; річ
        речі речей; око очі; вухо вуха; ім'я імені; іти йшов йшла йшли; їхати їхав їхала їхали їде; пити
        п'ю п'є; брат братів; міст мосту мости; лід льоду; хлопець хлопці хлопців; кінець кінця; пес пса
        пси псів; лоб лоба
    """,
    "ro": """
        oras orase orasele orasul; copil copii copiii copiilor copiii; baiat baieti baietii; usa usi
        usile; zi zile zilele; apa ape apele; cheie chei cheile; cal cai caii; merge mers mergea; face
        facut facea; scrie scris scriau; bea baut beau; lua luat luam; vedea vazut vad vede; veni venit
        vine vin; sta stat; da dat; spune spus; duce dus; pune pus; aduce adus; deschide deschis;
        inchide inchis; prinde prins; ramane ramas; trimite trimis; coace copt; fierbe fiert; frige
        fript; sora surori; mana maini mainile; om oameni oamenii; nora nurori; ou oua ouale; nuca nuci
        nucile; cartof cartofi cartofii
    """,
    "hu": """
        lo lovak lovat; ko kovek kovet; to tavak; fu fuvek; mu muvek; szo szavak; ho havak; kez kezek
        kezet; viz vizek vizet; level levelek levelet; kenyer kenyerek kenyeret; fazek fazekak; szeker
        szekerek; madar madarak madarat; ut utak utat; nyar nyarak; hid hidak; kut kutak; nyul nyulak;
        tehen tehenek; bogar bogarak; pohar poharak poharat; fonal fonalak; kotel kotelek; bokor bokrok;
        tukor tukrok; alom almok; eper eprek epret; torony tornyok; malom malmok; szobor szobrok; sator
        satrak; farok farkak; tucsok tucskok; fiu fiuk; borju borjak; ir irtam irt irtunk; olvas
        olvastam olvasott olvastunk; sut sutott sutunk sutottem sutottunk; vasarol vasarolt vasaroltunk;
        fut futott futottam; viragzik viragzott viragoznak; eszik ettem evett ettunk; iszik ittam ivott
        ittunk; megy ment mentunk mentem; jon jott jottem jottunk; lat latott lattam lattunk; vesz vett
        vettem vettunk; visz vitt; tesz tett; ad adott adtam; kap kapott kaptam; alma almat almak; kutya
        kutyat kutyak
    """,
    "cs": """
        pes psi psa psu psy psem psum; den dne dny dni dnu; clovek lide lidi lidem; pritel pratele
        pratel; dite deti detem; ruka ruce rukou; noha nohou; oko oci; ucho usi; kun kone koni; dum domu
        domy domech; stul stolu stoly; nuz noze nozu; jit sel sla sli jde jdou; jet jel jede jedou; psat
        pise pisou psal psala; brat bere berou; cist cte ctou cetl cetla; jist jedl jedla; pit pije pil
        pila; koupit koupil koupila; vzit vzal vzala
    """,
}
