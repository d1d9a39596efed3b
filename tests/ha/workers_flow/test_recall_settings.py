"""Recalling: a server is tried, with a real request for a vector, before it is kept."""

from collections.abc import AsyncIterator
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest

from tests.fakes.embeddings_api import FakeEmbeddings
from tests.ha.house import CaesarHouse

from .peers import answer, begin, change, shown_values, subentry

NOBODY = "http://127.0.0.1:1"


@pytest.fixture
async def server(socket_enabled: None) -> AsyncIterator[FakeEmbeddings]:
    """Return a server that wants a key."""
    one = FakeEmbeddings(key="k-secret")
    await one.start()
    yield one
    await one.stop()


async def to(hass: HomeAssistant, shown: Any, step: str) -> Any:
    """Choose a line of the menu."""
    assert shown["type"] is FlowResultType.MENU
    return await answer(hass, shown, {"next_step_id": step})


async def test_a_server_is_tried_and_kept(
    hass: HomeAssistant, house: CaesarHouse, server: FakeEmbeddings
) -> None:
    """What is wrong is said at its field; the key is never shown nor sent elsewhere."""
    url = f"http://127.0.0.1:{server.port}"
    shown = await to(hass, await begin(hass, house, "recall"), "ollama")
    assert shown_values(shown) == {"model": "nomic-embed-text"}
    for typed, errors in (
        ({"url": "ftp://x", "model": "m"}, {"url": "url_invalid"}),
        ({"url": "http://8.8.8.8", "model": "m"}, {"url": "url_needs_https"}),
        ({"url": url, "model": " "}, {"model": "model_empty"}),
        ({"url": url, "model": "m", "api_key": "ä"}, {"api_key": "api_key_invalid"}),
    ):
        shown = await answer(hass, shown, typed)
        assert shown["errors"] == errors
    assert server.models == set()
    good = {"url": url, "model": "small"}
    for typed, status, errors in (
        (good | {"url": NOBODY}, 200, {"base": "trial_unreachable"}),
        (good | {"api_key": "k-wrong"}, 200, {"api_key": "trial_bad_key"}),
        (good | {"api_key": "k-secret"}, 404, {"model": "trial_no_model"}),
        (good | {"api_key": "k-secret"}, 503, {"base": "not_working"}),
    ):
        server.status = status
        shown = await answer(hass, shown, typed)
        assert shown["errors"] == errors
        assert "k-" not in str(shown_values(shown))
    server.status = 200
    result = await answer(hass, shown, good | {"api_key": "k-secret"})
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert server.asked == 1
    kept = subentry(house, "recall")
    assert kept.title == "Ollama"
    assert kept.data == {**good, "backend": "ollama", "api_key": "k-secret"}
    result = await begin(hass, house, "recall")
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "only_one")

    shown = await to(hass, await change(hass, house, kept), "ollama")
    assert shown_values(shown) == good
    shown = await answer(hass, shown, good | {"url": f"http://localhost:{server.port}"})
    assert shown["errors"] == {"api_key": "trial_bad_key"}
    server.status = 200
    result = await answer(hass, shown, good | {"model": "large"})
    assert result["reason"] == "reconfigure_successful"
    kept = subentry(house, "recall")
    assert kept.data["model"] == "large"
    assert "large" in server.models

    # Back to words: neither address nor key is kept.
    result = await to(hass, await change(hass, house, kept), "words")
    assert result["reason"] == "reconfigure_successful"
    assert subentry(house, "recall").data == {"backend": "words"}
