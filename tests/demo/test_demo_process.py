"""The processes beside the house start, say where they are, and are stopped."""

from pathlib import Path
import re

import pytest

from house.errors import HouseError
from house.process import scripted_model


async def test_a_scripted_model_is_there_until_it_is_not_needed(tmp_path: Path) -> None:
    """Its first line is its address."""
    script = tmp_path / "script.yaml"
    script.write_text("rules: []\ndefault: Hello.\n")
    async with scripted_model(str(script)) as url:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/?", url)


async def test_a_script_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    """No waiting for a server that has given up."""
    script = tmp_path / "script.yaml"
    script.write_text("rules: {")
    with pytest.raises(HouseError, match="did not start"):
        async with scripted_model(str(script)):
            pass
