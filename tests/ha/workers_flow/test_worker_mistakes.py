"""What can go wrong when a worker is added: each said in words, at its field."""

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest

from custom_components.caesar.legion.errors import LegionCode, LegionError
from custom_components.caesar.legion.keys import Identity
from tests.ha.house import CaesarHouse

from .peers import DICE, PRINTER, answer, begin, peers, shown_values, to_tools

pytestmark = pytest.mark.usefixtures("socket_enabled")

OTHER = Identity.generate()


@pytest.mark.parametrize(
    ("wrong", "errors"),
    [
        ({"url": "ftp://192.168.1.2"}, {"url": "url_invalid"}),
        ({"url": "http://192.168.1.2/path"}, {"url": "url_invalid"}),
        ({"url": "http://me:secret@192.168.1.2"}, {"url": "url_invalid"}),
        ({"url": "http://[::1"}, {"url": "url_invalid"}),
        ({"url": "shed:99999"}, {"url": "url_invalid"}),
        ({"url": "x" * 500}, {"url": "url_invalid"}),
        ({"url": "http://8.8.8.8:80"}, {"url": "url_needs_https"}),
        ({"public_key": "U"}, {"public_key": "key_invalid"}),
        ({"public_key": OTHER.seed}, {"public_key": "seed_typed"}),
        ({"public_key": OTHER.public_key[:-1] + "A"}, {"public_key": "key_invalid"}),
        ({"public_key": OTHER.public_key.lower()}, {"public_key": "key_invalid"}),
        ({"public_key": OTHER.public_key}, {"public_key": "worker_key_differs"}),
        ({"url": "http://127.0.0.1:1"}, {"url": "worker_unreachable"}),
    ],
)
async def test_mistakes(
    hass: HomeAssistant,
    house: CaesarHouse,
    wrong: dict[str, str],
    errors: dict[str, str],
) -> None:
    """Each is said at its field, and what was typed stays."""
    async with peers(house, DICE) as peer:
        good = {"url": peer.url, "public_key": peer.key}
        shown = await begin(hass, house, "worker")
        shown = await answer(hass, shown, good | wrong)
        assert (shown["type"], shown["errors"]) == (FlowResultType.FORM, errors)
        assert shown_values(shown) == good | wrong
        shown = await answer(hass, shown, good)
        assert shown["step_id"] == "tools"


async def test_a_worker_that_does_not_know_the_house(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Its bare 401 is put into words."""
    async with peers(house) as peer:
        peer.trusted = OTHER.public_key
        await peer.start(DICE)
        shown = await to_tools(hass, house, peer)
    assert shown["errors"] == {"url": "worker_refuses"}


async def test_a_clock_that_is_wrong(hass: HomeAssistant, house: CaesarHouse) -> None:
    """The difference is named."""
    async with peers(house) as peer:
        await peer.start(DICE, ahead_s=600)
        shown = await to_tools(hass, house, peer)
    assert shown["errors"] == {"url": "worker_clock"}
    clock = (shown["description_placeholders"] or {})["clock"]
    assert 595 <= int(clock) <= 605


@pytest.mark.parametrize(
    ("code", "errors"),
    [
        (LegionCode.TIMEOUT, {"url": "worker_timeout"}),
        (LegionCode.STOPPING, {"url": "worker_busy"}),
        (LegionCode.BAD_REPLY, {"url": "not_a_worker"}),
        (LegionCode.TOO_LARGE, {"url": "not_a_worker"}),
    ],
)
async def test_other_answers(
    hass: HomeAssistant,
    house: CaesarHouse,
    monkeypatch: pytest.MonkeyPatch,
    code: LegionCode,
    errors: dict[str, str],
) -> None:
    """Whatever comes back has words of its own."""

    async def probe(address: object) -> None:
        raise LegionError(code, "x", accepted=False)

    monkeypatch.setattr(house.entry.runtime_data.workers, "async_probe", probe)
    shown = await begin(hass, house, "worker")
    shown = await answer(hass, shown, {"url": "shed:1", "public_key": OTHER.public_key})
    assert shown["errors"] == errors


async def test_added_twice(hass: HomeAssistant, house: CaesarHouse) -> None:
    """One key is one worker, and names are told apart."""
    async with peers(house, DICE) as peer, peers(house, PRINTER) as other:
        shown = await to_tools(hass, house, peer)
        shown = await answer(hass, shown, {"name": "Shed", "tools": ["dice"]})
        await answer(hass, shown, {"rule": "nothing"})
        shown = await to_tools(hass, house, peer)
        assert shown["errors"] == {"public_key": "worker_already_added"}
        shown = await to_tools(hass, house, other)
        for wrong, errors in (
            ({"name": "shed"}, {"name": "worker_name_taken"}),
            ({"name": " "}, {"name": "worker_name_length"}),
            ({"name": "x" * 65}, {"name": "worker_name_length"}),
            ({"tools": []}, {"tools": "no_tool_chosen"}),
        ):
            shown = await answer(
                hass, shown, {"name": "Attic", "tools": ["printer"], **wrong}
            )
            assert shown["errors"] == errors


async def test_not_while_caesar_is_off(hass: HomeAssistant, house: CaesarHouse) -> None:
    """An entry that isn't running says so."""
    await hass.config_entries.async_unload(house.entry.entry_id)
    for kind in ("worker", "web_search", "calendar_read"):
        result = await begin(hass, house, kind)
        assert (result["type"], result["reason"]) == (
            FlowResultType.ABORT,
            "entry_not_loaded",
        )
