"""What web search says when it can't be done, in English and German."""

from typing import Final

from ..error_words import Both, ErrorWords

ANOTHER_ADDRESS: Final = Both(en="another address", de="einer anderen Adresse")

NOTHING: Final = ErrorWords(
    code="bad_input",
    en="There is nothing to search for.",
    de="Es fehlt, wonach ich suchen soll.",
)
TOO_LONG: Final = ErrorWords(
    code="bad_input",
    en="The query is longer than {most} characters.",
    de="Die Suchanfrage ist länger als {most} Zeichen.",
)
LIMIT: Final = ErrorWords(
    code="bad_input",
    en="limit must be a whole number from 1.",
    de="limit muss eine ganze Zahl ab 1 sein.",
)
DOMAIN: Final = ErrorWords(
    code="bad_input",
    en="domain must be the name of a site, like en.wikipedia.org.",
    de="domain muss der Name einer Website sein, etwa en.wikipedia.org.",
)
NOT_ALLOWED: Final = ErrorWords(
    code="domain_not_allowed",
    en="The policy does not allow results of {domain}.",
    de="Die Richtlinie erlaubt keine Ergebnisse von {domain}.",
)
WRONG_SHAPE: Final = ErrorWords(
    code="bad_answer",
    en=(
        "{name} gave an answer that is not a list of search results. Check that its "
        "address is right."
    ),
    de=(
        "Die Antwort von {name} ist keine Liste von Suchergebnissen. Prüfe, ob die "
        "Adresse stimmt."
    ),
)
STATUS: Final = ErrorWords(
    code="backend_error",
    en="{name} answered with error {status}.",
    de="{name} antwortet mit Fehler {status}.",
)
STATUS_SAID: Final = ErrorWords(
    code="backend_error",
    en="{name} answered with error {status}: {said}",
    de="{name} antwortet mit Fehler {status}: {said}",
)
TIMEOUT: Final = ErrorWords(
    code="timeout",
    en="{name} did not answer within {time}.",
    de="{name} hat nicht innerhalb von {time} geantwortet.",
    retryable=True,
)
CERTIFICATE: Final = ErrorWords(
    code="certificate",
    en="{name} at {place} shows a certificate that is not trusted here.",
    de="{name} unter {place} zeigt ein Zertifikat, dem hier nicht vertraut wird.",
)
UNREACHABLE: Final = ErrorWords(
    code="unreachable",
    en=(
        "{name} cannot be reached at {place}. Check that it runs and that its address "
        "is right."
    ),
    de=(
        "{name} ist unter {place} nicht erreichbar. Prüfe, ob es läuft und ob die "
        "Adresse stimmt."
    ),
    retryable=True,
)
REDIRECTED: Final = ErrorWords(
    code="redirect",
    en=(
        "{name} sends us from one address to the next. Check that its address is right."
    ),
    de=(
        "{name} schickt uns von einer Adresse zur nächsten. Prüfe, ob die Adresse "
        "stimmt."
    ),
)
ELSEWHERE: Final = ErrorWords(
    code="redirect",
    en="{name} sends us to {host}. If that is right, put that address into the settings.",
    de=(
        "{name} schickt uns zu {host}. Wenn das stimmt, trag diese Adresse in die "
        "Einstellungen ein."
    ),
)
TOO_LARGE: Final = ErrorWords(
    code="too_large",
    en="{name} gave an answer of more than 1 MiB.",
    de="Die Antwort von {name} ist größer als 1 MiB.",
)
UNREADABLE: Final = ErrorWords(
    code="bad_answer",
    en="{name} at {place} gave an answer that cannot be read.",
    de="{name} unter {place} gibt eine Antwort, die nicht zu lesen ist.",
)
BRAVE_WORDS: Final = ErrorWords(
    code="bad_input",
    en="Brave Search takes at most {most} words.",
    de="Brave Search nimmt höchstens {most} Wörter.",
)
BRAVE_KEY: Final = ErrorWords(
    code="bad_key",
    en=(
        "Brave Search does not accept the key. Copy it again from "
        "api-dashboard.search.brave.com into the settings."
    ),
    de=(
        "Brave Search nimmt den Schlüssel nicht an. Kopiere ihn noch einmal von "
        "api-dashboard.search.brave.com in die Einstellungen."
    ),
)
BRAVE_RATE: Final = ErrorWords(
    code="rate",
    en=(
        "Brave Search takes no more searches for now: the limit of the plan, a "
        "second's or a month's, is reached."
    ),
    de=(
        "Brave Search nimmt gerade keine Suchen mehr an: Die Grenze des Tarifs, für "
        "eine Sekunde oder einen Monat, ist erreicht."
    ),
    retryable=True,
)
SEARXNG_JSON_OFF: Final = ErrorWords(
    code="json_off",
    en=(
        "JSON output is off in this SearXNG: add json to search.formats in its "
        "settings.yml and start it again."
    ),
    de=(
        "Dieses SearXNG gibt kein JSON aus: Ergänze json unter search.formats in "
        "seiner settings.yml und starte es neu."
    ),
)
SEARXNG_PASSWORD: Final = ErrorWords(
    code="bad_key",
    en=(
        "This SearXNG asks for a user name and password: use an address of it that "
        "needs none."
    ),
    de=(
        "Dieses SearXNG verlangt Benutzernamen und Passwort: Nimm eine Adresse von "
        "ihm, die keine braucht."
    ),
)
SEARXNG_RATE: Final = ErrorWords(
    code="rate",
    en=(
        "This SearXNG takes us for a robot: switch its limiter off (server.limiter), "
        "or let this host pass."
    ),
    de=(
        "Dieses SearXNG hält uns für einen Roboter: Schalte seinen Limiter aus "
        "(server.limiter), oder lass diesen Host durch."
    ),
    retryable=True,
)
SEARXNG_ENGINES: Final = ErrorWords(
    code="engines_failed",
    en="SearXNG found nothing, because its engines failed: {engines}",
    de="SearXNG hat nichts gefunden, weil seine Suchmaschinen versagten: {engines}",
    retryable=True,
)
TAVILY_KEY: Final = ErrorWords(
    code="bad_key",
    en=(
        "Tavily does not accept the key. Copy it again from app.tavily.com into the "
        "settings."
    ),
    de=(
        "Tavily nimmt den Schlüssel nicht an. Kopiere ihn noch einmal von "
        "app.tavily.com in die Einstellungen."
    ),
)
TAVILY_RATE: Final = ErrorWords(
    code="rate",
    en="Tavily takes no more searches for the moment.",
    de="Tavily nimmt im Moment keine Suchen mehr an.",
    retryable=True,
)
TAVILY_PLAN: Final = ErrorWords(
    code="plan_limit",
    en=(
        "The searches of the Tavily plan are used up. Wait for the next month, or take "
        "a larger plan at app.tavily.com."
    ),
    de=(
        "Die Suchen des Tavily-Tarifs sind aufgebraucht. Warte auf den nächsten Monat, "
        "oder nimm auf app.tavily.com einen größeren Tarif."
    ),
)
TAVILY_PAID: Final = ErrorWords(
    code="plan_limit",
    en=("Tavily's limit for pay-as-you-go is reached. Raise it at app.tavily.com."),
    de=(
        "Die Grenze für Tavilys nutzungsabhängige Abrechnung ist erreicht. Erhöhe sie "
        "auf app.tavily.com."
    ),
)
