"""What counts as a yes, a no or a PIN: lists of our own, and nothing else decides.

A message is an answer only if all of it is one: "yes", "ja bitte", never "yes, but
first the lights", nor "yes?". Languages without a list of their own hear English. A
language's list doesn't hold a word that means something else there ("no" is a yes in
Polish), and no single letter of an alphabet: noise is heard as one.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
import re
from typing import Final
import unicodedata

PIN_MIN: Final = 4
PIN_MAX: Final = 12
MAX_ANSWER: Final = 60
_MAX_PIN_TEXT: Final = 200
_NOT_WORDS: Final = re.compile(r"[^\w']+|_")
# Who asks back ("sure?") has not said yes: the marks of all our languages.
_ASKS: Final = re.compile(r"[?\u00bf\u037e\u061f\u203d\u2753\u2754]")
# A thumb up, a hand that says "okay", ticks, folded hands. "Sure" with rolling eyes, or
# with a thumb down, is no yes.
_AGREEING: Final = frozenset(
    "\N{THUMBS UP SIGN}\N{OK HAND SIGN}\N{WHITE HEAVY CHECK MARK}\N{CHECK MARK}"
    "\N{HEAVY CHECK MARK}\N{PERSON WITH FOLDED HANDS}"
)
_UNSPACED: Final = frozenset({"zh"})


class Heard(StrEnum):
    """What a message says to an open question."""

    YES = "yes"
    NO = "no"
    OTHER = "other"


class _Language:
    """One language's words; `|` parts them in the lists below.

    `unclear` are phrases of a yes's words that are none: each is taken for both.
    """

    def __init__(
        self,
        *,
        yes: str,
        no: str,
        fillers: str,
        digits: str,
        unclear: str = "",
        unspaced: bool = False,
    ) -> None:
        self.unspaced = unspaced
        self.phrases: dict[tuple[str, ...], Heard | None] = {}
        for words, heard in (
            (unclear, None),
            (fillers, Heard.OTHER),
            (yes, Heard.YES),
            (no, Heard.NO),
        ):
            for phrase in filter(None, words.split("|")):
                self.phrases[self.tokens(phrase)] = heard
        self.longest = max(map(len, self.phrases))
        self.digits = {
            self.tokens(word)[0] if not unspaced else word: str(number)
            for number, same in enumerate(digits.split("|"))
            for word in same.split("/")
        }

    def tokens(self, text: str) -> tuple[str, ...]:
        """Return the words of a text without case, marks and punctuation."""
        folded = unicodedata.normalize("NFKC", text).replace("\u2019", "'").casefold()
        words = _NOT_WORDS.sub(" ", folded).split()
        return tuple("".join(words)) if self.unspaced else tuple(words)


_WORDS: Final[Mapping[str, _Language]] = {
    "en": _Language(
        yes="yes|yeah|yep|yup|sure|ok|okay|do it|just do it|do that|go ahead|please do"
        "|confirm|confirmed|approve|approved|allow|allow it|i agree|of course|absolutely",
        no="no|nope|nah|don't|do not|don't do it|do not do it|don't do that"
        "|do not do that|please don't|please don't do it|please don't do that|stop"
        "|cancel|deny|denied|never|never mind|nevermind|not now|rather not|forget it"
        "|no way|no thanks|no thank you|leave it"
        "|cancel that|cancel it|forget that|drop it|drop that|stop that|stop it",
        fillers="please|thanks|thank you|caesar|now",
        digits="zero/oh/o|one|two|three|four|five|six|seven|eight|nine",
    ),
    "de": _Language(
        yes="ja|jawohl|jo|jep|klar|na klar|gern|gerne|ok|okay|mach|mach es|mach das"
        "|mach's|tu es|tu das|in ordnung|einverstanden|genehmigt|erlaubt|bestätigt"
        "|bestätigen|freigeben|freigegeben|natürlich|auf jeden fall|nur zu|yes",
        no="nein|nö|nee|nicht|bitte nicht|lieber nicht|bloß nicht|lass es|lass das"
        "|lass es sein|lass es bleiben|auf keinen fall|stopp|stop|abbrechen|abbruch"
        "|abgelehnt|ablehnen|niemals|jetzt nicht|nein danke|no"
        "|vergiss es|vergiss das|brich das ab|brich ab|streich das|hör auf",
        fillers="bitte|danke|caesar|cäsar|jetzt|doch|mal",
        digits="null|eins/ein|zwei/zwo|drei|vier|fünf|sechs|sieben|acht|neun",
    ),
    "es": _Language(
        yes="sí|si|claro|claro que sí|vale|ok|okay|de acuerdo|adelante|hazlo|confirmo"
        "|confirmado|por supuesto|apruebo|aprobado|permitido",
        no="no|no lo hagas|cancela|cancelar|para|nunca|déjalo|ahora no|mejor no"
        "|de ninguna manera|rechazado|rechazo|no gracias|cancela eso|cancela esto",
        fillers="por favor|gracias|caesar|césar|ahora",
        digits="cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve",
    ),
    "fr": _Language(
        yes="oui|ouais|d'accord|ok|okay|vas y|allez y|fais le|faites le|bien sûr"
        "|confirmé|je confirme|confirmer|approuvé|j'approuve|autorisé|certainement",
        no="non|ne le fais pas|ne le faites pas|surtout pas|annule|annuler|annulez"
        "|arrête|stop|jamais|pas maintenant|laisse tomber|refusé|je refuse|non merci"
        "|annule ça|annule cela|annulez ça|annulez cela|oublie ça|oubliez ça|oublie cela",
        fillers="s'il te plaît|s'il vous plaît|merci|caesar|césar|maintenant",
        digits="zéro|un|deux|trois|quatre|cinq|six|sept|huit|neuf",
    ),
    "it": _Language(
        yes="sì|si|certo|ok|okay|va bene|d'accordo|fallo|procedi|confermo|confermato"
        "|approvo|approvato|naturalmente",
        no="no|non farlo|annulla|ferma|fermati|stop|mai|lascia stare|lascia perdere"
        "|non ora|meglio di no|assolutamente no|rifiuto|rifiutato|no grazie"
        "|annullalo|annulla questo|annulla quello|cancella questo|cancella quello",
        fillers="per favore|per piacere|grazie|caesar|cesare|adesso|ora",
        digits="zero|uno|due|tre|quattro|cinque|sei|sette|otto|nove",
    ),
    "nl": _Language(
        yes="ja|jazeker|zeker|jep|ok|oké|okay|oke|prima|doe maar|doe het|doe het maar"
        "|toe maar|ga je gang"
        "|akkoord|bevestigd|bevestigen|goedgekeurd|toegestaan|natuurlijk|graag",
        no="nee|neen|niet doen|doe het niet|liever niet|stop|stop maar|annuleer"
        "|annuleer maar|annuleren"
        "|nooit|laat maar|nu niet|zeker niet|geweigerd|geen sprake van|nee bedankt"
        "|annuleer dat|vergeet dat|vergeet het",
        fillers="alsjeblieft|alstublieft|bedankt|dank je|caesar|nu",
        digits="nul|een/één|twee|drie|vier|vijf|zes|zeven|acht|negen",
    ),
    "pl": _Language(
        yes="tak|jasne|pewnie|ok|okej|okay|dobrze|zgoda|zgadzam się|zrób to|potwierdzam"
        "|zatwierdzam|oczywiście|dawaj",
        no="nie|nie rób tego|anuluj|stop|przestań|nigdy|zostaw|zostaw to|nie teraz"
        "|lepiej nie|odmawiam|odrzucam|w żadnym wypadku|nie dziękuję|anuluj to",
        fillers="proszę|dziękuję|caesar|cezar|teraz",
        digits="zero|jeden|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć",
    ),
    "pt": _Language(
        yes="sim|claro|claro que sim|ok|okay|está bem|tá bom|tudo bem|de acordo"
        "|pode|pode sim|faz isso|faça isso|avança|confirmo|confirmado|aprovo|aprovado"
        "|com certeza",
        no="não|nao|não faças|não faça|não faça isso|cancela|cancelar|cancele|para"
        "|pare|nunca|deixa|deixa para lá|agora não|melhor não|de jeito nenhum"
        "|recuso|recusado|não obrigado|não obrigada|cancele isso|cancela isso|cancele isto"
        "|cancela isto",
        fillers="por favor|obrigado|obrigada|caesar|césar|agora",
        digits="zero|um|dois|três|quatro|cinco|seis/meia|sete|oito|nove",
    ),
    "ru": _Language(
        yes="да|ага|конечно|хорошо|ладно|ок|окей|давай|сделай|сделай это|согласен"
        "|согласна|подтверждаю|разрешаю|одобряю|можно",
        no="нет|не надо|не нужно|не делай|не делай этого|отмена|отмени|отменить|стоп"
        "|никогда|оставь|не сейчас|лучше не надо|ни в коем случае|запрещаю|отказываю"
        "|нельзя|нет спасибо|отмени это|отмените|отмените это",
        fillers="пожалуйста|спасибо|цезарь|caesar|сейчас",
        unclear="да ладно|ага конечно|ага сейчас|да сейчас",
        digits="ноль/нуль|один|два|три|четыре|пять|шесть|семь|восемь|девять",
    ),
    "sv": _Language(
        yes="ja|japp|jajamän|jadå|visst|självklart|ok|okej|okay|gör det|kör|kör på"
        "|bekräfta|bekräftat|godkänn|godkänt|tillåt|absolut|gärna",
        no="nej|nä|nej tack|gör det inte|gör inte det|låt bli|stopp|stoppa|avbryt"
        "|aldrig|inte nu|helst inte|absolut inte|glöm det|avslå|neka|avbryt det|avbryt det där",
        fillers="tack|snälla|caesar|nu",
        digits="noll|ett/en|två|tre|fyra|fem|sex|sju|åtta|nio",
    ),
    "cs": _Language(
        yes="ano|jo|jasně|jistě|ok|okej|okay|dobře|souhlasím|udělej to|potvrzuji"
        "|potvrzuju|schvaluji|schvaluju|povoluji|samozřejmě",
        no="ne|nedělej to|zruš|zruš to|zrušit|stop|přestaň|nikdy|nech to|nech to být"
        "|teď ne|raději ne|radši ne|v žádném případě|zamítám|odmítám|ne díky|zrušte to|zrušte",
        fillers="prosím|díky|děkuji|caesar|césar|teď",
        digits="nula|jedna/jeden|dva/dvě|tři|čtyři|pět|šest|sedm|osm|devět",
    ),
    "zh": _Language(
        yes="是|是的|对|对的|好|好的|可以|行|没问题|同意|确认|确定|允许|批准|當然|当然"
        "|對|對的|沒問題|確認|確定|允許|批准|好啊|好吧",
        no="不|不是|不要|不行|不可以|不用|不用了|不好|不同意|不允许|不允許|否|别|別"
        "|取消|算了|停|停止|拒绝|拒絕|不必|先不要|取消这个|取消那个|取消它|取消这条命令"
        "|取消那条命令",
        fillers="请|請|谢谢|謝謝|凯撒|凱撒",
        digits="零/〇|一/幺|二/两/兩|三|四|五|六|七|八|九",
        unspaced=True,
    ),
}
# Words around a spoken PIN; they only decide whether a message is nothing but a PIN.
_AROUND_PIN: Final = frozenset(
    [
        "pin",
        "code",
        "the",
        "is",
        "my",
        "it's",
        "der",
        "die",
        "mein",
        "meine",
        "ist",
        "lautet",
        "el",
        "mi",
        "es",
        "le",
        "mon",
        "est",
        "il",
        "mio",
        "è",
        "de",
        "mijn",
        "kod",
        "mój",
        "to",
        "o",
        "meu",
        "é",
        "пин",
        "код",
        "мой",
        "это",
        "min",
        "är",
        "kód",
        "můj",
        "je",
        "código",
        "codice",
        "pincode",
        "koden",
        "pinkoden",
        "密",
        "码",
        "碼",
        "我",
        "的",
    ]
)


def hear(text: str, language: str) -> Heard:
    """Return whether the whole text is a yes or a no in that language."""
    if len(text) > MAX_ANSWER:
        return Heard.OTHER
    words = _words(language)
    meant: set[Heard] = set()
    tokens = words.tokens(text)
    while tokens:
        for length in range(min(words.longest, len(tokens)), 0, -1):
            said = tokens[:length]
            if said in words.phrases:
                found = words.phrases[said]
                meant |= {found} if found else {Heard.YES, Heard.NO}
                tokens = tokens[length:]
                break
        else:
            return Heard.OTHER
    meant.discard(Heard.OTHER)
    if len(meant) != 1 or (Heard.YES in meant and _doubts(text)):
        return Heard.OTHER
    return meant.pop()


def _doubts(text: str) -> bool:
    """Return whether a mark or a picture says something else than the words."""
    folded = unicodedata.normalize("NFKC", text)
    return bool(_ASKS.search(folded)) or any(
        unicodedata.category(char) == "So" and char not in _AGREEING for char in folded
    )


def pin_in(text: str, language: str) -> str | None:
    """Return all digits of a text, if they could be a PIN; spoken ones too.

    Whatever stands around them: after a question that a PIN answers, nothing that may
    hold the PIN is handed on.
    """
    digits = "".join(_digits(_tokens_with_digits(text[:_MAX_PIN_TEXT], language)))
    return digits if len(digits) >= PIN_MIN else None


def is_bare_pin(text: str, language: str) -> bool:
    """Return whether a text is a PIN and nothing else that means anything."""
    if len(text) > MAX_ANSWER or pin_in(text, language) is None:
        return False
    words = _words(language)
    return all(
        digit is not None
        or token in _AROUND_PIN
        or words.phrases.get((token,)) is not None
        for token, digit in _tokens_with_digits(text, language)
    )


def normal_pin(text: str) -> str | None:
    """Return a PIN as it is kept; None if it is no PIN of 4 to 12 digits."""
    digits = "".join(
        str(unicodedata.decimal(char)) if char.isdecimal() else char
        for char in text.strip()
    )
    if not PIN_MIN <= len(digits) <= PIN_MAX or not digits.isascii():
        return None
    return digits if digits.isdecimal() else None


def _words(language: str) -> _Language:
    tag = language.replace("_", "-").partition("-")[0].lower()
    return _WORDS.get(tag, _WORDS["en"])


def _tokens_with_digits(text: str, language: str) -> Sequence[tuple[str, str | None]]:
    """Return the tokens of a text with the digits that each stands for."""
    words = _words(language)
    folded = unicodedata.normalize("NFKC", text).replace("\u2019", "'").casefold()
    tokens: Iterable[str] = _NOT_WORDS.sub(" ", folded).split()
    if words.unspaced:
        tokens = [char for token in tokens for char in token]
    return [(token, _number(token, words)) for token in tokens]


def _number(token: str, words: _Language) -> str | None:
    if token in words.digits:
        return words.digits[token]
    digits = [unicodedata.decimal(char, None) for char in token]
    if any(digit is None for digit in digits):
        return None
    return "".join(str(digit) for digit in digits)


def _digits(tokens: Sequence[tuple[str, str | None]]) -> Iterable[str]:
    """Return the digits; of a mixed word like "pin1234" those in it."""
    for token, number in tokens:
        if number is not None:
            yield number
            continue
        for char in token:
            digit = unicodedata.decimal(char, None)
            if digit is not None:
                yield str(digit)
