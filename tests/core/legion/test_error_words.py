"""Every reason of the bundled tools is told in English and in German."""

import ast
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
import re
import string

import pytest

from custom_components.caesar.legion import tools
from custom_components.caesar.legion.bundled import BUNDLED
from custom_components.caesar.legion.tools.error_words import Both, ErrorWords
from custom_components.caesar.legion.wire import MAX_ERROR, plain

ROOT = Path(str(tools.__file__)).parent


def reasons(tool: str) -> Iterator[tuple[str, ErrorWords]]:
    """Yield each reason of a tool with its name."""
    module = import_module(f"{tools.__name__}.{tool}.refusals")
    for name, value in vars(module).items():
        if isinstance(value, ErrorWords):
            yield name, value
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                if isinstance(inner, ErrorWords):
                    yield f"{name}.{key}", inner


# The recall tools say nothing to people but what the house says of them.
TOOLS = [tool for tool in BUNDLED if (ROOT / tool / "refusals.py").exists()]


def names_in(template: str) -> set[str]:
    """Return what stands in braces."""
    parsed = string.Formatter().parse(template)
    return {name for _, name, _, _ in parsed if name is not None}


ALL = [
    pytest.param(words, id=f"{tool}-{name}")
    for tool in TOOLS
    for name, words in reasons(tool)
]


@pytest.mark.parametrize("words", ALL)
def test_both_languages_hold_the_same_values(words: ErrorWords) -> None:
    """German is not English, and leaves nothing out."""
    assert names_in(words.en) == names_in(words.de)
    values = {name: f"<{name}>" for name in names_in(words.en)}
    error = words.error(**values)
    german = error.text("de")
    assert german != error.message
    for value in values.values():
        assert value in error.message
        assert value in german
    assert (error.code, error.retryable) == (words.code, words.retryable)
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", error.code)
    for text in (error.message, german):
        assert text == plain(text, MAX_ERROR)
        assert "{" not in text
    assert german.endswith((".", "?")) == error.message.endswith((".", "?"))


@pytest.mark.parametrize("tool", TOOLS)
def test_all_errors_of_a_tool_are_such(tool: str) -> None:
    """None is made elsewhere, each is used, and is given what its texts need."""
    known = dict(reasons(tool))
    used: set[str] = set()
    for path in (ROOT / tool).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="TaskError")):
                    pytest.fail(f"{path.name}:{node.lineno} makes an error by itself")
                case ast.Call(
                    func=ast.Attribute(
                        value=ast.Attribute(value=ast.Name(id="refusals"), attr=name),
                        attr="error",
                    )
                ):
                    given = {str(keyword.arg) for keyword in node.keywords}
                    needed = names_in(known[name].en)
                    assert given == needed, f"{path.name}:{node.lineno}"
                    used.add(name)
    assert used == {name for name in known if "." not in name}


def test_a_value_in_two_languages() -> None:
    """It is filled in as each language has it; braces in a value mean nothing."""
    words = ErrorWords(code="a", en="I see {what} and {n}", de="Ich sehe {what}, {n}")
    error = words.error(what=Both(en="{n}", de="einen Hund"), n=2)
    assert error.text("en") == error.message == "I see {n} and 2"
    assert error.text("de-CH") == error.text("DE_at") == "Ich sehe einen Hund, 2"
    assert error.text("fr") == error.text("") == error.message
