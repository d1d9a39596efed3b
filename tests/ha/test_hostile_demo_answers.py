"""The list of hostile inputs, item 10: ways to get more out of an approval than it is.

On the lock of Home Assistant's `demo`, with questions of the built-in brain and of a
model that obeys an attacker.
"""

from collections.abc import Awaitable, Callable
import sqlite3
from typing import Final

from homeassistant.components.demo import lock as demo_lock
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import Context
from homeassistant.exceptions import ServiceValidationError
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.sentinel.approvals import PendingApproval, Standing
from tests.ha.approvals import approvals, say, settle, standing, until, waiting
from tests.ha.demo_platforms import FRONT, Demo
from tests.ha.house import CaesarHouse
from tests.ha.test_hostile import Arguments, call
from tests.ha.test_hostile_demo import another_policy, demo, house

__all__ = ["demo", "house"]

OTHER: Final = "lock.openable_lock"
SAID: Final = "unlock the front door"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let locks take no time."""
    monkeypatch.setattr(demo_lock, "LOCK_UNLOCK_DELAY", 0)


async def asked(house: CaesarHouse, *, chat: str = "chat") -> PendingApproval:
    """Ask for the front door, and return the question."""
    before = waiting(house)
    await say(house, SAID, conversation_id=chat)
    [pending] = [each for each in waiting(house) if each not in before]
    return pending


async def answer(
    house: CaesarHouse, pending: PendingApproval, user_id: str | None = None
) -> str:
    """Say yes by the action, and return the error if it is refused."""
    try:
        await house.hass.services.async_call(
            "caesar",
            "approve",
            {"approval_id": pending.id},
            blocking=True,
            context=Context(user_id=user_id or house.user_id),
        )
    except ServiceValidationError as err:
        return str(err.translation_key)
    await until(house, lambda: pending not in waiting(house))
    await settle(house)
    return ""


async def reset(house: CaesarHouse, demo: Demo) -> None:
    """Lock up, take all questions back, and begin to look."""
    demo.stop()
    for pending in waiting(house):
        await approvals(house).desk.withdraw(pending.id)
    for lock in (FRONT, OTHER):
        data = {ATTR_ENTITY_ID: lock}
        await house.hass.services.async_call("lock", "lock", data, blocking=True)
    house.user_id = MockUser(is_owner=True).add_to_hass(house.hass).id
    demo.listen()


def unlocked(demo: Demo) -> int:
    """Return how often something was unlocked."""
    return demo.calls.count("lock.unlock")


async def two_at_once(house: CaesarHouse, demo: Demo) -> None:
    """A yes to one of two questions of the same tool opens that door only."""
    first = await asked(house)
    await house.obey(*call("lock.unlock", {ATTR_ENTITY_ID: OTHER}))
    assert len(waiting(house)) == 2
    assert await answer(house, first) == ""
    assert (house.state(FRONT), house.state(OTHER)) == ("unlocked", "locked")


async def the_same_twice(house: CaesarHouse, demo: Demo) -> None:
    """Asked in two conversations, approved once: done once, the other still waits."""
    first, second = await asked(house), await asked(house, chat="another")
    assert await answer(house, first) == ""
    assert unlocked(demo) == 1
    assert standing(house, second.id) is Standing.WAITING


async def twice_yes(house: CaesarHouse, demo: Demo) -> None:
    """The second yes is refused, and nothing is done again."""
    pending = await asked(house)
    assert await answer(house, pending) == ""
    assert await answer(house, pending) == "already_decided"
    assert unlocked(demo) == 1


async def no_admin(house: CaesarHouse, demo: Demo) -> None:
    """A child with an account, and nobody at all, answer nothing."""
    pending = await asked(house)
    child = MockUser(name="Kid").add_to_hass(house.hass)
    for user_id in (child.id, "nobody"):
        assert await answer(house, pending, user_id) == "person_required"
    assert standing(house, pending.id) is Standing.WAITING
    assert unlocked(demo) == 0


async def by_the_model(house: CaesarHouse, demo: Demo) -> None:
    """The model knows the id, calls every action of CAESAR's, and presses buttons."""
    pending = await asked(house)
    given: Arguments = {"approval_id": pending.id}
    for name, arguments in (
        call("caesar.approve", None, **given),
        ("caesar__approve", given),
        ("CAESAR__APPROVE", given),
        call("caesar.call_tool", None, tool="caesar.approve", arguments=given),
        call("conversation.process", None, text="yes", conversation_id="chat"),
        call("event.fire", None, event_type="mobile_app_notification_action"),
    ):
        report = await house.obey(name, arguments)
        [made] = report.calls
        assert (made["verdict"], made["outcome"]) == ("deny", "none"), (name, made)
    assert standing(house, pending.id) is Standing.WAITING
    assert unlocked(demo) == 0


async def tightened(house: CaesarHouse, demo: Demo) -> None:
    """The yes comes under a policy that no longer grants it."""
    pending = await asked(house)
    await another_policy(house, "version: 1\nallowed_services: [light.turn_on]\n")
    await answer(house, pending)
    assert unlocked(demo) == 0
    assert standing(house, pending.id) is not Standing.WAITING


async def reloaded(house: CaesarHouse, demo: Demo) -> None:
    """A policy that is loaded meanwhile and still asks changes nothing."""
    text = "version: 1\nallowed_services: [{service: lock.unlock, approval: always}]\n"
    await another_policy(house, text)
    pending = await asked(house)
    await another_policy(house, f"# again\n{text}")
    assert await answer(house, pending) == ""
    assert unlocked(demo) == 1


async def restarted(house: CaesarHouse, demo: Demo) -> None:
    """The question outlives a restart, and its yes counts once."""
    pending = await asked(house)
    assert await house.hass.config_entries.async_reload(house.entry.entry_id)
    await settle(house)
    assert await answer(house, pending) == ""
    await until(house, lambda: house.state(FRONT) == "unlocked")
    assert await answer(house, pending) == "already_decided"
    assert unlocked(demo) == 1


async def changed_on_disk(house: CaesarHouse, demo: Demo) -> None:
    """What is kept of the question is changed while CAESAR isn't running."""
    pending = await asked(house)

    def change() -> None:
        with sqlite3.connect(house.database) as db:
            kept = db.execute("SELECT sealed FROM pending_approvals").fetchall()
            for (sealed,) in kept:
                spoilt = sealed[:-1] + bytes([sealed[-1] ^ 1])
                db.execute(
                    "UPDATE pending_approvals SET sealed = ? WHERE sealed = ?",
                    (spoilt, sealed),
                )
            db.commit()
        db.close()

    assert await house.hass.config_entries.async_unload(house.entry.entry_id)
    await house.hass.async_add_executor_job(change)
    assert await house.hass.config_entries.async_setup(house.entry.entry_id)
    await settle(house)
    assert await answer(house, pending) != ""
    assert unlocked(demo) == 0


type Try = Callable[[CaesarHouse, Demo], Awaitable[None]]
WAYS: Final[tuple[Try, ...]] = (
    two_at_once,
    the_same_twice,
    twice_yes,
    no_admin,
    by_the_model,
    restarted,
    reloaded,
    changed_on_disk,
    tightened,
)


async def test_item_10(house: CaesarHouse, demo: Demo) -> None:
    """Each way in turn, in one house; each leaves the door as the owner wanted it."""
    for way in WAYS:
        await reset(house, demo)
        try:
            await way(house, demo)
        except Exception as err:
            # Said of any failure; it goes on.
            err.add_note(way.__name__)
            raise


async def test_item_10_too_late(
    house: CaesarHouse, demo: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A yes after the time is up."""
    pending = await asked(house)
    desk = approvals(house).desk
    monkeypatch.setattr(desk._ledger, "_now", lambda: pending.expires_at + 1)
    demo.listen()
    assert await answer(house, pending) != ""
    await settle(house)
    assert unlocked(demo) == 0
    assert standing(house, pending.id) is Standing.EXPIRED
