"""Swedish about CAESAR itself."""

from typing import Any, Final

from .about_caesar import Done, Words, about_caesar

SENTENCES: Final[dict[str, Any]] = about_caesar(
    "sv",
    Words(
        why=(
            "varför gjorde du (det|det där|detta|så)",
            "varför har du gjort (det|det där|detta|så)",
            "varför gör du (det|det där|så)",
            "varför <did> {name}",
            "varför har du <have_done> {name}",
        ),
        why_not=(
            "varför inte",
            "varför gjorde du inte (det|det där)",
            "varför gjorde du det inte",
            "varför har du inte gjort (det|det där)",
            "varför (kan|får) (du|jag) inte [göra] (det|det där)",
            "varför (kan|får) (du|jag) inte",
            "varför nekade du [det]",
            "varför (nekades det|är det (förbjudet|inte tillåtet))",
            "varför <did_not> {name}",
            "varför har du inte <have_done> {name}",
        ),
        done=(
            "vad gjorde du [åt mig] [{past}]",
            "vad har du gjort [åt mig] [{past}]",
            "vad bad jag dig om [{past}]",
        ),
        refused=(
            "vad (nekade du|har du nekat) [{past}]",
            "vad (gjorde du inte|har du inte gjort) [{past}]",
        ),
        who=("vem <done> {name} [{past}]",),
        deeds=(
            Done(tool="lock.unlock", words="(låste upp|har låst upp)"),
            Done(tool="lock.lock", words="(låste|har låst)"),
            Done(tool="open", words="(öppnade|har öppnat)"),
            Done(tool="close", words="(stängde|har stängt)"),
            Done(tool="turn_on", words="(tände|slog på|har tänt|har slagit på)"),
            Done(
                tool="turn_off",
                words="(släckte|stängde av|slog av|har släckt|har stängt av)",
            ),
        ),
        may=(
            "vad (får|kan) (jag|vi|man) göra [<here>]",
            "vad (får|kan) (jag|vi|man) göra <in> {area}",
            "vad är tillåtet [(<here>|<in> {area})]",
        ),
        forget=(
            "(glöm|radera) (det här samtalet|vårt samtal|den här konversationen)",
            "glöm [allt] [det] (jag|vi) [har] sagt",
        ),
        planned=(
            "vad (har jag planerat|är planerat|finns planerat)",
            "vilka är mina planerade kommandon",
        ),
        cancel_it=("avbryt (det|det där)",),
        cancel=("avbryt det [senaste] planerade kommandot",),
        cancel_all=(
            "avbryt allt (planerat|jag har planerat|som är planerat)",
            "avbryt alla planerade kommandon",
        ),
        past={
            "today": "(idag|i dag)",
            "morning": "(i morse|imorse|i förmiddags)",
            "afternoon": "(i eftermiddags|i eftermiddag)",
            "evening": "(i kväll|ikväll)",
            "night": "(i natt|inatt)",
            "yesterday": "(igår|i går)",
            "week": "([den] här veckan|[den] senaste veckan|de senaste dagarna)",
        },
        rules={
            "did": "(tände du|slog du på|släckte du|stängde du av|slog du av|öppnade du"
            "|stängde du|låste du|låste du upp|startade du|stoppade du|ändrade du)",
            "did_not": "(tände du inte|slog du inte på|släckte du inte|stängde du inte av"
            "|slog du inte av|öppnade du inte|stängde du inte|låste du inte"
            "|låste du inte upp|startade du inte|stoppade du inte|ändrade du inte)",
            "have_done": "(tänt|slagit på|släckt|stängt av|slagit av|öppnat|stängt|låst"
            "|låst upp|startat|stoppat|ändrat)",
            "here": "(här [inne]|i det här rummet)",
            "in": "(i|på|för)",
        },
        fillers=("snälla", "tack", "caesar"),
    ),
)
