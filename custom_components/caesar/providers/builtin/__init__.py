"""The built-in brain."""

from .provider import BuiltinProvider

__all__ = ["BuiltinProvider"]
