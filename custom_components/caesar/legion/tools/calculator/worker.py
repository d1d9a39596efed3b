"""The calculator as a worker: arithmetic and units, and a sentence to say."""

from collections.abc import Mapping
from typing import ClassVar

from ...canonical import Json
from ...environment import Environment
from ...spec import ToolSpec
from ...worker import Task, Worker
from ..error_words import Both
from . import refusals
from .offer import MAX_UNIT_LENGTH, SPEC
from .parser import MAX_LENGTH, evaluate
from .speech import (
    json_value,
    say_conversion,
    say_result,
    uses_comma,
    written,
    written_unit,
)
from .units import convert


class CalculatorWorker(Worker):
    """Answers in milliseconds, from its input alone, whatever that is."""

    tools: ClassVar[tuple[ToolSpec, ...]] = (SPEC,)

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Return `expression`, `value`, `text`, `say`, and `unit` for a conversion.

        `value` is a number, or digits as text beyond 64 bits. `text` is as the language
        of the hints writes it. Raises TaskError.
        """
        expression = _text(task, "expression", refusals.EXPRESSION, MAX_LENGTH)
        unit = None
        if "unit" in task.input:
            unit = _text(task, "unit", refusals.UNIT, MAX_UNIT_LENGTH)
        return calculate(expression, unit=unit, language=task.hints.language)


def calculate(
    expression: str, *, unit: str | None = None, language: str = "en"
) -> dict[str, Json]:
    """Work an expression or a conversion out. Raises TaskError, and nothing else."""
    comma = uses_comma(language)
    done = convert(expression, unit, comma=comma)
    if done is not None:
        return {
            "expression": expression,
            "value": json_value(done.value),
            "unit": done.target.symbol,
            "text": written_unit(done.value, done.target, language),
            "say": say_conversion(done, language),
        }
    number = evaluate(expression, comma=comma)
    return {
        "expression": expression,
        "value": json_value(number),
        "text": written(number, language),
        "say": say_result(expression, number, language),
    }


def create(environment: Environment) -> Worker:
    """Make the worker; it needs no settings."""
    del environment
    return CalculatorWorker()


def _text(task: Task, name: str, what: Both, longest: int) -> str:
    # The schema was checked before, but lets blanks through and says nothing of types.
    text = task.input.get(name)
    if not isinstance(text, str) or not text.strip():
        raise refusals.MISSING.error(what=what)
    if len(text) > longest:
        raise refusals.TOO_LONG.error(what=what, most=longest)
    return text
