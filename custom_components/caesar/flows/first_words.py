"""Three sentences to try, which work in this very house.

Each is about something that is shared, is understood by the built-in brain in the
language of the assistant that will hear it, and shows another side: something is done,
something is told, something is asked about first.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
import logging
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar

from ..policy.call import ServiceCall, Target
from ..policy.caller import Caller, Origin
from ..policy.decision import Verdict
from ..policy.home import EntityFacts, NoConditions
from ..policy.impact import ENTRY_CLASSES
from ..providers.builtin.heard import Source
from ..providers.builtin.recognise import Recogniser
from ..runtime import CaesarRuntime
from ..wording import async_wording, plain

_LOGGER = logging.getLogger(__name__)

SENTENCES: Final = 3
# The form waits for them; a language is read in a second or two.
PATIENCE_S: Final = 10.0
# A house may have a hundred lights with names that no recogniser understands.
_MOST_TRIED: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    """A sentence, and the service that it calls on an entity; none for a question."""

    key: str
    name: str = ""
    service: str | None = None
    entity_id: str = ""


async def async_first_words(
    hass: HomeAssistant, house: CaesarRuntime, language: str, user_id: str | None
) -> tuple[str, ...]:
    """Return up to three sentences for an admin with this id.

    None if it takes long or fails: what is only nice to have spoils no set-up.
    """
    recogniser = Recogniser(hass)
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await _first_words(hass, house, recogniser, language, user_id)
    except TimeoutError:
        _LOGGER.debug("Sentences to try are not found in time")
        return ()
    except Exception:
        # The entry is made by now: no fault of a recogniser may end its flow.
        _LOGGER.exception("No sentences to try could be found")
        return ()
    finally:
        recogniser.close()


def as_list(sentences: tuple[str, ...]) -> str:
    """Return sentences as a list of a description; a name in them is no markup."""
    return "\n".join(f"- {plain(sentence)}" for sentence in sentences)


async def _first_words(
    hass: HomeAssistant,
    house: CaesarRuntime,
    recogniser: Recogniser,
    language: str,
    user_id: str | None,
) -> tuple[str, ...]:
    wording = await async_wording(hass, language)
    caller = Caller(
        origin=Origin.CHAT,
        user_id=user_id,
        is_admin=True,
        agent_id="",
        context_id="",
    )
    done = _with_verdict(house, caller, Verdict.ALLOW)
    asked = _with_verdict(house, caller, Verdict.ASK)
    kinds = [done, _questions(hass, house), asked]
    found: dict[str, str] = {}
    tried = 0
    while kinds and len(found) < SENTENCES and tried < _MOST_TRIED:
        kind = kinds.pop(0)
        for each in kind:
            if each.key in found:
                continue
            tried += 1
            sentence = wording.text(each.key, name=each.name)
            if await _is_heard(recogniser, sentence, language, caller):
                found[each.key] = sentence
                # Of each kind one, and then again from the first on.
                kinds.append(kind)
                break
            if tried >= _MOST_TRIED:
                break
    return tuple(found.values())


def _with_verdict(
    house: CaesarRuntime, caller: Caller, verdict: Verdict
) -> Iterator[_Try]:
    """Yield what the policy decides so for this caller."""
    for each in _commands(house.home.exposed()):
        domain, _, service = (each.service or "").partition(".")
        call = ServiceCall(
            domain=domain,
            service=service,
            target=Target(entity_id=(each.entity_id,)),
            data={},
        )
        decision = house.policy_file.policy.evaluate(
            call, caller, house.home, NoConditions()
        )
        if decision.verdict is verdict:
            yield each


def _commands(shared: tuple[EntityFacts, ...]) -> Iterator[_Try]:
    """Yield what could be said to do something, the most usual things first."""
    kinds = (
        ("light", "try_turn_on", "light.turn_on"),
        ("switch", "try_turn_on", "switch.turn_on"),
        ("lock", "try_unlock", "lock.unlock"),
        ("cover", "try_open", "cover.open_cover"),
    )
    for domain, key, service in kinds:
        things = [each for each in shared if each.domain == domain]
        # A garage door shows best that CAESAR asks.
        things.sort(
            key=lambda each: (each.device_class not in ENTRY_CLASSES, each.name)
        )
        for facts in things:
            yield _Try(
                key=key, name=facts.name, service=service, entity_id=facts.entity_id
            )


def _questions(hass: HomeAssistant, house: CaesarRuntime) -> Iterator[_Try]:
    """Yield what could be asked."""
    shared = house.home.exposed()
    if "light" in house.home.exposed_domains:
        yield _Try(key="try_which_lights")
    for area in ar.async_get(hass).async_list_areas():
        if area.temperature_entity_id:
            yield _Try(key="try_temperature", name=area.name)
    for domain, key in (("lock", "try_is_locked"), ("light", "try_is_on")):
        for facts in shared:
            if facts.domain == domain:
                yield _Try(key=key, name=facts.name)
    yield _Try(key="try_time")


async def _is_heard(
    recogniser: Recogniser, sentence: str, language: str, caller: Caller
) -> bool:
    heard = await recogniser.hear(sentence, language, caller)
    return bool(heard) and all(each.source is not Source.NOT_SHARED for each in heard)
