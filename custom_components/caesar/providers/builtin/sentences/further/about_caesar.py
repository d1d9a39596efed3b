"""Sentences about CAESAR itself, from a language's words for them.

Why, what happened, what may I, forget, what is planned: the same questions everywhere.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What somebody did, as it follows "who": "unlocked".

    `tool` is the service, `domains` are what else the words may be about, where they
    mean another service for other things.
    """

    tool: str
    words: str
    domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A language's ways to ask; `<done>` in `who` stands for what was done.

    `cancel_it` are those of `cancel` that say "it" and may mean something else. `past`
    are the words for each period, `rules` hassil's expansion rules, `locking` intents
    that Home Assistant's sentences lack.
    """

    why: Sequence[str]
    why_not: Sequence[str]
    done: Sequence[str]
    refused: Sequence[str]
    who: Sequence[str]
    deeds: Sequence[Done]
    may: Sequence[str]
    forget: Sequence[str]
    planned: Sequence[str]
    cancel_it: Sequence[str]
    cancel: Sequence[str]
    cancel_all: Sequence[str]
    past: Mapping[str, str]
    rules: Mapping[str, str]
    fillers: Sequence[str]
    locking: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unspaced: bool = False


def about_caesar(language: str, words: Words) -> dict[str, Any]:
    """Return the sentences of a base language such as "fr"."""
    intents = {
        "CaesarWhy": [_data(words.why)],
        "CaesarWhyNot": [_data(words.why_not)],
        "CaesarHappened": [
            _data(words.done),
            _data(words.refused, refused=True),
            *(_who(words.who, done) for done in words.deeds),
        ],
        "CaesarMayI": [_data(words.may)],
        "CaesarForget": [_data(words.forget)],
        "CaesarPlanned": [_data(words.planned)],
        "CaesarPlannedCancel": [
            _data(words.cancel_it, it=True),
            _data(words.cancel),
            _data(words.cancel_all, every=True),
        ],
        **{intent: [_locking(said)] for intent, said in words.locking.items()},
    }
    return {
        "language": language,
        "settings": {"ignore_whitespace": words.unspaced},
        "intents": {intent: {"data": data} for intent, data in intents.items()},
        "lists": {
            "past": {
                "values": [
                    {"in": said, "out": period} for period, said in words.past.items()
                ]
            }
        },
        "expansion_rules": dict(words.rules),
        "skip_words": list(words.fillers),
    }


def _data(sentences: Iterable[str], **slots: bool) -> dict[str, Any]:
    return {"sentences": list(sentences), "slots": slots}


def _who(sentences: Iterable[str], done: Done) -> dict[str, Any]:
    data: dict[str, Any] = {
        "sentences": [text.replace("<done>", done.words) for text in sentences],
        "slots": {"deed": done.tool, "who": True},
    }
    if done.domains:
        data["requires_context"] = {"domain": list(done.domains)}
    return data


def _locking(sentences: Iterable[str]) -> dict[str, Any]:
    return {
        "sentences": list(sentences),
        "requires_context": {"domain": "lock"},
        "response": "lock",
    }
