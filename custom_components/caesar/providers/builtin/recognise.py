"""From a sentence to what was understood; recognises, acts on nothing.

Home Assistant's own sentences come first, with every name known and shared; then
CAESAR's own; then several commands in one sentence; then names that are not shared.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from hassil.intents import Intents, SlotList
from hassil.recognize import RecognizeResult, recognize_best
from homeassistant.components.conversation import (
    HOME_ASSISTANT_AGENT,
    ConversationInput,
    async_get_agent,
)
from homeassistant.components.conversation.const import METADATA_CUSTOM_SENTENCE
from homeassistant.components.conversation.default_agent import (
    DefaultAgent,
    LanguageIntents,
)
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import area_registry as ar

from ...policy.caller import Caller
from .heard import Heard, Source
from .sentences import OWN_PREFIX, follow_ups_of, sentences_of, without_fillers
from .split import halves
from .vocabulary import Vocabulary, Words

MOST_COMMANDS: Final = 4
# In words; nobody says "and that one too" in more.
LONGEST_FOLLOW_UP: Final = 14

type _Hear = Callable[[str], Awaitable[Heard | None]]


class Recogniser:
    """Understands sentences about this house."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Use the recogniser of this Home Assistant."""
        self._hass = hass
        self._vocabulary = Vocabulary(hass)
        self._grammars: dict[str, Intents] = {}
        self._follow_ups: dict[str, Intents] = {}

    def close(self) -> None:
        """Stop listening to the registries."""
        self._vocabulary.close()

    async def hear(self, text: str, language: str, caller: Caller) -> tuple[Heard, ...]:
        """Return the commands or questions in `text`; empty if not understood."""
        agent = self._agent()
        if agent is None:
            return ()
        loaded = await agent.async_get_or_load_intents(language)
        if loaded is None:
            return ()
        words = self._vocabulary.words()
        text = words.as_written(text)
        grammar = await self._grammar(language, loaded)
        context = self._context(caller)

        async def shared(sentence: str) -> Heard | None:
            result = await agent.async_recognize_intent(
                _input(sentence, language, caller, agent.entity_id),
                strict_intents_only=True,
            )
            return _usable(result, sentence, Source.HOME_ASSISTANT) or _usable(
                await self._match(sentence, grammar, words.shared, context),
                sentence,
                Source.OWN,
            )

        async def hidden(sentence: str) -> Heard | None:
            for intents in (loaded.intents, grammar):
                result = await self._match(sentence, intents, words.hidden, context)
                if result is not None and "name" in result.entities:
                    return _usable(result, sentence, Source.NOT_SHARED)
            return None

        async def any_name(sentence: str) -> Heard | None:
            return await shared(sentence) or await hidden(sentence)

        base = _base(language)
        plain = without_fillers(text, base)
        for hear, hear_part in ((shared, shared), (hidden, any_name)):
            for sentence in dict.fromkeys((text, plain)):
                if one := await hear(sentence):
                    return (one,)
            if several := await _several(plain, base, words, hear_part, MOST_COMMANDS):
                return several
        return ()

    async def hear_follow_up(self, text: str, language: str) -> Heard | None:
        """Return a sentence that only means something after another one, or None."""
        base = _base(language)
        if (
            len(text.split()) > LONGEST_FOLLOW_UP
            or (own := follow_ups_of(base)) is None
        ):
            return None
        if base not in self._follow_ups:
            self._follow_ups[base] = await self._hass.async_add_executor_job(
                Intents.from_dict, own
            )
        words = self._vocabulary.words()
        text = words.as_written(text)
        result = await self._match(text, self._follow_ups[base], words.shared, None)
        return _usable(result, text, Source.OWN)

    async def hear_unknown(
        self, text: str, language: str, caller: Caller
    ) -> RecognizeResult | None:
        """Return what Home Assistant hears when names may be unknown, or None.

        Slow in a big house (hundreds of milliseconds), so only for wording that
        something is unknown.
        """
        agent = self._agent()
        if agent is None:
            return None
        # After a strict miss, Home Assistant's cache answers a lax attempt at the same
        # text with nothing; a blank at the end makes it another text.
        return await agent.async_recognize_intent(
            _input(f"{text} ", language, caller, agent.entity_id)
        )

    def names(self) -> frozenset[str]:
        """Return all names of the house, in lower case."""
        return self._vocabulary.words().spoken

    async def responses(self, language: str) -> dict[str, dict[str, str]]:
        """Return Home Assistant's answer templates of a language by intent."""
        agent = self._agent()
        loaded = agent and await agent.async_get_or_load_intents(language)
        return loaded.intent_responses if loaded else {}

    async def errors(self, language: str) -> dict[str, str]:
        """Return Home Assistant's sentences for what could not be done, by their keys."""
        agent = self._agent()
        loaded = agent and await agent.async_get_or_load_intents(language)
        return loaded.error_responses if loaded else {}

    def _agent(self) -> DefaultAgent | None:
        agent = async_get_agent(self._hass, HOME_ASSISTANT_AGENT)
        return agent if isinstance(agent, DefaultAgent) else None

    def _context(self, caller: Caller) -> dict[str, Any] | None:
        area = caller.area_id and ar.async_get(self._hass).async_get_area(
            caller.area_id
        )
        if not area:
            return None
        return {"area": {"value": area.name, "text": area.name}}

    async def _grammar(self, language: str, loaded: LanguageIntents) -> Intents | None:
        base = _base(language)
        if base not in self._grammars:
            own = sentences_of(base)
            if own is None:
                return None
            # Colours and the like are Home Assistant's words; ours come on top.
            lists = {**loaded.intents_dict.get("lists", {}), **own["lists"]}
            self._grammars[base] = await self._hass.async_add_executor_job(
                Intents.from_dict, {**own, "lists": lists}
            )
        return self._grammars[base]

    async def _match(
        self,
        sentence: str,
        intents: Intents | None,
        lists: dict[str, SlotList],
        context: dict[str, Any] | None,
    ) -> RecognizeResult | None:
        if intents is None:
            return None

        def match() -> RecognizeResult | None:
            return recognize_best(
                sentence,
                intents,
                slot_lists=lists,
                intent_context=context,
                best_slot_name="name",
            )

        return await self._hass.async_add_executor_job(match)


async def _several(
    text: str, language: str, words: Words, hear: _Hear, room: int
) -> tuple[Heard, ...]:
    """Return several commands, if every part of the sentence is understood."""
    for first, second in halves(text, language, words.spoken):
        parts: list[Heard] = []
        for sentence in (first, second):
            if one := await hear(sentence):
                parts.append(one)
            elif room > 2 and (
                more := await _several(sentence, language, words, hear, room - 1)
            ):
                parts.extend(more)
            else:
                break
        else:
            unique = {(h.intent, repr(sorted(h.slots.items()))): h for h in parts}
            if len(unique) <= MOST_COMMANDS:
                return tuple(unique.values())
    return ()


def _base(language: str) -> str:
    return language.partition("-")[0].casefold()


def _input(
    text: str, language: str, caller: Caller, agent_id: str
) -> ConversationInput:
    return ConversationInput(
        text=text,
        context=Context(id=caller.context_id, user_id=caller.user_id),
        conversation_id=None,
        device_id=caller.device_id,
        satellite_id=caller.satellite_id,
        language=language,
        agent_id=agent_id,
    )


def _usable(result: RecognizeResult | None, text: str, source: Source) -> Heard | None:
    """Return a result as plain values; None for one that isn't ours to act on.

    A sentence that somebody added to Home Assistant for one of its own intents is left
    alone; one for an intent of theirs may be a tool. No handler is called from here.
    """
    if result is None or result.unmatched_entities:
        return None
    name = result.intent.name
    of_ours = name.startswith(("Hass", OWN_PREFIX))
    if of_ours and (result.intent_metadata or {}).get(METADATA_CUSTOM_SENTENCE):
        return None
    return Heard(
        intent=name,
        slots={key: entity.value for key, entity in result.entities.items()},
        texts={
            key: str(entity.text or entity.value).strip()
            for key, entity in result.entities.items()
        },
        response=result.response or "default",
        source=source,
        text=text,
    )
