"""recall_memory: what happened lately, newest first."""

from ..recall.newest import create
from ..recall.specs import RECALL_MEMORY as SPEC

__all__ = ["SPEC", "create"]
