"""How the local worker's process is started, and settings tried in one."""

import os
from pathlib import Path
import tempfile
from typing import Any

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters import worker_launch, worker_process
from custom_components.caesar.adapters.local_settings import environment_of
from custom_components.caesar.adapters.worker_process import (
    ProcessFailed,
    WorkerProcess,
)
from custom_components.caesar.adapters.worker_trial import (
    TrialError,
    async_try_settings,
)
from custom_components.caesar.const import (
    CONF_BACKEND,
    CONF_CALENDARS,
    CONF_PASSWORD,
    CONF_URL,
    CONF_USERNAME,
    SUBENTRY_CALENDAR,
    SUBENTRY_WEB_SEARCH,
)
from tests.ha.house import async_move_in

POLICY = "version: 1\nallowed_tools:\n  - calculator\n"


async def test_settings_become_the_environment_of_the_process() -> None:
    """By the names of SPEC L-1; nothing else is in there."""

    class Kept:
        def __init__(self, kind: str, **data: object) -> None:
            self.subentry_type, self.data = kind, data

    prefix = "CAESAR_TOOLS__"
    search: Any = Kept(SUBENTRY_WEB_SEARCH, **{CONF_BACKEND: "brave", "api_key": "k"})
    assert environment_of(search) == {
        f"{prefix}WEB_SEARCH__BACKEND": "brave",
        f"{prefix}WEB_SEARCH__BRAVE_API_KEY": "k",
    }
    calendar: Any = Kept(
        SUBENTRY_CALENDAR,
        **{
            CONF_URL: "https://dav.example/",
            CONF_USERNAME: "adult",
            CONF_PASSWORD: "secret",
            CONF_CALENDARS: ["Home", 'A "quoted" one'],
        },
    )
    assert environment_of(calendar) == {
        f"{prefix}CALENDAR__CALDAV_URL": "https://dav.example/",
        f"{prefix}CALENDAR__USERNAME": "adult",
        f"{prefix}CALENDAR__PASSWORD": "secret",
        f"{prefix}CALENDAR__CALENDAR_NAMES": '["Home", "A \\"quoted\\" one"]',
    }


@pytest.mark.usefixtures("house_key")
async def test_a_trial_says_what_is_wrong_and_leaves_nothing(
    hass: HomeAssistant, hass_admin_user: User
) -> None:
    """Settings are tried in a process of their own, which is gone afterwards."""
    await async_move_in(hass, hass_admin_user.id, POLICY)
    with pytest.raises(TrialError) as refused:
        await async_try_settings(
            hass, SUBENTRY_WEB_SEARCH, {"CAESAR_TOOLS__WEB_SEARCH__BACKEND": "brave"}
        )
    assert refused.value.key == "settings"
    assert "BRAVE_API_KEY" in refused.value.message
    with pytest.raises(TrialError) as failed:
        await async_try_settings(
            hass,
            SUBENTRY_WEB_SEARCH,
            {
                "CAESAR_TOOLS__WEB_SEARCH__BACKEND": "searxng",
                "CAESAR_TOOLS__WEB_SEARCH__SEARXNG_URL": "http://127.0.0.1:9/",
            },
        )
    assert failed.value.key == "unreachable"
    assert failed.value.message


async def test_a_trial_needs_a_loaded_house(hass: HomeAssistant) -> None:
    """Without one there is no key to speak with."""
    with pytest.raises(TrialError) as error:
        await async_try_settings(hass, SUBENTRY_WEB_SEARCH, {})
    assert error.value.key == "not_started"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense\n",
        b"[]\n",
        b'{"port": 1, "public_key": "U", "failed": {}}\n',
        b'{"port": "x", "public_key": "U", "failed": {}}\n',
        b"x" * 200_000,
    ],
)
async def test_a_first_line_that_makes_no_sense_is_no_process(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: bytes
) -> None:
    """Whatever it says, it is ended and nothing is left."""
    file = tmp_path / "line"
    file.write_bytes(line)
    launch = worker_launch.Launch(
        command=("/bin/sh", "-c", f"cat {file}; exec sleep 60 >/dev/null")
        if line
        else ("/bin/true",)
    )
    monkeypatch.setattr(
        "custom_components.caesar.adapters.worker_process.prepare",
        lambda _config: launch,
    )
    # It does not listen to us either.
    monkeypatch.setattr(worker_process, "STOP_S", 0.05)
    with pytest.raises(ProcessFailed):
        await WorkerProcess.start(hass, (), {}, "U")


def test_copies_that_a_killed_house_left_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a house that runs stay."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ours = worker_launch._copy()
    for name in (f"{os.getpid()}-before", "999999999-gone", "1-runs"):
        (tmp_path / f"caesar-worker-{name}").mkdir()
    again = worker_launch._copy()
    kept = {ours, again, tmp_path / "caesar-worker-1-runs"}
    assert set(tmp_path.iterdir()) == kept
    for copy in (ours, again):
        assert (copy / "legion" / "boot.py").stat().st_mode & 0o777 == 0o644
        worker_launch.Launch(command=(), copy=copy).clean_up()
    assert set(tmp_path.iterdir()) == {tmp_path / "caesar-worker-1-runs"}


def test_what_is_needed_is_shown_and_the_rest_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also an interpreter below a closed folder, or below the configuration."""
    config, home = tmp_path / "config", tmp_path / "home"
    inner = home / "cache" / "python"
    packages = inner / "lib" / "site-packages"
    monkeypatch.setattr(
        worker_launch,
        "_closed_above",
        lambda folder: home if folder.is_relative_to(home) else None,
    )
    # Which of the container's other folders there are depends on the machine.
    monkeypatch.setattr(worker_launch, "_OF_THE_HOUSE", ())
    needed = [inner, packages, config / "venv", tmp_path / "open"]
    assert worker_launch._walls(config, needed) == {
        "hide": [str(config), str(home)],
        "show": [str(config / "venv"), str(inner)],
    }


def test_the_first_closed_folder_on_the_way_is_found(tmp_path: Path) -> None:
    """What lies below it can't be reached, whatever its own modes."""
    closed = tmp_path / "closed"
    (closed / "open").mkdir(parents=True)
    closed.chmod(0o700)
    found = worker_launch._closed_above(closed / "open")
    assert found is not None
    assert closed.is_relative_to(found)
    assert worker_launch._closed_above(Path("/usr")) is None
