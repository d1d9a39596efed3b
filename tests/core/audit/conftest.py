"""A running trail for the tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .house import Trail, running


@pytest.fixture
def trail(tmp_path: Path) -> Iterator[Trail]:
    """Return a trail that runs until the test ends."""
    with running(tmp_path) as one:
        yield one
