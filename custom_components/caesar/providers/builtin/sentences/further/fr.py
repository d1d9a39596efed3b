"""French about CAESAR itself."""

from typing import Any, Final

from .about_caesar import Done, Words, about_caesar

SENTENCES: Final[dict[str, Any]] = about_caesar(
    "fr",
    Words(
        why=(
            "pourquoi <you_have> fait (ça|cela)",
            "pourquoi (fais-tu|fais tu|tu fais|faites-vous|vous faites) (ça|cela)",
            "pour quelle raison <you_have> fait (ça|cela)",
            "pourquoi <you_have> <did> <a>{name}",
        ),
        why_not=(
            "pourquoi <you_have_not> fait [(ça|cela)]",
            "pourquoi (tu ne peux|tu peux|ne peux-tu|ne peux tu) pas [[le] faire [(ça|cela)]]",
            "pourquoi (je ne peux|je peux|ne puis-je|ne puis je) pas [[le] faire [(ça|cela)]]",
            "pourquoi <you_have> refusé [(ça|cela)]",
            "pourquoi (c'est|ça a été|cela a été|est-ce) (refusé|interdit)",
            "pourquoi <you_have_not> <did> <a>{name}",
        ),
        done=(
            "<what_have_you> fait [pour moi] [{past}]",
            "<what_have_you> fait {past} [pour moi]",
            "<what_have_i> demandé [de faire] [{past}]",
        ),
        refused=(
            "<what_have_you> refusé [de faire] [{past}]",
            "(qu'est-ce qui|qu'est ce qui) a été refusé [{past}]",
        ),
        who=("qui a <done> <a>{name} [{past}]",),
        deeds=(
            Done(tool="lock.unlock", words="déverrouillé"),
            Done(tool="lock.lock", words="verrouillé"),
            Done(tool="open", words="ouvert"),
            Done(tool="close", words="fermé"),
            Done(tool="turn_on", words="(allumé|activé)"),
            Done(tool="turn_off", words="(éteint|désactivé)"),
        ),
        may=(
            "<what_may_i> faire [<here>]",
            "<what_may_i> faire <in>{area}",
            "(qu'est-ce qui|qu'est ce qui) (est|m'est) permis [(<here>|<in>{area})]",
        ),
        forget=(
            "(oublie|oubliez|efface|effacez) (cette|notre) (conversation|discussion)",
            "(oublie|oubliez) [tout] ce que (j'ai|nous avons|on a) dit",
        ),
        planned=(
            "(qu'est-ce qui est|qu'est ce qui est|qu'est-ce que j'ai|qu'ai-je) prévu",
            "quelles sont (les|mes) commandes prévues",
        ),
        cancel_it=("(annule|annulez|oublie|oubliez) (ça|cela)",),
        cancel=("(annule|annulez) la [dernière] commande prévue",),
        cancel_all=(
            "(annule|annulez) (tout ce qui est|tout ce que j'ai) prévu",
            "(annule|annulez) toutes les commandes prévues",
        ),
        past={
            "today": "aujourd'hui",
            "morning": "ce matin",
            "afternoon": "cet après[-| ]midi",
            "evening": "ce soir",
            "night": "(cette nuit|la nuit dernière)",
            "yesterday": "hier",
            "week": "(cette semaine|la semaine dernière|ces derniers jours)",
        },
        rules={
            "a": "[((le|la|les|mon|ma|mes) |l')]",
            "did": "(allumé|éteint|activé|désactivé|ouvert|fermé|verrouillé"
            "|déverrouillé|démarré|lancé|arrêté|réglé|changé)",
            "here": "(ici|dans cette pièce)",
            "in": "(dans|à|en|pour) <a>",
            "what_have_i": "(qu'est-ce que je t'ai|qu'est ce que je t'ai|que t'ai-je)",
            "what_have_you": "(qu'as-tu|qu'as tu|qu'avez-vous|qu'est-ce que tu as"
            "|qu'est ce que tu as|qu'est-ce que vous avez|tu as)",
            "what_may_i": "(qu'est-ce que je peux|qu'est ce que je peux|que puis-je"
            "|que puis je|qu'est-ce que j'ai le droit de|qu'ai-je le droit de"
            "|que pouvons-nous|qu'est-ce qu'on peut)",
            "you_have": "(as-tu|as tu|tu as|avez-vous|avez vous|vous avez)",
            "you_have_not": "(n'as-tu|n'as tu|tu n'as|tu as|n'avez-vous|vous n'avez"
            "|tu ne l'as|ne l'as-tu) pas",
        },
        fillers=("s'il te plaît", "s'il vous plaît", "dis-moi", "dis moi", "caesar"),
    ),
)
