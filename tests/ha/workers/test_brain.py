"""A worker's tool from the sentence to the answer, and by the actions, on a real worker."""

from typing import Any

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
import pytest

from custom_components.caesar.const import DOMAIN
from custom_components.caesar.legion.spec import Annotations
from custom_components.caesar.policy.reason import Code
from tests.ha.house import CaesarHouse, async_move_in

from .hosts import BINS, EVERYTHING, Host, changed, registry_of, until

ASKING = changed(
    BINS,
    sentences={"en": ("when is the {bin} bin collected", "{bin}", "turn on the {bin}")},
)
LISTED = "version: 1\nallowed_tools:\n  - bin_days\n"
UNLISTED = "version: 1\nallowed_tools: []\n"
SAID = "When is the paper bin collected?"


async def moved_in(
    hass: HomeAssistant, user: User, host: Host, policy: str, *confirmed: str
) -> CaesarHouse:
    """Return a house that has enrolled the worker and heard of it."""
    await host.start(ASKING)
    house = await async_move_in(
        hass, user.id, policy, [host.subentry(ASKING, confirmed=confirmed)]
    )
    await until(
        hass, lambda: registry_of(house).spec("bin_days") is not None, "not enrolled"
    )
    await until(
        hass,
        lambda: "bin_days" in [s.name for s in registry_of(house).tools()],
        "not heard",
    )
    return house


async def act(house: CaesarHouse, action: str, **data: Any) -> dict[str, Any]:
    """Return the answer of one of CAESAR's actions."""
    answer = await house.hass.services.async_call(
        DOMAIN,
        action,
        data,
        blocking=True,
        context=Context(user_id=house.user_id),
        return_response=True,
    )
    assert answer is not None
    return dict(answer)


async def test_a_worker_and_a_policy_line_are_enough(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """Said by a sentence of the worker's own; the trail knows worker and task."""
    house = await moved_in(hass, hass_admin_user, host, LISTED, *EVERYTHING)
    answer = await house.ask(SAID)
    assert answer["answer"] == "Monday."
    [task] = host.tasks
    assert dict(task.input) == {"bin": "paper"}
    [row] = await house.trail(answer["decision_id"])
    assert (row["action"], row["result"]) == ("bin_days", "ok")


async def test_the_first_call_says_what_to_add(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """An admin hears the line; the worker hears nothing."""
    house = await moved_in(hass, hass_admin_user, host, UNLISTED, *EVERYTHING)
    answer = await house.ask(SAID)
    assert "- bin_days" in answer["answer"]
    assert host.tasks == []


async def test_greedy_sentences_of_it_are_not_heard(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """`{bin}` hears no word, and "turn on the" stays the house's."""
    house = await moved_in(hass, hass_admin_user, host, LISTED, *EVERYTHING)
    await house.ask("tell me a joke")
    await house.ask("turn on the sauna")
    assert host.tasks == []


async def test_a_worker_that_goes_is_missed_by_name(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """Who asks for it is told that it is away; it answers when it is back."""
    house = await moved_in(hass, hass_admin_user, host, LISTED, *EVERYTHING)
    await host.stop()
    [status] = [s for s in registry_of(house).statuses() if s.public_key == host.key]
    await registry_of(house).async_refresh(status.id)
    await until(hass, lambda: not registry_of(house).tools(), "still there")
    away = await house.ask(SAID)
    assert [call["code"] for call in away["calls"]] == [Code.NO_WORKER.value]
    assert "isn't running" in away["answer"]
    await host.start(ASKING)
    await registry_of(house).async_refresh(status.id)
    await until(hass, lambda: bool(registry_of(house).tools()), "not back")
    assert (await house.ask(SAID))["answer"] == "Monday."


@pytest.mark.parametrize("confirmed", [(), ("read_only",)])
async def test_only_a_person_makes_a_worker_a_reader(
    hass: HomeAssistant, hass_admin_user: User, host: Host, confirmed: tuple[str, ...]
) -> None:
    """What it says of itself lowers nothing: unconfirmed, its calls are asked about."""
    house = await moved_in(hass, hass_admin_user, host, LISTED, *confirmed)
    assert ASKING.annotations.read_only
    given: dict[str, Any] = {"tool": "bin_days", "arguments": {"bin": "paper"}}
    explained = await act(house, "explain", **given)
    if confirmed:
        assert (explained["verdict"], explained["impact"]) == ("allow", "read")
    else:
        assert (explained["verdict"], explained["impact"]) == ("ask", "destructive")
    assert host.tasks == []


async def test_call_tool_goes_the_same_way(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """The same gate, row and refusals as for a sentence."""
    house = await moved_in(hass, hass_admin_user, host, LISTED, *EVERYTHING)
    done = await act(house, "call_tool", tool="bin_days", arguments={"bin": "glass"})
    assert (done["ok"], done["data"]["say"]) == (True, "Monday.")
    [row] = await house.trail(done["decision_id"])
    assert row["action"] == "bin_days"
    for wrong in ({"bin": 7}, {"bin": "glass", "more": 1}):
        refused = await act(house, "call_tool", tool="bin_days", arguments=wrong)
        assert refused["error"]["code"] == Code.INVALID_INPUT.value
    assert len(host.tasks) == 1


async def test_simulate_judges_calls_of_workers(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """What a draft would say of a call that was let through, by the class of then."""
    house = await moved_in(hass, hass_admin_user, host, LISTED, *EVERYTHING)
    await house.ask(SAID)
    same = await act(house, "simulate", policy=LISTED + "# a note\n", days=1)
    assert (same["calls"], same["changed"]) == (1, [])
    draft = LISTED.replace("- bin_days", "- {tool: bin_days, input: {bin: glass}}")
    [change] = (await act(house, "simulate", policy=draft, days=1))["changed"]
    assert (change["tool"], change["before"], change["after"]) == (
        "bin_days",
        "allow",
        "deny",
    )
    assert change["code"] == "input_not_allowed"


async def test_an_open_schema_opens_nothing(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """A rule's bound can't be met by a field that the worker never looks at."""
    open_ = changed(
        ASKING,
        input_schema={
            "type": "object",
            "properties": {"bin": {"type": "string", "pattern": "[a-z]+"}},
            "additionalProperties": True,
        },
        annotations=Annotations(read_only=True),
    )
    await host.start(open_)
    house = await async_move_in(
        hass,
        hass_admin_user.id,
        "version: 1\nallowed_tools: [{tool: bin_days, input: {bni: glass}}]\n",
        [host.subentry(open_, confirmed=EVERYTHING)],
    )
    await until(hass, lambda: bool(registry_of(house).tools()), "not heard")
    given = {"bin": "glass", "bni": "glass"}
    refused = await act(house, "call_tool", tool="bin_days", arguments=given)
    assert refused["error"]["code"] == Code.INVALID_INPUT.value
    assert host.tasks == []
