"""A desk that has started, for all of its tests."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.desk import DeskUnderTest


@pytest.fixture
async def house() -> AsyncIterator[DeskUnderTest]:
    """Return a desk that has started."""
    under_test = DeskUnderTest()
    await under_test.desk.start()
    yield under_test
    under_test.store.down = False
    await under_test.desk.stop()
    await under_test.settle()
