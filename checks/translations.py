"""Each translation file has the right shape and texts that Home Assistant accepts."""

from collections.abc import Iterator, Mapping
from pathlib import Path
import re
from typing import Final

import probatio

from . import Problem
from ._json import Document, strings
from ._translation import SHAPE, documents, placeholders

KEY: Final = re.compile(r"[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?")
HTML: Final = re.compile(r"<\s*/?\s*[A-Za-z][^>]*>")
ADDRESS: Final = re.compile(r"\b[a-z][a-z0-9+.-]*://|\bwww\.", re.IGNORECASE)
QUOTED: Final = re.compile(r"'\{[^}]*\}'")


def check(root: Path) -> list[Problem]:
    """Return what is wrong within single translation files."""
    return [
        problem for document in documents(root) for problem in _check_document(document)
    ]


def _check_document(document: Document) -> Iterator[Problem]:
    yield from document.problems
    if document.problems:
        return
    try:
        SHAPE(document.data)
    except probatio.MultipleInvalid as error:
        for item in error.errors:
            yield document.problem(item.path, item.error_message)
    yield from _check_keys(document, document.data, ())
    for keys, text in strings(document.data):
        for message in _text_problems(text):
            yield document.problem(keys, message)


def _check_keys(
    document: Document, data: object, keys: tuple[str, ...]
) -> Iterator[Problem]:
    if not isinstance(data, Mapping):
        return
    if list(data) != sorted(data):
        yield document.problem(keys, "keys must be sorted")
    fields = data.get("data_description")
    if isinstance(fields, Mapping):
        known = data.get("data", {})
        for key in fields:
            if key not in known:
                yield document.problem(
                    (*keys, "data_description", key), "describes no field of data"
                )
    for key, value in data.items():
        if not KEY.fullmatch(key):
            yield document.problem((*keys, key), "is not a valid key")
        yield from _check_keys(document, value, (*keys, key))


def _text_problems(text: str) -> Iterator[str]:
    if not text:
        yield "is empty"
    if text != text.strip():
        yield "begins or ends with a blank"
    if HTML.search(text):
        yield "holds HTML"
    if ADDRESS.search(text):
        yield "holds an address; use a placeholder"
    if QUOTED.search(text):
        yield "has a placeholder in single quotes"
    if placeholders(text) is None:
        yield "has braces that are no placeholder"
