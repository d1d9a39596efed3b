"""Shared by the tests that run in Home Assistant's test instance."""

from collections.abc import Iterator
from functools import cache

from hassil.expression import Sentence
from hassil.parse_expression import parse_sentence
import pytest

from custom_components.caesar.adapters import following
from custom_components.caesar.adapters.audit_log import HouseAuditLog
from custom_components.caesar.adapters.local_worker import LocalWorker
from custom_components.caesar.adapters.warm_up import WarmUp


@pytest.fixture(scope="session", autouse=True)
def _read_once() -> Iterator[None]:
    """Take each sentence of a language apart once for all houses; they are the same."""
    taken_apart = cache(parse_sentence)

    def once(text: str, keep_text: bool = False) -> Sentence:
        sentence = taken_apart(text, keep_text=keep_text)
        return Sentence(expression=sentence.expression, text=sentence.text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hassil.intents.parse_sentence", once)
        yield


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
def warm_up() -> bool:
    """Say that a test needs the sentences to be read before anybody speaks."""
    return True


@pytest.fixture(autouse=True)
def _no_warm_up(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read all sentences of a language only where somebody says one.

    It takes a second of a thread, which most tests would not live to see the end of:
    Home Assistant then breaks it off wherever it is, be it in some object's `__del__`.
    """
    if "warm_up" not in request.fixturenames:
        monkeypatch.setattr(WarmUp, "async_start", lambda self: None)


@pytest.fixture(autouse=True)
def _patient_trail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a busy machine more than two seconds to write a row.

    What is slower is refused, as it must be; tests of that bring a limit of their own.
    """
    defaults = HouseAuditLog.__init__.__kwdefaults__
    assert defaults is not None
    assert "limit" in defaults
    monkeypatch.setitem(defaults, "limit", 60.0)


@pytest.fixture(autouse=True)
def _no_laggards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no device that only a test has made up: it never follows."""
    monkeypatch.setattr(following, "FOLLOW_S", 0.0)
