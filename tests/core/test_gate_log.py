"""What the log says when something breaks: which call, and where it broke."""

import logging
from typing import Any

import pytest

from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import ToolRequest
from tests.fakes.parts import GateUnderTest

from .test_gate import KITCHEN


def said(caplog: pytest.LogCaptureFixture) -> list[tuple[int, str, bool]]:
    """Return what the gate has logged: level, words, and whether a trace is with it."""
    return [
        (record.levelno, record.getMessage(), bool(record.exc_info))
        for record in caplog.records
        if record.name == "custom_components.caesar.gate"
    ]


async def broken(*_: Any) -> Any:
    """Break in a way that nobody foresaw."""
    raise OSError("broken")


async def test_log_of_a_gate_that_is_broken_altogether(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A name of any length is cut: it is a model's."""
    gate = GateUnderTest()
    gate.policy = None
    request = ToolRequest(id="r", name="x" * 100, arguments={})
    outcome = await gate.gate.dispatch(request, gate.turn())
    assert outcome.error is not None
    assert outcome.error.code is Code.TOOL_ERROR
    assert said(caplog) == [
        (logging.ERROR, f"A call of {'x' * 64} failed inside the gate", True),
        (logging.ERROR, "That failure could not be written to the trail", True),
    ]


async def test_log_of_a_trail_that_takes_no_rows(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A refusal stands without its row; the log says which kind is missing."""
    gate = GateUnderTest()
    gate.trail.down = True
    await gate.service("light.turn_off", KITCHEN)
    assert said(caplog) == [
        (
            logging.WARNING,
            "A row of policy.denied could not be written to the trail",
            False,
        ),
    ]


async def test_log_of_an_outcome_that_is_not_on_record(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It names the intent whose outcome is missing."""
    gate = GateUnderTest()
    gate.trail.down_for = "conclude"
    await gate.read("light.hall")
    await gate.service("light.turn_on", KITCHEN)
    assert said(caplog) == [
        (
            logging.WARNING,
            f"The outcome of row {seq} could not be written to the trail",
            False,
        )
        for seq in (1, 2)
    ]


async def test_log_of_a_tool_that_breaks(caplog: pytest.LogCaptureFixture) -> None:
    """With the trace of where it broke."""
    gate = GateUnderTest()
    gate.executor.error = ValueError("broken")
    await gate.service("light.turn_on", KITCHEN)
    assert said(caplog) == [
        (logging.ERROR, "Unexpected error of light.turn_on", True),
    ]


async def test_log_of_a_trail_that_breaks_after_the_effect(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names the call, and has the trace of the task that carried it out."""
    gate = GateUnderTest()
    monkeypatch.setattr(gate.trail, "conclude", broken)
    await gate.service("light.turn_on", KITCHEN)
    assert said(caplog) == [
        (logging.ERROR, "Carrying out caesar light.turn_on failed", True),
    ]
    [record] = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert record.exc_info is not None
    assert record.exc_info[0] is OSError
