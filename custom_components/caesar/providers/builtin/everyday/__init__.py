"""What people say to their house every day, per language.

A tool whose sentence would hear one of these is not heard by that sentence: nobody
should find that "turn off the lights" has become a tool's business. Most are of the
tests' tables of sentences. Questions about calendars are not here: CAESAR hears the
common ones itself, and a tool may know more of them.
"""

from collections.abc import Mapping
from typing import Final

from . import de, en

EVERYDAY: Final[Mapping[str, tuple[str, ...]]] = {
    "de": de.SENTENCES,
    "en": en.SENTENCES,
}
"""The sentences by base language."""
