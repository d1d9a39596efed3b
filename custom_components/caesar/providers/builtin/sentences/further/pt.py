"""Portuguese about CAESAR itself, and locks in words that Home Assistant's lack."""

from typing import Any, Final

from .about_caesar import Done, Words, about_caesar

SENTENCES: Final[dict[str, Any]] = about_caesar(
    "pt",
    Words(
        why=(
            "<why> (você fez|fez|fizeste) (isso|isto|aquilo)",
            "<why> (você está fazendo|você faz|faz) (isso|isto)",
            "<why> [você] <did> <a> {name}",
        ),
        why_not=(
            "<why> não",
            "<why> [você] não (fez|fizeste) (isso|isto|aquilo)",
            "<why> [(você|eu)] não (pode|posso) [fazer (isso|isto)]",
            "<why> [você] (recusou|negou) [(isso|isto)]",
            "<why> isso (não é permitido|é proibido|foi recusado)",
            "<why> [você] não <did> <a> {name}",
        ),
        done=(
            "o que [é que] (você fez|fez|fizeste) [(por|para) mim] [{past}]",
            "o que [é que] [eu] (te|lhe) pedi [{past}]",
        ),
        refused=(
            "o que [é que] [você] (recusou|negou|não fez) [{past}]",
            "o que foi recusado [{past}]",
        ),
        who=("quem <done> <a> {name} [{past}]",),
        deeds=(
            Done(tool="lock.unlock", words="(destrancou|desbloqueou)"),
            Done(tool="lock.lock", words="(trancou|bloqueou)"),
            Done(tool="open", words="abriu"),
            Done(tool="close", words="fechou"),
            Done(tool="turn_on", words="(ligou|acendeu)"),
            Done(tool="turn_off", words="(desligou|apagou)"),
        ),
        may=(
            "o que [é que] [eu] (posso|podemos|a gente pode) fazer [<here>]",
            "o que [é que] [eu] (posso|podemos|a gente pode) fazer <in> {area}",
            "o que (é permitido|me é permitido) [fazer] [<here>]",
        ),
        forget=(
            "(esqueça|esquece|apague|apaga) (esta|essa|nossa|a nossa) conversa",
            "(esqueça|esquece) [tudo] o que (eu disse|dissemos|falamos)",
        ),
        planned=(
            "o que (eu agendei|está agendado|há agendado|tenho agendado)",
            "quais são os [meus] comandos agendados",
        ),
        cancel_it=("(cancele|cancela) (isso|isto)",),
        cancel=("(cancele|cancela) o [último] comando agendado",),
        cancel_all=(
            "(cancele|cancela) tudo o que (eu agendei|está agendado)",
            "(cancele|cancela) todos os comandos agendados",
        ),
        past={
            "today": "hoje",
            "morning": "(hoje de manhã|esta manhã)",
            "afternoon": "(hoje à tarde|esta tarde)",
            "evening": "(hoje à noite|esta noite)",
            "night": "([na] noite passada|de madrugada)",
            "yesterday": "ontem",
            "week": "(esta semana|nesta semana|na última semana|nos últimos dias)",
        },
        rules={
            "a": "[(o|a|os|as|meu|minha)]",
            "did": "(ligou|acendeu|desligou|apagou|abriu|fechou|trancou|destrancou"
            "|iniciou|parou|mudou|ajustou)",
            "here": "(aqui|neste (cômodo|quarto))",
            "in": "(em|no|na|nos|nas|para [(o|a)])",
            "why": "(por que|por quê|porque|porquê)",
        },
        fillers=("por favor", "me diga", "me diz", "caesar"),
        locking={
            "HassTurnOff": ("(destranque|desbloqueie|desbloqueia) <a> {name}",),
            "HassTurnOn": ("(tranque|bloqueie|bloqueia) <a> {name}",),
        },
    ),
)
