"""Czech about CAESAR itself."""

from typing import Any, Final

from .about_caesar import Done, Words, about_caesar

SENTENCES: Final[dict[str, Any]] = about_caesar(
    "cs",
    Words(
        why=(
            "proč (jsi|jste) to (udělal|udělala|udělali)",
            "proč to (děláš|děláte)",
            "proč (jsi|jste) <did> {name}",
        ),
        why_not=(
            "proč ne",
            "proč (jsi|jste) to (neudělal|neudělala|neudělali)",
            "proč to (neděláš|neděláte|nejde)",
            "proč to (nesmím|nemůžu|nemohu|nesmíš|nemůžeš|nesmíte|nemůžete) [udělat]",
            "proč (jsi|jste) to (odmítl|odmítla|odmítli)",
            "proč (je to zakázané|to není dovoleno)",
            "proč (jsi|jste) <did_not> {name}",
        ),
        done=(
            "co (jsi|jste) [{past}] [pro mě] (udělal|udělala|dělal|udělali) [{past}]",
            "o co jsem tě [{past}] (žádal|žádala|požádal|požádala)",
        ),
        refused=(
            "co (jsi|jste) [{past}] (odmítl|odmítla|odmítli) [{past}]",
            "co (jsi|jste) [{past}] (neudělal|neudělala|neudělali) [{past}]",
        ),
        who=("kdo [{past}] <done> {name} [{past}]",),
        deeds=(
            Done(tool="lock.unlock", words="(odemkl|odemkla|odemknul)"),
            Done(tool="lock.lock", words="(zamkl|zamkla|zamknul)"),
            Done(tool="open", words="(otevřel|otevřela)"),
            Done(tool="close", words="(zavřel|zavřela)"),
            Done(tool="turn_on", words="(zapnul|zapnula|zapl|rozsvítil|rozsvítila)"),
            Done(tool="turn_off", words="(vypnul|vypnula|vypl|zhasl|zhasnul|zhasla)"),
        ),
        may=(
            "co [<here>] <may> [<here>] [(dělat|udělat)] [<here>]",
            "co <may> [(dělat|udělat)] <in> {area}",
            "co <in> {area} <may> [(dělat|udělat)]",
        ),
        forget=(
            "(zapomeň|zapomeňte|smaž|smažte) (tento|tenhle|náš) (rozhovor|hovor)",
            "(zapomeň|zapomeňte) (tuto|tuhle|naši) konverzaci",
            "(zapomeň|zapomeňte) [všechno] co jsem (řekl|řekla)",
        ),
        planned=(
            "co (je naplánováno|je naplánované|mám naplánováno|jsem naplánoval)",
            "jaké mám naplánované příkazy",
        ),
        cancel_it=("(zruš|zrušte) to",),
        cancel=("(zruš|zrušte) [poslední] naplánovaný příkaz",),
        cancel_all=(
            "(zruš|zrušte) všechno co (jsem naplánoval|jsem naplánovala)",
            "(zruš|zrušte) všechny naplánované příkazy",
        ),
        past={
            "today": "dnes[ka]",
            "morning": "dnes[ka] ráno",
            "afternoon": "dnes[ka] odpoledne",
            "evening": "dnes[ka] večer",
            "night": "(dnes v noci|v noci|minulou noc)",
            "yesterday": "včera",
            "week": "(tento týden|v posledním týdnu|v posledních dnech)",
        },
        rules={
            "did": "(zapnul|zapnula|zapl|rozsvítil|rozsvítila|vypnul|vypnula|vypl|zhasl"
            "|zhasnul|zhasla|otevřel|otevřela|zavřel|zavřela|zamkl|zamkla|odemkl"
            "|odemkla|spustil|zastavil|změnil|nastavil)",
            "did_not": "(nezapnul|nezapnula|nezapl|nerozsvítil|nerozsvítila|nevypnul"
            "|nevypnula|nevypl|nezhasl|nezhasnul|nezhasla|neotevřel|neotevřela"
            "|nezavřel|nezavřela|nezamkl|nezamkla|neodemkl|neodemkla|nespustil"
            "|nezastavil|nezměnil|nenastavil)",
            "here": "(tu|tady|zde|v této místnosti)",
            "in": "(v|ve|na|pro)",
            "may": "(smím|můžu|mohu|smíme|můžeme)",
        },
        fillers=("prosím", "řekni mi", "caesar"),
    ),
)
