"""Polish about CAESAR itself, and locks in words that Home Assistant's lack."""

from typing import Any, Final

from .about_caesar import Done, Words, about_caesar

SENTENCES: Final[dict[str, Any]] = about_caesar(
    "pl",
    Words(
        why=(
            "<why> to (zrobiłeś|zrobiłaś|robisz)",
            "<why> (zrobiłeś|zrobiłaś|robisz) to",
            "<why> <did> {name}",
        ),
        why_not=(
            "<why> nie",
            "<why> tego nie (zrobiłeś|zrobiłaś|robisz)",
            "<why> nie (zrobiłeś|zrobiłaś|robisz) tego",
            "<why> nie (możesz|mogę|wolno) [tego] [zrobić]",
            "<why> (odmówiłeś|odmówiłaś) [tego]",
            "<why> (to jest zabronione|nie wolno)",
            "<why> nie <did> {name}",
        ),
        done=(
            "co [{past}] (zrobiłeś|zrobiłaś|robiłeś|robiłaś) [dla mnie] [{past}]",
            "o co cię [{past}] (prosiłem|prosiłam|poprosiłem|poprosiłam)",
        ),
        refused=(
            "czego [{past}] (odmówiłeś|odmówiłaś) [{past}]",
            "czego [{past}] nie (zrobiłeś|zrobiłaś) [{past}]",
        ),
        who=("kto [{past}] <done> {name} [{past}]",),
        deeds=(
            Done(tool="lock.unlock", words="(odblokował|odblokowała|otworzył zamek)"),
            Done(tool="lock.lock", words="(zablokował|zablokowała|zamknął zamek)"),
            Done(tool="open", words="(otworzył|otworzyła)"),
            Done(tool="close", words="(zamknął|zamknęła)"),
            Done(tool="turn_on", words="(włączył|włączyła|zapalił|zapaliła)"),
            Done(tool="turn_off", words="(wyłączył|wyłączyła|zgasił|zgasiła)"),
        ),
        may=(
            "co <may> [<here>] [(zrobić|robić)] [<here>]",
            "co <may> [(zrobić|robić)] <in> {area}",
        ),
        forget=(
            "(zapomnij|usuń) (tę|naszą) rozmowę",
            "zapomnij [wszystko] co (powiedziałem|powiedziałam|powiedzieliśmy)",
        ),
        planned=(
            "co (jest zaplanowane|mam zaplanowane|zaplanowałem|zaplanowałam)",
            "jakie są moje zaplanowane polecenia",
        ),
        cancel_it=("anuluj to",),
        cancel=("anuluj [ostatnie] zaplanowane polecenie",),
        cancel_all=(
            "anuluj wszystko co (zaplanowałem|zaplanowałam|jest zaplanowane)",
            "anuluj wszystkie zaplanowane polecenia",
        ),
        past={
            "today": "(dziś|dzisiaj)",
            "morning": "(dziś|dzisiaj) rano",
            "afternoon": "(dziś|dzisiaj) po południu",
            "evening": "(dziś|dzisiaj) wieczorem",
            "night": "([dziś] w nocy|ostatniej nocy)",
            "yesterday": "wczoraj",
            "week": "(w tym tygodniu|w ostatnim tygodniu|w ostatnich dniach)",
        },
        rules={
            "did": "(włączyłeś|włączyłaś|wyłączyłeś|wyłączyłaś|zapaliłeś|zgasiłeś"
            "|otworzyłeś|otworzyłaś|zamknąłeś|zamknęłaś|zablokowałeś|odblokowałeś"
            "|uruchomiłeś|zatrzymałeś|zmieniłeś|ustawiłeś)",
            "here": "(tu|tutaj|w tym pokoju)",
            "in": "(w|we|na|dla)",
            "may": "(mogę|możemy|wolno mi|wolno nam|wolno)",
            "why": "(dlaczego|czemu)",
        },
        fillers=("proszę", "powiedz mi", "caesar"),
        locking={
            "HassTurnOff": (
                "(odblokuj|odrygluj) {name}",
                "otwórz zamek [w] {name}",
            ),
            "HassTurnOn": (
                "(zablokuj|zarygluj) {name}",
                "zamknij zamek [w] {name}",
            ),
        },
    ),
)
