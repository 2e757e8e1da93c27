"""Short texts in ten languages, a few facts told in each: what vectors and tokens are compared on."""

TEXTS: dict[str, tuple[str, ...]] = {
    "English": (
        "The sourdough needs a warm place and six hours before it goes into the oven.",
        "On Tuesday we changed the oil of the boat's engine and found a crack in the exhaust.",
        "Why does the database lock up when two writers commit at the same time?",
        "Tomatoes: sow indoors in March, plant out after the last frost, water at the foot.",
    ),
    "Spanish": (
        "La masa madre necesita un sitio templado y seis horas antes de entrar en el horno.",
        "El martes cambiamos el aceite del motor del barco y vimos una grieta en el escape.",
        "¿Por qué se bloquea la base de datos cuando dos procesos escriben a la vez?",
        "Tomates: sembrar bajo techo en marzo, plantar tras la última helada, regar al pie.",
    ),
    "French": (
        "Le levain a besoin d'un endroit tiède et de six heures avant d'aller au four.",
        "Mardi, nous avons vidangé le moteur du bateau et trouvé une fissure à l'échappement.",
        "Pourquoi la base de données se bloque-t-elle quand deux processus écrivent ?",
        "Tomates : semer en mars à l'intérieur, repiquer après les gelées, arroser au pied.",
    ),
    "German": (
        "Der Sauerteig braucht einen warmen Platz und sechs Stunden, bevor er in den Ofen kommt.",
        "Am Dienstag haben wir das Öl des Bootsmotors gewechselt und einen Riss im Auspuff gefunden.",
        "Warum blockiert die Datenbank, wenn zwei Prozesse gleichzeitig schreiben?",
        "Tomaten: im März im Haus säen, nach dem letzten Frost auspflanzen, unten gießen.",
    ),
    "Russian": (
        "Закваске нужно тёплое место и шесть часов, прежде чем хлеб пойдёт в печь.",
        "Во вторник мы поменяли масло в двигателе лодки и нашли трещину в выхлопной трубе.",
        "Почему база данных блокируется, когда два процесса пишут одновременно?",
        "Помидоры: сеять в марте дома, высаживать после заморозков, поливать под корень.",
    ),
    "Chinese": (
        "酸面团需要温暖的地方，发酵六个小时后再放进烤箱。",
        "星期二我们更换了船用发动机的机油，并发现排气管上有一道裂缝。",
        "为什么两个进程同时写入时数据库会被锁住？",
        "番茄：三月在室内播种，最后一次霜冻后移栽，浇水要浇根部。",
    ),
    "Japanese": (
        "サワードウは暖かい場所で六時間寝かせてからオーブンに入れます。",
        "火曜日にボートのエンジンオイルを交換し、排気管にひびを見つけた。",
        "二つのプロセスが同時に書き込むと、なぜデータベースがロックされるのか？",
        "トマト：三月に室内で種をまき、最後の霜のあとに植え、根元に水をやる。",
    ),
    "Korean": (
        "사워도우는 따뜻한 곳에서 여섯 시간 발효한 뒤 오븐에 넣는다.",
        "화요일에 보트 엔진 오일을 갈다가 배기관에 금이 간 것을 발견했다.",
        "두 프로세스가 동시에 쓰면 데이터베이스가 왜 잠기는가?",
        "토마토: 3월에 실내에 씨를 뿌리고 마지막 서리 뒤에 옮겨 심는다.",
    ),
    "Arabic": (
        "تحتاج العجينة المخمرة إلى مكان دافئ وست ساعات قبل أن تدخل الفرن.",
        "يوم الثلاثاء غيّرنا زيت محرك القارب ووجدنا شقًا في أنبوب العادم.",
        "لماذا تتوقف قاعدة البيانات عندما تكتب عمليتان في الوقت نفسه؟",
        "الطماطم: تُزرع في الداخل في مارس وتُنقل بعد آخر صقيع.",
    ),
    "Hindi": (
        "खमीर वाले आटे को ओवन में जाने से पहले गर्म जगह और छह घंटे चाहिए।",
        "मंगलवार को हमने नाव के इंजन का तेल बदला और निकास पाइप में दरार पाई।",
        "जब दो प्रक्रियाएँ एक साथ लिखती हैं तो डेटाबेस क्यों रुक जाता है?",
        "टमाटर: मार्च में घर के अंदर बोएँ, आख़िरी पाले के बाद बाहर लगाएँ।",
    ),
}


def all_texts(count: int = 200) -> list[str]:
    """Return so many texts, no two alike, from a few words to a few hundred, every language equally often."""
    made = []
    for at in range(count):
        sentences = list(TEXTS.values())[at % len(TEXTS)]
        turn = at // len(TEXTS)
        first, length = turn % len(sentences), 1 + turn // len(sentences)
        chosen = [sentences[(first + step * (turn + 1)) % len(sentences)] for step in range(length)]
        made.append(f"{turn + 1}. " + " ".join(chosen))
    return made
