"""Answers to "which one do you mean?" in other languages: "la segunda", "oba".

Chinese has no blanks between its words: there a name or a room alone is understood.
"""

from collections.abc import Mapping
from typing import Final

from ..choice import ChoiceWords


def _choice(
    *, fillers: str, number: str, ordinals: str, cardinals: str, last: str, all_: str
) -> ChoiceWords:
    """Return a language's words; `|` parts numbers, blanks part forms of one.

    `all_` are the words for both and, after a `|`, for all of them.
    """
    both, every = all_.split("|")
    return ChoiceWords(
        fillers=frozenset(fillers.split()),
        number=frozenset(number.split()),
        ordinals=_counted(ordinals),
        cardinals=_counted(cardinals),
        last=frozenset(last.split()),
        both=frozenset(both.split()),
        every=frozenset(every.split()),
    )


def _counted(words: str) -> Mapping[str, int]:
    return {
        form: number
        for number, forms in enumerate(words.split("|"), 1)
        for form in forms.split()
    }


CHOICES: Final[Mapping[str, ChoiceWords]] = {
    "cs": _choice(
        fillers="ten ta to tu toho tou prosím v ve na u myslím chci jen",
        number="číslo",
        ordinals="první prvního|druhý druhá druhé druhou|třetí|čtvrtý čtvrtá čtvrté"
        " čtvrtou|pátý pátá páté pátou|šestý šestá šesté šestou",
        cardinals="jedna jeden|dva dvě|tři|čtyři|pět|šest",
        last="poslední",
        all_="oba obě|všechny všechna všichni",
    ),
    "es": _choice(
        fillers="el la los las un una de del en mi por favor digo quiero solo a",
        number="número",
        ordinals="primero primera primer|segundo segunda|tercero tercera tercer|cuarto"
        " cuarta|quinto quinta|sexto sexta",
        cardinals="uno una|dos|tres|cuatro|cinco|seis",
        last="último última",
        all_="ambos ambas|todos todas",
    ),
    "fr": _choice(
        fillers="le la les un une de du des dans en celui celle mon ma s'il te vous"
        " plaît je veux juste à",
        number="numéro",
        ordinals="premier première|deuxième second seconde|troisième|quatrième"
        "|cinquième|sixième",
        cardinals="un une|deux|trois|quatre|cinq|six",
        last="dernier dernière",
        all_="|tous toutes",
    ),
    "it": _choice(
        fillers="il lo la i gli le un una di del della in nel nella quello quella mio"
        " mia per favore solo voglio intendo",
        number="numero",
        ordinals="primo prima|secondo seconda|terzo terza|quarto quarta|quinto quinta"
        "|sesto sesta",
        cardinals="uno una|due|tre|quattro|cinque|sei",
        last="ultimo ultima l'ultimo l'ultima",
        all_="entrambi entrambe|tutti tutte",
    ),
    "nl": _choice(
        fillers="de het een die dat in op van mijn ik bedoel graag alsjeblieft",
        number="nummer",
        ordinals="eerste|tweede|derde|vierde|vijfde|zesde",
        cardinals="één een|twee|drie|vier|vijf|zes",
        last="laatste",
        all_="beide allebei|alle allemaal",
    ),
    "pl": _choice(
        fillers="ten ta to tę w we na z proszę chodzi mi o tylko",
        number="numer",
        ordinals="pierwszy pierwsza pierwszą pierwsze|drugi druga drugą drugie|trzeci"
        " trzecia trzecią trzecie|czwarty czwarta czwartą czwarte|piąty piąta piątą"
        " piąte|szósty szósta szóstą szóste",
        cardinals="jeden jedynka|dwa|trzy|cztery|pięć|sześć",
        last="ostatni ostatnia ostatnią ostatnie",
        all_="oba obie obydwa|wszystkie wszystko",
    ),
    "pt": _choice(
        fillers="o a os as um uma de do da em no na meu minha por favor quero só",
        number="número",
        ordinals="primeiro primeira|segundo segunda|terceiro terceira|quarto quarta"
        "|quinto quinta|sexto sexta",
        cardinals="um uma|dois duas|três|quatro|cinco|seis",
        last="último última",
        all_="ambos ambas|todos todas",
    ),
    "ru": _choice(
        fillers="в во на тот та то ту пожалуйста я имею виду только",
        number="номер",
        ordinals="первый первая первую первое|второй вторая вторую второе|третий третья"
        " третью третье|четвёртый четвертый четвёртая четвертая четвёртую четвертую"
        "|пятый пятая пятую пятое|шестой шестая шестую шестое",
        cardinals="один одна|два две|три|четыре|пять|шесть",
        last="последний последняя последнюю последнее",
        all_="оба обе|все всё",
    ),
    "sv": _choice(
        fillers="den det de i på en ett min jag menar tack snälla bara",
        number="nummer",
        ordinals="första|andra|tredje|fjärde|femte|sjätte",
        cardinals="ett en|två|tre|fyra|fem|sex",
        last="sista",
        all_="båda bägge|alla allihop",
    ),
}
