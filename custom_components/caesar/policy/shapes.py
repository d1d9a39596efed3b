"""How the ids of services and tools look."""

import re
from typing import Final

SERVICE: Final = re.compile(r"[a-z0-9_]{1,64}\.[a-z0-9_]{1,190}")
TOOL: Final = re.compile(r"[a-z0-9_]{1,64}|intent__[A-Za-z0-9_]{1,56}")
