"""The version of these files: the integration's, and the wheel's."""

from typing import Final

VERSION: Final = "0.1.0"
