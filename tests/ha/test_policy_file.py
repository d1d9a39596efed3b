"""The policy file: loaded, saved, undone, watched; and what the trail says of it."""

import asyncio
import json
from pathlib import Path
import sqlite3
from typing import Any

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.caesar.adapters.policy_file import PolicyFile
from custom_components.caesar.adapters.policy_store import (
    NothingKept,
    PolicyFileChanged,
    policy_text,
)
from custom_components.caesar.const import DOMAIN
from custom_components.caesar.policy.problem import PolicyError
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.loop_guard import loop_guard
from tests.ha.house import CaesarHouse, async_move_in

LIGHTS = "version: 1\nallowed_services: [light.turn_on]\n"
NOTHING = "version: 1\nallowed_services: []\n"
BAD = "version: 1\nallowed_service: [light.turn_on]\n"
WHEN = """version: 1
allowed_services:
  - service: light.turn_on
    when:
      condition: state
      entity_id: input_boolean.guests
      state: "on"
"""


@pytest.fixture
async def house(
    hass: HomeAssistant, hass_admin_user: User, request: pytest.FixtureRequest
) -> CaesarHouse:
    """Return CAESAR in the demo house; the parameter is the policy's text."""
    await async_build_house(hass)
    return await async_move_in(
        hass, hass_admin_user.id, getattr(request, "param", LIGHTS)
    )


def file_of(house: CaesarHouse) -> PolicyFile:
    """Return the policy file."""
    policy_file: PolicyFile = house.entry.runtime_data.policy_file
    return policy_file


def path_of(house: CaesarHouse, name: str = "policy.yaml") -> Path:
    """Return a path beside the policy."""
    return Path(house.hass.config.path("caesar", name))


async def on_disk(house: CaesarHouse, name: str = "policy.yaml") -> tuple[str, int]:
    """Return a file's text and mode."""
    path = path_of(house, name)

    def read() -> tuple[str, int]:
        return path.read_bytes().decode(), path.stat().st_mode & 0o777

    return await house.hass.async_add_executor_job(read)


async def write(house: CaesarHouse, text: str) -> None:
    """Change the file by hand."""
    await house.hass.async_add_executor_job(path_of(house).write_text, text)


async def rows(house: CaesarHouse) -> list[tuple[str, dict[str, Any]]]:
    """Return what the trail says of policies: type and payload, in order."""

    def read() -> list[tuple[str, dict[str, Any]]]:
        with sqlite3.connect(f"file:{house.database}?mode=ro", uri=True) as db:
            found = db.execute(
                "SELECT event_type, payload FROM audit_log"
                " WHERE event_type LIKE 'policy.load%' ORDER BY id"
            ).fetchall()
        db.close()
        return [(kind, json.loads(payload)) for kind, payload in found]

    return await house.hass.async_add_executor_job(read)


def issue(house: CaesarHouse, issue_id: str) -> ir.IssueEntry | None:
    """Return a repair."""
    return ir.async_get(house.hass).async_get_issue(DOMAIN, issue_id)


async def light_may_go_on(house: CaesarHouse) -> bool:
    """Ask for the light through everything."""
    answer = await house.ask("turn on the kitchen light")
    return bool(answer["calls"][0]["outcome"] == "ok")


async def test_saved_is_written_and_in_force(house: CaesarHouse) -> None:
    """The file first, for its owner alone, then the policy; the trail says who."""
    policy_file = file_of(house)
    with loop_guard():
        policy = await policy_file.async_save(
            NOTHING, expected_revision=policy_file.revision, by=house.user_id
        )
    assert await on_disk(house) == (NOTHING, 0o600)
    assert policy is policy_file.policy
    assert policy.revision == policy_text(NOTHING).revision == policy_file.revision
    assert not await light_may_go_on(house)
    kind, payload = (await rows(house))[-1]
    assert kind == "policy.loaded"
    assert (payload["how"], payload["by"], payload["denial"]) == (
        "save",
        house.user_id,
        None,
    )
    assert payload["policy_rev"] == policy.revision


async def test_a_rule_from_a_denial_says_which(house: CaesarHouse) -> None:
    """The row names the denial that the rule was made for."""
    policy_file = file_of(house)
    await policy_file.async_save(
        NOTHING, expected_revision=policy_file.revision, by=house.user_id, denial=41
    )
    _, payload = (await rows(house))[-1]
    assert (payload["how"], payload["denial"]) == ("rule", 41)


async def test_line_ends_stay(house: CaesarHouse) -> None:
    """Every byte is kept as it was given."""
    policy_file = file_of(house)
    text = "# für uns\r\nversion: 1\r\nallowed_services: []\r\n"
    await policy_file.async_save(
        text, expected_revision=policy_file.revision, by=house.user_id
    )
    assert (await on_disk(house))[0] == text
    assert await policy_file.async_text() == policy_text(text)


async def test_a_bad_text_is_not_written(house: CaesarHouse) -> None:
    """Faults come back with their lines; file and policy stay; nothing is reported."""
    policy_file = file_of(house)
    for bad in (BAD, "version: 1\nallowed_services:\n- service: light.turn_on\n"
                "  when: {condition: state, entity_id: not an id, state: 'on'}\n"):  # fmt: skip
        with pytest.raises(PolicyError) as caught:
            await policy_file.async_save(
                bad, expected_revision=policy_file.revision, by=house.user_id
            )
        assert caught.value.problems[0].line > 1
    assert (await on_disk(house))[0] == LIGHTS
    assert issue(house, "policy_invalid") is None
    assert await light_may_go_on(house)
    assert len(await rows(house)) == 1


async def test_changed_by_hand_is_never_overwritten(house: CaesarHouse) -> None:
    """Neither with the revision in force nor with the changed file's own."""
    policy_file = file_of(house)
    by_hand = NOTHING + "# by hand\n"
    in_force = policy_file.revision
    await write(house, by_hand)
    for expected in (in_force, policy_text(by_hand).revision, None):
        with pytest.raises(PolicyFileChanged) as caught:
            await policy_file.async_save(
                LIGHTS, expected_revision=expected, by=house.user_id
            )
        assert "{" not in str(caught.value)
        assert issue(house, "policy_changed") is not None
    with pytest.raises(NothingKept):
        await policy_file.async_undo(by=house.user_id)
    assert (await on_disk(house))[0] == by_hand
    assert await policy_file.async_is_changed()
    assert issue(house, "policy_changed") is not None
    await policy_file.async_reload(by=house.user_id)
    assert issue(house, "policy_changed") is None
    assert not await policy_file.async_is_changed()
    assert not await light_may_go_on(house)


async def test_a_deleted_file_is_a_changed_one(house: CaesarHouse) -> None:
    """It isn't made anew behind the owner's back."""
    policy_file = file_of(house)
    await house.hass.async_add_executor_job(path_of(house).unlink)
    with pytest.raises(PolicyFileChanged):
        await policy_file.async_save(
            NOTHING, expected_revision=policy_file.revision, by=house.user_id
        )
    assert await policy_file.async_is_changed()
    assert await light_may_go_on(house)


async def test_an_old_form_does_not_overwrite_a_newer_save(house: CaesarHouse) -> None:
    """Two open forms: the second is told."""
    policy_file = file_of(house)
    seen = policy_file.revision
    await policy_file.async_save(NOTHING, expected_revision=seen, by=house.user_id)
    with pytest.raises(PolicyFileChanged):
        await policy_file.async_save(LIGHTS, expected_revision=seen, by=house.user_id)
    both = await asyncio.gather(
        *(
            policy_file.async_save(
                f"{NOTHING}# {number}\n",
                expected_revision=policy_file.revision,
                by=house.user_id,
            )
            for number in range(5)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(each, PolicyFileChanged) for each in both) == 4
    saved = policy_text((await on_disk(house))[0]).revision
    assert saved == policy_file.revision == policy_file.policy.revision


async def test_a_bad_file_can_be_mended_in_the_form(house: CaesarHouse) -> None:
    """A file that was looked at and found bad may be replaced by a good text."""
    policy_file = file_of(house)
    await write(house, BAD)
    with pytest.raises(ServiceValidationError):
        await policy_file.async_reload(by=house.user_id)
    assert issue(house, "policy_invalid") is not None
    text = await policy_file.async_text()
    assert text.text == BAD
    await policy_file.async_save(
        NOTHING, expected_revision=text.revision, by=house.user_id
    )
    assert issue(house, "policy_invalid") is None
    assert [kind for kind, _ in await rows(house)] == [
        "policy.loaded",
        "policy.load_failed",
        "policy.loaded",
    ]
    _, failed = (await rows(house))[1]
    assert failed["how"] == "reload"
    assert failed["by"] == house.user_id
    assert "line 2" in failed["problem"]


async def test_undo_and_undo_again(house: CaesarHouse) -> None:
    """Back to the text before, byte for byte; once more takes that back."""
    policy_file = file_of(house)
    with pytest.raises(NothingKept):
        await policy_file.async_undo(by=house.user_id)
    await policy_file.async_save(
        NOTHING, expected_revision=policy_file.revision, by=house.user_id
    )
    await policy_file.async_undo(by=house.user_id)
    assert (await on_disk(house))[0] == LIGHTS
    assert (await rows(house))[-1][1]["how"] == "undo"
    assert await light_may_go_on(house)
    await policy_file.async_undo(by=house.user_id)
    assert (await on_disk(house))[0] == NOTHING
    assert (await on_disk(house, "policy.previous.yaml")) == (LIGHTS, 0o600)


async def test_a_closed_form_does_not_cut_a_save(house: CaesarHouse) -> None:
    """Whoever waits may be cancelled; file and policy still go together."""
    policy_file = file_of(house)
    saving = house.hass.async_create_task(
        policy_file.async_save(
            NOTHING, expected_revision=policy_file.revision, by=house.user_id
        )
    )
    await asyncio.sleep(0)
    saving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await saving
    await house.hass.async_block_till_done()
    assert (await on_disk(house))[0] == NOTHING
    assert policy_file.policy.revision == policy_text(NOTHING).revision


async def test_the_reload_says_who(house: CaesarHouse) -> None:
    """The user of the action, or nobody for an automation's."""
    for context in (Context(user_id=house.user_id), Context()):
        await house.hass.services.async_call(
            DOMAIN, "reload_policy", {}, blocking=True, context=context
        )
        _, payload = (await rows(house))[-1]
        assert (payload["how"], payload["by"]) == ("reload", context.user_id)
    first = (await rows(house))[0]
    assert first[0] == "policy.loaded"
    assert (first[1]["how"], first[1]["by"]) == ("start", None)


@pytest.mark.parametrize("house", [WHEN], indirect=True)
async def test_conditions_decide(house: CaesarHouse) -> None:
    """A rule's `when` holds or not, at the moment of the call."""
    hass = house.hass
    hass.states.async_set("input_boolean.guests", "off")
    denied = await house.ask("turn on the kitchen light")
    assert denied["calls"][0]["code"] == "condition_not_met"
    hass.states.async_set("input_boolean.guests", "on")
    assert await light_may_go_on(house)


async def test_policy_and_conditions_change_in_one_step(house: CaesarHouse) -> None:
    """Whoever holds policy and checker without awaiting holds a pair."""
    policy_file = file_of(house)
    hass = house.hass
    hass.states.async_set("input_boolean.guests", "on")
    condition_id = "allowed_services[1].when"
    texts = [WHEN, WHEN.replace('"on"', '"off"'), NOTHING]
    wanted = {
        policy_text(text).revision: met
        for text, met in zip(texts, (True, False, False), strict=True)
    }
    seen: list[tuple[bool, bool | None]] = []
    stop = False

    async def look() -> None:
        while not stop:
            met = policy_file.conditions.check(condition_id).met
            seen.append((met, wanted.get(policy_file.policy.revision)))
            await asyncio.sleep(0)

    looking = hass.async_create_task(look())
    for text in texts * 3:
        await policy_file.async_save(
            text, expected_revision=policy_file.revision, by=house.user_id
        )
    stop = True
    await looking
    judged = [(met, right) for met, right in seen if right is not None]
    assert judged
    assert all(met is right for met, right in judged)


async def test_drafts_are_tried_and_forgotten(house: CaesarHouse) -> None:
    """A draft is parsed, its conditions too, and changes nothing."""
    policy_file = file_of(house)
    draft = await policy_file.async_parse(WHEN)
    assert draft.revision == policy_text(WHEN).revision
    assert policy_file.policy.revision == policy_text(LIGHTS).revision
    with pytest.raises(ServiceValidationError) as caught:
        await policy_file.async_parse(BAD)
    assert caught.value.translation_key == "policy_draft_invalid"
    assert "{" not in str(caught.value)


async def test_unloaded_grants_nothing(house: CaesarHouse) -> None:
    """Whoever still holds the file of an unloaded house gets a no."""
    policy_file = file_of(house)
    assert policy_file.policy.may_grant("light.turn_on")
    await write(house, NOTHING)
    await policy_file.async_is_changed()
    assert await house.hass.config_entries.async_unload(house.entry.entry_id)
    assert not policy_file.policy.may_grant("light.turn_on")
    assert policy_file.loaded is None
    assert issue(house, "policy_changed") is None
