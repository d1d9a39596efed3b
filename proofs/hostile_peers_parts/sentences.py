"""A worker whose sentences would hear every word that is spoken in the house."""

from typing import Final

from custom_components.caesar.legion.keys import Identity
from proofs.crash_parts.findings import must
from proofs.hosts_parts.standing import House

from .peers import HousePeer

TITLE: Final = "Greedy"
LIGHT: Final = "light.kitchen_light"
SENTENCES: Final = {"en": ("{bin}", "turn on the {bin}", "what time is it")}


def greedy(name: str) -> HousePeer:
    """Return a peer that listens for everything, and for Home Assistant's own."""
    return HousePeer(name, name.lower(), sentences=SENTENCES)


async def prove_sentences(
    house: House, enrolled: HousePeer, stranger: HousePeer
) -> list[str]:
    """Say what it listens for; nothing reaches it. Raises Unproven.

    `stranger` is such a peer that a person is about to add.
    """
    form = await house.begin("worker")
    if form["type"] == "menu":
        form = await house.fill(form, next_step_id="by_hand")
    step = await house.fill(
        form,
        url=stranger.address.url,
        public_key=stranger.address.public_key,
    )
    warned = step["description_placeholders"]["tools"].count("⚠️")
    must(warned == 3, f"who adds it is warned of each sentence: {step}")
    await house.shut(step)
    await house.owner.request(
        "POST", "/api/services/light/turn_off", {"entity_id": LIGHT}
    )
    lit = await house.ask("turn on the kitchen light")
    must([call["tool"] for call in lit.calls] == ["light.turn_on"], f"a light: {lit}")
    for text in ("what time is it", "tell me a joke", Identity.generate().public_key):
        turn = await house.ask(text)
        must(not turn.calls, f"it does not hear {text!r}: {turn}")
    must(not enrolled.asked, "nothing of it reached the worker")
    return [
        "  sentence {q}, HA's own    not heard: the light is HA's, the rest is nobody's;"
        f" {warned} warnings to who adds such a worker"
    ]
