"""semantic_recall: what was said that means the same as a question."""

from ..recall.semantic import create
from ..recall.specs import SEMANTIC_RECALL as SPEC

__all__ = ["SPEC", "create"]
