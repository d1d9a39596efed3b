"""How hard a model thinks before it answers, where somebody may choose. Pure."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Think(StrEnum):
    """How hard a model is asked to think. A person neither sees nor hears it."""

    OFF = "off"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


# Vendors count thinking as part of the answer; a person doesn't. So an answer's limit,
# in tokens, gets this much more. Anthropic takes no budget below 1,024.
ROOM: Final[Mapping[Think, int]] = {
    Think.OFF: 0,
    Think.LOW: 1024,
    Think.MEDIUM: 4096,
    Think.HIGH: 8192,
}
