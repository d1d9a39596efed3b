"""Asks the calculator as a house does: through its worker."""

from collections.abc import Mapping

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.environment import Environment
from custom_components.caesar.legion.messages import Hints
from custom_components.caesar.legion.tools.calculator import create
from custom_components.caesar.legion.tools.calculator.worker import calculate
from custom_components.caesar.legion.worker import Task, TaskError


async def ask(
    expression: Json, *, language: str = "en", **more: Json
) -> Mapping[str, Json]:
    """Return the calculator's answer to one question."""
    worker = create(Environment({}))
    await worker.start()
    try:
        return await worker.handle(
            Task(
                id="1",
                tool="calculator",
                input={"expression": expression, **more},
                hints=Hints(language=language),
            )
        )
    finally:
        await worker.stop()


def outcome(expression: str) -> tuple[Json, str | None]:
    """Return the value of an expression, or None and the code of the refusal."""
    try:
        return calculate(expression)["value"], None
    except TaskError as err:
        return None, err.code


async def refusal(expression: Json, *, language: str = "en", **more: Json) -> TaskError:
    """Return why the calculator won't answer; fail if it does."""
    with pytest.raises(TaskError) as caught:
        await ask(expression, language=language, **more)
    return caught.value
