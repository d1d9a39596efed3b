"""Shared by the tests that run in Home Assistant's test instance."""

from pathlib import Path

import pytest

from custom_components.caesar.adapters.local_worker import LocalWorker


@pytest.fixture(autouse=True)
def _our_integrations(request: pytest.FixtureRequest) -> None:
    """Let Home Assistant load what is in custom_components."""
    # The recorder refuses to start after `hass`, which the second fixture brings.
    if "recorder_mock" in request.fixturenames:
        request.getfixturevalue("recorder_mock")
    request.getfixturevalue("enable_custom_integrations")


@pytest.fixture
def local_worker() -> bool:
    """Say that a test needs the process that CAESAR runs for its own tools."""
    return True


@pytest.fixture(autouse=True)
def _no_local_worker(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Start no process of its own for each of hundreds of houses."""
    if "local_worker" not in request.fixturenames:
        monkeypatch.setattr(LocalWorker, "async_start", lambda self: None)


@pytest.fixture
def hass_config_dir(tmp_path: Path) -> str:
    """Give every test a configuration folder of its own."""
    return str(tmp_path)
