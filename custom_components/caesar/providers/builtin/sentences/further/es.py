"""Spanish about CAESAR itself, and locks in words that Home Assistant's lack."""

from typing import Any, Final

from .about_caesar import Done, Words, about_caesar

SENTENCES: Final[dict[str, Any]] = about_caesar(
    "es",
    Words(
        why=(
            "<why> (has hecho|hiciste|haces) (eso|esto)",
            "<why> lo (has hecho|hiciste|haces)",
            "<why> <did> <a> {name}",
        ),
        why_not=(
            "<why> no",
            "<why> no lo (has hecho|hiciste|haces)",
            "<why> no (has hecho|hiciste) (eso|esto)",
            "<why> no (puedes|puedo) [(hacerlo|hacer eso|hacer esto)]",
            "<why> (lo|eso) (has rechazado|rechazaste)",
            "<why> (está prohibido|no está permitido) [(eso|esto)]",
            "<why> no <did> <a> {name}",
        ),
        done=(
            "qué (has hecho|hiciste) [por mí] [{past}]",
            "qué te (he pedido|pedí) [{past}]",
        ),
        refused=(
            "qué (has rechazado|rechazaste) [{past}]",
            "qué no (has hecho|hiciste) [{past}]",
        ),
        who=("quién <done> <a> {name} [{past}]",),
        deeds=(
            Done(tool="lock.unlock", words="(ha desbloqueado|desbloqueó)"),
            Done(tool="lock.lock", words="(ha bloqueado|bloqueó)"),
            Done(tool="open", words="(ha abierto|abrió)"),
            Done(tool="close", words="(ha cerrado|cerró)"),
            Done(tool="turn_on", words="(ha encendido|encendió|ha prendido|prendió)"),
            Done(tool="turn_off", words="(ha apagado|apagó)"),
        ),
        may=(
            "qué (puedo|podemos|se puede) hacer [<here>]",
            "qué (puedo|podemos|se puede) hacer <in> {area}",
            "qué (tengo|está) permitido [hacer] [(<here>|<in> {area})]",
        ),
        forget=(
            "(olvida|borra) (esta|nuestra) (conversación|charla)",
            "olvida [todo] lo que (he dicho|hemos dicho|hemos hablado)",
        ),
        planned=(
            "qué (he|has|hay|tengo) programado",
            "cuáles son (las|mis) órdenes programadas",
        ),
        cancel_it=("cancela (eso|esto)",),
        cancel=("cancela la [última] orden programada",),
        cancel_all=(
            "cancela todo lo (programado|que he programado)",
            "cancela todas las órdenes programadas",
        ),
        past={
            "today": "hoy",
            "morning": "esta mañana",
            "afternoon": "esta tarde",
            "evening": "esta noche",
            "night": "(la noche pasada|anoche)",
            "yesterday": "ayer",
            "week": "(esta semana|la última semana|los últimos días)",
        },
        rules={
            "a": "[(el|la|los|las|mi|mis)]",
            "did": "(has encendido|encendiste|has apagado|apagaste|has abierto|abriste"
            "|has cerrado|cerraste|has bloqueado|bloqueaste|has desbloqueado"
            "|desbloqueaste|has cambiado|cambiaste|has puesto|pusiste)",
            "here": "(aquí|en esta habitación)",
            "in": "(en|para) [(el|la|los|las)]",
            "why": "(por qué|por que|porqué)",
        },
        fillers=("por favor", "dime", "caesar"),
        locking={
            "HassTurnOff": ("(desbloquea|desbloquear|desbloquee) <a> {name}",),
            "HassTurnOn": ("(bloquea|bloquear|bloquee) <a> {name}",),
        },
    ),
)
