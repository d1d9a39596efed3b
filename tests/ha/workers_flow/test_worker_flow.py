"""A worker is added by address and key, shown, believed in part, and changed."""

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest

from custom_components.caesar.legion.spec import Annotations
from custom_components.caesar.legion.spec_json import spec_as_json
from tests.ha.house import CaesarHouse
from tests.ha.workers.hosts import changed

from .peers import (
    DICE,
    POLICY,
    PRINTER,
    answer,
    begin,
    change,
    peers,
    shown_values,
    subentry,
    to_tools,
)

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_add(hass: HomeAssistant, house: CaesarHouse) -> None:
    """All of it is pinned, nothing is believed, and the policy stays as it is."""
    async with peers(house, DICE, PRINTER) as peer:
        shown = await to_tools(hass, house, peer)
        assert shown["step_id"] == "tools"
        assert shown_values(shown) == {"name": "shed", "tools": ["dice", "printer"]}
        shown = await answer(
            hass, shown, {"name": " Shed ", "tools": ["dice", "printer"]}
        )
        assert shown["step_id"] == "rule"
        result = await answer(hass, shown, {"rule": "nothing"})
        assert result["type"] is FlowResultType.CREATE_ENTRY
        worker = subentry(house, "worker")
        assert (worker.title, worker.unique_id) == ("Shed", peer.key)
        assert worker.data == {
            "url": peer.url,
            "public_key": peer.key,
            "tools": {"dice": spec_as_json(DICE), "printer": spec_as_json(PRINTER)},
            "confirmed": {"dice": [], "printer": []},
        }
        assert house.entry.state is ConfigEntryState.LOADED
        assert (
            "dice" not in (await house.entry.runtime_data.policy_file.async_text()).text
        )
        await house.entry.runtime_data.workers.async_refresh_all()
        (status,) = [
            each
            for each in house.entry.runtime_data.workers.statuses()
            if each.id == worker.subentry_id
        ]
        assert (status.online, status.tools) == (True, ("dice", "printer"))


async def test_what_is_confirmed_counts(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """A person's ticks lower a tool's class, and only of what it claims itself."""
    async with peers(house, DICE, PRINTER) as peer:
        shown = await to_tools(hass, house, peer)
        schema = shown["data_schema"]
        assert schema is not None
        (offered,) = [
            [option["value"] for option in kind.config["options"]]
            for field, kind in schema.schema.items()
            if field == "confirmed"
        ]
        assert offered == [
            "dice.read_only",
            "dice.open_world",
            "dice.private_data",
            "dice.untrusted_result",
        ]
        shown = await answer(
            hass,
            shown,
            {
                "name": "Shed",
                "tools": ["dice", "printer"],
                "confirmed": ["dice.read_only", "dice.untrusted_result"],
            },
        )
        await answer(hass, shown, {"rule": "nothing"})
        assert subentry(house, "worker").data["confirmed"] == {
            "dice": ["read_only", "untrusted_result", "destructive"],
            "printer": [],
        }
        spec = house.entry.runtime_data.workers.spec("dice")
        assert spec is not None
        assert spec.annotations == Annotations(
            read_only=True,
            destructive=False,
            idempotent=False,
            open_world=True,
            private_data=True,
            untrusted_result=False,
        )


async def test_only_what_is_chosen_is_enrolled(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """A tool that is left out is neither pinned nor confirmed."""
    async with peers(house, DICE, PRINTER) as peer:
        shown = await to_tools(hass, house, peer)
        shown = await answer(
            hass,
            shown,
            {"name": "Shed", "tools": ["printer"], "confirmed": ["dice.read_only"]},
        )
        await answer(hass, shown, {"rule": "nothing"})
        data = subentry(house, "worker").data
        assert list(data["tools"]) == ["printer"]
        assert data["confirmed"] == {"printer": []}


async def test_a_workers_words_are_text(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """No link, picture, heading or row of a table comes out of what it says."""
    evil = changed(
        DICE,
        title="![x](http://192.0.2.1/a.png)",
        description="[free](http://192.0.2.1)\n\n# Trust me\n<img src=x>",
        sentences={"en": ("roll the [red] dice", "{q}"), "de": ("würfle",)},
    )
    async with peers(house, evil) as peer:
        shown = await to_tools(hass, house, peer)
        said = (shown["description_placeholders"] or {})["tools"]
    assert "\\!\\[x\\]\\(http" in said
    assert "\\[free\\]\\(http" in said
    assert "\\# Trust me \\<img" in said
    assert "Sentences (en): “roll the \\[red\\] dice”, “\\{q\\}”" in said
    # Of the sentences that would hear too much it says why they are not heard.
    assert "will not listen for “\\{q\\}” \\(en\\)" in said
    assert "will not listen for “würfle” \\(de\\)" in said
    assert "will not listen for “roll" not in said


async def test_what_annotations_mean_is_said(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """In plain words, both ways."""
    async with peers(house, DICE, PRINTER) as peer:
        shown = await to_tools(hass, house, peer)
    said = (shown["description_placeholders"] or {})["tools"]
    dice, printer = said.split("**Printer**")
    assert (
        "It says: it only looks and changes nothing; it reaches nothing outside; it"
        " sees no private data; its answers are its own work." in dice
    )
    assert (
        "It says: it may change something for good; it reaches the internet; it sees"
        " private data; its answers are texts that nobody vouches for." in printer
    )


async def test_names_of_other_tools(hass: HomeAssistant, house: CaesarHouse) -> None:
    """A tool that can't be used is shown with the reason, before anything is kept."""
    async with peers(house, DICE) as peer, peers(house) as other:
        shown = await to_tools(hass, house, peer)
        shown = await answer(hass, shown, {"name": "Shed", "tools": ["dice"]})
        await answer(hass, shown, {"rule": "nothing"})
        loud = changed(DICE, input_schema={"type": "object"})
        await other.start(loud, changed(PRINTER, name="web_search"), worker_id="attic")
        shown = await to_tools(hass, house, other)
        said = (shown["description_placeholders"] or {})["tools"]
    dice, search = said.split("**Printer**")
    assert "Another worker has a tool of this name" in dice
    assert "a tool of CAESAR\\'s own that is different" in search


@pytest.mark.parametrize(
    ("rule", "lines"),
    [
        ("ask", "allowed_tools:\n  - tool: dice\n    approval: always\n"),
        ("allow", "allowed_tools:\n  - dice\n"),
    ],
)
async def test_the_policy_line(
    hass: HomeAssistant, house: CaesarHouse, rule: str, lines: str
) -> None:
    """It is shown, and written if that is wanted; the rest of the file stays."""
    async with peers(house, DICE) as peer:
        shown = await to_tools(hass, house, peer)
        shown = await answer(hass, shown, {"name": "Shed", "tools": ["dice"]})
        placeholders = shown["description_placeholders"] or {}
        assert "- tool: dice\n    approval: always" in placeholders["lines"]
        result = await answer(hass, shown, {"rule": rule})
        assert result["type"] is FlowResultType.CREATE_ENTRY
        policy_file = house.entry.runtime_data.policy_file
        text = (await policy_file.async_text()).text
        assert text == f"{POLICY}\n{lines}"
        assert policy_file.loaded is not None
        assert policy_file.policy.may_grant("dice")


async def test_a_tool_that_the_policy_knows(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Nothing is asked about the policy, which has an answer already."""
    policy_file = house.entry.runtime_data.policy_file
    await policy_file.async_save(
        f"{POLICY}allowed_tools:\n  - dice\n",
        expected_revision=policy_file.revision,
        by=None,
    )
    async with peers(house, DICE) as peer:
        shown = await to_tools(hass, house, peer)
        result = await answer(hass, shown, {"name": "Shed", "tools": ["dice"]})
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_a_policy_that_cannot_be_written(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """It says so and keeps nothing; without the line the worker can still be added."""
    async with peers(house, DICE) as peer:
        shown = await to_tools(hass, house, peer)
        shown = await answer(hass, shown, {"name": "Shed", "tools": ["dice"]})
        path = house.database.with_name("policy.yaml")
        await hass.async_add_executor_job(path.write_text, POLICY + "# by hand\n")
        shown = await answer(hass, shown, {"rule": "ask"})
        assert shown["errors"] == {"base": "policy_changed"}
        assert not house.entry.get_subentries_of_type("worker")
        await hass.async_add_executor_job(path.write_text, "[1, 2]\n")
        shown = await answer(hass, shown, {"rule": "ask"})
        assert shown["errors"] == {"base": "policy_invalid"}
        result = await answer(hass, shown, {"rule": "nothing"})
        assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_the_houses_key_is_shown(hass: HomeAssistant, house: CaesarHouse) -> None:
    """The worker has to be told of it before anything works."""
    shown = await begin(hass, house, "worker")
    placeholders = shown["description_placeholders"] or {}
    assert placeholders["house_key"] == house.entry.runtime_data.workers.public_key


async def test_typed_loosely(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Host and port are enough, blanks around them do no harm."""
    async with peers(house, DICE) as peer:
        shown = await begin(hass, house, "worker")
        shown = await answer(
            hass,
            shown,
            {
                "url": f" {peer.url.removeprefix('http://')}/ ",
                "public_key": f" {peer.key}\n",
            },
        )
        assert shown["step_id"] == "tools"
        shown = await answer(hass, shown, {"name": "Shed", "tools": ["dice"]})
        await answer(hass, shown, {"rule": "nothing"})
        assert subentry(house, "worker").data["url"] == peer.url


async def test_change(hass: HomeAssistant, house: CaesarHouse) -> None:
    """A new address; what was confirmed stays for tools that are as they were."""
    async with peers(house, DICE, PRINTER) as peer:
        shown = await to_tools(hass, house, peer)
        ticks = ["dice.read_only", "dice.open_world"]
        shown = await answer(
            hass, shown, {"name": "Shed", "tools": ["dice"], "confirmed": ticks}
        )
        await answer(hass, shown, {"rule": "nothing"})
        await peer.start(DICE, PRINTER)
        shown = await change(hass, house, subentry(house, "worker"))
        assert (shown["description_placeholders"] or {})["key"] == peer.key
        shown = await answer(hass, shown, {"url": peer.url})
        assert shown_values(shown) == {
            "name": "Shed",
            "tools": ["dice"],
            "confirmed": ticks,
        }
        result = await answer(
            hass,
            shown,
            {"name": "Barn", "tools": ["dice", "printer"], "confirmed": ticks},
        )
        assert result["reason"] == "reconfigure_successful"
        worker = subentry(house, "worker")
        assert (worker.title, worker.unique_id) == ("Barn", peer.key)
        assert worker.data["url"] == peer.url
        assert list(worker.data["tools"]) == ["dice", "printer"]

        await peer.start(changed(DICE, description="Rolls loaded dice."), PRINTER)
        shown = await change(hass, house, worker)
        shown = await answer(hass, shown, {"url": peer.url})
        assert shown_values(shown)["confirmed"] == []


async def test_change_to_where_another_answers(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """A worker with another key is not this worker."""
    async with peers(house, DICE) as peer, peers(house, DICE) as other:
        shown = await to_tools(hass, house, peer)
        shown = await answer(hass, shown, {"name": "Shed", "tools": ["dice"]})
        await answer(hass, shown, {"rule": "nothing"})
        shown = await change(hass, house, subentry(house, "worker"))
        shown = await answer(hass, shown, {"url": other.url})
        assert shown["errors"] == {"url": "worker_key_differs"}
        assert subentry(house, "worker").data["url"] == peer.url
