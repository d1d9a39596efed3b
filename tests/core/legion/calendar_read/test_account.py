"""An account is found from any address of it, and what goes wrong has words."""

import socket
from typing import Any

import pytest

from custom_components.caesar.legion.worker import TaskError
from tests.core.legion.calendar_read.places import Place, ask, task, titles, worker

DAY = {"day": "2026-10-27"}


@pytest.mark.parametrize("path", ["", "{home}", "{home}shapes/", "nowhere/at/all/"])
async def test_found_from_any_address(place: Place, path: str) -> None:
    """The server's, the account's, the calendar's own, or a wrong path on the server."""
    settings = place.settings("shapes", path=path.format(home=place.home))
    assert "late in UTC" in titles(await ask(settings, DAY))


async def test_names_restrict(place: Place) -> None:
    """Only named calendars are read, in any capitals; none named means all."""
    assert titles(await ask(place.settings("EMPTY"), DAY)) == []
    everything = await ask(place.settings(), DAY)
    assert {event["calendar"] for event in everything["events"]} == {"shapes"}


async def test_a_name_that_is_not_there(place: Place) -> None:
    """The others are read, and the missing one is named."""
    answer = await ask(place.settings("shapes", "Holidays"), DAY)
    assert answer["events"]
    assert answer["errors"] == [
        {
            "calendar": "Holidays",
            "code": "no_such_calendar",
            "message": "The account has no calendar of this name",
        }
    ]
    assert answer["say"].endswith("I could not read Holidays.")


async def test_only_names_that_are_not_there(place: Place) -> None:
    """With nothing to read the question fails."""
    with pytest.raises(TaskError) as caught:
        await ask(place.settings("Holidays"), DAY)
    assert caught.value.code == "no_such_calendar"
    assert not caught.value.retryable


async def test_wrong_password(filled: dict[str, Place]) -> None:
    """The words say what helps: with two-step login it is an app password."""
    with pytest.raises(TaskError) as caught:
        await ask(filled["Radicale"].settings(password="wrong"), DAY)
    assert caught.value.code == "auth"
    assert "app password" in caught.value.message
    assert "wrong" not in caught.value.message


async def test_no_password_where_one_is_needed(filled: dict[str, Place]) -> None:
    """A server that asks for a password gets none, and the words say so."""
    place = filled["Radicale"]
    with pytest.raises(TaskError) as caught:
        await ask(type(place.settings())(url=place.url), DAY)
    assert caught.value.code == "auth"


async def test_unreachable() -> None:
    """A port where nobody listens: passing, so worth another try."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
    with pytest.raises(TaskError) as caught:
        await ask(
            Place(name="", url=url, home="", username="a", password="b").settings(), DAY
        )
    assert caught.value.code == "unreachable"
    assert caught.value.retryable
    assert "127.0.0.1" not in caught.value.message


async def test_a_new_calendar_on_the_old_path(place: Place) -> None:
    """The list of calendars is kept; one that has gone makes it be read anew."""
    place.make("short", [])
    async with worker(place.settings("short", "shapes")) as running:
        assert "errors" not in await running.handle(task(DAY))
        place.remove("short")
        answer: Any = await running.handle(task(DAY))
        assert answer["events"]
        (error,) = answer["errors"]
        assert error["code"] == "no_such_calendar"
