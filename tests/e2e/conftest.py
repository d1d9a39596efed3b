"""Shared by the tests of whole processes."""

import pytest


@pytest.fixture
def enable_event_loop_debug() -> None:
    """Leave the loop's debug mode off: nothing of ours runs on it here.

    The test helpers' fixture of this name makes a browser five times slower.
    """
